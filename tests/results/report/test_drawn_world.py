"""The world of an episode as it is drawn: where everything is, and who knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.episodes.events import Perceived, RecordedEvent, Started, Stepped
from peephole.episodes.recording import episode_files, read_episode
from peephole.observation_text.view_change import ViewChange, ViewReader
from peephole.results.report.drawn_world import DrawnWorld, drawn_names, drawn_world
from peephole.scene_graph.changes import GraphChange, applied, difference
from peephole.scene_graph.goal_codec import goal_to_data
from peephole.scene_graph.goals import Domain, Exists, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Edge, Kind, Node, Relation
from peephole.skills.actions import go_to
from peephole.skills.outcomes import Outcome


def at_each_moment(world: DrawnWorld) -> list[dict[int, dict[str, Any]]]:
    """All things as they are drawn at each moment."""
    things: dict[int, dict[str, Any]] = {}
    found = []
    for moment in world.moments:
        things = {**things, **{thing["id"]: thing for thing in moment["things"]}}
        things = {i: thing for i, thing in things.items() if i not in moment.get("gone", ())}
        found.append(things)
    return found


def recorded(folder: Path, number: int = 0) -> list[RecordedEvent]:
    return read_episode(list(episode_files(folder))[number])


@pytest.mark.parametrize("run", ["explore", "random", "robothow"])
def test_every_thing_is_drawn_where_it_is_and_seen_as_it_was_seen(
    houses: Mapping[str, Path], run: str
) -> None:
    events = recorded(houses[run])
    world = drawn_world(events, ())
    assert world is not None
    graph, views = SceneGraph(), ViewReader()
    perceived = [event for event in events if isinstance(event, Perceived)]
    ever: set[int] = set()
    for event, things in zip(perceived, at_each_moment(world), strict=True):
        if event.world is not None:
            graph = applied(graph, event.world, "")
        seen = set(views.read(event.view, graph, None, "").graph.by_id)
        ever |= seen
        assert things.keys() == graph.by_id.keys()
        assert {i for i, thing in things.items() if thing["sight"] == "seen"} == seen
        hidden = {i for i, thing in things.items() if thing["sight"] == "hidden"}
        assert hidden == {i for i in graph.by_id if i not in ever and graph[i].kind != Kind.ROOM}
        for i, thing in things.items():
            places = [*graph.places(i)]
            holder = graph.holder(i)
            places += [] if holder is None else [(Relation.HOLDS, holder)]
            assert ("in" in thing) == bool(places)
            assert not places or (thing["how"], thing["in"]) in places
            assert thing.get("states", []) == sorted(s.replace("_", " ") for s in graph[i].states)


def test_things_are_called_what_the_planner_was_told(houses: Mapping[str, Path]) -> None:
    compared = 0
    for number in range(3):
        events = recorded(houses["explore"], number)
        names = drawn_names(events)
        for event in events:
            if isinstance(event, Stepped) and event.action is not None:
                for thing in event.action.things:  # a dialect may word the category its own way
                    number = names[thing].rpartition(" ")[2]
                    assert f" {number}" in event.wording, (event.wording, names[thing])
                compared += len(event.action.things)
    assert compared > 10


def test_things_that_are_told_by_their_own_names_are_called_so(tmp_path: Path) -> None:
    peephole.run("expert", "blocks", tasks=1, out=tmp_path / "run")
    names = drawn_names(recorded(tmp_path / "run"))
    assert {"cubeA", "cubeB"} <= set(names.values())


def test_fixtures_are_known_where_they_are_granted(houses: Mapping[str, Path]) -> None:
    events = recorded(houses["explore"])
    plain, granted = (drawn_world(events, grants) for grants in ((), ("fixtures",)))
    assert plain is not None
    assert granted is not None
    first, known = at_each_moment(plain)[0], at_each_moment(granted)[0]
    fixtures = [i for i, thing in first.items() if thing["kind"] == "fixture"]
    assert {known[i]["sight"] for i in fixtures} == {"seen", "known"}
    assert "hidden" in {first[i]["sight"] for i in fixtures}
    assert [first[i] for i in first if i not in fixtures] == [
        known[i] for i in known if i not in fixtures
    ]


# --- a world that somebody else changes ---------------------------------------------------------

ROOM, OTHER, ME, TABLE, CUP = range(1, 6)


def world_with_cup(place: int) -> SceneGraph:
    nodes = [
        Node(ROOM, "kitchen", Kind.ROOM, ROOM),
        Node(OTHER, "hall", Kind.ROOM, OTHER),
        Node(ME, "robot", Kind.AGENT, ME),
        Node(TABLE, "table", Kind.FIXTURE, TABLE),
        Node(CUP, "cup", Kind.OBJECT, CUP),
    ]
    relation = Relation.ON if place == TABLE else Relation.INSIDE
    edges = [
        Edge(ME, Relation.INSIDE, OTHER),
        Edge(TABLE, Relation.INSIDE, ROOM),
        Edge(CUP, relation, place),
    ]
    return SceneGraph(nodes, edges)


def started(world: GraphChange | None, view: ViewChange | None) -> Started:
    return Started(
        task="t",
        instruction="i",
        scene="",
        state=None,
        observation="",
        progress=None,
        world=world,
        view=view,
    )


def stepped(step: int, world: GraphChange | None, view: ViewChange | None) -> Stepped:
    return Stepped(
        action=go_to(TABLE),
        said=None,
        wording="go to table 1",
        outcome=Outcome(None, ()),
        observation="",
        progress=None,
        step=step,
        world=world,
        view=view,
    )


def test_the_goal_is_told_in_words_with_the_names_of_the_picture() -> None:
    on_table = Exists("x", Domain(frozenset({"cup"})), Related("x", Relation.ON, TABLE))
    start = started(difference(None, world_with_cup(TABLE)), ViewChange(came=(ROOM,)))
    events = [replace(start, goal=goal_to_data(on_table)), stepped(1, None, ViewChange())]
    world = drawn_world(events, ())
    assert world is not None
    assert world.goal_text == "a cup is on table 1"
    assert CUP in world.goal
    alone = drawn_world([start], ())
    assert alone is not None
    assert alone.goal_text == ""


@pytest.mark.parametrize("wording", ["table-7", "table_7", "table 7", "table (7)", "table7"])
def test_a_number_is_taken_from_every_dialects_wording(wording: str) -> None:
    start = started(difference(None, world_with_cup(TABLE)), ViewChange(came=(ROOM, TABLE)))
    step = replace(stepped(1, None, ViewChange()), wording=f"go_to({wording})")
    assert drawn_names([start, step])[TABLE] == "table 7"


def test_what_was_moved_while_out_of_sight_is_known_elsewhere() -> None:
    on_table, in_hall = world_with_cup(TABLE), world_with_cup(OTHER)
    events = [
        started(difference(None, on_table), ViewChange(came=(ROOM, OTHER, ME, TABLE, CUP))),
        stepped(1, None, ViewChange(gone=(TABLE, CUP))),
        stepped(2, difference(on_table, in_hall), None),
        stepped(3, None, ViewChange(came=(CUP,))),
    ]
    world = drawn_world(events, ())
    assert world is not None
    sights = [things[CUP]["sight"] for things in at_each_moment(world)]
    assert sights == ["seen", "known", "moved", "seen"]
    assert [moment["step"] for moment in world.moments] == [0, 1, 2, 3]


def test_of_a_room_without_a_true_state_what_was_perceived_stays() -> None:
    seen = world_with_cup(TABLE)
    left = seen.part([ROOM, OTHER, ME])
    events = [
        started(None, ViewChange(came=(1, 2, 3, 4, 5), perceived=difference(None, seen))),
        stepped(1, None, ViewChange(gone=(4, 5), perceived=difference(seen, left))),
    ]
    world = drawn_world(events, ())
    assert world is not None
    assert not world.is_true
    last = at_each_moment(world)[-1]
    assert {i: thing["sight"] for i, thing in last.items()} == {
        ROOM: "seen",
        OTHER: "seen",
        ME: "seen",
        TABLE: "known",
        CUP: "known",
    }
    assert (last[CUP]["how"], last[CUP]["in"]) == ("on", TABLE)


def test_a_recording_that_tells_no_world_draws_none() -> None:
    assert drawn_world([], ()) is None
    assert drawn_world([started(None, None)], ()) is None
    broken = GraphChange(outgoing=((9, ((Relation.ON, 8),)),))
    good = started(difference(None, world_with_cup(TABLE)), ViewChange(came=(ROOM,)))
    world = drawn_world([good, stepped(1, broken, None)], ())
    assert world is not None
    assert len(world.moments) == 1, "what follows a damaged change cannot be told"
