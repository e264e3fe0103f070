"""What a run was made with besides its settings: versions of software, and a digest of its tasks.

Figures reproduce where these are the same. `show` and `compare` say in which of them runs differ.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import plugins
from ..scene_graph.rules import Budgets, Rules

if TYPE_CHECKING:
    from ..scene_graph.task import Task
    from ..suites.contract import Suite
    from .resolve import Run

#: Packages whose versions can change results, where they are installed.
_PACKAGES = ("numpy", "mujoco", "numba", "openai", "pydantic", "xllamacpp")
#: The folders of an absolute path in the name of a scene.
_FOLDERS = re.compile(r"(?<![^:;,\s])/(?:[^/;?]*/)+")


@dataclass(frozen=True)
class Provenance:
    """What a run was made with. A recording of an older version of Peephole has nothing of it."""

    packages: Mapping[str, str] = field(default_factory=dict)
    """Versions of installed packages that can change results, by name."""
    plugins: Mapping[str, str] = field(default_factory=dict)
    """Packages with versions of the planner, suite and adapter, where they are not Peephole's."""
    commit: str = ""
    """The commit that Peephole's checkout was at, whose files may have been changed; or ""."""
    system: str = ""
    """Operating system and kind of processor."""
    tasks: str = ""
    """A digest of the run's tasks with their rules and budgets, see `tasks_digest`."""


def provenance_of(run: Run) -> Provenance:
    """What a run that begins now is made with."""
    config = run.config
    given = {"planner": config.planner, "suite": config.suite, "adapter": config.adapter}
    packages = {kind: plugins.package_of(kind, name) for kind, name in given.items()}
    return Provenance(
        packages=_versions(),
        plugins={kind: name for kind, name in packages.items() if name},
        commit=_commit(),
        system=f"{platform.system()} {platform.machine()}",
        tasks=tasks_digest(run.suite, [run.tasks[name] for name in config.tasks]),
    )


def tasks_digest(suite: Suite, tasks: Iterable[Task]) -> str:
    """A digest of tasks: their ids, instructions, goals, scenes, rules and budgets, in order.

    Equal digests mean equal tasks. Of a scene in a file only the file's name counts. Planning
    seconds do not count, since they are a setting of the run.
    """
    usual = _limits(suite.rules, suite.budgets)
    digest = hashlib.sha256()
    for task in tasks:
        own = task.rules is not None or task.budgets is not None
        limits = _limits(task.rules or suite.rules, task.budgets or suite.budgets) if own else usual
        scenes = (_FOLDERS.sub("", task.scene), _FOLDERS.sub("", task.map))
        line = json.dumps([task.id, task.asked, *scenes, limits], sort_keys=True, default=str)
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:16]


def _limits(rules: Rules, budgets: Budgets) -> dict[str, Any]:
    return {**asdict(rules), **asdict(budgets), "planning_s": None}


@cache
def _versions() -> dict[str, str]:
    return dict(_installed())


def _installed() -> Iterator[tuple[str, str]]:
    for name in _PACKAGES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


@cache
def _commit() -> str:
    """The commit that Peephole's checkout is at, or "".

    Read without git, which takes a tenth of a second.
    """
    there = Path(__file__).parents[1] / ".git"
    try:
        if there.is_file():  # a further work tree
            there = Path(there.read_text(encoding="utf-8").removeprefix("gitdir:").strip())
        head = (there / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref:"):
            return head[:12]
        name, shared = head.removeprefix("ref:").strip(), there / "commondir"
        home = there / shared.read_text(encoding="utf-8").strip() if shared.exists() else there
        if (home / name).is_file():
            return (home / name).read_text(encoding="utf-8").strip()[:12]
        packed = (home / "packed-refs").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):  # no checkout, or another user's
        return ""
    return next((line[:12] for line in packed if line.endswith(f" {name}")), "")
