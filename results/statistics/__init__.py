"""Statistics over plain numbers: nothing here knows of recordings, planners or simulators.

Functions take the figures of episodes (successes as 0 and 1, progress in [0, 1]) with the task that
each is of. Results say in a sentence what was assumed, and None stands for what cannot be told.
"""
