"""Pairs of worlds that differ in one hidden thing, and what a planner gets in each.

    .venv/bin/python benchmarks/world_pairs.py [--pairs N] [--only ADAPTER] [--seed N] [--json]

`paired_worlds` makes the pairs. The same words and actions go to both worlds, through the public
`Environment`: those on offer, and others about things that are seen, hidden or nowhere. All that
the agent is sent is compared byte by byte, up to the moment at which the thing is perceived in
either world: texts, refusals, failures, names, ids, views, menus, overviews, pictures, briefs, and
granted maps, goals and inventories. Nothing is renamed or put in order before; only measured
seconds are left out, and in LIBERO's physics a millimetre.

Printed is a table by adapter, dialect and kind of difference, with the first differences found.
`tests/episodes/test_world_pairs.py` plays a few of each.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from paired_worlds import (
    BlockMaker,
    FurnishedMaker,
    GraphMaker,
    LiberoMaker,
    Maker,
    MeantMaker,
    Pair,
    ThorMaker,
    Unsuitable,
    World,
)

from peephole.adapters.ai2thor.adapter import ThorAdapter
from peephole.adapters.libero.adapter import LiberoAdapter
from peephole.adapters.registry import connect
from peephole.episodes.environment import Environment
from peephole.episodes.resolve import load_dialect
from peephole.errors import Missing
from peephole.planners.contract import Brief, Grant, Percept
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.actions import Action
from peephole.skills.outcomes import Outcome
from peephole.suites.registry import load_suite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STEPS = 25
#: Fewer where an action takes a second.
_FEWER = {"mujoco_kitchen": 5, "libero": 10}
#: In m and rad: what a far contact changes in others through the engine's solver (0.07 mm was
#: measured), and one more digit where that is rounded.
_NOISE = {"libero": 0.0015}
_DECIMAL = re.compile(r"(-?\d+\.\d+(?:e-?\d+)?)")
#: Draws until a pair is given up for want of a suitable world.
DRAWS = 30
HOUSEHOLD = (
    "reactree",
    "reactree_plain",
    "compact",
    "alfworld",
    "reactree_thor",
    "reactree_thor_plain",
    "llm_state",
    "lookplangraph",
    "tru_pomdp",
)
FURNISHED = ("reactree_plain", "reactree", "tru_pomdp", "llm_state", "lookplangraph")
_PROBES = (
    *("go to {}", "pick up {}", "open {}", "put down {} on {}", "take {} from {}", "{}"),
    *("move({})", "pickup({})", "placein({},{})"),
    *("go_to({})", "pick_up({})", "put_inside({},{})", "put_on({})"),
)
_RULES = Rules(ends=Ends.PLANNER_DONE)


# --- what is sent --------------------------------------------------------------------------------


def sent(environment: Environment, percept: Percept) -> str:
    """All that the agent is sent at one moment, in the order in which it comes."""
    view = percept.view
    parts = [
        percept.text,
        percept.refused,
        percept.feedback,
        percept.ended,
        percept.step,
        _without_seconds(percept.outcome),
        list(percept.names.items()),
        _listed(view.graph),
        [(i, list(edges)) for i, edges in view.graph.incoming_of.items()],
        list(view.covered.items()),
        percept.confirmed,
        _digest(percept.image()),
        view.agent(),
        view.arm,
        percept.truth,
        percept.menu(),
        percept.sayable(),
        percept.overview(),
        percept.surroundings(),
        environment.menu(),
        environment.instruction,
    ]
    return "\n".join(map(repr, parts))


def sent_before(brief: Brief) -> str:
    """A brief, its map as it comes."""
    listed = None if brief.map is None else _listed(brief.map)
    return repr((replace(brief, map=None), listed))


def _digest(image: NDArray[np.uint8] | None) -> str:
    return "" if image is None else hashlib.sha256(image.tobytes()).hexdigest()


def _listed(graph: SceneGraph) -> Any:
    return list(graph.nodes()), list(graph.edges()), graph.room_ids, graph.agent_ids


def _without_seconds(outcome: Outcome | None) -> Outcome | None:
    if outcome is None:
        return None
    attempts = tuple(replace(attempt, duration_s=0.0) for attempt in outcome.attempts)
    return replace(outcome, duration_s=0.0, attempts=attempts)


# --- playing -------------------------------------------------------------------------------------


@dataclass
class Moment:
    """What was sent at one moment, and whether the difference shows by then."""

    sent: str
    shows: bool
    said: Action | str | None = None


def play(
    maker: Maker,
    world: World,
    hidden: frozenset[int],
    felt: frozenset[int],
    dialect: str,
    grants: frozenset[Grant],
    said: Iterator[Action | str] | random.Random,
) -> list[Moment]:
    """Play a world up to the moment at which the difference shows.

    said: what to do, or where it is drawn from.
    """
    adapter = maker.adapter
    environment = Environment(
        adapter,
        world.task,
        load_dialect(dialect),
        rules=_RULES,
        budgets=Budgets(steps=STEPS + 1),
        grants=grants,
    )
    reset = adapter.reset

    def prepared(task: Task, seed: int) -> None:
        reset(task, seed)
        world.prepare(adapter)

    with mock.patch.object(adapter, "reset", prepared):
        percept = environment.reset()
    moments = [Moment(sent_before(environment.brief()), False)]
    truth = adapter.graph()
    assert truth is not None
    words = sorted({node.category for node in truth.nodes()})
    action: Action | str | None = None
    for _ in range(_FEWER.get(adapter.spec.name, STEPS)):
        shows = moments[-1].shows or not hidden.isdisjoint(adapter.view().graph.by_id)
        moments.append(Moment(sent(environment, percept), shows, action))
        if shows or percept.ended is not None:
            break
        if isinstance(said, random.Random):
            action = draw(percept, words, said)
        else:
            action = next(said, None)
            if action is None:
                break
        if adapter.spec.name == "libero":
            touched = touches(percept, action, {truth[node].category for node in felt})
        else:
            touched = handles(environment, percept, action, felt)
        percept = environment.step(action)
        if touched:
            break
    return moments


def handles(
    environment: Environment, percept: Percept, action: Action | str, felt: frozenset[int]
) -> bool:
    """Whether an action may touch a thing whose difference is felt, which then shows."""
    if not felt:
        return False
    letters = {chr(ord("A") + block - 4) for block in felt}
    text = action if isinstance(action, str) else ""
    if isinstance(action, Action):
        text = next((t for t, offered in percept.menu() if offered == action), str(action))
    if "place" in text:
        return True  # what is put down may come to lie against it
    return "pick" in text and any(letter in text for letter in letters)


def touches(percept: Percept, action: Action | str, categories: Collection[str]) -> bool:
    """Whether an action names a thing of some categories: drawers whose content is felt."""
    text = action if isinstance(action, str) else ""
    if isinstance(action, Action):
        text = next((t for t, offered in percept.menu() if offered == action), str(action))
    plain = re.sub("[ _-]", "", text)
    return any(category.replace(" ", "") in plain for category in categories)


def draw(percept: Percept, categories: Sequence[str], chance: random.Random) -> Action | str:
    """Mostly what is on offer, as words or as value; else a probe, or what cannot be at all."""
    offers = percept.menu()
    turn = chance.random()
    if offers and turn < 0.8:
        opening = [o for o in offers if o[0].startswith(("open", "go to", "examine"))]
        words, action = chance.choice(opening if opening and turn < 0.4 else offers)
        return words if turn < 0.6 else action
    if turn < 0.9:
        things = [f"{chance.choice(categories)} {chance.randint(1, 4)}" for _ in range(2)]
        probe = chance.choice(_PROBES)
        if "_" in probe:
            things = ["-".join(thing.replace(" ", "_").rsplit("_", 1)) for thing in things]
        elif "(" in probe:  # calls have names without blanks
            things = [thing.replace(" ", "") for thing in things]
        return probe.format(*things)
    return chance.choice([actions.go_to, actions.pick_up, actions.open_])(chance.randint(1, 300))


def alike(one: str, other: str, noise: float) -> bool:
    """Whether two texts are the same but for what their decimal numbers differ by."""
    if one == other or not noise:
        return one == other
    words, others = _DECIMAL.split(one), _DECIMAL.split(other)
    return len(words) == len(others) and all(
        abs(float(a) - float(b)) <= noise if number % 2 else a == b
        for number, (a, b) in enumerate(zip(words, others, strict=True))
    )


#: Plays a world through some door: see `play`.
Play = Callable[..., list[Moment]]


@dataclass
class Comparison:
    """What came of one pair. difference: the first one, in words; "" for none."""

    compared: int
    difference: str = ""


def compare(
    maker: Maker,
    pair: Pair,
    dialect: str,
    grants: frozenset[Grant],
    chance: random.Random,
    play: Play = play,
) -> Comparison:
    """Play both worlds of a pair alike. Raises Unsuitable where the difference shows at once."""
    first = play(maker, pair.worlds[0], pair.hidden[0], pair.felt, dialect, grants, chance)
    said = [moment.said for moment in first if moment.said is not None]
    second = play(maker, pair.worlds[1], pair.hidden[1], pair.felt, dialect, grants, iter(said))
    if first[1].shows or second[1].shows:
        raise Unsuitable
    compared = 0
    for one, other in zip(first, second, strict=False):
        if one.shows or other.shows:
            break
        compared += 1
        if not alike(one.sent, other.sent, _NOISE.get(maker.adapter.spec.name, 0.0)):
            return Comparison(compared, f"after {one.said!r}: {_first_difference(one, other)}")
    return Comparison(compared)


def _first_difference(one: Moment, other: Moment) -> str:
    at = next(
        (i for i, pair in enumerate(zip(one.sent, other.sent, strict=False)) if len(set(pair)) > 1),
        min(len(one.sent), len(other.sent)),
    )
    low = max(0, at - 60)
    return f"…{one.sent[low : at + 60]}… against …{other.sent[low : at + 60]}…"


# --- the campaign --------------------------------------------------------------------------------


@dataclass
class Row:
    """Pairs of one adapter, dialect and kind."""

    pairs: int = 0
    compared: int = 0
    different: int = 0
    examples: list[str] = field(default_factory=list)


#: By adapter: its share of the pairs, and its dialects. "ambiguous": kitchens whose instructions
#: have several readings.
SHARES: dict[str, tuple[float, tuple[str, ...]]] = {
    "symbolic": (0.18, HOUSEHOLD),
    "kitchen": (0.06, ("tru_pomdp", "reactree_plain")),
    "ambiguous": (0.04, ("tru_pomdp", "reactree_plain")),
    "virtualhome": (0.12, HOUSEHOLD),
    "virtualhome_room": (0.04, HOUSEHOLD),
    "virtualhome_unity": (0.1, HOUSEHOLD),
    "ai2thor": (0.16, ("reactree_thor_plain", "reactree_thor", "alfworld", "reactree")),
    "omnigibson": (0.2, HOUSEHOLD),
    "mujoco": (0.08, ("blocks",)),
    "isaacgym": (0.02, ("blocks",)),
    "symbolic_gripper": (0.05, FURNISHED),
    "mujoco_kitchen": (0.05, FURNISHED),
    "libero": (0.05, FURNISHED),
}


#: Adapters of scene graphs, those whose pictures can be made here, those of blocks, and those of
#: furnished kitchens.
HOUSES = (
    *("symbolic", "kitchen", "virtualhome", "virtualhome_room", "virtualhome_unity"),
    "omnigibson",
)
PICTURED = (
    *("symbolic", "kitchen", "virtualhome", "virtualhome_unity"),
    *("mujoco", "mujoco_kitchen", "libero"),
)
BLOCKS = ("mujoco", "isaacgym")
KITCHENS = ("symbolic_gripper", "mujoco_kitchen")


def makers(only: str, folder: Path, running: ExitStack) -> Iterator[tuple[str, Maker]]:
    """The makers for every adapter that can be played here, with stand-ins where they have any."""
    _use_stand_ins(folder, running)
    for name in SHARES:
        if only not in ("", name):
            continue
        try:
            adapter = connect("kitchen" if name == "ambiguous" else name)
        except Missing as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        running.callback(adapter.close)
        if name == "ai2thor":
            assert isinstance(adapter, ThorAdapter)
            yield name, ThorMaker(adapter, folder)
        elif name in KITCHENS:
            yield name, FurnishedMaker(adapter)
        elif name == "libero":
            assert isinstance(adapter, LiberoAdapter)
            yield name, LiberoMaker(adapter)
        elif name in BLOCKS:
            yield name, BlockMaker(adapter)
        elif name == "ambiguous":
            yield name, MeantMaker(adapter, load_suite("kitchens_ambiguous:hard").tasks)
        else:
            maker = GraphMaker(adapter, scenes(name), folder, raw=name.startswith("virtual"))
            if name == "kitchen":  # where what is hidden has no state that could differ
                maker.kinds = tuple(kind for kind in maker.kinds if kind != "restated")
            yield name, maker


SCENES = {
    "symbolic": ["house:3", "house:8?rooms=5", "virtualhome-eval:1004_2", "house:12?rooms=3"],
    "virtualhome": ["virtualhome-eval:1004_2", "virtualhome-eval:442_2", "house:5?rooms=4"],
    "virtualhome_room": ["virtualhome-eval:1004_2", "house:5?rooms=4"],
    "virtualhome_unity": ["virtualhome-eval:1004_2"],
}


def scenes(name: str) -> list[str]:
    """The scenes whose twins are made for an adapter."""
    if name == "omnigibson":
        return [task.scene for task in load_suite("behavior").tasks[::12]]
    if name == "kitchen":
        return [task.scene for task in load_suite("kitchens:hard").tasks[:10]]
    return SCENES[name]


def _use_stand_ins(folder: Path, running: ExitStack) -> None:
    """Name the stand-ins in the settings. LIBERO's own engine plays where the user names it."""
    os.environ.setdefault("PEEPHOLE_LIBERO_PYTHON", "stand_in")
    os.environ["PEEPHOLE_AI2THOR_EXECUTABLE"] = "stand_in"
    os.environ.pop("PEEPHOLE_UNITY_URL", None)
    os.environ["PEEPHOLE_UNITY_COMMAND"] = (
        f"{sys.executable} -m peephole.adapters.virtualhome.unity.stand_in --port {{port}}"
    )
    try:
        from peephole.adapters.isaacgym import stand_in
        from peephole.adapters.isaacgym.blocks import ASSETS_VARIABLE, PYTHON_VARIABLE
        from peephole.adapters.isaacgym.stand_in.panda_urdf import write_assets
    except ImportError:
        return
    os.environ[PYTHON_VARIABLE] = sys.executable
    os.environ[ASSETS_VARIABLE] = str(write_assets(folder))
    os.environ["PYTHONPATH"] = str(Path(stand_in.__file__).parent)


def campaign(
    maker: Maker, name: str, pairs: int, seed: int, play: Play = play
) -> Iterator[tuple[str, str, Comparison]]:
    """Play pairs of one adapter, its dialects and kinds in turn: dialect, kind and what came.

    play: through which door; by default the planner's.
    """
    dialects = SHARES[name][1]
    for number in range(pairs):
        chance = random.Random(f"{name} {seed} {number}")
        kind = maker.kinds[number % len(maker.kinds)]
        dialect = dialects[number // len(maker.kinds) % len(dialects)]
        choices = grants_for(name, kind)
        for _ in range(DRAWS):
            grants = chance.choice(choices)
            try:
                pair = maker.pair(kind, grants, chance)
                yield dialect, kind, compare(maker, pair, dialect, grants, chance, play)
                break
            except Unsuitable:
                continue


def grants_for(name: str, kind: str) -> list[frozenset[Grant]]:
    """What may be granted without telling of a difference."""
    choices: list[set[Grant]] = [set(), {Grant.FIXTURES}]
    if name in HOUSES and kind == "moved":  # a map or a goal may name what is in another place
        choices += [{Grant.MAP}, {Grant.GOAL}, {Grant.MAP, Grant.GOAL, Grant.INVENTORY}]
    if name in HOUSES and kind == "removed":
        choices += [{Grant.MAP}]
    if kind in ("moved", "restated"):
        choices += [{Grant.FIXTURES, Grant.INVENTORY}] * 2
    if kind == "meant":
        choices += [{Grant.GOAL}, {Grant.GOAL, Grant.INVENTORY}]
    if name in BLOCKS:
        choices.append({Grant.MAP, Grant.INVENTORY})
    if name in PICTURED:
        choices.append({Grant.IMAGES})
    return [frozenset(grants) for grants in choices]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=560)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows: defaultdict[tuple[str, str, str], Row] = defaultdict(Row)
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as running:
        for name, maker in makers(arguments.only, Path(scratch), running):
            share = 1.0 if arguments.only else SHARES[name][0]
            count = round(arguments.pairs * share)
            for dialect, kind, came in campaign(maker, name, count, arguments.seed):
                row = rows[name, dialect, kind]
                row.pairs += 1
                row.compared += came.compared
                if came.difference:
                    row.different += 1
                    row.examples.append(came.difference)
    report(rows, as_json=arguments.json)


def report(rows: dict[tuple[str, str, str], Row], *, as_json: bool) -> None:
    if as_json:
        keys = ("adapter", "dialect", "kind")
        listed = [{**dict(zip(keys, key, strict=True)), **asdict(row)} for key, row in rows.items()]
        print(json.dumps(listed, indent=1))
        return
    print(
        f"{'adapter':18} {'dialect':14} {'kind':9} {'pairs':>6} {'percepts':>9} {'different':>10}"
    )
    for (name, dialect, kind), row in rows.items():
        counts = f"{row.pairs:6} {row.compared:9} {row.different:10}"
        print(f"{name:18} {dialect:14} {kind:9} {counts}")
    every = rows.values()
    total = sum(r.pairs for r in every), sum(r.compared for r in every)
    print(f"{'all':43} {total[0]:6} {total[1]:9} {sum(r.different for r in every):10}")
    for key, row in rows.items():
        for example in row.examples[:2]:
            print(f"\n{' '.join(key)}: {example}")


if __name__ == "__main__":
    main()
