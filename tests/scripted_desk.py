"""A desk whose answers are written beforehand, for tests of what a person is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from peephole.adapters.operator.questions import (
    Answer,
    Confirm,
    Confirmed,
    Criterion,
    Do,
    Done,
    KnownThing,
    Look,
    OfferedReason,
    Place,
    Prepare,
    Question,
    Ready,
    Seen,
    Sighting,
    check_answer,
)
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import Verb
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import Reason


def criteria_of(question: Question) -> tuple[bool, ...]:
    """What was last said of each criterion."""
    return tuple(criterion.holds for criterion in question.criteria)


def usual(question: Question) -> Answer:
    """The answer of a person for whom everything goes well and nothing is to be seen."""
    criteria = criteria_of(question)
    match question:
        case Prepare():
            return Ready(criteria=criteria)
        case Do():
            return Done(criteria=criteria)
        case Look():
            return Seen(criteria=criteria, sightings=question.expected)
        case Confirm():
            return Confirmed(criteria=criteria)


class ScriptedDesk:
    """Gives written answers in turn, and the usual one where nothing is written.

    answers: an answer, a function of the question, or None for the usual answer. The person leaves
    where the script ends, unless goes_on. asked, saved: the questions so far, and those whose
    answer was kept.
    """

    def __init__(
        self,
        answers: Iterable[Answer | Callable[[Question], Answer] | None] = (),
        *,
        goes_on: bool = False,
    ) -> None:
        self._answers = iter(answers)
        self._goes_on = goes_on
        self.asked: list[Question] = []
        self.saved: list[Question] = []
        self.closed = 0

    def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        try:
            written = next(self._answers)
        except StopIteration:
            if not self._goes_on:
                raise SimulatorDied("the person left") from None
            written = None
        if written is None:
            answer = usual(question)
        else:
            answer = written(question) if callable(written) else written
        check_answer(question, answer)
        return answer

    def kept(self, question: Question) -> None:
        self.saved.append(question)

    def close(self) -> None:
        self.closed += 1


_EVERY = {
    "episode": "3f9a",
    "instruction": "Put the apple in the fridge.",
    "step_limit": 30,
    "criteria": (Criterion(text="The apple is in the fridge", holds=False),),
}
_FRIDGE = Place(label="fridge", relations=(Relation.INSIDE,), states=(State.OPEN, State.CLOSED))

#: One question of each kind, as an adapter would ask it.
EXAMPLES: tuple[Question, ...] = (
    Prepare(**_EVERY, number=1, step=0, lines=("Put the apple on the table.", "Close the fridge.")),
    Do(
        **_EVERY,
        number=2,
        step=1,
        text="Pick up the apple.",
        verb=Verb.PICK_UP,
        thing="apple",
        safety="Keep your hand away from the hinge.",
        reasons=(
            OfferedReason(reason=Reason.SLIPPED, words="It slipped out of the hand."),
            OfferedReason(reason=Reason.UNREACHABLE, words="It cannot be reached from here."),
        ),
    ),
    Look(
        **_EVERY,
        number=3,
        step=2,
        text="Look into the fridge.",
        places=(_FRIDGE,),
        expected=(Sighting(thing="milk", relation=Relation.INSIDE, place="fridge"),),
        known=(
            KnownThing(label="apple", category="apple"),
            KnownThing(label="milk", category="milk"),
            KnownThing(label="cup 1", category="cup", states=(State.CLEAN, State.DIRTY)),
        ),
    ),
    Confirm(
        **_EVERY,
        number=4,
        step=2,
        lines=("The robot stands at the fridge.", "It holds the apple.", "The fridge is open."),
    ),
)
