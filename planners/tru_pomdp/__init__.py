"""The planner `tru_pomdp`: search of a belief that a language model proposes."""
