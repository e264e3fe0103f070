"""Goals against ALFRED's own judge: its published goal conditions, on the engine's metadata.

The judge here is written from those rules (https://github.com/askforalfred/alfred, env/tasks.py and
env/thor_env.py: types by their name anywhere in an id, places by the lists of the receptacles,
treatments by what the engine was told to do) and uses nothing of ours.

It is asked after every step of random actions, then the expert's, then random ones again, and on
made-up states. Known differences, none of which comes up in the tasks played here: ALFRED's
environment breaks off where no sink basin is in sight as a faucet is turned on, and lets the faucet
of a bathtub clean what is in the sink.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from peephole.adapters.ai2thor.adapter import ThorAdapter
from peephole.adapters.ai2thor.alfred_files import AlfredTask, TaskType, tasks_of
from peephole.adapters.ai2thor.connection import EngineAnswer
from peephole.adapters.ai2thor.graph import ThorGraphReader
from peephole.adapters.ai2thor.world import ThorWorld
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.recording import EpisodeLog
from peephole.episodes.resolve import load_dialect
from peephole.planners.contract import Act, Brief, Decisions, Percept
from peephole.planners.registry import load_planner
from peephole.scene_graph.goal_evaluation import progress
from peephole.scene_graph.goals import Event
from peephole.scene_graph.rules import Ends, Rules
from peephole.skills.actions import Verb
from peephole.suites.alfred.goals import TREATED, TaskParameters, goal_of
from peephole.suites.alfred.suites import BUDGETS, load

SAMPLE = Path(__file__).parents[4] / "shared/data/alfred/valid_unseen_sample.jsonl.gz"
Raw = Mapping[str, Any]


# --- the judge -----------------------------------------------------------------------------------


@dataclass
class AlfredJudge:
    """ALFRED's judge of a task: feed it with the engine's actions, and ask it about metadata.

    treated: the ids of what was cleaned, heated or cooled, whichever the task asks for.
    """

    asked: TaskParameters
    treated: set[str] = field(default_factory=set)

    def acted(self, action: str, object_id: str, metadata: Raw) -> None:
        """The engine did an action; metadata: after it."""
        source = {
            TaskType.CLEAN: ("ToggleObjectOn", "Faucet", "SinkBasin"),
            TaskType.HEAT: ("ToggleObjectOn", "Microwave", "Microwave"),
            TaskType.COOL: ("CloseObject", "Fridge", "Fridge"),
        }.get(self.asked.kind)
        if source is None or action != source[0] or source[1] not in object_id:
            return
        places = [o for o in metadata["objects"] if o["objectType"] == source[2]]
        if self.asked.kind is TaskType.CLEAN:
            faucet = next(o for o in metadata["objects"] if o["objectId"] == object_id)
            places.sort(key=lambda o: (not o["visible"], _apart(o, faucet)))
        self.treated.update(places[0]["receptacleObjectIds"] or ())

    def conditions(self, metadata: Raw) -> tuple[int, int]:
        """The conditions that are met, and all."""
        asked, objects = self.asked, metadata["objects"]
        name = asked.target + ("Sliced" if asked.sliced else "")
        targets = {o["objectId"] for o in objects if name in o["objectId"] and o["pickupable"]}
        parents = [o for o in objects if asked.parent in o["objectId"] and o["receptacle"]]
        lists = [set(o["receptacleObjectIds"] or ()) & targets for o in parents]
        placed = set().union(*lists)
        two = asked.kind is TaskType.TWO
        slices = min(len(targets), 1 + two) if asked.sliced else 0
        match asked.kind:
            case TaskType.SIMPLE:
                met = [bool(placed)]
            case TaskType.TWO:
                most = max(map(len, lists), default=0)
                met = [most >= 1, most >= 2]
            case TaskType.LIGHT:
                held = [o["objectId"] for o in metadata["inventoryObjects"]]
                lamps = [o for o in objects if asked.toggle in o["objectId"] and o["toggleable"]]
                met = [
                    bool(held) and held[0] in targets,
                    any(lamp["isToggled"] and lamp["visible"] for lamp in lamps),
                ]
            case TaskType.MOVABLE:
                stacks = [o for o in objects if asked.movable in o["objectId"] and o["pickupable"]]
                loaded = [o for o in stacks if targets & set(o["receptacleObjectIds"] or ())]
                there = {i for o in parents for i in o["receptacleObjectIds"] or ()}
                ids = {o["objectId"] for o in parents}
                met = [
                    bool(loaded),
                    any(o["objectId"] in there for o in stacks),
                    any(ids & set(o["parentReceptacles"] or ()) for o in loaded),
                ]
            case _:
                met = [bool(placed), bool(targets & self.treated), bool(placed & self.treated)]
        return slices + sum(met), (1 + two) * asked.sliced + len(met)


def _apart(one: Raw, other: Raw) -> float:
    return math.dist(*([o["position"][axis] for axis in "xyz"] for o in (one, other)))


def asked_of(task: AlfredTask) -> TaskParameters:
    return TaskParameters(
        task.kind, task.target, task.parent, task.movable, task.toggle, task.sliced
    )


# --- states that come up -------------------------------------------------------------------------

BEFORE, AFTER = 5, 5  # random actions before and after the expert's
SHARES = 10
#: Some of them are played with every other test; all of them with the slow ones.
EACH = [0, *(pytest.param(share, marks=pytest.mark.slow) for share in range(1, SHARES))]
_EVENTFUL = {Verb.OPEN: 3, Verb.CLOSE: 2, Verb.PUT: 4, Verb.PICK_UP: 4, Verb.TURN_ON: 4}


class Judged:
    """Has ALFRED's judge look on while an adapter plays."""

    def __init__(self, adapter: ThorAdapter, asked: TaskParameters) -> None:
        self._adapter = adapter
        self._judge = AlfredJudge(asked)
        self.verdicts: list[tuple[float, float]] = []  # ours and ALFRED's, of each state

    def acted(self, world: ThorWorld, action: str, answer: EngineAnswer, object_id: str) -> None:
        if answer.success:
            self._judge.acted(action, object_id, answer.metadata)

    def recorded(self, event: Any) -> None:
        """After every step: what the engine tells now is what was judged."""
        if event.event == "started":
            self._judge.treated.clear()
        if event.event in ("started", "stepped"):
            met, conditions = self._judge.conditions(self._adapter.world.step("Pass").metadata)
            self.verdicts.append((event.progress, met / conditions))


def wandering_expert(seed: str) -> Any:
    """The expert, with random actions before and after its own."""
    expert, chance = load_planner("expert"), random.Random(seed)

    def wander(percept: Percept, steps: int) -> Iterator[Act]:
        for _ in range(steps):
            offered = [action for _, action in percept.menu()]
            weights = [_EVENTFUL.get(action.verb, 1) for action in offered]
            percept = yield Act(chance.choices(offered, weights)[0])
        return percept

    def plan(brief: Brief, percept: Percept) -> Decisions:
        percept = yield from wander(percept, BEFORE)
        decisions = expert.plan(brief, percept)
        answer = None
        while True:
            try:
                decision = decisions.send(answer)
            except StopIteration:
                break
            if not isinstance(decision, Act):
                if type(decision).__name__ in ("Done", "GiveUp"):
                    break
                answer = yield decision
                continue
            percept = answer = yield decision
        yield from wander(percept, AFTER)

    return replace(expert, plan=plan)


@pytest.mark.parametrize("share", EACH)
def test_progress_is_as_alfred_judges_it(
    shared_adapter: ThorAdapter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: int
) -> None:
    if not SAMPLE.is_file():
        pytest.skip("the sample of ALFRED's tasks is not there")
    found = list(tasks_of(str(SAMPLE)).values())[share::SHARES]
    tasks = list(load(SAMPLE).tasks)[share::SHARES]
    judged: Judged
    step = ThorWorld.step

    def watched(world: ThorWorld, action: str, **arguments: Any) -> EngineAnswer:
        answer = step(world, action, **arguments)
        judged.acted(world, action, answer, str(arguments.get("objectId", "")))
        return answer

    monkeypatch.setattr(ThorWorld, "step", watched)
    done = 0
    for alfred, task in zip(found, tasks, strict=True):
        judged = Judged(shared_adapter, asked_of(alfred))
        planner = wandering_expert(task.id)
        context = EpisodeContext(
            shared_adapter,
            planner,
            load_dialect(planner.dialects[0]),
            rules=Rules(ends=Ends.PLANNER_DONE),
            budgets=BUDGETS,
            watch=judged.recorded,
        )
        with EpisodeLog(tmp_path / f"{alfred.trial}.jsonl") as log:
            result = run_episode(context, task, log)
        assert result.ended != "planner_error", (task.id, result.detail)
        differing = [pair for pair in judged.verdicts if not math.isclose(*pair)]
        assert not differing, (task.id, judged.verdicts)
        done += any(ours == 1.0 for ours, _ in judged.verdicts)
    assert done >= 0.9 * len(tasks), "the tasks are done on the way"


# --- made-up states ------------------------------------------------------------------------------

#: Whether things of a type are carried, keep things, are switched.
_TYPES = {
    **dict.fromkeys(("Apple", "Potato", "Knife", "ButterKnife", "Pen", "Pencil"), (1, 0, 0)),
    **dict.fromkeys(("TissueBox", "HandTowel", "Bottle", "SoapBottle"), (1, 0, 0)),
    **dict.fromkeys(("Pot", "Bowl", "Box"), (1, 1, 0)),
    **dict.fromkeys(("Fridge", "SinkBasin", "CounterTop", "Shelf", "Toilet"), (0, 1, 0)),
    **dict.fromkeys(("ToiletPaperHanger", "Chair", "ArmChair"), (0, 1, 0)),
    **dict.fromkeys(("DeskLamp", "FloorLamp"), (0, 0, 1)),
}
_CARRIED = [name for name, (carried, _, _) in _TYPES.items() if carried]
_KEEPING = [name for name, (_, keeps, _) in _TYPES.items() if keeps]
_CARRIERS = [name for name in _CARRIED if name in _KEEPING]
_PLACES = [name for name in _KEEPING if name not in _CARRIED]
_SLICED = {"Apple": "AppleSliced", "Potato": "PotatoSliced"}
_NEVER = ("sliceable", "moveable", "openable", "isOpen", "isSliced")


def thing(object_type: str, object_id: str, carried: bool, keeps: bool, lights: bool) -> Any:
    """An object's metadata, as far as anybody reads them."""
    return {
        **dict.fromkeys(_NEVER, False),
        "objectId": object_id,
        "name": object_id,
        "objectType": object_type,
        "position": {"x": 0.0, "y": 1.0, "z": 0.0},
        "rotation": {"x": 0.0, "y": 0.0, "z": 0.0},
        "visible": False,
        "pickupable": carried,
        "receptacle": keeps,
        "toggleable": lights,
        "isToggled": False,
        "receptacleObjectIds": [] if keeps else None,
        "parentReceptacles": None,
    }


@st.composite
def states(draw: st.DrawFn) -> Any:
    """Metadata in which things lie anywhere, listed by one receptacle or several.

    There is all furniture that a task may ask for; ALFRED's judge breaks off without. What is in a
    held receptacle is listed by no furniture, which the engine may do, and ALFRED's judge believes.
    """
    objects = []
    for object_type in _TYPES:
        for number in range(draw(st.integers(int(object_type in _PLACES), 2))):
            name = f"{object_type}|{number:+03d}"
            objects.append(thing(object_type, name, *map(bool, _TYPES[object_type])))
            if object_type in _SLICED and draw(st.booleans()):
                whole, piece = objects.pop()["objectId"], _SLICED[object_type]
                objects += [
                    thing(piece, f"{whole}|{piece}_{i}", True, False, False) for i in (1, 2)
                ]
    for each in objects:
        each["visible"] = draw(st.booleans())
        each["isToggled"] = each["toggleable"] and draw(st.booleans())
    held = [o for o in objects if o["pickupable"] and draw(st.integers(0, 9)) == 0][:1]
    carried = [o["objectId"] for o in held]
    for index, each in reversed([*enumerate(objects)]):
        # A thing is kept by places, or by what comes later, so that nothing is in itself.
        keepers = [o for o in objects[index + 1 :] if o["receptacle"] and o["pickupable"]]
        keepers += [o for o in objects if o["receptacle"] and not o["pickupable"]]
        if not each["pickupable"] or each in held or not keepers:
            continue
        kept_by = draw(st.lists(st.sampled_from(keepers), max_size=2, unique_by=id))
        if in_hand := [o for o in kept_by if o["objectId"] in carried]:
            kept_by = in_hand
            carried.append(each["objectId"])
        for keeper in kept_by:
            keeper["receptacleObjectIds"].append(each["objectId"])
            each["parentReceptacles"] = [*(each["parentReceptacles"] or ()), keeper["objectId"]]
    inventory = [{"objectId": o["objectId"], "objectType": o["objectType"]} for o in held]
    return {"objects": objects, "inventoryObjects": inventory, "sceneName": "FloorPlan1"}


@st.composite
def tasks_asked(draw: st.DrawFn) -> TaskParameters:
    kind = draw(st.sampled_from(TaskType))
    light, movable = kind is TaskType.LIGHT, kind is TaskType.MOVABLE
    target = draw(st.sampled_from([name for name in _CARRIED if "Bottle" not in name]))
    return TaskParameters(
        kind,
        target,
        "" if light else draw(st.sampled_from(_PLACES)),
        draw(st.sampled_from(_CARRIERS)) if movable else "",
        draw(st.sampled_from(["DeskLamp", "FloorLamp"])) if light else "",
        target in _SLICED and draw(st.booleans()),
    )


# Shrinking such states takes minutes.
@settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(states(), tasks_asked(), st.data())
def test_made_up_states_are_judged_as_alfred_does(
    metadata: Any, asked: TaskParameters, data: st.DataObject
) -> None:
    judge = AlfredJudge(asked)
    carried = [o["objectId"] for o in metadata["objects"] if o["pickupable"]]
    if carried and asked.kind in TREATED:
        judge.treated = data.draw(st.sets(st.sampled_from(carried), max_size=6))
    reader = ThorGraphReader()
    graph = reader.read(metadata)
    events = [Event(TREATED[asked.kind], (reader.ids[name],), 1) for name in judge.treated]
    ours = progress(goal_of(asked, as_judged_by_alfred=True), graph, events)
    earned = sum(part.earned for part in ours.subgoals)
    total = sum(part.total for part in ours.subgoals)
    assert (round(earned), round(total)) == judge.conditions(metadata)
