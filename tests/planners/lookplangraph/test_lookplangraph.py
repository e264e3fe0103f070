"""The planner `lookplangraph`: the prompt, the simulator's refusals and corrections, discovery."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.observation_text.dialects.lookplangraph.dialect import DIALECT
from peephole.observation_text.view import Visibility
from peephole.planners.contract import Act, Decision, Done, GiveUp, Internal, Note, counts
from peephole.planners.llm.config import ModelConfig, ModelEndpoint
from peephole.planners.llm.connection import ModelConnection
from peephole.planners.lookplangraph.planner import PLANNER, Options
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.actions import Verb
from peephole.skills.embodiment import Embodiment

ONE_HAND = Embodiment(hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE}))
KITCHEN, HALL, ME, TABLE, FRIDGE, SHELF, APPLE, PEAR, MILK = range(1, 10)


def house() -> SceneGraph:
    """An apple on the kitchen table, milk in the closed fridge; a pear on the shelf in the hall."""

    def node(node_id: int, category: str, kind: Kind, can: str = "", states: str = "") -> Node:
        return Node(
            node_id,
            category,
            kind,
            node_id,
            frozenset(map(State, states.split())),
            frozenset(map(Affordance, can.split())),
        )

    return SceneGraph(
        [
            node(KITCHEN, "kitchen", Kind.ROOM),
            node(HALL, "hall", Kind.ROOM),
            node(ME, "character", Kind.AGENT),
            node(TABLE, "kitchen table", Kind.FIXTURE, "surface"),
            node(FRIDGE, "fridge", Kind.FIXTURE, "container openable", "closed"),
            node(SHELF, "shelf", Kind.FIXTURE, "surface"),
            node(APPLE, "apple", Kind.OBJECT, "graspable"),
            node(PEAR, "pear", Kind.OBJECT, "graspable"),
            node(MILK, "milk", Kind.OBJECT, "graspable"),
        ],
        [
            *(Edge(thing, Relation.INSIDE, KITCHEN) for thing in (ME, TABLE, FRIDGE)),
            Edge(SHELF, Relation.INSIDE, HALL),
            Edge(APPLE, Relation.ON, TABLE),
            Edge(PEAR, Relation.ON, SHELF),
            Edge(MILK, Relation.INSIDE, FRIDGE),
        ],
    )


def call(name: str, node: str = "kitchen-1", relation: str = "", destination: str = "") -> str:
    """A reply of the model."""
    action = {"function_name": name, "node": node}
    if destination:
        action |= {"relation": relation, "destination": destination}
    return json.dumps({"reason": f"Because of {name}.", "action": action})


@dataclass
class Played:
    """The decisions of an episode, and the prompts that were sent."""

    decisions: list[Decision]
    requests: Sequence[Any]
    truth: SceneGraph

    @property
    def verbs(self) -> list[Verb]:
        return [d.action.verb for d in self.acts]

    @property
    def acts(self) -> list[Any]:
        return [d for d in self.decisions if isinstance(d, Act)]

    def notes(self, key: str) -> list[Any]:
        return [d.data[key] for d in self.decisions if isinstance(d, Note) and key in d.data]

    def refusals(self) -> list[str]:
        found = [d for d in self.decisions if isinstance(d, Internal) and d.name == "refused"]
        return [d.data["sentence"] for d in found]

    def prompt(self, number: int) -> str:
        """What the user's message said the how many-th time, from 1."""
        return str(self.requests[number - 1]["messages"][1]["content"])


class Eyes:
    """A vision model that names the things of its list, at one look after the other."""

    name = "eyes"

    def __init__(self, *looks: Sequence[tuple[str, str]]) -> None:
        """looks: of each the things, with what they are in or on ("kitchen-1", "fridge-1")."""
        self._looks = list(looks)
        self.asked = ""

    def complete(self, messages: Any, **sampling: Any) -> str:
        self.asked += str(messages)
        return "Things."

    def answer(self, messages: Any, shape: Any, choices: Any = None, **sampling: Any) -> Any:
        self.asked += str(messages)
        seen = self._looks.pop(0) if self._looks else ()
        rows = [
            {"name": thing, "relation": "inside_of", "related_to": place, "states": "", "box": ""}
            for thing, place in seen
        ]
        return shape.model_validate({"rows": rows})


Play = Callable[..., Played]


@pytest.fixture
def play(endpoint: Any, tmp_path: Any) -> Iterator[Play]:
    """Plays with these replies in a world whose map may be stale."""
    where, numbers = ModelEndpoint(endpoint.url, "stand-in"), count()
    with ModelConnection(ModelConfig("stand-in"), where) as connection:

        def played(
            *replies: str,
            moved: Callable[[SceneGraph], None] = lambda graph: None,
            visibility: Visibility = Visibility.NEAR,
            eyes: Eyes | None = None,
            **options: Any,
        ) -> Played:
            left = list(replies)
            endpoint.text = lambda body: left.pop(0) if left else call("done")
            mapped, true = house(), house()
            moved(true)
            number = next(numbers)  # scenes are read once a file
            files = [tmp_path / f"{name}_{number}.json" for name in ("world", "map")]
            write_graph(true, files[0])
            write_graph(mapped, files[1])
            adapter = SymbolicAdapter()
            adapter.spec = replace(adapter.spec, embodiment=ONE_HAND, visibility=visibility)
            task = Task(
                "task",
                "Bring the apple.",
                And(()),
                f"json:{files[0]}",
                map=f"json:{files[1]}",
            )
            rules = Rules(ends=Ends.PLANNER_DONE)
            grants = PLANNER.granted_by(Options(**options)).grants
            environment = Environment(adapter, task, DIALECT, rules=rules, grants=grants)
            percept = environment.reset()
            brief = replace(
                environment.brief(),
                models={
                    "planner": connection.for_episode("planner", lambda event: None),
                    "vision": eyes,  # type: ignore[dict-item]
                },
                options=Options(**options),
            )
            plan = PLANNER.plan(brief, percept)
            found = [next(plan)]
            while not isinstance(found[-1], Done | GiveUp):
                if isinstance(found[-1], Act):
                    percept = environment.step(found[-1].action)
                found.append(plan.send(percept))
            return Played(found, endpoint.requests, adapter.graph())

        yield played


# --- the prompt ----------------------------------------------------------------------------------


def test_the_first_prompt_tells_the_room_and_what_is_remembered_there(play: Play) -> None:
    assert play().prompt(1) == (
        "Instruction: Bring the apple.\n"
        "Scene:\n"
        "Places: hall-1, kitchen-1.\n"
        "You are in kitchen-1 and hold nothing.\n"
        "Assets here:\n"
        "fridge-1, closed\n"
        "kitchen_table-1\n"
        "Objects remembered here, not confirmed:\n"
        "apple-1 ontop kitchen_table-1\n"
        "milk-1 inside fridge-1\n"
        "Previous actions: none"
    )


def test_what_was_found_is_told_everywhere_and_what_is_remembered_only_there(play: Play) -> None:
    played = play(call("discover_objects", "kitchen_table-1"), call("go_to", "hall-1"))
    assert played.prompt(3) == (
        "Instruction: Bring the apple.\n"
        "Scene:\n"
        "Places: hall-1, kitchen-1.\n"
        "You are in hall-1 and hold nothing.\n"
        "Assets here:\n"
        "shelf-1\n"
        "Objects remembered here, not confirmed:\n"
        "pear-1 ontop shelf-1\n"
        "In other rooms you know of:\n"
        "kitchen-1: apple-1 ontop kitchen_table-1; kitchen_table-1, discovered\n"
        "Previous actions:\n"
        "Because of discover_objects.\n"
        "action: discover_objects(kitchen_table-1)\n"
        "Because of go_to.\n"
        "action: go_to(hall-1)"
    )


def previous_actions(prompt: str) -> str:
    return prompt.partition("Previous actions:\n")[2]


def test_only_the_newest_actions_are_told_with_their_reasons(play: Play) -> None:
    calls = [call("open", "fridge-1"), call("close", "fridge-1"), call("go_to", "hall-1")]
    assert previous_actions(play(*calls, reasons=2).prompt(4)) == (
        "open(fridge-1)\n"
        "Because of close.\n"
        "action: close(fridge-1)\n"
        "Because of go_to.\n"
        "action: go_to(hall-1)"
    )


def test_older_looks_are_left_out_where_the_scene_tells_what_they_found(play: Play) -> None:
    calls = [
        call("discover_objects", "kitchen_table-1"),
        call("discover_objects", "kitchen-1"),
        call("go_to", "hall-1"),
    ]
    assert previous_actions(play(*calls, reasons=1).prompt(4)) == (
        "discover_objects(kitchen-1) (failed: kitchen-1 is a room; discover_objects takes an asset "
        "or an object in it.)\n"
        "Because of go_to.\n"
        "action: go_to(hall-1)"
    )


def test_the_full_graph_is_told_where_that_is_wanted(play: Play) -> None:
    full = play(scope="full").prompt(1)
    assert "Assets in hall-1:\nshelf-1\n" in full
    assert "pear-1 ontop shelf-1" in full


def test_without_priors_no_object_is_told(play: Play) -> None:
    told = play(priors=False).prompt(1)
    assert "apple" not in told.partition("Scene:")[2]
    assert "fridge-1, closed" in told


def test_the_graph_as_json_has_the_same_nodes(play: Play) -> None:
    told = play(graph="json").prompt(1)
    scene = told.partition("Scene:\n")[2].partition("\nPrevious actions")[0]
    nodes = json.loads(scene)["nodes"]
    assert [room["name"] for room in nodes["rooms"]] == ["kitchen-1", "hall-1"]
    assert nodes["agent"] == {"name": "agent-1", "location": "kitchen-1", "holding": "nothing"}
    assert {"name": "apple-1", "relation": "ontop_of", "related_to": "kitchen_table-1"}.items() <= {
        entry["name"]: entry for entry in nodes["objects"]
    }["apple-1"].items()
    assert all(entry["remembered"] for entry in nodes["objects"])


def test_the_schema_leaves_relation_and_destination_to_rearrange(play: Play) -> None:
    (asked,) = play(augmentation="none").requests
    schema = asked["response_format"]["json_schema"]["schema"]
    others, rearrange = schema["properties"]["action"]["anyOf"]
    assert others["required"] == ["function_name", "node"]
    assert "discover_objects" not in others["properties"]["function_name"]["enum"]
    assert rearrange["required"] == ["function_name", "node", "relation", "destination"]
    assert rearrange["properties"]["function_name"]["enum"] == ["rearrange"]


# --- discovery -----------------------------------------------------------------------------------


def test_discovery_goes_there_opens_and_confirms(play: Play) -> None:
    played = play(call("discover_objects", "fridge-1"))
    assert played.verbs == [Verb.GO_TO, Verb.OPEN]
    assert "Objects discovered here:\nmilk-1 inside fridge-1" in played.prompt(2)
    (found,) = played.notes("augmented")
    assert [node["name"] for node in found["nodes"]] == ["milk 1"]


def test_what_was_moved_is_removed_where_it_was_and_found_where_it_is(play: Play) -> None:
    def moved(graph: SceneGraph) -> None:
        graph.set_outgoing(APPLE, [(Relation.INSIDE, FRIDGE)])

    played = play(
        call("discover_objects", "kitchen_table-1"),
        call("discover_objects", "fridge-1"),
        moved=moved,
    )
    assert "Not found where they were: apple-1." in played.prompt(2)
    assert "apple-1 ontop" not in played.prompt(2)
    assert "apple-1 inside fridge-1" in played.prompt(3)


def test_discovery_adds_only_what_that_place_shows(play: Play) -> None:
    played = play(call("discover_objects", "fridge-1"), visibility=Visibility.ROOM)
    assert "Objects discovered here:\nmilk-1 inside fridge-1\n" in played.prompt(2)
    assert "not confirmed:\napple-1 ontop kitchen_table-1" in played.prompt(2)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (call("discover_objects", "kitchen-1"), "kitchen-1 is a room; discover_objects takes"),
        (call("close", "hall-1"), "hall-1 is a room; close takes an asset or an object in it."),
        (call("rearrange", "hall-1", "ontop", "fridge-1"), "hall-1 is a room; rearrange takes"),
        (call("open", "wardrobe-1"), "There is no node 'wardrobe-1'"),
        (call("open", "fridge-2"), "There is no node fridge-2; of this kind there are fridge-1."),
        (call("open", "fridge"), "'fridge' has no number; say which is meant: fridge-1."),
        (call("open", "kitchen_table-1"), "kitchen_table-1 has no door or lid."),
        (call("pick_up", "apple-1"), "confirm it with discover_objects(kitchen_table-1) first."),
        (call("rearrange", "apple-1"), "rearrange takes a node, a relation"),
        (call("rearrange", "apple-1", "ontop", "hall-1"), "apple-1 is only remembered"),
        (call("close", "fridge-1"), "fridge-1 is closed already."),
        (call("go_to", ""), "The node is missing"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence_and_counted(
    play: Play, said: str, sentence: str
) -> None:
    played = play(said)
    (told,) = played.refusals()
    assert sentence in told
    assert "\n" not in told
    assert played.verbs == []
    assert played.prompt(2).count(told) == 1
    assert played.prompt(2).endswith(
        f" (failed: {told})\n\n"
        "Your last answer was not carried out, for the reason above; give another one."
    )


def test_a_second_discovery_is_refused(play: Play) -> None:
    played = play(*[call("discover_objects", "kitchen_table-1")] * 2)
    assert played.refusals() == [
        "kitchen_table-1 was discovered already, and has apple-1. Do something with it, or look "
        "elsewhere."
    ]


def test_rearranging_to_where_a_thing_is_already_is_refused(play: Play) -> None:
    played = play(
        call("discover_objects", "kitchen_table-1"),
        call("rearrange", "apple-1", "ontop", "kitchen_table-1"),
    )
    assert played.refusals() == [
        "apple-1 is ontop kitchen_table-1 already; say where else it has to be, or do something "
        "else."
    ]
    assert played.verbs == [Verb.GO_TO]


# --- a vision model --------------------------------------------------------------------------


def into_the_room(graph: SceneGraph) -> None:
    """The pear stands free in the kitchen, and the milk beside the apple on the table."""
    graph.set_outgoing(PEAR, [(Relation.INSIDE, KITCHEN)])
    graph.set_outgoing(MILK, [(Relation.ON, TABLE)])


@pytest.mark.parametrize("visibility", [Visibility.NEAR, Visibility.ROOM])
def test_what_a_vision_model_misses_is_nowhere_told(play: Play, visibility: Visibility) -> None:
    played = play(
        call("discover_objects", "kitchen_table-1"),
        call("go_to", "hall-1"),
        call("go_to", "kitchen-1"),
        call("open", "milk-9"),
        moved=into_the_room,
        visibility=visibility,
        eyes=Eyes(),
        augmentation="vision",
        priors=False,
    )
    for number in range(1, 5):
        told = played.prompt(number).partition("Scene:")[2]
        assert not [thing for thing in ("apple-", "pear-", "milk-") if thing in told]


@pytest.mark.parametrize("place", [FRIDGE, TABLE])
@pytest.mark.parametrize("augmentation", ["none", "view", "vision"])
def test_what_was_not_found_reaches_no_model_and_no_note(
    play: Play, augmentation: str, place: int
) -> None:
    def hidden(graph: SceneGraph) -> None:
        """An emerald that the map does not have: in the closed fridge, or where nobody looks."""
        graph.add_node(Node(30, "emerald", Kind.OBJECT, 30, frozenset({State.DIRTY})))
        graph.add_edge(30, Relation.INSIDE if place == FRIDGE else Relation.ON, place)

    eyes = Eyes([], [("pear-1", "shelf-1")], [])
    played = play(
        call("go_to", "hall-1"),
        call("discover_objects", "shelf-1"),
        call("go_to", "kitchen-1"),
        call("pick_up", "emerald-1"),
        call("pick_up", "emerald"),
        call("discover_objects", "shelf-1"),
        moved=hidden,
        visibility=Visibility.NEAR if place == FRIDGE else Visibility.ROOM,
        eyes=eyes,
        augmentation=augmentation,
    )
    told = [message["content"] for asked in played.requests for message in asked["messages"]]
    told = [text.partition("Previous actions:")[0] for text in told]  # those quote its answers
    notes = [each for each in played.decisions if not isinstance(each, Internal)]
    assert "emerald" not in f"{told} {notes} {eyes.asked}"
    unknown = played.refusals()[-3:] if augmentation != "none" else played.refusals()[-2:]
    assert not any("of this kind there are" in sentence for sentence in unknown)


def test_a_thing_at_two_places_is_found_at_the_one_that_is_looked_at(play: Play) -> None:
    def twice(graph: SceneGraph) -> None:
        graph.replace_node(replace(graph[FRIDGE], states=frozenset({State.OPEN})))
        graph.set_outgoing(PEAR, [(Relation.INSIDE, FRIDGE), (Relation.ON, TABLE)])

    played = play(call("discover_objects", "kitchen_table-1"), moved=twice)
    assert "pear-1 ontop kitchen_table-1" in played.prompt(2)


def test_what_stands_free_is_seen_by_the_vision_model_too(play: Play) -> None:
    eyes = Eyes([("pear-1", "kitchen-1")], [("book-1", "hall-1")])
    played = play(
        call("go_to", "hall-1"),
        moved=into_the_room,
        eyes=eyes,
        augmentation="vision",
    )
    first, second = played.prompt(1), played.prompt(2)
    assert "Objects discovered here:\npear-1 inside kitchen-1\n" in first
    assert "Objects discovered here:\nbook-1 inside hall-1\n" in second
    assert "kitchen-1: pear-1 inside kitchen-1" in second
    assert "Assets here:\nfridge-1, closed\nkitchen_table-1\n" in first


def test_what_was_handled_is_where_it_was_put_without_a_look(play: Play) -> None:
    eyes = Eyes([], [("apple-1", "kitchen_table-1")])
    played = play(
        call("discover_objects", "kitchen_table-1"),
        call("rearrange", "apple-1", "inside", "fridge-1"),
        moved=into_the_room,
        eyes=eyes,
        augmentation="vision",
    )
    assert played.truth.places(APPLE) == [(Relation.INSIDE, FRIDGE)]
    told = played.prompt(3)
    assert "apple-1 inside fridge-1" in told
    assert "milk-1 inside fridge-1" in told.partition("not confirmed:")[2]


def test_names_of_what_nobody_found_are_not_listed(play: Play) -> None:
    def twins(graph: SceneGraph) -> None:
        graph.add_node(replace(graph[APPLE], id=20))
        graph.add_edge(20, Relation.ON, TABLE)

    eyes = Eyes([], [("apple-1", "kitchen_table-1")])
    played = play(
        call("discover_objects", "kitchen_table-1"),
        call("pick_up", "apple-7"),
        moved=twins,
        eyes=eyes,
        augmentation="vision",
    )
    assert played.refusals() == ["There is no node apple-7; of this kind there are apple-1."]


# --- correction ----------------------------------------------------------------------------------


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
    assert "discover_objects" not in played.requests[0]["messages"][0]["content"]


def test_an_answer_that_is_no_json_is_asked_for_again(play: Play) -> None:
    played = play("I would open the fridge.", call("open", "fridge-1"))
    assert played.verbs == [Verb.GO_TO, Verb.OPEN]
