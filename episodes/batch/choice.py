"""Makes the batch of a suite, in the fastest world that can play it."""

from __future__ import annotations

from collections.abc import Sequence

from ...adapters.registry import adapter_specs, connect
from ...adapters.scenes import split_scene
from ...adapters.symbolic import SymbolicAdapter
from ...errors import BadInput
from ...observation_text.dialect import Dialect
from ...scene_graph.task import Task
from ...suites.contract import Suite
from ..resolve import check_scorable, dialect_for, load_dialect
from .batch import Batch
from .built_in import BuiltInSeat
from .seat import EnvironmentSeat, Seat

#: The built-in world by the bodies that it knows, the usual one last.
_BUILT_IN = ("kitchen", "symbolic_gripper", "symbolic_one_hand", "symbolic")


def batch_of(
    suite: Suite,
    tasks: Sequence[Task],
    size: int,
    adapter: str = "",
    dialect: str | Dialect = "",
    seed: int = 0,
) -> Batch:
    """The batch of some tasks of a suite; see `peephole.make_batch`. Raises BadInput."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise BadInput(
            f"A batch plays a whole number of episodes from 1, such as 128, not {size!r}."
        )
    name = adapter or _world_of(suite, tasks)
    seats: list[Seat] = []
    for _ in range(size):
        world = connect(name)
        check_scorable(world.spec)
        if not isinstance(dialect, Dialect):
            dialect = load_dialect(dialect) if dialect else dialect_for(world.spec)
        if isinstance(world, SymbolicAdapter):
            seats.append(BuiltInSeat(world, dialect, suite.rules, suite.budgets))
        else:
            seats.append(EnvironmentSeat(world, dialect, suite.rules, suite.budgets))
    return Batch(seats, tasks, name, seed)


def _world_of(suite: Suite, tasks: Sequence[Task]) -> str:
    """The adapter of a batch where none is named.

    It is the built-in world with the body of the suite's own adapter, or with its usual body. It is
    the suite's own where the built-in world does not have the scenes or the actions.
    """
    specs = adapter_specs()
    own = specs.get(suite.adapter)
    loader, _ = split_scene(tasks[0].scene)
    able = [name for name in _BUILT_IN if name in specs and loader in specs[name].loaders]
    if own is None or suite.adapter in able:
        return suite.adapter
    alike = [
        name
        for name in able
        if (specs[name].actions, specs[name].embodiment) == (own.actions, own.embodiment)
    ]
    usual = [name for name in able[-1:] if own.actions <= specs[name].actions]
    return next(iter(alike + usual), suite.adapter)
