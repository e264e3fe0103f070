"""PDDL problems of scene graphs: written, checked, reduced, and solved."""
