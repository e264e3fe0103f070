"""A recorded episode as another person judges it: what was asked, done and seen in the end.

Nothing in it says which planner played, or what the first judge said.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...episodes.events import Perceived, RecordedEvent, Started, Stepped
from ...episodes.recording import episode_path, image_file, read_undamaged
from ...episodes.run_file import read_run
from ...episodes.world import RecordedMoments
from ...observation_text.names import Names
from ...observation_text.view import View, innermost_place
from ...scene_graph.goal_codec import goal_from_data
from ...scene_graph.goals import mentioned_ids
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import OPPOSITE, Kind, Node
from ..run_episodes import ended_result
from ..wording import failure_text


@dataclass(frozen=True)
class Case:
    """An episode to judge."""

    run: Path
    """The folder of its run."""
    recording: Path
    """Its file."""
    instruction: str
    """The request to the robot."""
    criteria: tuple[str, ...]
    """The written criteria of success; empty where the recording has none."""
    done: tuple[str, ...]
    """What was done, a line each."""
    seen: tuple[str, ...]
    """What was seen in the end, a line each."""
    picture: Path | None
    """The last picture, if one was recorded."""


def cases_of(runs: Sequence[Path], seed: str) -> list[Case]:
    """The ended episodes of runs, in a random order that tells nothing about their planners."""
    found = [case for run in runs for case in _of_run(run)]
    random.Random(seed).shuffle(found)
    return found


def _of_run(run: Path) -> Iterator[Case]:
    for episode in read_run(run).config.episodes:
        path = episode_path(run, episode.number, episode.task)
        result = ended_result(path) if path.exists() else None
        if result is None or result.is_voided or result.success is None:
            continue
        events, _ = read_undamaged(path)
        started = next((event for event in events if isinstance(event, Started)), None)
        if started is None:
            continue
        done, seen = _done_and_seen(events, started)
        yield Case(
            run=run,
            recording=path,
            instruction=started.instruction,
            criteria=tuple(part.text for part in result.subgoals),
            done=tuple(done),
            seen=tuple(seen),
            picture=_picture(run, events),
        )


def _done_and_seen(
    events: Sequence[RecordedEvent], started: Started
) -> tuple[list[str], list[str]]:
    """What was done, and the things of the last view by place, with their states.

    Both have the same names: those of the instruction first, then by first sight.
    """
    moments, names, done = RecordedMoments(), Names(), []
    view: View | None = None
    for event in events:
        if not isinstance(event, Perceived):
            continue
        moment = moments.after(event)
        if view is None:
            names.append_in_order(_named(started, moment.truth or moment.view.graph))
            names.append(moment.view.graph.nodes(Kind.ROOM))
        view = moment.view
        names.append(view.graph.nodes())
        if isinstance(event, Stepped):
            failed = failure_text(event.outcome)
            words = _words(event, names)
            done.append(f"{event.step}. {words}" + (f" (failed: {failed})" if failed else ""))
    return done, [] if view is None else list(_seen(view, names))


def _named(started: Started, graph: SceneGraph) -> list[Node]:
    """The things of the goal that the instruction names, in the order of their names."""
    goal = None if started.goal is None else goal_from_data(started.goal)
    ids = () if goal is None else mentioned_ids(goal)
    nodes = sorted((graph[i] for i in ids if i in graph), key=lambda node: node.category)
    return [node for node in nodes if f"{node.category} " in started.instruction]


def _words(step: Stepped, names: Names) -> str:
    """An action in plain words, whatever the dialect of the planner."""
    action = step.action
    if action is None:
        return step.wording
    things = [names(thing) if thing in names.numbers else "something" for thing in action.things]
    relation = str(action.relation or "into")
    return " ".join([str(action.verb).replace("_", " "), f" {relation} ".join(things)]).strip()


def _seen(view: View, names: Names) -> Iterator[str]:
    for node in view.graph.nodes():
        if node.kind not in (Kind.FIXTURE, Kind.OBJECT):
            continue
        states = sorted(state.replace("_", " ") for state in node.states if state in OPPOSITE)
        told = f" ({', '.join(states)})" if states else ""
        yield f"{names(node.id)}{told}{_where(view, names, node.id)}"


def _where(view: View, names: Names, thing: int) -> str:
    if thing in view.held():
        return ", in the hand"
    place = innermost_place(view.graph, thing)
    return "" if place is None else f", {place[0]} {names(place[1])}"


def _picture(run: Path, events: Sequence[RecordedEvent]) -> Path | None:
    named = [event.image for event in events if isinstance(event, Perceived) and event.image]
    return image_file(run, named[-1]) if named else None
