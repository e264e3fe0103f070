"""BEHAVIOR-1K activities, and OmniGibson."""
