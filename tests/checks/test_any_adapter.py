"""What every adapter must do: the example of the docs does it, and each planted fault is named."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from peephole.adapters.contract import Capability
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.checks.any_adapter import ASSUMPTIONS
from peephole.checks.assumption import Checks, Verdict, task_in
from peephole.checks.study import Study, study
from peephole.observation_text.view import View
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, Verb
from peephole.skills.arm.blocks.world import ArmReading
from peephole.skills.dynamics import apply, check
from peephole.skills.outcomes import Failure, RawResult, Reason

from ..table_room import TABLE, table_room

CUP, FRIDGE, APPLE, LAMP, HALL, SHELF, PLATE, SPOON = range(4, 12)


def house() -> SceneGraph:
    """A kitchen with a cup, and an apple inside a closed fridge; a hall with a shelf."""
    can_hold = frozenset({Affordance.GRASPABLE})
    able = {
        FRIDGE: {Affordance.OPENABLE, Affordance.CONTAINER},
        LAMP: {Affordance.SWITCHABLE},
    }
    return table_room(
        [
            Node(CUP, "cup", Kind.OBJECT, CUP, affordances=can_hold),
            Node(
                FRIDGE,
                "fridge",
                Kind.FIXTURE,
                FRIDGE,
                frozenset({State.CLOSED}),
                frozenset(able[FRIDGE]),
            ),
            Node(APPLE, "apple", Kind.OBJECT, APPLE, affordances=can_hold),
            Node(LAMP, "lamp", Kind.FIXTURE, LAMP, frozenset({State.OFF}), frozenset(able[LAMP])),
            Node(HALL, "hall", Kind.ROOM, HALL),
            Node(SHELF, "shelf", Kind.FIXTURE, SHELF, affordances=frozenset({Affordance.SURFACE})),
            Node(PLATE, "plate", Kind.OBJECT, PLATE, affordances=can_hold),
            Node(SPOON, "spoon", Kind.OBJECT, SPOON, affordances=can_hold),
        ],
        [
            Edge(CUP, Relation.ON, TABLE),
            Edge(FRIDGE, Relation.INSIDE, 1),
            Edge(APPLE, Relation.INSIDE, FRIDGE),
            Edge(LAMP, Relation.INSIDE, 1),
            Edge(SHELF, Relation.INSIDE, HALL),
            Edge(PLATE, Relation.ON, SHELF),
            Edge(SPOON, Relation.ON, TABLE),
        ],
        frozenset({Affordance.SURFACE}),
    )


class Sound(SymbolicAdapter):
    """An adapter that does all that the contract says; the faulty ones begin with it."""

    spec = replace(
        SymbolicAdapter.spec,
        name="sound",
        actions=SymbolicAdapter.spec.actions - {Verb.SIT, Verb.LIE_DOWN},
        loaders=("json",),
        attempt_s=0.5,
    )

    def reset(self, task: Task, seed: int) -> None:
        self.scene_of(task)
        super().reset(task, seed)

    def image(self) -> Any:
        return np.zeros((4, 4, 3), np.uint8)  # a drawing takes longer


class RaisesOnUnknownThings(Sound):
    """unknown_things_are_refused"""

    def attempt(self, action: Action, variation: int) -> RawResult:
        _ = {node.id: node for node in self.graph().nodes()}[action.things[0]]
        return super().attempt(action, variation)


class RaisesOnOpening(Sound):
    """attempts_raise_nothing"""

    def attempt(self, action: Action, variation: int) -> RawResult:
        if action.verb is Verb.OPEN:
            raise RuntimeError("the simulator has no such call")
        return super().attempt(action, variation)


class SaysDoneAndDoesNothing(Sound):
    """success_shows"""

    def attempt(self, action: Action, variation: int) -> RawResult:
        if action.verb is Verb.OPEN:
            return RawResult(check(self.graph(), action, self.spec.embodiment))
        return super().attempt(action, variation)


class RefusesAndDoesSomething(Sound):
    """refusals_change_nothing"""

    def attempt(self, action: Action, variation: int) -> RawResult:
        result = super().attempt(action, variation)
        if result.failure is not None:
            self._state().set_state(LAMP, State.ON)
        return result


class DoesTheImpossible(Sound):
    """impossible_is_refused"""

    def attempt(self, action: Action, variation: int) -> RawResult:
        if action.verb is Verb.PICK_UP and action.target in self.graph():
            apply(self._state(), action)
            return RawResult()
        return super().attempt(action, variation)


class RefusesNearlyEverything(Sound):
    """possible_is_done"""

    def attempt(self, action: Action, variation: int) -> RawResult:
        return RawResult(Failure(Reason.NOT_CLOSE, action.target))


class GivesItsOwnGraphAway(Sound):
    """graph_is_the_callers"""

    def graph(self) -> SceneGraph:
        return self._state()


class HasNoGraph(Sound):
    """graph_is_as_said"""

    def graph(self) -> Any:
        return None


class HasTwoOppositeStates(Sound):
    """states_exclude_each_other"""

    def graph(self) -> SceneGraph:
        graph = super().graph()
        lamp = graph[LAMP]
        graph.replace_node(replace(lamp, states=frozenset({State.ON, State.OFF})))
        return graph


class HasACircle(Sound):
    """graph_is_well_formed"""

    def graph(self) -> SceneGraph:
        graph = super().graph()
        graph.detach(TABLE)
        graph.add_edge(TABLE, Relation.ON, CUP)
        return graph


class NamesStatesByTexts(Sound):
    """graph_survives_json"""

    def graph(self) -> SceneGraph:
        graph = super().graph()
        graph.replace_node(replace(graph[LAMP], native_id=(1, 2)))  # type: ignore[arg-type]
        return graph


class ShowsWhatIsEnclosed(Sound):
    """closed_hides"""

    def view(self) -> View:
        return View(self.graph(), {})


class ShowsTheWholeHouse(Sound):
    """view_follows_the_profile"""

    def view(self) -> View:
        graph = self.graph()
        return View(graph.part(i.id for i in graph.nodes() if not graph.closed_around(i.id)), {})


class ShowsWhatIsNotSo(Sound):
    """view_is_true"""

    def view(self) -> View:
        graph = super().view().graph.copy()
        if LAMP in graph:
            graph.replace_node(graph[LAMP].having(State.HOT))
        return View(graph, super().view().covered)


class SeesOtherwiseEachTime(Sound):
    """reading_changes_nothing"""

    def view(self) -> View:
        if self.graph()[LAMP].states == {State.OFF}:
            self._state().set_state(LAMP, State.ON)
        else:
            self._state().set_state(LAMP, State.OFF)
        self._sight = None
        return super().view()


class HasAThirdHand(Sound):
    """hands_are_as_said"""

    spec = replace(Sound.spec, embodiment=replace(Sound.spec.embodiment, hands=1))

    def attempt(self, action: Action, variation: int) -> RawResult:
        graph = self._state()
        full = check(graph, action, self.spec.embodiment)
        if full is not None and full.reason is Reason.HANDS_FULL:
            apply(graph, action)
            return RawResult()
        return super().attempt(action, variation)


class LeavesTheHeldBehind(Sound):
    """held_things_go_along"""

    def attempt(self, action: Action, variation: int) -> RawResult:
        graph = self._state()
        held = graph.held(graph.agent().id)
        room = graph.room_of(graph.agent().id)
        result = super().attempt(action, variation)
        if action.verb is Verb.GO_TO and result.success and room is not None:
            for thing in held:
                graph.remove_edge(graph.agent().id, Relation.HOLDS, thing)
                graph.add_edge(thing, Relation.INSIDE, room)
        return result


class RenamesThings(Sound):
    """ids_stay"""

    def graph(self) -> SceneGraph:
        graph = super().graph()
        if graph[FRIDGE].states == {State.OPEN}:
            graph.replace_node(replace(graph[LAMP], category="lantern"))
        return graph


class BeginsSomewhere(Sound):
    """starts_are_the_same"""

    def reset(self, task: Task, seed: int) -> None:
        super().reset(task, seed)
        BeginsSomewhere.resets += 1
        self._state().set_state(LAMP, (State.ON, State.OFF)[self.resets % 2])

    resets = 0


class KeepsTheLastEpisode(Sound):
    """reset_undoes"""

    def reset(self, task: Task, seed: int) -> None:
        if self._graph is None:
            super().reset(task, seed)


class DoesOtherwiseEachTime(Sound):
    """tries_repeat"""

    chance = random.Random(1)

    def attempt(self, action: Action, variation: int) -> RawResult:
        result = super().attempt(action, variation)
        states = self.chance.sample([State.HOT, State.CLEAN, State.FILLED, State.BROKEN], 2)
        self._state().replace_node(replace(self._state()[CUP], states=frozenset(states)))
        return result


class CannotBeClosedTwice(Sound):
    """closing_is_harmless"""

    def close(self) -> None:
        assert self._graph is not None, "already closed"
        super().close()


class ContinuesWhatIsReplayed(Sound):
    """resume_is_for_real_rooms"""

    def resume(self, task: Task, seed: int) -> None:
        self.reset(task, seed)


class DoesForeignVerbs(Sound):
    """foreign_verbs_are_refused"""

    def attempt(self, action: Action, variation: int) -> RawResult:
        if action.verb not in self.spec.actions:
            return RawResult()
        return super().attempt(action, variation)


class LacksAVerbOfItsSpec(Sound):
    """own_verbs_are_supported"""

    def attempt(self, action: Action, variation: int) -> RawResult:
        if action.verb is Verb.OPEN:
            return RawResult(Failure(Reason.NOT_SUPPORTED, action.target))
        return super().attempt(action, variation)


class TakesAnyScene(Sound):
    """foreign_scene_is_refused"""

    def reset(self, task: Task, seed: int) -> None:
        self.restore(house())


class AnswersInWords(Sound):
    """results_are_typed"""

    def attempt(self, action: Action, variation: int) -> Any:
        result = super().attempt(action, variation)
        if result.failure is not None:
            return result
        return RawResult(None, b"done")  # type: ignore[arg-type]


class Hangs(Sound):
    """attempts_end_in_time"""

    def attempt(self, action: Action, variation: int) -> RawResult:
        if action.verb is Verb.OPEN:
            time.sleep(5)
        return super().attempt(action, variation)


class HasFactsOfItsOwnKind(Sound):
    """facts_are_data"""

    def facts(self) -> dict[str, Any]:
        return {"started": Path("/opt/engine")}


class HasGreyImages(Sound):
    """images_are_rgb"""

    def image(self) -> Any:
        return np.zeros((4, 4), np.uint8)


class FilmsNothing(Sound):
    """films_have_frames"""

    def _capture(self) -> None:
        pass


class JudgesWithoutSaying(Sound):
    """judge_is_as_said"""

    spec = replace(Sound.spec, capabilities=Sound.spec.capabilities | {Capability.JUDGE})


class SaysAnotherSpec(Sound):
    """spec_is_known_before"""

    def __init__(self) -> None:
        super().__init__()
        self.spec = replace(Sound.spec, attempt_s=3.0)


class NeedsItsSimulatorToBeMade(Sound):
    """making_is_cheap"""

    def close(self) -> None:
        self._state()
        super().close()


class SpeaksAnArmsDialect(Sound):
    """dialects_are_registered"""

    spec = replace(Sound.spec, actions=Sound.spec.actions | {Verb.REACH}, dialects=("compact",))


#: Readings of an arm.
_REST = ArmReading((0.0,) * 7, (0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class ReadsAnArm(Sound):
    """wrench_is_as_said"""

    def view(self) -> View:
        seen = super().view()
        return View(seen.graph, seen.covered, _REST)


class IgnoresVariations(Sound):
    """variations_are_taken"""

    def attempt(self, action: Action, variation: int) -> RawResult:
        return RawResult() if variation else super().attempt(action, variation)


class TakesLong(SymbolicAdapter):
    """Slow, but within the time of its spec; the study has less."""

    spec = replace(SymbolicAdapter.spec, name="slow")

    def attempt(self, action: Action, variation: int) -> RawResult:
        time.sleep(10)
        return super().attempt(action, variation)


FAULTY = [each for each in Sound.__subclasses__() if each.__module__ == __name__]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("house") / "house.json"
    write_graph(house(), path)
    return f"json:{path}"


def checked(adapter: type[SymbolicAdapter], scene: str, *without: str) -> Study:
    wanted = [each for each in ASSUMPTIONS if each.name not in without]
    checks = Checks(adapter.spec.name, scene, wanted)
    return study(checks, task=task_in(scene), connect=adapter)


def test_a_sound_adapter_passes_all(scene: str) -> None:
    found = checked(Sound, scene)
    assert [f"{f.assumption.name}: {f.answer}" for f in found.of(Verdict.DIFFERS)] == []
    assert [f"{f.assumption.name}: {f.answer}" for f in found.of(Verdict.CANNOT_TELL)] == []
    assert len(found.findings) == len(ASSUMPTIONS)


def test_what_had_no_time_does_not_differ(scene: str) -> None:
    only = ["attempts_end_in_time", "simulator_lives"]
    found = study(Checks("slow", scene, ASSUMPTIONS), only=only, connect=TakesLong, within_s=1.0)
    assert [each.verdict for each in found.findings] == [Verdict.CANNOT_TELL] * 2
    assert all(each.answer.startswith(("no time was left", "no answer")) for each in found.findings)


def test_there_are_enough_faults() -> None:
    assert len(FAULTY) >= 20
    assert {each.__doc__ for each in FAULTY} <= {each.name for each in ASSUMPTIONS}


@pytest.mark.parametrize("faulty", FAULTY, ids=lambda each: each.__name__)
def test_a_planted_fault_is_named(faulty: type[Sound], scene: str) -> None:
    film = () if faulty is FilmsNothing else ("films_have_frames",)
    found = checked(faulty, scene, *film)
    differing = {f.assumption.name: f.answer for f in found.of(Verdict.DIFFERS)}
    told = {f.assumption.name: f"{f.verdict}: {f.answer}" for f in found.findings}
    assert faulty.__doc__ in differing, told[str(faulty.__doc__)]
