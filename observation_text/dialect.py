"""The contract of dialects: one paper's wording of observations, actions and feedback."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from ..data_files import read_yaml
from ..scene_graph.node import Kind, Node, Relation
from ..skills.actions import (
    ARM_ONLY_VERBS,
    GAME_ONLY_VERBS,
    HOUSEHOLD_VERBS,
    OPTIONAL_TARGET,
    WITHOUT_TARGET,
    Action,
    Verb,
    go_to,
    pour,
    put,
)
from ..skills.outcomes import Failure, Outcome, Reason
from .menu import Menu, Offers
from .names import Named, Names, Sighting
from .view import View

#: A dialect's state between texts, as JSON data (the last receptacle visited …).
DialectState = dict[str, Any]


class Refusal(Exception):
    """A text is no action of the dialect; the message says what is wrong with it.

    The message reveals nothing unperceived: an unseen thing reads like one that does not exist.
    """


#: The nodes in examples of actions.
_STAND_INS = tuple(
    Node(number, category, Kind.OBJECT, number)
    for number, category in enumerate(("thing", "place"), start=1)
)


def kinds_of_action(verbs: frozenset[Verb], thing: int = 1, place: int = 2) -> Iterator[Action]:
    """An example for each verb, and for each way to put something."""
    for verb in sorted(verbs & (HOUSEHOLD_VERBS | GAME_ONLY_VERBS), key=list(Verb).index):
        if verb is Verb.PUT:
            yield from (put(thing, relation, place) for relation in (Relation.ON, Relation.INSIDE))
        elif verb is Verb.POUR:
            yield pour(thing, place)
        elif verb in WITHOUT_TARGET:
            yield Action(verb)
        elif verb in GAME_ONLY_VERBS:
            yield Action(verb, thing, None, place)
        else:
            yield Action(verb, place if verb is Verb.GO_TO else thing)
            if verb in OPTIONAL_TARGET:
                yield Action(verb)


def failure_template(dialect: str, failure: Failure) -> str | None:
    """The text of a failure in one of our dialects (`dialects/failures.yaml`), with placeholders.

    A reason with `_by` in the file is for failures that say which thing is the cause.
    """
    texts = _failure_texts()[dialect]
    cause = texts.get(f"{failure.reason}_by") if failure.thing is not None else None
    return texts.get(failure.reason) if cause is None else cause


@cache
def _failure_texts() -> dict[str, dict[str, str]]:
    texts: dict[str, dict[str, str]] = read_yaml(
        Path(__file__).parent / "dialects" / "failures.yaml"
    )
    return texts


#: The words of a denial without a reason, in dialects whose sentence does not tell it.
NOT_ALLOWED = "You are not allowed to do that"


def with_detail(text: str, failure: Failure, denied: str = "") -> str:
    """A failure's sentence with the words of the person who denied the action, if any.

    denied: words for a denial without any, where the sentence alone does not tell it.
    """
    words = failure.detail or (denied if failure.reason is Reason.DENIED else "")
    return f"{text.rstrip('.')}: {words.rstrip('.')}." if words else text


class Dialect(ABC):
    """Words views, actions and outcomes. Every method is a pure function of its arguments.

    Only nodes of the view, the action or the failure may be named: the agent has perceived all of
    them. After Reason.UNKNOWN no thing may be named.
    """

    name: ClassVar[str]
    #: Whether `word` joins what things are `called` with words that depend on verb and relation
    #: only. Menus then word each name and verb once instead of each action.
    words_things_alike: ClassVar[bool] = False
    #: Whether prompts list the whole menu, for models that learnt it, and not only the actions that
    #: make sense for their things.
    lists_whole_menu: ClassVar[bool] = False

    def supports(self, actions: frozenset[Verb]) -> bool:
        """Whether it has words for an adapter with these verbs; by default for a household's."""
        return not actions & (ARM_ONLY_VERBS | GAME_ONLY_VERBS)

    def instruction(self, text: str, categories: Iterable[str]) -> str:
        """A task with the dialect's names of the things it speaks of; by default as it is written.

        categories: of the things that the task's goal mentions.
        """
        return text

    @abstractmethod
    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        """The first observation and the initial state."""

    def overview(self, names: Names, view: View) -> str:
        """The present place, complete; by default the first observation."""
        return self.start(names, view)[0]

    def surroundings(self, names: Names, view: View) -> str:
        """The present place, for one who was told the rooms; by default the overview."""
        return self.overview(names, view)

    @abstractmethod
    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        """The observation after an action and the next state.

        The outcome's failure has passed `Perception.redacted`.
        """

    @abstractmethod
    def word(self, names: Names, action: Action) -> str:
        """The text of an action, which `parse` reads in the same state."""

    def forms(self, verbs: frozenset[Verb]) -> tuple[str, ...]:
        """List the form of each kind of action, with "thing 1" and "place 1"."""
        names = Names(_STAND_INS)
        thing, place = (node.id for node in _STAND_INS)
        return tuple(self.word(names, action) for action in kinds_of_action(verbs, thing, place))

    @abstractmethod
    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        """Parse a text strictly. Raises Refusal.

        perceived: ids of everything the agent has perceived so far; nothing else can be named.
        """

    def menu(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        """List the actions on offer, as text and value; by default those of the menu.

        They use only the view, and `parse` reads them in this state.
        """
        return menu.offers(view)

    def sayable(
        self,
        names: Names,
        view: View,
        menu: Menu,
        state: DialectState,
        remembered: Iterable[int],
    ) -> Offers:
        """List the possible actions in every form, each text once: what a schema has to permit.

        remembered: things out of sight that one can still go to.
        """
        offers = (*self.menu(names, view, menu, state), *self.other_forms(names, view, menu, state))
        walks = [(self.word(names, go_to(thing)), go_to(thing)) for thing in remembered]
        return [*dict((*offers, *walks)).items()]

    def other_forms(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        """List the possible actions in further forms; by default as `forms` teaches them."""
        return menu.offers(view)

    def reason(
        self, names: Names, view: View, action: Action, failure: Failure, state: DialectState
    ) -> str:
        """Why an action is not possible now; by default the observation after it failed."""
        return self.after(names, view, action, Outcome(failure), state)[0]

    def confirmed(self, names: Names, things: Sequence[int]) -> str:
        """The text that things lie where the task may have them; "" for none."""
        named = ", ".join(self._name(names, thing) for thing in things)
        return f"Already where the task may have them: {named}." if things else ""

    def _name(self, names: Names, thing: int) -> str:
        return self.called(Named(*names.number(thing)))

    # --- what planners remember ---

    def kind(self, category: str) -> str:
        """The name of a kind of things in actions, without a number; by default its category."""
        return category

    def called(self, thing: Named) -> str:
        """The name of a thing in actions, "kitchen table 1"."""
        return f"{self.kind(thing.category)} {thing.number}"

    def recalled(self, said: str, sightings: Sequence[Sighting]) -> str:
        """The answer to "recall location of SAID": where such things were last seen."""
        if not sightings:
            return f"You have not seen {said} before."
        return " ".join(map(self._sighting_text, sightings))

    def _sighting_text(self, sighting: Sighting) -> str:
        thing = self.called(sighting.thing)
        if sighting.held and not sighting.gone:
            return f"You are holding {thing}."
        text = f"You saw {thing}"
        if sighting.place is not None:
            text += f" near {self.called(sighting.place)}"
        if sighting.room is not None:
            text += f" in {self.called(sighting.room)}"
        return f"{text}, but it is no longer there." if sighting.gone else f"{text}."
