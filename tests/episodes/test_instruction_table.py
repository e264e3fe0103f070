"""The table of what instructions ask for: what is in it, and what must not be."""

from __future__ import annotations

from functools import cache

import pytest

import peephole
from peephole.adapters.registry import connect
from peephole.episodes.episode import run_episode
from peephole.episodes.instruction_table import YOU, instruction_table, named_in
from peephole.episodes.recording import EpisodeLog
from peephole.planners.contract import GiveUp
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    ForAll,
    HasState,
    InOrder,
    Not,
    Or,
    Related,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Edge, Kind, Node, Relation, State
from peephole.scene_graph.task import Task
from peephole.skills.actions import Verb
from peephole.stand_ins.scripted.table import to_table
from peephole.suites.registry import load_suite

ON, IN = Relation.ON, Relation.INSIDE
APPLES = Domain(frozenset({"apple"}))


@pytest.fixture
def truth() -> SceneGraph:
    """Two apples on table 1, another table, a fridge."""
    kinds = {"kitchen": Kind.ROOM, "character": Kind.AGENT, "apple": Kind.OBJECT}
    categories = ["kitchen", "character", "table", "table", "apple", "apple", "fridge"]
    return SceneGraph(
        [
            Node(i, category, kinds.get(category, Kind.FIXTURE), i)
            for i, category in enumerate(categories, start=1)
        ],
        [Edge(5, ON, 3), Edge(6, ON, 3), *(Edge(i, IN, 1) for i in (2, 3, 4, 7))],
    )


@pytest.fixture
def entries(truth):
    """What a goal comes to, with an instruction."""

    def of(goal, instruction="Do it."):
        (found,) = instruction_table([Task("t", instruction, goal, "")], lambda _: truth).values()
        return found

    return of


def test_things_that_the_instruction_names_are_told_by_their_turn_in_it(entries):
    goal = And((Related(6, ON, 4), HasState(5, State.CLEAN)))
    assert entries(goal, "Put {6} on {4} and clean {5}.") == [
        {
            "relation": "on",
            "thing": "apple",
            "thing_named": 1,
            "place": "table",
            "place_named": 1,
        },
        {"relation": "state", "thing": "apple", "thing_named": 2, "state": "clean"},
    ]


def test_things_that_it_does_not_name_are_told_by_category(entries):
    assert entries(Related(6, IN, 7)) == [
        {"relation": "inside", "thing": "apple", "place": "fridge"}
    ]


def test_counts_at_one_instance(entries):
    tables = Domain(frozenset({"table"}))
    goal = Exists("p", tables, And((AtLeast(2, "x", APPLES, Related("x", ON, "p")),)))
    assert entries(goal) == [{"relation": "on", "thing": "apple", "count": 2, "place": "table"}]


def test_all_of_several_categories(entries):
    domain = Domain(frozenset({"apple", "pear"}))
    assert entries(ForAll("x", domain, Related("x", IN, 7))) == [
        {"relation": "inside", "thing": ["apple", "pear"], "count": "all", "place": "fridge"}
    ]


def test_what_oneself_is_to_do_hold_wear_and_be(entries):
    goal = And(
        (
            InOrder(
                (EventOccurred(("pick_up",), (None,)), EventOccurred(("wash", "rinse"), (None,)))
            ),
            Related(2, Relation.HOLDS, 5),
            Related(6, ON, 2),
            Related(2, IN, 1),
            HasState(2, State.SITTING),
        )
    )
    assert entries(goal) == [
        {"relation": "event", "verbs": ["pick_up"]},
        {"relation": "event", "verbs": ["wash", "rinse"]},
        {"relation": "holds", "thing": "apple"},
        {"relation": "wears", "thing": "apple"},
        {"relation": "inside", "thing": "you", "place": "kitchen"},
        {"relation": "state", "thing": "you", "state": "sitting"},
    ]


def test_what_is_not_to_be_open_or_on_is_to_be_closed_or_off(entries):
    goal = And((Not(HasState(7, State.OPEN)), Not(HasState(7, State.ON))))
    assert entries(goal, "See to {7}.") == [
        {"relation": "state", "thing": "fridge", "thing_named": 1, "state": "closed"},
        {"relation": "state", "thing": "fridge", "thing_named": 1, "state": "off"},
    ]


def test_of_alternatives_the_first_that_there_are_words_for_is_told(entries):
    for parts in (
        (Related(5, IN, 7), Related(6, ON, 3)),
        (Not(HasState(5, State.HOT)), Related(6, IN, 7)),
    ):
        assert entries(Or(parts)) == [{"relation": "inside", "thing": "apple", "place": "fridge"}]


def test_what_is_not_to_be_somewhere_is_told(entries):
    absent = {"relation": "on", "thing": "apple", "place": "table", "not": True}
    assert entries(Not(Related(5, ON, 3))) == [absent]
    none = Not(Exists("x", APPLES, Related("x", ON, 3)))
    assert entries(none) == [{**absent, "count": "all"}]


def test_that_there_are_to_be_no_more_is_left_out(entries):
    body = Related("x", IN, 7)
    goal = And((AtLeast(1, "x", APPLES, body), Not(AtLeast(2, "x", APPLES, body))))
    assert entries(goal) == [{"relation": "inside", "thing": "apple", "place": "fridge"}]


def test_one_thing_at_each_of_several_places_is_an_entry_a_place(entries):
    tables = Domain(frozenset({"table"}))
    on = Related("x", ON, "t")
    there = {"relation": "on", "thing": "apple", "place": "table"}
    each = [{**there, "place_which": 1}, {**there, "place_which": 2}]
    assert entries(ForAll("t", tables, Exists("x", APPLES, on))) == each
    pair = (
        AtLeast(2, "x", APPLES, Exists("t", tables, on)),
        AtLeast(2, "t", tables, Exists("x", APPLES, on)),
    )
    assert entries(And(pair)) == entries(And(pair[::-1])) == each


def test_places_that_keep_one_thing_and_not_another_are_told_apart(entries):
    tables = Domain(frozenset({"table"}))
    kept = And((Related(5, ON, "t"), Not(Related(7, ON, "t"))))
    other = And((Related(7, ON, "t"), Not(Related(5, ON, "t"))))
    goal = And((Exists("t", tables, kept), Exists("t", tables, other)))
    found = [(e["thing"], e["place_which"], e.get("not", False)) for e in entries(goal)]
    assert found == [
        ("apple", 1, False),
        ("fridge", 1, True),
        ("fridge", 2, False),
        ("apple", 2, True),
    ]


def test_what_tasks_of_one_instruction_ask_for_is_told_of_each_the_commonest_first(truth):
    goals = (Related(5, IN, 7), Related(6, ON, 4), Related(5, ON, 3))
    tasks = [Task(str(i), "Do it.", goal, "") for i, goal in enumerate(goals)]
    on_table = {"relation": "on", "thing": "apple", "place": "table"}
    in_fridge = {"relation": "inside", "thing": "apple", "place": "fridge", "meaning": 1}
    assert instruction_table(tasks, lambda _: truth) == {"Do it.": [on_table, in_fridge]}


@pytest.mark.parametrize(
    "goal",
    [
        Not(HasState(5, State.HOT)),
        Not(And((Related(5, ON, 3), Related(6, ON, 3)))),
        Or((Not(HasState(5, State.HOT)), Related(99, ON, 3))),
        AtLeast(0, "t", Domain(frozenset({"table"})), Related(5, ON, "t")),
        Related(99, ON, 3),
        AtLeast(2, "x", Domain(kind=Kind.OBJECT), Related("x", IN, 7)),
    ],
)
def test_what_there_are_no_words_for_is_left_out(goal, truth):
    assert instruction_table([Task("t", "Do it.", goal, "")], lambda _: truth) == {}


# --- over the suites ---------------------------------------------------------------------------

#: Which tasks of which suites. Those of `grasif:virtualhome` are made in order, and slowly.
SUITES = (
    ("houses", slice(None)),
    ("wah", slice(None, None, 5)),
    ("robothow", slice(None, None, 23)),
    ("office", slice(None)),
    ("grasif:behavior", slice(None, None, 29)),
    ("grasif:virtualhome", slice(6)),
)
over_suites = pytest.mark.parametrize("name", [name for name, _ in SUITES])


@cache
def _tables(name: str):
    """(true state, instruction, entries) of some tasks of a suite."""
    suite = load_suite(name)
    adapter = connect(suite.adapter)
    found = []
    tasks = suite.tasks[dict(SUITES)[name]]
    for task in tasks:
        adapter.reset(task, 0)
        truth = adapter.graph()
        assert truth is not None
        table = instruction_table([task], lambda _, truth=truth: truth)
        found += [(truth, *item) for item in table.items()]
    adapter.close()
    return found, len(tasks)


@over_suites
def test_every_task_is_understood_and_its_table_read_back(name):
    found, tasks = _tables(name)
    assert len(found) == tasks
    for _, instruction, entries in found:
        assert len(to_table({instruction: entries})) == 1
        assert entries


@over_suites
def test_there_are_only_categories_relations_counts_states_and_verbs(name):
    relations = {*Relation, "wears", "state", "event", "treated"}
    states = {*State, "heated", "filled"}
    for truth, instruction, entries in _tables(name)[0]:
        categories = {node.category for node in truth.nodes()} | {YOU}
        for entry in entries:
            rest = dict(entry)
            assert rest.pop("relation") in relations
            assert rest.pop("state", State.ON) in states
            assert set(rest.pop("verbs", [])) <= set(Verb)
            assert rest.pop("not", True) is True
            assert rest.pop("count", 1) in ("all", 1, 2, 3, 4, 5, 6)
            for field in ("thing", "place"):
                said = rest.pop(field, [])
                said = [said] if isinstance(said, str) else said
                assert set(said) <= categories
                assert rest.pop(f"{field}_which", 1) in range(1, 9)
                named = rest.pop(f"{field}_named", 1)
                assert 1 <= named <= max(1, *(len(named_in(instruction, c)) for c in said), 1)
            for field in ("room", "place_room"):
                spoken = rest.pop(field, "").lower()
                assert spoken in instruction.lower().replace("'", "")
            assert not rest


def test_places_of_things_make_no_difference(truth):
    """The same goal in a house where everything is elsewhere gives the same table."""
    goal = And((Related(5, IN, 7), HasState(7, State.CLOSED)))
    task = Task("t", "Put {5} in {7} and close it.", goal, "")
    elsewhere = truth.copy()
    for thing in (5, 6):
        elsewhere.detach(thing)
        elsewhere.add_edge(thing, ON, 4)
    assert instruction_table([task], lambda _: truth) == instruction_table(
        [task], lambda _: elsewhere
    )


def test_the_key_is_what_the_planner_is_told(task, make_context, tmp_path):
    heard = []

    def plan(brief, percept):
        heard.append(brief.instruction)
        yield GiveUp()

    context = make_context(plan)
    with EpisodeLog(tmp_path / "episode.jsonl") as log:
        run_episode(context, task, log)
    context.adapter.reset(task, 0)
    assert heard == list(instruction_table([task], lambda _: context.adapter.graph()))
    assert heard == list(instruction_table([task], lambda _: context.adapter.graph()))


@pytest.mark.parametrize(
    ("task", "asked"),
    [
        ("gather/house-1-1", "Put two carrots on kitchencounter 1."),
        ("leave/house-10-1", "Put fryingpan 1 in sink 1 and switch off tablelamp 1."),
    ],
)
def test_the_key_is_in_the_words_of_the_dialect(task, asked):
    with peephole.make("houses:lived_in", task=task, dialect="alfworld") as environment:
        environment.reset()
        graph = environment.adapter.graph()
        table = instruction_table([environment.task], lambda _: graph, environment.dialect)
        assert [*table] == [environment.instruction] == [asked]


def test_where_things_lie_and_rooms_are_told_where_the_instruction_speaks_of_them(entries):
    both = Domain(ids=frozenset({5, 6}))
    into_fridge = ForAll("x", both, Related("x", IN, 7))
    asked = {"relation": "inside", "thing": "anything", "count": "all", "place": "fridge"}
    assert entries(into_fridge, "Clear the table.") == [{**asked, "from": "table"}]
    assert "from" not in entries(into_fridge, "Put it all away.")[0]
    away = AtLeast(1, "x", both, Not(Related("x", ON, 3)))
    assert entries(away, "Take something off the table.") == [
        {"relation": "away", "thing": "anything", "place": "table"}
    ]
    closed = HasState(7, State.CLOSED)
    shut = {"relation": "state", "thing": "fridge", "state": "closed"}
    assert entries(closed, "Shut the one in the kitchen.") == [{**shut, "room": "kitchen"}]
    assert entries(closed, "Shut the fridge.") == [shut]


@pytest.mark.parametrize(
    ("said", "room"),
    [
        ("Put an apple on the table in the kitchen.", None),  # the other one stands there
        ("Put an apple on the table in Tom's office.", "toms office"),
        ("Put an apple on the table in meeting room 2.", "meeting room 2"),
        ("Put an apple on the table in meeting room 21.", None),
        ("Put an apple on the table for Tom's office.", None),
    ],
)
def test_the_room_of_a_place_is_told_where_it_is_one_of_several_and_said_to_be_in_it(said, room):
    rooms = ["kitchen", "toms office", "meeting room", "meeting room"]
    nodes = [Node(i, category, Kind.ROOM, i) for i, category in enumerate(rooms, start=1)]
    place = rooms.index("toms office") + 1 if room == "toms office" else 4
    nodes += [Node(5, "table", Kind.FIXTURE, 5), Node(6, "table", Kind.FIXTURE, 6)]
    nodes += [Node(7, "character", Kind.AGENT, 7), Node(8, "apple", Kind.OBJECT, 8)]
    edges = [Edge(5, IN, place), Edge(6, IN, 1), Edge(7, IN, 1), Edge(8, ON, 6)]
    graph = SceneGraph(nodes, edges)
    task = Task("t", said, Related(8, ON, 5), "")
    ((entry,),) = instruction_table([task], lambda _: graph).values()
    assert entry.get("place_room") == room
    graph.remove_node(6)
    ((alone,),) = instruction_table([task], lambda _: graph).values()
    assert "place_room" not in alone
