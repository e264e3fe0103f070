"""OmniGibson and BEHAVIOR-1K: its action primitives, in the simulator or in a symbolic world."""
