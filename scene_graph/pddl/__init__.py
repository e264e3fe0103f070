"""PDDL: domains and problems of scene graphs, and goals read from them."""
