"""Peephole connects LLM task planners to household and manipulation simulators.

environment = peephole.make("robothow")         # the world of one episode
results = peephole.run("explore", "robothow")   # a planner on tasks of a suite, recorded
results = peephole.resume(results.folder)       # continue a run that was cut off
results = peephole.read("runs/mine")            # of a recorded run
peephole.log_run("runs/mine", "wandb")          # tell a tracker of it
peephole.suites()                               # the suites, with their numbers of tasks
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .api import branch, log_run, make, make_batch, read, replay_replies, resume, run
    from .suites.registry import suite_status as suites

__all__ = [
    "__version__",
    "branch",
    "log_run",
    "make",
    "make_batch",
    "read",
    "replay_replies",
    "resume",
    "run",
    "suites",
]


def __getattr__(name: str) -> Any:
    """Load the API at first use, so that `import peephole` takes no time."""
    if name == "suites":
        return import_module(".suites", __name__)
    if name in __all__:
        from . import api

        return getattr(api, name)
    raise AttributeError(f"module 'peephole' has no attribute '{name}'")
