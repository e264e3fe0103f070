"""Peephole connects LLM task planners to household and manipulation simulators.

environment = peephole.make("robothow")         # the world of one episode
results = peephole.run("explore", "robothow")   # a planner on tasks of a suite, recorded
results = peephole.resume(results.folder)       # continue a run that was cut off
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .api import branch, make, replay_replies, resume, run

__all__ = ["__version__", "branch", "make", "replay_replies", "resume", "run"]


def __getattr__(name: str) -> Any:
    """Load the API at first use, so that `import peephole` takes no time."""
    if name in __all__:
        from . import api

        return getattr(api, name)
    raise AttributeError(f"module 'peephole' has no attribute '{name}'")
