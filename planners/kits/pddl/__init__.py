"""Problems of scene graphs in PDDL: written, checked, cut to what matters, and solved."""
