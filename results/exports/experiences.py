"""Experiences for episodic memories, from recordings of episodes that succeeded.

For a planner with a tree of agents, each node that ended is an experience, failed ones included.
For a planner that declares how its episodes read as examples, such as `react`, each episode is one.
The same holds for a planner that notes an example itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from ...episodes.events import Decided, GoalChecked, RecordedEvent, Stepped, beginning_of
from ...episodes.planner_files import check_named
from ...episodes.recording import episode_path, read_episode
from ...episodes.run_file import RunConfig, read_run
from ...episodes.runner import finished_result
from ...errors import BadInput
from ...planners.contract import Decision, Note, Planner
from ...planners.kits.agent_tree import ControlFlow, ControlFlows
from ...planners.kits.memory.episodic import End, Experience
from ...planners.registry import load_planner
from ..notes import tree_nodes
from .export import succeeded

#: Key of an example in a note's data.
EXAMPLE = "example"


@dataclass
class Collected:
    """Experiences of some runs. episodes: number of source episodes. failed: those without any."""

    dialect: str
    experiences: list[Experience] = field(default_factory=list)
    episodes: int = 0
    failed: int = 0


def collect(runs: Sequence[Path]) -> Collected:
    """The experiences of all successful episodes of some runs, lucky ones left out.

    Raises BadInput for runs without experiences, or of different dialects.
    """
    collected: Collected | None = None
    for run in runs:
        config = read_run(run).config
        collected = collected or Collected(config.dialect)
        if config.dialect != collected.dialect:
            raise BadInput(
                f"{run} was played in the dialect {config.dialect} and {runs[0]} in "
                f"{collected.dialect}; build one memory for each."
            )
        _take(run, config, collected)
    if collected is None or not collected.experiences:
        raise BadInput(
            f"No episode of {', '.join(map(str, runs))} reached its goal, so there are no "
            f"experiences; run more tasks or another model."
        )
    return collected


def _take(run: Path, config: RunConfig, collected: Collected) -> None:
    """Add the episodes of one run."""
    for episode in config.episodes:
        if episode.repeat:
            continue
        path = episode_path(run, episode.number, episode.task)
        result = finished_result(path)
        if result is None or not succeeded(result):
            collected.failed += result is not None
            continue
        events = read_episode(path)
        collected.experiences += _experiences(run, config, events)
        collected.episodes += 1


def _experiences(
    run: Path, config: RunConfig, events: Sequence[RecordedEvent]
) -> Iterator[Experience]:
    started = beginning_of(events)
    of_episode: dict[str, Any] = {
        "suite": config.suite,
        "task": started.task,
        "scene": started.base_scene or started.scene,
        "planner": config.planner,
    }
    nodes = _nodes(events)
    if nodes:
        flows = tuple(sorted(map(str, control_flow_of(config))))
        for node in nodes:
            yield Experience(
                node["goal"], node["text"], node["state"], control_flow=flows, **of_episode
            )
    elif (example := _noted_example(events)) is not None:
        yield Experience(started.instruction, example, "success", **of_episode)
    elif (text_of := _planner(run, config.planner).example) is not None:
        first = f"Task: {started.instruction}\n{started.observation}"
        text = text_of(first, _turns(events))
        yield Experience(started.instruction, text, "success", **of_episode)
    else:
        raise BadInput(
            f"{run} was run with the planner {config.planner}, whose episodes are no examples; "
            f"build memories from runs of react, or of planners that note a tree of agents or an "
            f"example, as zsp_examples does where the planner has to say that it is done."
        )


def _planner(run: Path, reference: str) -> Planner:
    """The planner of a run. Raises BadInput for a file that the user has never named."""
    check_named(reference, run)
    return load_planner(reference)


def control_flow_of(config: RunConfig) -> tuple[ControlFlow, ...]:
    """The types of control flow that agents could use, by the option of their planner."""
    return ControlFlows(config.options.get("control_flow", ControlFlows.AUTO)).types(config.dialect)


def _nodes(events: Iterable[RecordedEvent]) -> list[Mapping[str, Any]]:
    """The agent nodes that ended, in the order of their ids."""
    found: dict[int, Mapping[str, Any]] = {}
    for event in events:
        if isinstance(event, Decided) and isinstance(event.decision, Note):
            for node in tree_nodes(event.decision):
                if node["kind"] == "agent" and node["state"] in get_args(End) and node.get("text"):
                    found[node["id"]] = node
    return [found[node_id] for node_id in sorted(found)]


def _noted_example(events: Iterable[RecordedEvent]) -> str | None:
    """The example that a planner noted, the last if there are several."""
    found = None
    for event in events:
        if isinstance(event, Decided) and isinstance(event.decision, Note):
            found = event.decision.data.get(EXAMPLE, found)
    return found


def _turns(events: Iterable[RecordedEvent]) -> Iterator[tuple[Decision, str]]:
    """The decisions of an episode, each with what the planner was answered; "" for no answer."""
    decision: Decision | None = None
    answer = ""
    for event in events:
        match event:
            case Decided():
                if decision is not None:
                    yield decision, answer
                decision, answer = event.decision, ""
            case Stepped() | GoalChecked():
                answer = event.observation if isinstance(event, Stepped) else event.feedback
    if decision is not None:
        yield decision, answer
