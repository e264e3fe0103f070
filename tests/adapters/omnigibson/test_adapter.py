"""What a planner gets of the adapter on its symbolic backend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import peephole
from peephole.adapters.omnigibson.adapter import OmniGibsonAdapter
from peephole.adapters.omnigibson.primitives import Error, Primitive, Result
from peephole.adapters.omnigibson.symbolic_backend import Substances, SymbolicBackend
from peephole.adapters.registry import adapter_status
from peephole.observation_text.view import visible
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Relation, State
from peephole.skills import actions
from peephole.skills.actions import Action, Verb
from peephole.skills.dynamics import candidates, step
from peephole.skills.executor import Executor
from peephole.skills.outcomes import Failure, FailureClass, Reason

FRIDGE, TABLE, SINK, MICROWAVE, SHELF = 10, 11, 12, 14, 15
APPLE, KNIFE, SPONGE, PLATE, PEAR, PAN, CUP = 20, 21, 22, 23, 25, 26, 27


class Watched(SymbolicBackend):
    """The symbolic backend, telling which primitives were run; errors may be planned."""

    def __init__(self, scene: SceneGraph, substances: Substances) -> None:
        super().__init__(scene, substances)
        self.ran: list[tuple[Primitive, int | None]] = []
        self.planned: list[Error] = []

    def apply(self, primitive: Primitive, thing: int | None) -> Result:
        self.ran.append((primitive, thing))
        if self.planned:
            return Result(self.planned.pop(0), "planned", 2.0)
        return super().apply(primitive, thing)


@pytest.fixture
def backend(kitchen: SceneGraph, substances: Substances) -> Watched:
    return Watched(kitchen, substances)


@pytest.fixture
def reason(backend: Watched) -> Callable[[Action], Reason | None]:
    """Why an action fails on the backend, or None."""
    adapter = OmniGibsonAdapter(backend)

    def tried(action: Action) -> Reason | None:
        failure = adapter.attempt(action, 0).failure
        return None if failure is None else failure.reason

    return tried


def test_what_teleports_is_gated(
    backend: Watched, reason: Callable[[Action], Reason | None]
) -> None:
    """The primitives themselves would do all of this from anywhere, through closed doors."""
    assert SymbolicBackend(backend.graph()).apply(Primitive.GRASP, APPLE).error is None
    assert reason(actions.pick_up(KNIFE)) is Reason.NOT_CLOSE
    assert reason(actions.open_(FRIDGE)) is Reason.NOT_CLOSE
    assert reason(actions.go_to(APPLE)) is Reason.ENCLOSED
    assert not backend.ran
    assert reason(actions.go_to(FRIDGE)) is None
    assert reason(actions.pick_up(APPLE)) is Reason.ENCLOSED
    assert reason(actions.open_(FRIDGE)) is None
    assert reason(actions.pick_up(APPLE)) is None
    assert [primitive for primitive, _ in backend.ran] == ["NAVIGATE_TO", "OPEN", "GRASP"]
    assert reason(actions.close(FRIDGE)) is Reason.HANDS_FULL
    assert reason(actions.go_to(MICROWAVE)) is None
    assert reason(actions.put(APPLE, Relation.INSIDE, MICROWAVE)) is Reason.CONTAINER_CLOSED
    assert reason(actions.turn_on(MICROWAVE)) is Reason.HANDS_FULL
    assert reason(actions.pick_up(PLATE)) is Reason.HANDS_FULL
    assert reason(actions.put(APPLE, Relation.ON, TABLE)) is Reason.NOT_CLOSE


@pytest.mark.parametrize(
    ("action", "at", "why"),
    [
        (actions.open_(TABLE), TABLE, Reason.NOT_OPENABLE),
        (actions.turn_on(TABLE), TABLE, Reason.NOT_SWITCHABLE),
        (actions.pick_up(TABLE), TABLE, Reason.NOT_GRASPABLE),
        (actions.slice_(PEAR), PLATE, Reason.NO_TOOL),
        (actions.wipe(PLATE), TABLE, Reason.EMPTY_HANDED),
        (actions.put(APPLE, Relation.ON, TABLE), TABLE, Reason.NOT_HELD),
        (actions.drop(APPLE), TABLE, Reason.NOT_HELD),
        (actions.pick_up(999), TABLE, Reason.UNKNOWN),
        (actions.sit(TABLE), TABLE, Reason.NOT_SUPPORTED),
        (actions.put(APPLE, Relation.UNDER, TABLE), TABLE, Reason.NOT_SUPPORTED),
    ],
)
def test_a_primitive_on_a_thing_without_the_ability_is_a_typed_failure(
    backend: Watched,
    reason: Callable[[Action], Reason | None],
    action: Action,
    at: int,
    why: Reason,
) -> None:
    assert reason(actions.go_to(at)) is None
    before = backend.graph().copy()
    assert reason(action) is why
    assert backend.graph() == before


def test_the_pear_is_cut_and_the_plate_wiped(
    backend: Watched, reason: Callable[[Action], Reason | None]
) -> None:
    assert reason(actions.go_to(TABLE)) is None
    assert reason(actions.pick_up(KNIFE)) is None
    assert reason(actions.slice_(PEAR)) is None
    assert reason(actions.drop(KNIFE)) is None
    assert reason(actions.pick_up(SPONGE)) is None
    assert reason(actions.wipe(PLATE)) is None
    assert reason(actions.wipe(PAN)) is Reason.UNSUITABLE, "a stain needs a wet sponge"
    assert State.SLICED in backend.graph()[PEAR].states
    assert State.CLEAN in backend.graph()[PLATE].states


@pytest.mark.parametrize(
    ("error", "action", "why", "tries"),
    [
        (Error.PRE_CONDITION, actions.pick_up(KNIFE), Reason.HANDS_FULL, 1),
        (Error.SAMPLING, actions.go_to(SHELF), Reason.UNREACHABLE, 3),
        (Error.PLANNING, actions.go_to(SHELF), Reason.UNREACHABLE, 3),
        (Error.EXECUTION, actions.pick_up(KNIFE), Reason.REFUSED, 3),
        (Error.POST_CONDITION, actions.pick_up(KNIFE), Reason.NOT_CONFIRMED, 3),
        (Error.UNSUPPORTED, actions.pick_up(KNIFE), Reason.NOT_SUPPORTED, 1),
        (Error.BROKEN, actions.pick_up(KNIFE), Reason.REFUSED, 3),
    ],
)
def test_every_error_is_retried_as_its_class_says(
    backend: Watched, error: Error, action: Action, why: Reason, tries: int
) -> None:
    """By the executor: a primitive is run once a try."""
    executor = Executor(OmniGibsonAdapter(backend), lambda: None)
    assert executor.execute(actions.go_to(TABLE)).success
    backend.ran.clear()
    backend.planned = [error] * 3
    outcome = executor.execute(action)
    assert outcome.failure is not None
    assert outcome.failure.reason is why
    assert len(outcome.attempts) == len(backend.ran) == tries
    assert (outcome.failure.kind is FailureClass.PRECONDITION) is (tries == 1)
    assert outcome.sim_time_s == 2.0 * tries
    backend.planned = [error]
    second = executor.execute(action)
    assert second.success is (tries > 1), "one that is retried may succeed"


@pytest.mark.parametrize(
    ("told", "why"), [(Error.EXECUTION, Reason.SLIPPED), (None, Reason.NOT_CONFIRMED)]
)
def test_what_a_place_dropped_is_grasped_before_it_is_placed_again(
    backend: Watched, monkeypatch: pytest.MonkeyPatch, told: Error | None, why: Reason
) -> None:
    """Whether the primitive tells of it, or takes the fall for a success."""
    executor = Executor(OmniGibsonAdapter(backend), lambda: None)
    assert executor.execute(actions.go_to(TABLE)).success
    assert executor.execute(actions.pick_up(KNIFE)).success
    backend.ran.clear()
    falls = [True]
    place = Watched.apply

    def apply(self: Watched, primitive: Primitive, thing: int | None) -> Result:
        if primitive is Primitive.PLACE_ON_TOP and falls:
            falls.pop()
            place(self, Primitive.RELEASE, None)
            return Result(told, "it fell")
        return place(self, primitive, thing)

    monkeypatch.setattr(Watched, "apply", apply)
    outcome = executor.execute(actions.put(KNIFE, Relation.ON, TABLE))
    assert outcome.success
    assert [primitive for primitive, _ in backend.ran] == ["RELEASE", "GRASP", "PLACE_ON_TOP"]
    failed = outcome.attempts[0].failure
    assert failed is not None
    assert failed.reason is why


def test_a_dropped_thing_that_is_not_grasped_again_is_what_the_failure_is_about(
    backend: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = OmniGibsonAdapter(backend)
    for action in (actions.go_to(TABLE), actions.pick_up(KNIFE)):
        assert adapter.attempt(action, 0).success
    real = Watched.apply

    def apply(self: Watched, primitive: Primitive, thing: int | None) -> Result:
        if primitive is Primitive.PLACE_ON_TOP:
            real(self, Primitive.RELEASE, None)
            self.planned = [Error.SAMPLING]
            return Result(Error.EXECUTION, "it fell")
        return real(self, primitive, thing)

    monkeypatch.setattr(Watched, "apply", apply)
    placing = actions.put(KNIFE, Relation.ON, TABLE)
    assert adapter.attempt(placing, 0).failure == Failure(Reason.SLIPPED, KNIFE)
    assert adapter.attempt(placing, 1).failure == Failure(Reason.UNREACHABLE, KNIFE)


def test_one_sees_what_the_profile_near_shows(backend: Watched) -> None:
    adapter = OmniGibsonAdapter(backend)
    for action in (actions.go_to(TABLE), actions.pick_up(PLATE), actions.go_to(SHELF)):
        assert adapter.attempt(action, 0).success
        now = visible(adapter.graph(), adapter.spec.visibility)
        assert adapter.view().graph == now.graph
        assert adapter.view().covered == now.covered


@given(data=st.data())
def test_on_any_house_it_does_what_our_own_model_of_household_actions_says(
    data: st.DataObject, house_strategy: SearchStrategy[SceneGraph]
) -> None:
    """But for what OmniGibson does not ask for, and wiping, for which a house has no tools."""
    house = data.draw(house_strategy)
    assume(len(house.held(house.agent().id)) <= 1)  # the robot has one hand
    adapter = OmniGibsonAdapter(SymbolicBackend(house))
    body = adapter.spec.embodiment
    for _ in range(6):
        now = adapter.graph()
        known = [a for a in candidates(now) if a.verb in adapter.spec.actions]
        known = [a for a in known if a.verb not in (Verb.WIPE, Verb.LOOK)]
        action = data.draw(st.sampled_from(known))
        if action.verb is Verb.PUT and action.relation is Relation.UNDER:
            continue
        expected = step(now, action, body)
        result = adapter.attempt(action, 0)
        if expected is None or expected.reason not in NOT_ASKED:
            assert result.failure == expected
            assert adapter.graph() == now


#: A running oven opens, an open microwave runs, and plugs do not count.
NOT_ASKED = {Reason.STILL_ON, Reason.STILL_OPEN, Reason.UNPLUGGED}


@pytest.mark.parametrize("planner", ["expert", "explore"])
def test_a_run_on_generated_houses_reaches_its_goals(tmp_path: Path, planner: str) -> None:
    played = peephole.run(planner, "houses", tasks=2, adapter="omnigibson", out=tmp_path / "run")
    assert [result.success for result in played.results] == [True, True]


def test_a_run_of_behaviors_activities_reaches_its_goals(bddl: None, tmp_path: Path) -> None:
    tasks = ("picking_up_trash", "unpacking_suitcase")
    played = peephole.run(
        "expert", "behavior", tasks=tasks, adapter="omnigibson", out=tmp_path / "run"
    )
    assert [result.success for result in played.results] == [True, True]


def test_that_it_never_ran_against_omnigibson_is_said() -> None:
    (status,) = (status for status in adapter_status() if status.name == "omnigibson")
    assert status.ready
    assert "never OmniGibson itself" in status.tested_on
