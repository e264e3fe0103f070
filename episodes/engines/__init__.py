"""How episodes are played: one after another, in threads or processes, or on a cluster.

An engine plays what an `EpisodeQueue` gives it. Its workers serve all runs that are played
together. Each worker keeps one simulator and plays many episodes in it, of whatever run.
"""
