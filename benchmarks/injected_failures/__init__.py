"""Sixty episodes that fail for a known cause: the labelled failures of `failure_classes.py`.

Each is a task of `wah:train` (or one made for it) in the built-in world, played by a planner that
does one thing wrong on purpose. The label is the class of docs/reference/failures.md that the
cause stands for. The planners know the true state, so that they fail for nothing else: most follow
`expert` to a wrong goal.
"""

from .cases import injected_failures

__all__ = ["injected_failures"]
