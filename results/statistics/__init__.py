"""Statistics over numbers with their tasks; they know no recordings.

Results state their assumptions in a sentence; None stands for an unknown figure.
"""
