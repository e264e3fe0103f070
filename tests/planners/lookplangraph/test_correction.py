"""Actions that are expanded, refused and tried."""

from __future__ import annotations

from peephole.planners.contract import Done, GiveUp, counts
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import Verb

from .episodes import APPLE, FRIDGE, HALL, ME, PEAR, SHELF, Play, call


def test_rearranging_is_expanded_and_recorded(play: Play) -> None:
    played = play(
        call("discover_objects", "kitchen_table-1"),
        call("rearrange", "apple-1", "inside", "fridge-1"),
    )
    assert played.truth.places(APPLE) == [(Relation.INSIDE, FRIDGE)]
    assert all(a.continued for a in played.acts[2:])
    assert sum(map(counts, played.decisions)) == len(played.requests) == 3
    (corrected,) = played.notes("corrected")
    assert corrected["call"] == "rearrange(apple-1, inside, fridge-1)"
    assert "pick_up (not_held)" in corrected["added"]
    assert "apple-1 inside fridge-1" in played.prompt(3)


def test_without_correction_actions_are_tried_as_they_are(play: Play) -> None:
    played = play(call("open", "fridge-1"), correction=False)
    assert played.verbs == [Verb.OPEN]
    assert played.truth[FRIDGE].states == {State.CLOSED}
    assert "fridge-1 is too far away" in played.prompt(2)


def test_three_actions_in_a_row_that_cannot_be_done_end_the_episode(play: Play) -> None:
    played = play(*[call("open", "wardrobe-1")] * 5)
    assert isinstance(played.decisions[-1], GiveUp)
    assert len(played.refusals()) == 3


def test_one_that_can_be_done_begins_the_count_anew(play: Play) -> None:
    wrong, right = call("open", "wardrobe-1"), call("go_to", "hall-1")
    played = play(wrong, wrong, right, wrong, wrong)
    assert isinstance(played.decisions[-1], Done)
    assert len(played.refusals()) == 4


def test_without_augmentation_the_map_is_trusted(play: Play) -> None:
    def moved(graph: SceneGraph) -> None:
        graph.set_outgoing(APPLE, [(Relation.INSIDE, FRIDGE)])

    bring = call("rearrange", "apple-1", "ontop", "shelf-1")
    assert play(bring, augmentation="none").truth.places(APPLE) == [(Relation.ON, SHELF)]
    played = play(bring, augmentation="none", moved=moved)
    assert played.truth.places(APPLE) == [(Relation.INSIDE, FRIDGE)]
    assert "apple-1 ontop kitchen_table-1" in played.prompt(1)
    assert "apple-1 ontop kitchen_table-1" not in played.prompt(2), "it was not there"
    assert "discover_objects" not in played.requests[0]["messages"][0]["content"]


def test_an_answer_that_is_no_json_is_asked_for_again(play: Play) -> None:
    played = play("I would open the fridge.", call("open", "fridge-1"))
    assert played.verbs == [Verb.GO_TO, Verb.OPEN]


def test_a_step_that_is_done_already_is_left_out(play: Play) -> None:
    """The map has the fridge closed; somebody has opened it since."""

    def opened(graph: SceneGraph) -> None:
        graph.detach(ME)
        graph.add_edge(ME, Relation.INSIDE, HALL)
        graph.set_state(FRIDGE, State.OPEN)

    calls = call("discover_objects", "shelf-1"), call("rearrange", "pear-1", "inside", "fridge-1")
    played = play(*calls, moved=opened)
    assert played.refusals() == []
    assert played.truth.places(PEAR) == [(Relation.INSIDE, FRIDGE)]
    assert Verb.OPEN not in played.verbs, "an action that changes nothing fails many suites' tasks"
