"""An episode as the moments of its film: state, action and outcome."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...episodes.events import Ended, Perceived, RecordedEvent, Started, Stepped, TrialStarted
from ..exports.steps import steps_of
from ..report.drawn_world import DrawnWorld, drawn_world
from ..wording import ENDINGS, VERDICTS, failure_text

#: An object as `drawn_world` describes it.
Drawn = Mapping[str, Any]


@dataclass(frozen=True)
class Caption:
    """The text around a picture. failed: whether the step or the episode failed; None if open."""

    task: str
    """The instruction."""
    count: str = ""
    """Such as "step 3 of 12"."""
    action: str = ""
    """Of the step."""
    outcome: str = ""
    """Of the step."""
    failed: bool | None = None
    """Whether the step failed, or at the end the episode; None if open."""
    thought: str = ""
    """Of the planner, before the step."""
    progress: float | None = None
    """Of the goal; None where nobody can tell."""


@dataclass(frozen=True)
class MomentState:
    """The state at a moment. at: places that the agent stands at. about: objects of the action."""

    things: Mapping[int, Drawn]
    at: Sequence[int] = ()
    about: Sequence[int] = ()


@dataclass(frozen=True)
class FilmMoment:
    """One picture with its caption. image: the recorded file. world: None if unknown."""

    caption: Caption
    image: str = ""
    world: MomentState | None = None


@dataclass(frozen=True)
class FilmStory:
    """An episode's moments from the start to the result. goal: objects of the goal."""

    moments: Sequence[FilmMoment]
    goal: Collection[int] = field(default=())

    @property
    def worlds(self) -> list[MomentState]:
        return [moment.world for moment in self.moments if moment.world is not None]

    @property
    def has_images(self) -> bool:
        return any(moment.image for moment in self.moments)


def film_story(events: Sequence[RecordedEvent], grants: Collection[str]) -> FilmStory:
    """The moments of an episode's events, from its newest start on."""
    drawn = drawn_world(events, grants) or DrawnWorld()
    worlds = list(_worlds(drawn))
    perceived = [event for event in events if isinstance(event, Perceived)]
    captions = list(_captions(events, perceived))
    moments: list[FilmMoment] = []
    image, world = "", None
    # Where a line of the recording is damaged, the world stays as it was before.
    for number, (event, caption) in enumerate(zip(perceived, captions, strict=True)):
        image = event.image or image
        world = worlds[number] if number < len(worlds) else world
        moments.append(FilmMoment(caption, image, world))
    ended = next((event for event in reversed(events) if isinstance(event, Ended)), None)
    if ended is not None and moments:
        moments.append(replace(moments[-1], caption=_end(captions[-1], ended)))
    return FilmStory(moments, drawn.goal)


def _worlds(drawn: DrawnWorld) -> Iterator[MomentState]:
    """The world after each event that changes it, in the order of the events."""
    things: dict[int, Drawn] = {}
    for moment in drawn.moments:
        things = {**things, **{thing["id"]: thing for thing in moment["things"]}}
        for gone in moment.get("gone", ()):
            things.pop(gone, None)
        yield MomentState(things, moment["at"], moment["about"])


def _captions(events: Sequence[RecordedEvent], perceived: Sequence[Perceived]) -> Iterator[Caption]:
    """The caption of each moment."""
    exported = steps_of(events)
    task = exported.started.instruction
    thoughts = {id(step.event): step.deliberation.thought for step in exported.steps}
    total = max((event.step for event in perceived), default=0)
    for event in perceived:
        caption = Caption(task, progress=event.progress)
        match event:
            case Started():
                yield replace(caption, count="start")
            case TrialStarted():
                yield replace(caption, count=f"trial {event.trial}")
            case Stepped():
                yield replace(
                    caption,
                    count=f"step {event.step} of {total}",
                    action=event.wording,
                    outcome=failure_text(event.outcome),
                    failed=not event.outcome.success,
                    thought=thoughts.get(id(event), ""),
                )
            case _:
                yield caption


def _end(last: Caption, event: Ended) -> Caption:
    result = event.result
    ending = ENDINGS.get(result.ended, result.ended)
    return replace(
        last,
        count="end",
        action=VERDICTS[result.success],
        outcome=ending,
        failed=None if result.success is None else not result.success,
        thought="",
        progress=result.progress,
    )


def seconds_of(moments: Sequence[FilmMoment]) -> list[float]:
    """Seconds of each moment: long films are faster; start and end are long."""
    steps = max(1, len(moments) - 2)
    of_step = min(1.6, max(0.5, 90 / steps))
    if len(moments) < 2:
        return [3.0] * len(moments)
    return [2.5, *(of_step for _ in moments[2:]), 3.0]
