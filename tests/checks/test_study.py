"""A study tells of each assumption whether it holds, differs, or cannot be told."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.checks.assumption import CannotTell, Checks, Topic, Verdict, expect
from peephole.checks.bench import Bench
from peephole.checks.study import Study, study
from peephole.errors import BadInput
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.skills.actions import Action, open_, pick_up
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import RawResult

from ..table_room import TABLE, table_room

CUP, BOX = 4, 5


@pytest.fixture
def checks(tmp_path: Path) -> Checks:
    graph: SceneGraph = table_room(
        [
            Node(CUP, "cup", Kind.OBJECT, CUP, affordances=frozenset({Affordance.GRASPABLE})),
            Node(
                BOX,
                "box",
                Kind.OBJECT,
                BOX,
                frozenset({State.CLOSED}),
                frozenset({Affordance.OPENABLE, Affordance.CONTAINER}),
            ),
        ],
        [Edge(CUP, Relation.ON, TABLE), Edge(BOX, Relation.ON, TABLE)],
    )
    write_graph(graph, tmp_path / "room.json")
    return Checks("symbolic", f"json:{tmp_path / 'room.json'}")


def played(checks: Checks, adapter: Callable[[], SymbolicAdapter], within_s: float = 60) -> Study:
    return study(checks, connect=adapter, within_s=within_s)


def test_each_check_begins_at_the_start_and_gives_the_engines_answer(checks: Checks) -> None:
    resets = []

    class Counted(SymbolicAdapter):
        def reset(self, *arguments):
            resets.append(arguments)
            super().reset(*arguments)

    @checks.assume(Topic.ACTIONS, "A box opens.", source="ours")
    def opens(bench: Bench) -> str:
        result = bench.do(open_(BOX))
        return expect(result.success, f"open: {result.failure}")

    @checks.assume(Topic.STATES, "The box is closed at the start.", source="ours")
    def begins_closed(bench: Bench) -> str:
        bench.graph()
        return expect(State.CLOSED in bench.graph()[BOX].states, "closed at the start")

    @checks.assume(Topic.HANDS, "A cup is too heavy.", source="ours")
    def too_heavy(bench: Bench) -> str:
        return expect(not bench.do(pick_up(CUP)).success, "it was picked up")

    found = played(checks, Counted).findings
    assert [each.verdict for each in found] == [Verdict.HOLDS, Verdict.HOLDS, Verdict.DIFFERS]
    assert found[2].answer == "it was picked up"
    assert found[0].steps[-1].startswith("open 5 → success")
    assert len(resets) == 2  # the second check only read


def test_what_crashes_or_lacks_something_cannot_be_told_and_the_next_check_goes_on(
    checks: Checks,
) -> None:
    class Crashing(SymbolicAdapter):
        def attempt(self, action: Action, variation: int) -> RawResult:
            if action.target == CUP:
                raise SimulatorDied("The engine closed its connection.")
            if action.target == TABLE:
                raise KeyError("table")
            return super().attempt(action, variation)

    def doing(name: str, act: Callable[[Bench], object]) -> None:
        def check(bench: Bench) -> str:
            act(bench)
            return "done"

        check.__name__ = name
        checks.assume(Topic.ACTIONS, f"{name} is told.", source="ours")(check)

    doing("crash", lambda bench: bench.do(pick_up(CUP)))
    doing("broken", lambda bench: bench.do(pick_up(TABLE)))
    doing("wrong_check", lambda bench: {}["words"])
    doing("lacking", lambda bench: bench.find("unicorn"))
    doing("fine", lambda bench: bench.must(open_(BOX)))
    answers = {each.assumption.name: each for each in played(checks, Crashing).findings}
    assert answers["crash"].answer == "pick_up 4: The engine closed its connection."
    assert answers["broken"].answer.startswith("pick_up 3 raised KeyError: 'table'")
    assert "KeyError: 'words'" in answers["wrong_check"].answer
    assert "no unicorn" in answers["lacking"].answer
    assert answers.pop("fine").verdict is Verdict.HOLDS
    assert {each.verdict for each in answers.values()} == {Verdict.CANNOT_TELL}


def test_a_hung_engine_takes_no_more_than_the_time_of_the_study(checks: Checks) -> None:
    class Hanging(SymbolicAdapter):
        def attempt(self, action: Action, variation: int) -> RawResult:
            time.sleep(60)
            return super().attempt(action, variation)

    for name in ("first", "second"):

        def check(bench: Bench) -> str:
            return str(bench.do(open_(BOX)))

        check.__name__ = name
        checks.assume(Topic.TIMING, "It answers.", source="ours")(check)
    began = time.monotonic()
    found = played(checks, Hanging, within_s=0.5)
    assert time.monotonic() - began < 5
    assert [each.verdict for each in found.findings] == [Verdict.CANNOT_TELL] * 2
    assert "no answer" in found.findings[0].answer
    assert "no time was left" in found.findings[1].answer


def test_an_engine_that_never_starts_is_not_asked_again_and_again(checks: Checks) -> None:
    starts = []

    class Dead(SymbolicAdapter):
        def reset(self, *arguments):
            starts.append(1)
            raise SimulatorDied("Nothing answers.")

    for name in "abcde":

        def check(bench: Bench) -> str:
            raise CannotTell("never reached")

        check.__name__ = name
        checks.assume(Topic.RESTART, "It starts.", source="ours")(check)
    found = played(checks, Dead)
    assert len(starts) == 3
    assert found.facts == {}
    assert len(found.of(Verdict.CANNOT_TELL)) == 5


def test_what_an_engine_died_over_is_tried_again_by_the_next_check(checks: Checks) -> None:
    tries = []

    class Weak(SymbolicAdapter):
        def attempt(self, action: Action, variation: int) -> RawResult:
            tries.append(action)
            if len(tries) == 1:
                raise SimulatorDied("The engine closed its connection.")
            return super().attempt(action, variation)

    for name in ("first", "second", "third"):

        def check(bench: Bench) -> str:
            return bench.once("opening", lambda: str(bench.do(open_(BOX)).success))

        check.__name__ = name
        checks.assume(Topic.ACTIONS, "A box opens.", source="ours")(check)
    found = played(checks, Weak).findings
    assert [each.answer for each in found[1:]] == ["True", "True"]
    assert found[0].verdict is Verdict.CANNOT_TELL
    assert len(tries) == 2


def test_only_takes_names_and_topics(checks: Checks) -> None:
    @checks.assume(Topic.NAMES, "Names stay.", source="ours")
    def names_stay(bench: Bench) -> str:
        return "they do"

    assert len(study(checks, only=["names"]).findings) == 1
    with pytest.raises(BadInput, match="Did you mean names_stay"):
        study(checks, only=["names_sta"])
