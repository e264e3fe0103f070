"""The goal audit: which goals of a suite are impossible, hold already, or are ambiguous."""
