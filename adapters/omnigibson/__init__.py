"""BEHAVIOR-1K activities, and OmniGibson's action primitives: simulated or symbolic."""
