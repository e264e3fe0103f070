"""The journal of an episode: records what happens, or compares it with a recording.

An episode that was cut off is played again from its start. As long as recorded events are left,
each new event is compared with the recorded one and not written. So the same code plays an episode
for the first time, continues it and restores it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..models.events import ModelContextFull, ModelEvent, ModelReplied
from ..models.images import with_files
from ..observation_text.view_change import ViewTracker
from ..planners.contract import Act, Decision, Note, Think
from ..scene_graph.changes import difference
from ..scene_graph.goal_codec import goal_to_data
from ..scene_graph.graph import SceneGraph
from ..scene_graph.json_codec import digest
from ..scene_graph.task import Task
from ..skills.actions import Action
from ..skills.executor import EpisodeVoided
from ..skills.outcomes import Outcome
from .approval.approver import Answer
from .augmentation import AugmentationScore
from .events import (
    ApprovalGiven,
    Decided,
    Ended,
    GoalChecked,
    ImageTaken,
    PlannerFailed,
    RecordedEvent,
    Started,
    Stepped,
    TextRefused,
    TrialStarted,
    Voided,
    WorldEvent,
    same,
)
from .recording import Log, RecordedImages, RecordingFailed
from .result import EpisodeResult
from .world import Moment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_Event = TypeVar("_Event", bound=WorldEvent)


class Diverged(EpisodeVoided):
    """A continued episode differs from its recording."""


def _same_deed(one: Decision, other: Decision) -> bool:
    """Whether two decisions do the same, whatever their thoughts and notes say."""
    if isinstance(one, Act) and isinstance(other, Act):
        return one.action == other.action
    return type(one) is type(other) and isinstance(one, Note | Think)


@dataclass(frozen=True, slots=True)
class Observed:
    """What an episode has reached at one moment.

    text: as the agent gets it. progress: None where nobody can tell. camera: takes the present
    image.
    """

    text: str
    progress: float | None
    moment: Moment
    camera: Callable[[], NDArray[np.uint8] | None]


class Journal:
    """What happens in one start of an episode, in order.

    step: the actions so far; every event gets this step. failed: why something could not be
    written. It is kept here, since a planner may catch errors of its models.
    """

    def __init__(
        self,
        log: Log | None = None,
        watch: Callable[[RecordedEvent], None] | None = None,
        save_image: Callable[[NDArray[np.uint8]], str] | None = None,
        images: RecordedImages | None = None,
        *,
        by_deed: bool = False,
    ) -> None:
        """log: the recording to write and to continue; None keeps nothing. watch: called with every
        event that is written. save_image: stores a camera image and returns its file name. images:
        stores what the planner looks at and what models are shown. by_deed: compare decisions by
        what is done, not by thoughts and notes.
        """
        self.failed: RecordingFailed | None = None
        self._log = log
        self._watch = watch
        self._save_image = save_image
        self._images = images
        self._by_deed = by_deed
        past = [] if log is None else log.events
        self._past = deque(event for event in past if not isinstance(event, ModelEvent))
        self.model_events = [event for event in past if isinstance(event, ModelEvent)]
        self.restart()

    def restart(self) -> None:
        """Begin at the first step again."""
        self.step = 0
        self._views = ViewTracker()
        self._truth: SceneGraph | None = None  # as last recorded

    def expect(self, kind: type[_Event]) -> _Event | None:
        """Take the next recorded event; None at the end of the recording.

        Raises Diverged where the recorded event is of another kind or step.
        """
        if not self._past:
            return None
        event = self._past.popleft()
        if not isinstance(event, kind) or event.step != self.step:
            raise Diverged(
                f"The recording has '{event.event}' at step {event.step} where "
                f"'{kind.__name__}' of step {self.step} came now."
            )
        return event

    def searches(self) -> tuple[Mapping[str, Any], ...]:
        """The data of the recorded `search` notes that are not replayed yet, in order."""
        return tuple(
            each.data
            for each in self.decisions()
            if isinstance(each, Note) and each.name == "search"
        )

    def decisions(self) -> tuple[Decision, ...]:
        """The recorded decisions that are not replayed yet, in order."""
        return tuple(event.decision for event in self._past if isinstance(event, Decided))

    # --- what happens; compared with the recorded event, Diverged where it differs ---------------

    def began(
        self,
        recorded: Started | TrialStarted | None,
        task: Task,
        instruction: str,
        trial: int,
        observed: Observed,
    ) -> None:
        """A trial began."""
        if self._is_idle(recorded):
            return
        if trial > 1:
            event: Started | TrialStarted = TrialStarted(
                trial=trial, step=self.step, t=self._now(), **self._perceived(observed)
            )
        else:
            truth, evidence = observed.moment.truth, task.required_evidence
            event = Started(
                task=task.id,
                instruction=instruction,
                scene=task.scene,
                base_scene=task.base_scene,
                asked=task.asked,
                labels=dict(task.labels),
                state=None if truth is None else digest(truth),
                goal=goal_to_data(task.goal),
                evidence=None if evidence is None else goal_to_data(evidence),
                t=self._now(),
                **self._perceived(observed),
            )
        self._settle(recorded, event)

    def stepped(
        self,
        recorded: Stepped | None,
        action: Action | None,
        said: str | None,
        wording: str,
        outcome: Outcome,
        reward: float,
        observed: Observed,
    ) -> None:
        """An action was tried; see `events.Stepped`."""
        if self._is_idle(recorded):
            return
        event = Stepped(
            action=action,
            said=said,
            wording=wording,
            outcome=outcome,
            reward=reward,
            step=self.step,
            t=self._now(),
            **self._perceived(observed),
        )
        self._settle(recorded, event)

    def text_refused(self, said: str, reason: str) -> None:
        """A text was refused that is no action of the dialect."""
        self._add(TextRefused(said=said, reason=reason, step=self.step, t=self._now()))

    def goal_checked(self, reached: bool, feedback: str) -> None:
        """Whether the goal holds has been said to the agent."""
        self._add(GoalChecked(reached=reached, feedback=feedback, step=self.step, t=self._now()))

    def image_taken(
        self, camera: Callable[[], NDArray[np.uint8] | None]
    ) -> NDArray[np.uint8] | None:
        """The camera's image for the planner: the recorded one, else the present one."""
        recorded = self.expect(ImageTaken)
        if recorded is not None and self._images is not None:
            with self._noting_failure():
                return self._images.load(recorded.image) if recorded.image else None
        image = camera()
        if self._images is not None and self._log is not None:
            try:
                with self._noting_failure():
                    name = "" if image is None else self._images.save(image)
            except ValueError:  # it is no image
                name, image = "", None
            self._write(ImageTaken(image=name, step=self.step, t=self._now()))
        return image

    def approval(self, ask: Callable[[], tuple[Answer, float]]) -> Answer:
        """Whether the next action is allowed: the recorded answer, else the one of `ask`.

        ask: returns the answer and the seconds that it took.
        """
        recorded = self.expect(ApprovalGiven)
        if recorded is not None:
            return Answer(recorded.allowed, recorded.reason)
        answer, seconds = ask()
        event = ApprovalGiven(
            allowed=answer.allowed,
            reason=answer.reason,
            answer_s=round(seconds, 6),
            step=self.step,
            t=self._now(),
        )
        self._write(event)
        return answer

    def decided(
        self,
        decision: Decision,
        planning_s: float,
        model_s: float,
        augmentation: AugmentationScore | None = None,
    ) -> Decided:
        """The planner decided something; returns the recorded event, with its seconds."""
        event = Decided(
            decision=decision,
            planning_s=round(planning_s, 6),
            model_s=round(model_s, 6),
            augmentation=augmentation,
            step=self.step,
            t=self._now(),
        )
        recorded = self.expect(Decided)
        if recorded is not None and self._by_deed and _same_deed(decision, recorded.decision):
            return recorded
        self._settle(recorded, event)
        return event if recorded is None else recorded

    def planner_failed(self, error: str, traceback: str) -> None:
        """The planner's own code raised an error."""
        now = self._now()
        self._add(PlannerFailed(error=error, traceback=traceback, step=self.step, t=now))

    def voided(self, reason: str) -> None:
        """The episode was voided."""
        self._write(Voided(reason=reason, step=self.step, t=self._now()))

    def ended(self, result: EpisodeResult) -> None:
        """The episode is over."""
        event = Ended(result=result, step=self.step, t=self._now())
        if result.ended == "voided":  # in the midst of what was recorded
            self._write(event)
        else:
            self._add(event)

    def model_event(self, event: ModelEvent) -> None:
        """Something was recorded of a model; images in it are stored as files."""
        if isinstance(event, ModelReplied | ModelContextFull) and event.request is not None:
            messages, files = with_files(event.request.messages)
            if files and self._images is not None:
                with self._noting_failure():
                    for name, content in files.items():
                        self._images.keep(name, content)
                event = replace(event, request=replace(event.request, messages=messages))
        if self._log is not None:
            with self._noting_failure():
                self._log.write_model_event(event, self.step)
        if self._watch is not None:
            self._watch(event)

    # --- writing and comparing -------------------------------------------------------------------

    def _is_idle(self, recorded: WorldEvent | None) -> bool:
        """Whether nobody needs an event, so that it is not even made."""
        return recorded is None and self._log is None and self._watch is None

    def _now(self) -> float:
        """Seconds since the episode began."""
        return 0.0 if self._log is None else self._log.now()

    def _perceived(self, observed: Observed) -> dict[str, Any]:
        """The fields of `events.Perceived`."""
        truth, view = observed.moment.truth, observed.moment.view
        before, self._truth = self._truth, truth
        save = self._save_image
        image = None if save is None else observed.camera()
        return {
            "observation": observed.text,
            "progress": observed.progress,
            "world": None if truth is None else difference(before, truth, ordered=False),
            "view": self._views.change(view, truth),
            "sensors": view.arm,
            "image": "" if image is None or save is None else save(image),
        }

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        try:
            yield
        except RecordingFailed as error:
            self.failed = error
            raise

    def _add(self, event: _Event) -> _Event:
        """Write an event or compare it; returns the recorded one, where there is one."""
        recorded = self.expect(type(event))
        self._settle(recorded, event)
        return event if recorded is None else recorded

    def _settle(self, recorded: _Event | None, event: _Event) -> None:
        if recorded is None:
            self._write(event)
            return
        field = same(recorded, event)
        if field is not None:
            raise Diverged(
                f"At step {self.step} '{field}' of '{event.event}' differs from the recording."
            )

    def _write(self, event: WorldEvent) -> None:
        if self._log is not None:
            with self._noting_failure():
                self._log.write(event)
        if self._watch is not None:
            self._watch(event)
