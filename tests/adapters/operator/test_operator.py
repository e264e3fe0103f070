"""A person in a room: what is asked, and what an agent perceives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from peephole.adapters.operator.adapter import OperatorAdapter
from peephole.adapters.operator.questions import (
    Answer,
    Do,
    Done,
    Failed,
    Look,
    Prepare,
    Question,
    Refused,
    Seen,
    Sighting,
)
from peephole.errors import PeepholeError
from peephole.scene_graph.node import Kind, Relation, State
from peephole.skills import actions
from peephole.skills.outcomes import Failure, Reason

from ...scripted_desk import ScriptedDesk, criteria_of
from .lab_room import ids, task

Written = Answer | Callable[[Question], Answer] | None


def begun(*answers: Written) -> tuple[OperatorAdapter, ScriptedDesk]:
    desk = ScriptedDesk([None, None, *answers], goes_on=True)
    adapter = OperatorAdapter(desk)
    adapter.reset(task("apple_to_table"), 0)
    return adapter, desk


def sees(*sightings: Sighting, unseen: Sequence[str] = ()) -> Callable[[Question], Answer]:
    return lambda question: Seen(
        criteria=criteria_of(question), sightings=sightings, unseen=tuple(unseen)
    )


def on(thing: str, place: str, *states: State) -> Sighting:
    return Sighting(thing=thing, relation=Relation.ON, place=place, states=states)


def inside(thing: str, place: str) -> Sighting:
    return Sighting(thing=thing, relation=Relation.INSIDE, place=place)


KITCHEN = sees(on("cup 1", "counter"), on("Plate", "table"), inside("ball", "kitchen"))


def in_kitchen(*answers: Written) -> tuple[OperatorAdapter, ScriptedDesk]:
    adapter, desk = begun(None, KITCHEN, *answers)
    kitchen = adapter.view().graph.room_ids[0]
    assert adapter.attempt(actions.go_to(kitchen), 0).success
    return adapter, desk


def test_the_start_is_prepared_and_nothing_is_known_before_it_is_seen() -> None:
    adapter, desk = begun()
    prepare, look = desk.asked
    assert isinstance(prepare, Prepare)
    assert "In the fridge: apple, milk." in prepare.lines
    assert "The robot starts in the living room, with empty hands." in prepare.lines
    assert "The fridge is closed." in prepare.lines
    assert isinstance(look, Look)
    assert [place.label for place in look.places] == ["living room", "sofa"]
    assert look.text == "Look around in the living room."
    assert set(ids(adapter)) == {"kitchen", "living room", "sofa", "robot"}
    assert desk.saved == desk.asked


def test_a_new_room_is_looked_at_and_things_have_ids_by_label() -> None:
    adapter, desk = in_kitchen()
    look = desk.asked[-1]
    assert isinstance(look, Look)
    places = {place.label: place for place in look.places}
    assert places["fridge"].relations == ()
    assert places["fridge"].states == (State.OPEN, State.CLOSED)
    assert places["table"].relations == (Relation.ON,)
    known = ids(adapter)
    view = adapter.view()
    assert view.graph[known["Plate"]].category == "plate"
    assert {"cup 1", "ball"} <= set(known)
    assert "apple" not in known
    covered = {str(view.graph[i].native_id) for i in view.covered}
    assert {"kitchen", "counter", "table"} <= covered
    assert "fridge" not in covered


def test_what_could_not_be_looked_at_is_not_seen_empty() -> None:
    adapter, _ = begun(None, sees(unseen=["table"]))
    kitchen = adapter.view().graph.room_ids[0]
    adapter.attempt(actions.go_to(kitchen), 0)
    view = adapter.view()
    assert view.covered.get(ids(adapter)["counter"])
    assert ids(adapter)["table"] not in view.covered


def test_an_opened_container_is_looked_into_and_a_gone_thing_is_forgotten() -> None:
    adapter, desk = in_kitchen(None, None, sees(inside("apple", "fridge")), None, None, sees())
    fridge = ids(adapter)["fridge"]
    adapter.attempt(actions.go_to(fridge), 0)
    assert isinstance(desk.asked[-1], Do), "a closed fridge shows nothing new"
    adapter.attempt(actions.open_(fridge), 0)
    look = desk.asked[-1]
    assert isinstance(look, Look)
    assert look.places[0].relations == (Relation.INSIDE,)
    apple = ids(adapter)["apple"]
    assert adapter.view().graph.places(apple) == [(Relation.INSIDE, fridge)]
    adapter.attempt(actions.close(fridge), 0)
    assert "apple" not in ids(adapter)
    adapter.attempt(actions.open_(fridge), 0)
    assert "apple" not in ids(adapter), "it was not seen again"
    assert adapter.view().covered[fridge]


def test_done_actions_have_their_effects_and_the_same_thing_keeps_its_id() -> None:
    adapter, desk = in_kitchen()
    known = ids(adapter)
    adapter.attempt(actions.go_to(known["table"]), 0)
    adapter.attempt(actions.pick_up(known["Plate"]), 0)
    assert adapter.view().held() == [known["Plate"]]
    adapter.attempt(actions.go_to(known["counter"]), 0)
    adapter.attempt(actions.put(known["Plate"], Relation.ON, known["counter"]), 0)
    do = desk.asked[-1]
    assert isinstance(do, Do)
    assert do.text == "Put Plate on the counter."
    assert adapter.view().graph.places(known["Plate"]) == [(Relation.ON, known["counter"])]


def test_the_body_is_not_asked_for_what_it_cannot_do() -> None:
    adapter, desk = in_kitchen()
    before = len(desk.asked)
    plate = ids(adapter)["Plate"]
    result = adapter.attempt(actions.pick_up(plate), 0)
    assert result.failure == Failure(Reason.NOT_CLOSE, plate)
    assert len(desk.asked) == before


def test_a_failure_is_typed_and_a_refusal_is_denied_with_its_words() -> None:
    reason = Failed(criteria=(False,), reason=Reason.BLOCKED, words="a chair")
    no = Refused(criteria=(False,), words="It is too hot.")
    adapter, _ = in_kitchen(reason, no)
    table = ids(adapter)["table"]
    result = adapter.attempt(actions.go_to(table), 0)
    assert result.failure == Failure(Reason.BLOCKED), "by what, nobody said"
    assert result.message == "a chair"
    result = adapter.attempt(actions.go_to(table), 0)
    assert result.failure == Failure(Reason.DENIED, detail="It is too hot")


def test_after_a_slip_the_person_says_where_the_thing_is() -> None:
    slipped = Failed(criteria=(False,), reason=Reason.SLIPPED)
    floor = sees(inside("Plate", "kitchen"), inside("ball", "kitchen"))
    adapter, desk = in_kitchen(None, slipped, floor)
    known = ids(adapter)
    adapter.attempt(actions.go_to(known["table"]), 0)
    assert not adapter.attempt(actions.pick_up(known["Plate"]), 0).success
    look = desk.asked[-1]
    assert isinstance(look, Look)
    assert look.text == "Say where things are now."
    kitchen = known["kitchen"]
    assert adapter.view().graph.places(known["Plate"]) == [(Relation.INSIDE, kitchen)]


@pytest.mark.parametrize("reason", [Reason.NOT_HERE, Reason.UNREACHABLE])
def test_where_a_held_thing_cannot_be_put_the_failure_is_about_the_place(reason: Reason) -> None:
    adapter, _ = in_kitchen(None, None, Failed(criteria=(False,), reason=reason))
    known = ids(adapter)
    adapter.attempt(actions.go_to(known["table"]), 0)
    adapter.attempt(actions.pick_up(known["Plate"]), 0)
    result = adapter.attempt(actions.put(known["Plate"], Relation.ON, known["table"]), 0)
    assert result.failure == Failure(reason, known["table"])
    assert adapter.view().held() == [known["Plate"]]


def test_what_slips_out_of_the_hand_is_not_held_any_more() -> None:
    adapter, desk = in_kitchen(None, None, Failed(criteria=(False,), reason=Reason.SLIPPED))
    plate, table = (ids(adapter)[label] for label in ("Plate", "table"))
    adapter.attempt(actions.go_to(table), 0)
    adapter.attempt(actions.pick_up(plate), 0)
    adapter.attempt(actions.put(plate, Relation.ON, table), 0)
    look = desk.asked[-1]
    assert isinstance(look, Look)
    assert "Plate" in [known.label for known in look.known]
    assert adapter.view().held() == [], "the person saw it nowhere"


def test_what_is_not_there_is_forgotten() -> None:
    gone = Failed(criteria=(False,), reason=Reason.NOT_HERE)
    adapter, _ = in_kitchen(None, gone)
    known = ids(adapter)
    adapter.attempt(actions.go_to(known["table"]), 0)
    adapter.attempt(actions.pick_up(known["Plate"]), 0)
    assert "Plate" not in ids(adapter)


def test_the_criteria_judge_without_a_question_of_their_own() -> None:
    yes = Done(criteria=(True,))
    adapter, desk = in_kitchen(yes)
    progress = adapter.judge(task("apple_to_table"))
    assert progress is not None
    assert progress.value == 0
    adapter.attempt(actions.go_to(ids(adapter)["table"]), 0)
    progress = adapter.judge(task("apple_to_table"))
    assert progress is not None
    assert progress.value == 1
    assert [each.text for each in progress.subgoals] == ["The apple is on the table."]
    assert desk.asked[-1].criteria[0].holds is False, "asked before the answer"


def test_a_desk_that_gives_nonsense_is_told_apart_from_the_person() -> None:
    class Broken(ScriptedDesk):
        def ask(self, question: Question) -> Answer:
            return Done(criteria=())

    with pytest.raises(PeepholeError, match="gave an answer that is none"):
        OperatorAdapter(Broken()).reset(task("apple_to_table"), 0)


def test_kinds_of_nodes() -> None:
    adapter, _ = in_kitchen()
    kinds = {str(node.native_id): node.kind for node in adapter.view().graph.nodes()}
    assert kinds["kitchen"] is Kind.ROOM
    assert kinds["table"] is Kind.FIXTURE
    assert kinds["ball"] is Kind.OBJECT
