"""A person in a real room as a simulator: asks for each action, and for what is to be seen.

There is no true state. What is known of the room is `person_graph`; whether the task has succeeded
is the person's judgement against the written criteria. Nothing is retried or replayed. After an
interruption the answers so far are read again from the episode's folder, and the person confirms
the state of the room before the next question.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import BadInput
from ...observation_text.view import View, Visibility
from ...scene_graph.goal_evaluation import Progress, Subgoal
from ...scene_graph.task import Task
from ...skills.actions import HOUSEHOLD_VERBS, Action, Verb
from ...skills.embodiment import Embodiment
from ...skills.outcomes import Failure, RawResult, Reason
from ...version import __version__
from ..contract import STAND_IN, Adapter, AdapterSpec, Capability
from . import settings
from .answers import FILE, AnswerLog
from .desk import Desk, ask_and_keep
from .person_graph import PersonGraph
from .questions import (
    KEPT,
    Answer,
    Confirm,
    Criterion,
    Do,
    Done,
    Failed,
    Look,
    Prepare,
    Question,
    Refused,
    Seen,
)
from .room_file import Looks, RoomTask
from .room_scene import LOADER, RoomScene, room_and_task
from .wording import (
    ABOUT_NOTHING,
    ABOUT_PLACE,
    MISHAPS,
    action_text,
    known_lines,
    preparations,
    reasons_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Seconds that a person may take for one answer: a day.
_PATIENCE_S = 86_400.0
#: Verbs that nobody has to carry out.
_UNASKED = frozenset({Verb.WAIT, Verb.TURN_TO})


class OperatorAdapter(Adapter):
    """A person in a real room."""

    spec = AdapterSpec(
        name="operator",
        summary="a person in a real room, who acts, says what is to be seen, and judges",
        actions=HOUSEHOLD_VERBS,
        embodiment=Embodiment(hands=2),
        visibility=Visibility.CAMERA,
        capabilities=frozenset({Capability.JUDGE, Capability.IMAGES}),
        loaders=(LOADER,),
        tested_on="a stand-in for the person; nobody has used it in a real room yet",
        attempt_s=_PATIENCE_S,
        reset_s=_PATIENCE_S,
        bounded=True,
        attended=True,
    )

    def __init__(self, desk: Desk | None = None) -> None:
        """desk: how the person is asked; by default as the settings say."""
        self._desk = desk
        self._log = AnswerLog(None)
        self._start_over()

    def _start_over(self) -> None:
        """Begin to count an episode's questions."""
        self._number = self._step = self._trial = 0
        self._recalling = False
        self._continued = len(self._log) > 0  # before this process
        self._criteria: tuple[bool, ...] = ()
        self._photo: bytes | None = None
        self._task_id = ""

    @classmethod
    def missing(cls) -> str | None:
        try:
            settings.chosen()
        except BadInput as error:
            return str(error)
        return None

    @classmethod
    def check_images(cls) -> None:
        from .page.photo import check_pillow

        check_pillow()

    # --- the episode -------------------------------------------------------------------------

    def keep(self, folder: Path) -> None:
        self._log = AnswerLog(folder)
        self._start_over()

    def reset(self, task: Task, seed: int) -> None:
        self._recalling = False
        self._begin(task)

    def resume(self, task: Task, seed: int) -> None:
        self._recalling = True
        self._begin(task)

    def recall(self, task: Task, action: Action | None) -> None:
        if action is None:
            self._begin(task)
        else:
            self._try(action)

    def attempt(self, action: Action, variation: int) -> RawResult:
        self._recalling = False
        return self._try(action)

    def graph(self) -> None:
        return None

    def view(self) -> View:
        return self._known.view()

    def judge(self, task: Task) -> Progress | None:
        held = self._criteria
        parts = (
            Subgoal(text, float(holds), 1.0) for text, holds in zip(self._texts, held, strict=True)
        )
        return Progress(sum(held) / len(held), tuple(parts))

    def image(self) -> NDArray[np.uint8] | None:
        if self._photo is None:
            return None
        from .page.photo import Photo

        try:
            return Photo.read(self._photo).rgb()
        except ValueError as error:
            raise BadInput(str(error)) from None

    def close(self) -> None:
        """Keep the desk: it belongs to the process, and the person waits there."""

    def facts(self) -> dict[str, Any]:
        facts = {"peephole": __version__, "desk": settings.chosen()}
        if settings.chosen() == settings.STAND_IN:
            facts[STAND_IN] = "rules in place of the person"
        if settings.detector():
            facts["photos_read_by"] = settings.detector()
        return facts

    def _begin(self, task: Task) -> None:
        """Prepare a trial of a task: ask for the start, or recall its answers."""
        _, reference = self.scene_of(task)
        if task.id != self._task_id:
            self._task_id, self._trial = task.id, 0
        self._trial += 1
        self._task = task
        self._room, self._room_task = room_and_task(reference)
        scene = RoomScene(self._room)
        self._texts = scene.criteria(self._room_task)
        self._criteria = (False,) * len(self._texts)
        self._photo = None
        self._known = PersonGraph(scene, self._room_task)
        self._safety = {part.name: part.safety for part in self._room.parts}
        lines = preparations(scene.start(self._room_task), _first(self._room_task))
        lines = (*self._room_task.prepare, *lines)
        self._ask(Prepare(**self._every(), lines=lines, trial=self._trial))
        if {Looks.START, Looks.EVERY_ACTION} & set(self._room.look):
            self._look(self._known.around(), self._around_words())

    # --- actions -----------------------------------------------------------------------------

    def _try(self, action: Action) -> RawResult:
        """Have an action tried; while recalling, as it was answered."""
        self._step += 1
        known = self._known
        failure = known.forbids(action, self.spec.embodiment)
        if failure is not None:
            return RawResult(failure, "the body cannot do it; nobody was asked")
        if action.verb is Verb.LOOK:
            self._look_on_request(action)
            return RawResult()
        room, before = known.room(), {i for i in known.graph.by_id if known.was_looked_at(i)}
        if action.verb in _UNASKED:
            known.did(action)
            return RawResult()
        match self._ask(self._do(action)):
            case Done():
                known.did(action)
                self._look_after(action, entered=known.room() != room, looked=before)
                return RawResult()
            case Failed() as failed:
                return self._failed(action, failed)
            case Refused(words=words):
                detail = words.strip().rstrip(".")
                return RawResult(Failure(Reason.DENIED, detail=detail), words)
        raise AssertionError("a checked answer to Do is one of the three")

    def _failed(self, action: Action, failed: Failed) -> RawResult:
        reason = failed.reason
        thing = action.target
        if reason in ABOUT_PLACE and action.place is not None:
            thing = action.place
        failure = Failure(reason, None if reason in ABOUT_NOTHING else thing)
        if reason is Reason.NOT_HERE and thing is not None:
            self._known.miss(thing)
        if reason in MISHAPS:
            if thing in self._known.graph.held(self._known.me):
                self._known.miss(thing)  # unless it is seen again
            places = self._known.at(self._known.stands_at())
            self._look([self._known.room(), *places], "Say where things are now.")
        return RawResult(failure, failed.words)

    def _do(self, action: Action) -> Do:
        graph, room = self._known.graph, self._room
        labels = [self._known.label(thing) for thing in action.things]
        notes = [room.safety, *(self._safety.get(label, "") for label in labels)]
        return Do(
            **self._every(),
            text=action_text(action, graph),
            verb=action.verb,
            thing=labels[0] if labels else None,
            relation=None if action.relation is None else KEPT[action.relation],
            place=labels[1] if len(labels) > 1 else None,
            safety=" ".join(dict.fromkeys(filter(None, notes))),
            tries=room.tries,
            reasons=reasons_of(action.verb),
        )

    # --- looking -----------------------------------------------------------------------------

    def _look_after(self, action: Action, *, entered: bool, looked: set[int]) -> None:
        """Ask for what is to be seen after an action that was done."""
        known, when = self._known, set(self._room.look)
        room = known.room()
        is_new = entered and room not in looked
        if Looks.EVERY_ACTION in when or (is_new and Looks.NEW_ROOM in when):
            self._look(known.around(), self._around_words())
        elif action.verb is Verb.OPEN and Looks.AFTER_OPEN in when and action.target is not None:
            name = known.label(action.target)
            self._look(known.at([action.target]), f"Look into and onto: {name}.")
        elif action.verb is Verb.GO_TO and Looks.NEW_PLACE in when:
            places = known.at(known.stands_at())
            if is_new:
                places.insert(0, room)
            new = [i for i in places if i not in looked and known.place(i).relations]
            if new:
                self._look(new, "Look at what is here.")

    def _look_on_request(self, action: Action) -> None:
        """The action `look`: around, or at a thing."""
        known = self._known
        known.did(action)
        at = None if action.target is None else known.at([action.target])
        if at:
            self._look(at, f"Look at {known.label(action.target or 0)}.")
        else:
            self._look(known.around(), self._around_words())

    def _around_words(self) -> str:
        return f"Look around in the {self._known.label(self._known.room())}."

    def _look(self, places: Sequence[int], text: str) -> None:
        known = self._known
        question = Look(
            **self._every(),
            text=text,
            places=tuple(map(known.place, places)),
            expected=known.expected(places),
            known=known.known(),
            reserved=known.reserved(),
        )
        seen = self._ask(question)
        assert isinstance(seen, Seen)  # checked
        known.saw(places, seen)
        self._photo = seen.photo or self._photo

    # --- asking ------------------------------------------------------------------------------

    def _every(self) -> dict[str, Any]:
        """What every question carries."""
        self._number += 1
        budgets = self._task.budgets
        return {
            "episode": self._log.episode,
            "number": self._number,
            "instruction": self._room_task.instruction,
            "step": self._step,
            "step_limit": 0 if budgets is None else budgets.steps,
            "criteria": tuple(
                Criterion(text=text, holds=holds)
                for text, holds in zip(self._texts, self._criteria, strict=True)
            ),
        }

    def _ask(self, question: Question) -> Answer:
        """The answer to a question: the kept one, or else that of the person.

        Raises BadInput where a recorded answer is missing.
        """
        answer = self._log.answer_to(question)
        if answer is None and self._recalling:
            raise BadInput(
                f"The person's answers to the episode ({FILE}) do not fit its recording; restore "
                f"that file and the room file as they were, or start a new run."
            )
        if answer is None and self._continued and not isinstance(question, Prepare):
            question = self._confirmed(question)
        if answer is None:
            answer = self._put_to_person(question)
        self._criteria = answer.criteria
        return answer

    def _confirmed(self, before: Question) -> Question:
        """Have the state of the room confirmed before a question; returns the question."""
        self._continued = False
        shared = before.model_dump(include=set(_SHARED))
        confirm = Confirm(
            **shared,
            lines=known_lines(self._known.graph, self._known.me),
            pending=before.text if isinstance(before, Do) and self._log.was_asked(before) else "",
        )
        answer = self._log.answer_to(confirm) or self._put_to_person(confirm)
        criteria = tuple(
            Criterion(text=text, holds=holds)
            for text, holds in zip(self._texts, answer.criteria, strict=True)
        )
        return before.model_copy(update={"criteria": criteria})

    def _put_to_person(self, question: Question) -> Answer:
        """Ask the person. The room is confirmed, or newly prepared, from now on."""
        if self._desk is None:
            self._desk = settings.open_desk()
        self._continued = False
        return ask_and_keep(self._desk, self._log, question)


_SHARED = ("episode", "number", "instruction", "step", "step_limit", "criteria")


def _first(task: RoomTask) -> list[str]:
    """The labels of things that a task is about."""
    return [*task.start, *(condition.thing for condition in task.goal)]
