"""The recorded episode that a branch leaves: where it is cut, and what a branch takes of it."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...errors import BadInput
from ...models.config import ModelConfig
from ...models.events import ModelContextFull, ModelEmbedded, ModelReplied
from ...planners.contract import Act, Done, GiveUp, Planner
from ...planners.registry import load_planner
from ..events import Decided, Perceived, RecordedEvent, Started, Stepped
from ..recording import episode_path, latest, read_events, whole_lines
from ..run_file import PlannedEpisode, RunConfig, RunFile, read_run
from .branch import Branch, NotBranched

#: How planners with a menu word the ends of an episode.
_LAST_WORDS: Mapping[type, str] = {Done: "done", GiveUp: "give up"}


@dataclass(frozen=True)
class Change:
    """What a branch does otherwise. Where all is empty, the same planner is asked again."""

    action: str = ""
    """The action that is done at the step, in the dialect of the run."""
    planner: str = ""
    """The planner that takes over, as `--planner` names it."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options of the planner, as `--set` takes them."""
    models: Mapping[str, ModelConfig] = field(default_factory=dict)
    """Models by role."""

    def __post_init__(self) -> None:
        """Raises BadInput where it is more than one change."""
        if self.action and (self.planner or self.options or self.models):
            raise BadInput(
                "A branch changes one thing: give --action alone, or give --planner, --model or "
                "--set without it."
            )

    @property
    def text(self) -> str:
        """The change in words."""
        if self.action:
            return f"action '{self.action}'"
        parts = [f"planner {self.planner}"] if self.planner else []
        parts += [f"model {name}" for name in dict.fromkeys(m.name for m in self.models.values())]
        parts += [f"{key}={value}" for key, value in self.options.items()]
        return ", ".join(parts) or "asked again"


@dataclass(frozen=True)
class Parent:
    """A recorded episode of a run."""

    folder: Path
    """Folder of the run."""
    content: RunFile
    """Its run.json."""
    planned: PlannedEpisode
    """The episode."""
    events: Sequence[RecordedEvent]
    """Those of its newest start."""
    lines: int
    """So many lines of its file are before them."""

    @property
    def seed(self) -> int:
        """The seed of the world."""
        return self.content.config.world_seed(self.planned)

    @property
    def last_step(self) -> int:
        """The last step to branch at: where the planner ended the episode, the one after it."""
        return max(event.step for event in self.events) + (ending_of(self.events) is not None)

    def check(self, step: int) -> None:
        """Raise NotBranched for a step at which nothing can be changed."""
        if not 1 <= step <= self.last_step:
            raise NotBranched(
                f"Episode {self.planned.number} of {self.folder} cannot branch at step {step}; "
                f"choose one from 1 to {self.last_step}."
            )

    def until(self, step: int) -> int:
        """So many events are before anything was asked for a step."""
        places = (
            place
            for place, event in enumerate(self.events)
            if isinstance(event, Started) or (isinstance(event, Stepped) and event.step < step)
        )
        return max(places) + 1

    def until_decided(self, step: int) -> int:
        """So many events are before the decision to do a step, with the reply that says it.

        What the planner noted between the two is left out, since it may say another action then.
        """
        end = next((p for p, e in enumerate(self.events) if _is_step(e, step)), len(self.events))
        decided = max(place for place in range(end) if _is_deed(self.events[place]))
        reply = newest_reply(self.events[:decided])
        if reply is None or _said_in(reply, self.events[decided]) is None:
            return decided
        return next(place for place, e in enumerate(self.events) if e is reply) + 1


def _is_step(event: RecordedEvent, step: int) -> bool:
    return isinstance(event, Stepped) and event.step == step


def ending_of(events: Sequence[RecordedEvent]) -> Done | GiveUp | None:
    """The decision that ended an episode after its last step; None where something else did."""
    last = next((e for e in reversed(events) if isinstance(e, Stepped) or _is_deed(e)), None)
    if isinstance(last, Decided) and isinstance(last.decision, Done | GiveUp):
        return last.decision
    return None


def _is_deed(event: RecordedEvent) -> bool:
    return isinstance(event, Decided) and isinstance(event.decision, Act | Done | GiveUp)


def newest_reply(events: Sequence[RecordedEvent]) -> ModelReplied | None:
    """The newest answer of a model since the last step; None where none was asked."""
    for event in reversed(events):
        if isinstance(event, Perceived):
            return None
        if isinstance(event, ModelReplied) and not event.problem:
            return event
    return None


def quoted(text: str) -> str:
    """An action as replies in JSON have it; in most actions nothing is escaped."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def read_parent(folder: Path, number: int) -> Parent:
    """An episode of a run. Raises BadInput where it is damaged or has not begun."""
    content = read_run(folder)
    planned = content.config.episodes[number - 1]
    path = episode_path(folder, number, planned.task)
    recorded = read_events(path) if path.exists() else []
    events = latest(recorded)
    if not events or not isinstance(events[0], Started):
        raise NotBranched(
            f"Episode {number} of {folder} has not begun; continue the run with --resume."
        )
    return Parent(folder, content, planned, events, len(recorded) - len(events))


def branch_config(
    parent: Parent,
    step: int,
    change: Change,
    repeats: int = 1,
    planner: Planner | None = None,
) -> RunConfig:
    """The config of a run that branches from an episode.

    planner: the one that takes over, where it is not loaded by its name. Raises NotBranched for a
    step that is not recorded, and BadInput for an unknown planner.
    """
    parent.check(step)
    config = parent.content.config
    taken = parent.until_decided(step) if change.action else parent.until(step)
    lines = parent.lines + taken
    branch = Branch(
        parent=str(parent.folder.resolve()),
        digest=_digest(parent.folder, parent.content, parent.planned, lines),
        lines=lines,
        episode=parent.planned.number,
        step=step,
        seed=parent.seed,
        change=change.text,
        taken=0 if change.planner else taken,
        action=change.action,
        any_question=bool(change.options or change.models) and not change.planner,
    )
    dialect, options, models = config.dialect, {**config.options, **change.options}, config.models
    if change.planner:
        speaks = (planner or load_planner(change.planner)).dialects
        dialect = dialect if dialect in speaks else ""
        options = dict(change.options)
    return replace(
        config,
        tasks=(parent.planned.task,),
        extended=(),
        planner=change.planner or config.planner,
        dialect=dialect,
        options=options,
        models=dict(change.models) if change.planner else _changed(models, change.models),
        seed=parent.planned.seed,
        repeats=repeats,
        replays="",
        branch=branch,
    )


def _changed(
    models: Mapping[str, ModelConfig], changes: Mapping[str, ModelConfig]
) -> dict[str, ModelConfig]:
    """The models of a run with others. The model "planner" replaces all that were the same."""
    usual = models.get("planner")
    main = changes.get("planner")
    return {
        role: changes.get(role) or (main if main is not None and model == usual else model)
        for role, model in models.items()
    } | dict(changes)


def _digest(folder: Path, content: RunFile, planned: PlannedEpisode, lines: int) -> str:
    """SHA-256 of the start of a run and of so many lines of an episode."""
    first = whole_lines(episode_path(folder, planned.number, planned.task))[:lines]
    return hashlib.sha256(b"\n".join([content.created.encode(), *first])).hexdigest()


def is_parent(folder: Path, content: RunFile, branch: Branch) -> bool:
    """Whether a run is that from which another one branched."""
    planned = content.config.episodes
    if branch.episode > len(planned):
        return False
    episode = planned[branch.episode - 1]
    if not episode_path(folder, episode.number, episode.task).exists():
        return False
    return _digest(folder, content, episode, branch.lines) == branch.digest


def shared_events(branch: Branch, repeat: int) -> list[RecordedEvent]:
    """The events of the parent that a branch repeats, as the branch records them.

    The replies among them cost nothing now. repeat: of the branch. Raises NotBranched where the
    parent is gone or has changed.
    """
    folder = Path(branch.parent)
    content = read_run(folder) if folder.is_dir() else None
    if content is None or not is_parent(folder, content, branch):
        raise NotBranched(
            f"{folder}, from which this run branches, is gone or has changed; restore it, or "
            f"branch again."
        )
    task = content.config.episodes[branch.episode - 1].task
    recorded = read_events(episode_path(folder, branch.episode, task))
    taken = latest(recorded[: branch.lines])
    if not branch.taken:
        return taken
    any_question = branch.any_question or repeat > 0
    shared = [_repeated(event, any_question=any_question) for event in taken]
    if not branch.action:
        return shared
    decided = next(event for event in recorded[branch.lines :] if _is_deed(event))
    return _with_action(shared, decided, branch)


def _repeated(event: RecordedEvent, *, any_question: bool) -> RecordedEvent:
    """An event of a model, as a branch records it: paid before, perhaps without a digest."""
    if isinstance(event, ModelReplied | ModelEmbedded):
        event = replace(event, from_cache=True)
    if any_question and isinstance(event, ModelReplied | ModelEmbedded | ModelContextFull):
        event = replace(event, digest="")
    return event


def _with_action(
    events: list[RecordedEvent], decided: RecordedEvent, branch: Branch
) -> list[RecordedEvent]:
    """The events with the branch's action in the reply that had the planner's own.

    So the model reads the action as its own word later. A decision that no reply words stays out of
    the replies. Raises NotBranched for an action that the model was not offered.
    """
    reply = newest_reply(events)
    said = None if reply is None else _said_in(reply, decided)
    if reply is None or said is None:
        return events
    for offers in _offers(reply.schema, said):
        if branch.action not in offers:
            near = difflib.get_close_matches(branch.action, offers, n=4, cutoff=0.0)
            raise NotBranched(
                f"The planner was not offered '{branch.action}' at step {branch.step}; choose one "
                f"of its {len(offers)} actions there, such as {', '.join(near)}."
            )
    changed = replace(reply, reply=_reworded(reply.reply, quoted(said), quoted(branch.action)))
    return [changed if event is reply else event for event in events]


def _reworded(reply: str, said: str, wanted: str) -> str:
    """A reply with another action: in the first JSON string that is the action, else at the end.

    A thought before the action often has its words, too.
    """
    if f'"{said}"' in reply:
        return reply.replace(f'"{said}"', f'"{wanted}"', 1)
    before, _, after = reply.rpartition(said)
    return before + wanted + after


def _said_in(reply: ModelReplied, decided: RecordedEvent) -> str | None:
    """The action that was decided, where a reply says it."""
    assert isinstance(decided, Decided)
    match decided.decision:
        case Act(action=str(said)):
            return said if quoted(said) in reply.reply else None
        case Done() | GiveUp():
            word = _LAST_WORDS[type(decided.decision)]
            return word if f'"{word}"' in reply.reply else None
    return None


def _offers(schema: object, said: str) -> list[list[str]]:
    """The lists of permitted texts in a schema that have one that was said."""
    if isinstance(schema, dict):
        listed = schema.get("enum")
        if isinstance(listed, list) and said in listed:
            return [listed]
        return [found for part in schema.values() for found in _offers(part, said)]
    if isinstance(schema, list):
        return [found for part in schema for found in _offers(part, said)]
    return []
