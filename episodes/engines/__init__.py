"""How episodes are played: one after the other, in several processes, or on the nodes of a cluster.

An engine plays what an `EpisodeQueue` gives it. Its workers serve all runs that are played
together: each keeps a simulator and plays many episodes in it, whatever run they are of.
"""
