"""Peephole connects LLM task planners to household and manipulation simulators.

environment = peephole.make("robothow")         # the world of one episode
results = peephole.run("explore", "robothow")   # a planner on tasks of a suite, recorded
results = peephole.resume(results.folder)       # continue a run that was cut off
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .episodes.api import make, resume, run

__all__ = ["__version__", "make", "resume", "run"]


def __getattr__(name: str) -> Any:
    """Load the API when it is first used: `import peephole` alone takes no time."""
    if name in ("make", "resume", "run"):
        from .episodes import api

        return getattr(api, name)
    raise AttributeError(f"module 'peephole' has no attribute '{name}'")
