"""Which suites and adapters each planner can play, by what it declares.

The rules are those by which `resolve` refuses a run: the capabilities that a planner's grants need,
a dialect with words for an adapter's actions, and data that a planner's prior has counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from .. import plugins
from ..adapters.contract import AdapterSpec
from ..adapters.registry import adapter_specs
from ..errors import PeepholeError
from ..planners.contract import Planner
from ..planners.registry import load_planner
from ..suites.registry import load_suite, own_data, suite_names
from .resolve import can_act_in, installed_dialects


@dataclass(frozen=True)
class Playable:
    """What a planner can play.

    suites: those that load here without data of the user's, each in its own adapter. adapters:
    those that `--adapter` may name for any suite, also where they are not ready.
    """

    suites: tuple[str, ...] = ()
    adapters: tuple[str, ...] = ()

    def to_data(self) -> dict[str, list[str]]:
        """The same as JSON data."""
        return {"suites": [*self.suites], "adapters": [*self.adapters]}


def playable(planners: Iterable[str]) -> dict[str, Playable]:
    """What each of these planners can play, by its name; nothing for one that does not load."""
    specs, suites = adapter_specs(), _suites()
    found = dict.fromkeys(planners, Playable())
    for name in found:
        with suppress(PeepholeError), plugins.guarded("planner", name):
            found[name] = _playable(load_planner(name), specs, suites)
    return found


def _playable(
    planner: Planner,
    specs: Mapping[str, AdapterSpec],
    suites: Mapping[str, tuple[str, frozenset[str]]],
) -> Playable:
    adapters = tuple(name for name, spec in specs.items() if can_act_in(planner, spec))
    return Playable(
        suites=tuple(
            name
            for name, (adapter, sources) in suites.items()
            if adapter in adapters and planner.sources.isdisjoint(sources)
        ),
        adapters=adapters,
    )


def suite_page(name: str) -> dict[str, str]:
    """What a suite is played with, in words, by topic. Raises BadInput and Missing."""
    suite = load_suite(name)
    with plugins.guarded("suite", name):
        loader = suite.tasks[0].scene.partition(":")[0]
    specs, budgets = adapter_specs(), suite.budgets
    own = specs.get(suite.adapter)
    speaking = () if own is None else (*own.dialects, *(n for n, _ in installed_dialects(own)))
    return {
        "adapters": ", ".join(each for each, spec in specs.items() if loader in spec.loaders),
        "dialects": ", ".join(dict.fromkeys(speaking)),
        "budgets": f"{budgets.steps} steps, {budgets.decisions} decisions and "
        f"{budgets.planning_s:g} s of planning in an episode; a task may have its own",
        "data": own_data(name),
    }


def _suites() -> dict[str, tuple[str, frozenset[str]]]:
    """The adapter and the sources of each suite that can be loaded."""
    found = {}
    for name in suite_names():
        with suppress(PeepholeError), plugins.guarded("suite", name):
            suite = load_suite(name)
            found[name] = (suite.adapter, suite.sources)
    return found
