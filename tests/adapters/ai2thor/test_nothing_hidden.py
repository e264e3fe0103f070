"""Nothing hidden is told in any of the 120 floor plans.

What may be told is worked out here from what the engine said was visible, not from the adapter's
own record of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from peephole.adapters.ai2thor import objects
from peephole.adapters.ai2thor.adapter import ThorAdapter
from peephole.adapters.ai2thor.connection import EngineAnswer
from peephole.adapters.ai2thor.world import ThorWorld
from peephole.episodes.environment import Environment
from peephole.episodes.resolve import load_dialect
from peephole.planners.contract import Percept
from peephole.scene_graph.goals import And
from peephole.scene_graph.node import Affordance, Kind, State
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, Verb, go_to

GRASPABLE = Affordance.GRASPABLE
Mentioned = Callable[[str, Mapping[int, str], set[str]], set[int]]
ACTIONS = 8
SHARES = 8


class Watched(ThorAdapter):
    """Keeps all that the engine said was visible, as the metadata have it."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: set[str] = set()


@pytest.fixture(scope="module")
def watched(home: pytest.MonkeyPatch) -> Iterator[Watched]:
    adapter = Watched()
    step = ThorWorld.step

    def watching(world: ThorWorld, action: str, **arguments: Any) -> EngineAnswer:
        answer = step(world, action, **arguments)
        adapter.shown.update(o["objectId"] for o in answer.metadata["objects"] if o["visible"])
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ThorWorld, "step", watching)
        yield adapter
    adapter.close()


@pytest.mark.parametrize(
    "share",
    [0, *(pytest.param(share, marks=pytest.mark.slow) for share in range(1, SHARES))],
)
def test_nothing_hidden_is_reported_in_any_floor_plan(
    watched: Watched,
    share: int,
    mentioned_in: Mentioned,
) -> None:
    seen_in_all = 0
    for scene in objects.SCENES[share::SHARES]:
        seen_in_all += play(watched, scene, mentioned_in)
    assert seen_in_all > 60, "it saw something"


def play(
    adapter: Watched,
    scene: str,
    mentioned_in: Mentioned,
) -> int:
    """How many movable things were seen in a few random actions, all of them rightly."""
    chance = random.Random(scene)
    adapter.shown = set()
    task = Task("any", "", And(()), f"ithor:{scene}#{chance.randrange(9)}")
    rules = Rules(ends=Ends.PLANNER_DONE)
    environment = Environment(adapter, task, load_dialect("reactree"), rules=rules)
    percept = environment.reset()
    truth = adapter.graph()
    adapter.shown &= {
        raw["objectId"] for raw in adapter.world.step("Pass").metadata["objects"] if raw["visible"]
    }
    categories = {node.category for node in truth.nodes()}
    seen: set[int] = set()

    def check(percept: Percept) -> None:
        truth, view, names = adapter.graph(), adapter.view(), percept.names
        for node in view.graph.nodes():
            assert node == truth[node.id]
            assert truth.closed_around(node.id) is None
            if node.kind is Kind.OBJECT:
                assert node.native_id in adapter.shown, (scene, node)
        assert len(percept.view.graph) == len(view.graph)
        seen.update(percept.view.graph.by_id)
        for place in view.covered:
            assert State.CLOSED not in truth[place].states or not truth.contents(place)
            kept = [
                thing for thing in truth.contents(place) if GRASPABLE in truth[thing].affordances
            ]
            missed = [truth[thing] for thing in kept if thing not in view.graph]
            assert not missed, (scene, truth[place], "is told whole, but")
        assert mentioned_in(percept.text, names, categories) <= seen
        assert set(percept.names) == seen
        for option, action in percept.menu():
            assert mentioned_in(option, names, categories) <= seen
            assert set(action.things) <= seen

    check(percept)
    objects_seen = {node.id for node in percept.view.graph.nodes(Kind.OBJECT)}
    for _ in range(ACTIONS):
        percept = environment.step(next_action(percept, chance))
        check(percept)
        objects_seen.update(node.id for node in percept.view.graph.nodes(Kind.OBJECT))
        assert all(attempt.message == "" for attempt in percept.outcome.attempts)
    return len(objects_seen)


def next_action(percept: Percept, chance: random.Random) -> Action:
    """Mostly walks, and whatever can be done where one is; all of things in view."""
    offered = [action for _, action in percept.menu()]
    handling = [action for action in offered if action.verb not in (Verb.GO_TO, Verb.LOOK)]
    if handling and chance.random() < 0.6:
        return chance.choice(handling)
    keepers = [
        node.id
        for node in percept.view.graph.nodes(Kind.FIXTURE)
        if node.affordances & {Affordance.CONTAINER, Affordance.SURFACE}
    ]
    return go_to(chance.choice(keepers))
