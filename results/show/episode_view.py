"""One episode of a run, step by step."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.console import Group
from rich.text import Text

from ...episodes.events import RecordedEvent
from ...episodes.run_file import RunConfig, RunFile, read_run
from ...errors import BadInput, unknown_name
from ...models.events import ModelEvent
from ...models.serving import served
from ..failures.classify import diagnose
from ..notes import tree_lines
from ..pictures import PicturesReader
from ..run_episodes import RunEpisode, episode_of
from .event_lines import event_lines
from .figures import branch_lines, damage_lines, served_lines, stand_in_lines

_MARK_STYLES = {"success": "green", "failure": "red", "left out": "dim"}


def episode_number(run: Path, config: RunConfig, wanted: str) -> int:
    """The number of an episode. wanted: its number, or its task's id, of which the first counts.

    Raises BadInput where the run has no such episode.
    """
    planned, tasks = config.episodes, config.tasks
    if wanted.isdecimal() and 1 <= int(wanted) <= len(planned):
        return int(wanted)
    if wanted in tasks:
        return next(episode.number for episode in planned if episode.task == wanted)
    if wanted.isdecimal():
        raise BadInput(f"{run} has no episode {wanted}; give a number from 1 to {len(planned)}.")
    raise unknown_name("episode or run", wanted, tasks)


def find_episode(run: Path, content: RunFile, wanted: str) -> RunEpisode:
    """An episode of a run. wanted: its number, or its task's id.

    Raises BadInput if there is none, or if it has not begun.
    """
    number = episode_number(run, content.config, wanted)
    episode = episode_of(run, content.config.episodes[number - 1])
    if not episode.events and not episode.damage:
        raise BadInput(f"Episode {wanted} of {run} has not begun; continue the run with --resume.")
    return episode


def episode_view(run: Path, wanted: str) -> Group:
    """One episode, step by step. wanted: its number in the run, or its task's id."""
    content = read_run(run)
    episode = find_episode(run, content, wanted)
    head = f"Episode {episode.number}, {episode.name}: {content.label} in {content.config.adapter}"
    pictures = PicturesReader()
    lines = []
    for event in episode.events:
        lines += event_lines(event)
        lines += [
            Text(f"  (picture: images/{name})", style="dim") for name in pictures.new_in(event)
        ]
    why = diagnose(episode.events)
    if why is not None:
        decided = f"decided at step {why.step}" if why.step else "decided at the start"
        lines.append(Text(f"Why: {why.kind.words}, {decided}", style="red"))
    notes = [
        *branch_lines(content.config),
        *stand_in_lines(content.stand_ins),
        *served_lines(served(e for e in episode.events if isinstance(e, ModelEvent))),
        *damage_lines(episode.damage),
    ]
    return Group(Text(head), *lines, *_tree(episode.events), *notes)


def _tree(events: Iterable[RecordedEvent]) -> list[Text]:
    """The tree of agents, where the planner grew one; several where it began again.

    They are plain text, since rich cuts off its own trees on narrow terminals.
    """
    lines = tree_lines(events)
    drawn: list[Text] = []
    more: list[bool] = []  # whether siblings of the line's ancestors, and of itself, follow
    for place, line in enumerate(lines):
        following = next((other for other in lines[place + 1 :] if other.depth <= line.depth), None)
        del more[line.depth :]
        more.append(following is not None and following.depth == line.depth)
        guides = "".join("│   " if each else "    " for each in more[1:-1])
        branch = ("├── " if more[-1] else "└── ") if line.depth else ""
        drawn.append(
            Text.assemble(
                guides + branch,
                (f"{line.mark} {line.goal}", _MARK_STYLES.get(line.state, "")),
                (f"  {line.figures}", "dim"),
            )
        )
    return drawn
