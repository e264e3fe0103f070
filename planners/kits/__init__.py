"""What planners share: prompting, household, map, detectors, memory, programs, pddl, belief."""
