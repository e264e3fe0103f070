"""Whether the adapter's way of going, opening and fetching works in a whole kitchen of AI2-THOR."""

from __future__ import annotations

from collections.abc import Iterable

from ...adapters.ai2thor.approach import VARIATIONS
from ...scene_graph.node import Affordance, Kind
from ...skills.actions import Action, drop, go_to, open_, pick_up
from ...skills.actions import close as close_
from ..assumption import Topic, expect
from ..bench import Bench
from .room import CHECKS, some

_APPROACH = "adapters/ai2thor/approach.py"


def _failed(bench: Bench, actions: Iterable[Action]) -> str:
    """Why one of the actions failed in all its variations; empty if all were done."""
    for action in actions:
        for variation in range(VARIATIONS):
            result = bench.do(action, variation)
            failure = result.failure
            if failure is None:
                break
        if failure is not None:
            return f"{action.verb}: {failure.reason} {result.message}".strip()
    return ""


@CHECKS.assume(
    Topic.ACTIONS,
    "The agent gets to every place of the kitchen, with the place in sight.",
    source=f"{_APPROACH}: poses turned to the place, then those that the engine lists",
)
def goes_everywhere(bench: Bench) -> str:
    keeps = {Affordance.SURFACE, Affordance.CONTAINER}
    places = [node for node in bench.graph().nodes(Kind.FIXTURE) if node.affordances & keeps]
    failed = {str(node.native_id): _failed(bench, [go_to(node.id)]) for node in places}
    return _all_done(len(places), failed)


@CHECKS.assume(
    Topic.ACTIONS,
    "Every door and drawer of the kitchen is opened and closed within three tries.",
    source=f"{_APPROACH}: every try from other poses, the last with forceAction",
)
def opens_everything(bench: Bench) -> str:
    doors = [
        node
        for node in bench.graph().nodes(Kind.FIXTURE)
        if Affordance.OPENABLE in node.affordances
    ]
    failed = {
        str(node.native_id): _failed(bench, [go_to(node.id), open_(node.id), close_(node.id)])
        for node in doors
    }
    return _all_done(len(doors), failed)


@CHECKS.assume(
    Topic.ACTIONS,
    "Every thing of the kitchen is picked up within three tries, out of closed places too.",
    source=f"{_APPROACH}: every try from other poses, the last with forceAction",
)
def picks_up_everything(bench: Bench) -> str:
    things = list(bench.graph().nodes(Kind.OBJECT))
    failed = {}
    for node in things:
        around = bench.graph().closed_around(node.id)
        opened = [] if around is None else [go_to(around), open_(around)]
        taken = [*opened, go_to(node.id), pick_up(node.id), drop(node.id)]
        failed[str(node.native_id)] = _failed(bench, taken)
    return _all_done(len(things), failed)


def _all_done(count: int, failed: dict[str, str]) -> str:
    left = [f"{name} ({why})" for name, why in failed.items() if why]
    return expect(not left, f"of {count} failed: {some(left)}")
