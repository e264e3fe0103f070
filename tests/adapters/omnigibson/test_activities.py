"""BEHAVIOR-1K's activities, their scenes and goals, on the data of the package bddl."""

from __future__ import annotations

import pytest

from peephole.adapters.omnigibson import activities, goals, package, scenes
from peephole.adapters.omnigibson.bddl_files import atoms, parse
from peephole.adapters.omnigibson.rooms import sort_of
from peephole.adapters.random_draws import RandomDraws
from peephole.adapters.scenes import load_scene
from peephole.errors import BadInput
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import named_ids
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import check_well_formed
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State

from . import bddl_agreement as agreement

pytestmark = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))


def test_all_activities_are_read():
    names = activities.names()
    assert len(names) == 1016
    assert all(activities.read(name).objects for name in names)


def test_an_unknown_activity_offers_the_nearest():
    with pytest.raises(BadInput, match=r"Did you mean .*picking_up_trash"):
        load_scene("behavior:pick_up_trash")
    with pytest.raises(BadInput, match=r"behavior:ACTIVITY\?moved=NUMBER"):
        load_scene("behavior:picking_up_trash?moved=much")


def test_the_playable_ones_are_chosen_by_the_rule():
    chosen = set(activities.playable_names())
    assert len(chosen) == 187
    for name in activities.names():
        activity = activities.read(name)
        said = {fact.predicate for fact in activity.init}
        asked = {atom.predicate for atom in atoms(activity.goal)}
        assert (name in chosen) == (
            said <= {"ontop", "inside", "open", "toggled_on", "inroom", "real"}
            and asked <= {"ontop", "inside", "open", "toggled_on"}
        )


def test_scenes_are_as_init_says_in_several_rooms_and_the_goal_lies_ahead():
    for name in activities.playable_names():
        activity = activities.read(name)
        graph = load_scene(f"behavior:{name}")
        check_well_formed(graph, name)
        ids = scenes.ids_of(graph)
        assert len(ids) == len(graph), name  # native ids are unique
        assert len(graph.room_ids) >= 4, name
        facts = agreement.facts_of(graph)
        for fact in activity.init:
            if fact.predicate == "inroom":
                room = graph.room_of(ids[fact.things[0]])
                assert room is not None
                assert sort_of(str(graph[room].native_id)) == fact.things[1], name
            elif fact.things[0] != scenes.AGENT:
                assert ((fact.predicate, *fact.things) in facts) is fact.holds, (name, fact)
        for node in graph.nodes():
            assert node.kind is Kind.ROOM or graph.room_of(node.id) is not None, (name, node)
            if Affordance.OPENABLE in node.affordances:
                assert len(node.states & {State.OPEN, State.CLOSED}) == 1
        goal = goals.to_goal(activity, ids)
        assert named_ids(goal) <= set(ids.values())
        assert not satisfied(goal, graph), name


def test_things_are_moved_to_other_furniture_and_nothing_else_changes():
    changed = 0
    for number, name in enumerate(activities.playable_names()[::10]):
        before, after = (load_scene(f"behavior:{name}{o}") for o in ("", f"?moved={number}"))
        assert list(before.nodes()) == list(after.nodes())
        moved = {
            node.id for node in before.nodes() if before.places(node.id) != after.places(node.id)
        }
        activity = activities.read(name)
        goal = goals.to_goal(activity, scenes.ids_of(before))
        assert moved <= named_ids(goal)
        assert len(moved) <= 3
        assert not satisfied(goal, after)
        check_well_formed(after, name)
        changed += bool(moved)
        for thing in moved:
            ((_, place),) = after.places(thing)
            assert after[place].kind is Kind.FIXTURE
            assert place not in named_ids(goal)
        assert load_scene(f"behavior:{name}?moved={number}") == after
    assert changed >= 10


def test_goals_hold_exactly_where_bddl_says_so():
    pytest.importorskip("bddl.activity", reason="bddl's evaluation needs networkx and future")
    met = 0
    for number, name in enumerate(activities.playable_names()):
        activity = activities.read(name)
        start = scenes.scene_of(activity)
        goal = goals.to_goal(activity, scenes.ids_of(start))
        facts: agreement.Facts = set()
        evaluate = agreement.evaluation_of(activity, facts)
        chance = RandomDraws(number)
        for _ in range(4):
            graph = start.copy()
            agreement.shuffle(graph, activity, chance)
            facts.clear()
            facts |= agreement.facts_of(graph)
            assert satisfied(goal, graph) == evaluate(), name
            met += evaluate()
    assert 100 < met < 500


PAIRS = """
(define (problem pairs-0)
    (:objects cup.n.01_1 cup.n.01_2 cup.n.01_3 - cup.n.01
              tray.n.01_1 tray.n.01_2 tray.n.01_3 - tray.n.01)
    (:init)
    (:goal {goal}))
"""


def _held(goal: str, pairs: list[tuple[int, int]]) -> bool:
    """Whether a goal over three cups and three trays holds with these cups on these trays."""
    activity = parse("pairs", PAIRS.format(goal=goal), "pairs.bddl")
    cups = [Node(n, "cup", Kind.OBJECT, f"cup.n.01_{n}") for n in (1, 2, 3)]
    trays = [Node(10 + n, "tray", Kind.OBJECT, f"tray.n.01_{n}") for n in (1, 2, 3)]
    graph = SceneGraph([*cups, *trays], [Edge(c, Relation.ON, 10 + t) for c, t in pairs])
    return satisfied(goals.to_goal(activity, scenes.ids_of(graph)), graph)


def test_pairs_need_partners_and_no_matching():
    goal = "(forpairs (?c - cup.n.01) (?t - tray.n.01) (ontop ?c ?t))"
    assert _held(goal, [(1, 1), (2, 2), (3, 3)])
    # At most two of these make pairs at once, and yet nobody is without a partner.
    assert _held(goal, [(1, 1), (2, 1), (3, 2), (3, 3)])
    assert not _held(goal, [(1, 1), (2, 1), (3, 2)])


def test_so_many_pairs_and_exactly_so_many():
    two = "(fornpairs (2) (?c - cup.n.01) (?t - tray.n.01) (ontop ?c ?t))"
    assert _held(two, [(1, 1), (3, 2)])
    assert not _held(two, [(1, 1), (3, 1)])
    exactly = "(forn (2) (?c - cup.n.01) (exists (?t - tray.n.01) (ontop ?c ?t)))"
    assert _held(exactly, [(1, 1), (3, 1)])
    assert not _held(exactly, [(1, 1), (2, 1), (3, 1)])
    assert not _held(exactly, [(1, 1)])


def test_implications_and_negations():
    goal = "(imply (ontop cup.n.01_1 tray.n.01_1) (not (ontop cup.n.01_2 tray.n.01_1)))"
    assert _held(goal, [])
    assert _held(goal, [(1, 1)])
    assert not _held(goal, [(1, 1), (2, 1)])


def test_a_goal_over_what_scene_graphs_do_not_tell_is_refused():
    with pytest.raises(BadInput, match="'cooked'"):
        _held("(cooked cup.n.01_1)", [])
    with pytest.raises(BadInput, match="pairs cup"):
        _held("(forpairs (?a - cup.n.01) (?b - cup.n.01) (ontop ?a ?b))", [])
