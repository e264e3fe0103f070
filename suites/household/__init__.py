"""LLM-State's fifteen kinds of household tasks in five houses: the suite `household`."""
