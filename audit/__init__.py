"""The goal audit: which goals of a suite cannot be fulfilled, hold already, or are ambiguous."""
