"""The observer: what one agent perceives in an episode, and what it may do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from ..scene_graph.node import Node
from ..skills.actions import Action, Verb
from ..skills.dynamics import check
from ..skills.embodiment import Embodiment
from ..skills.outcomes import Failure, Outcome, Reason
from .dialect import Dialect, DialectState, Refusal
from .layout import Directions, Layout, is_new, layout_in_words, layout_of
from .menu import Menu, Offers
from .names import Named, Names
from .perception import Perception
from .view import View
from .wording import Wording

_ANY_BODY = Embodiment()


class Reading(NamedTuple):
    """A text as the dialect reads it."""

    action: Action | None
    """The action; None where the text is none."""
    objection: str | None
    """Why it is no possible action now; None where it may be one."""


class Observer:
    """The only connection between a planner and a world: nothing unperceived passes.

    For each action, `admit` comes first, and only admitted actions reach the simulator. Then
    `after` gets the outcome and a fresh view (the last view if nothing was attempted).

    names: of all things perceived or granted so far; it grows. view: the newest.
    """

    def __init__(
        self,
        names: Names,
        dialect: Dialect,
        actions: frozenset[Verb],
        body: Embodiment = _ANY_BODY,
        directions: Directions | None = None,
    ) -> None:
        """names: of the episode; perceived things are added. actions: the verbs of the adapter.
        body: the embodiment that limits the menu. directions: with them, texts also tell how things
        lie to each other.
        """
        self._episode_names = names
        self._dialect = dialect
        self._actions = actions
        self._body = body
        self._directions = directions
        self._layout: Layout = {}  # as it was last told
        self._perception = Perception()
        wording = Wording(self._episode_names, dialect)
        self._menu = Menu(body, actions, wording)
        self._state: DialectState = {}
        self._perceived_names: dict[int, str] = {}
        self.names: Mapping[int, str] = MappingProxyType(self._perceived_names)

    @property
    def view(self) -> View:
        """The newest view."""
        return self._perception.view

    @property
    def state(self) -> DialectState:
        """The dialect's state."""
        return self._state

    def grant(self, nodes: Iterable[Node]) -> None:
        """Let things of a map or an inventory be named, in this order, before they are seen."""
        nodes = tuple(nodes)
        self._episode_names.append_in_order(nodes)
        self._perceived_names.update((node.id, self._episode_names(node.id)) for node in nodes)
        self._perception.grant(nodes)

    def around(self, thing: int) -> list[Node]:
        """A thing and the places around it as last seen, outwards; none if it was never known."""
        return self._perception.around(thing)

    def overview(self) -> str:
        """The present place, complete: how hierarchical planners start a subtask."""
        return self._with_layout(self._dialect.overview(self._episode_names, self.view))

    def surroundings(self) -> str:
        """The present place, for one who was told the rooms."""
        return self._with_layout(self._dialect.surroundings(self._episode_names, self.view))

    def start(self, view: View) -> str:
        """The first observation."""
        self._perceive(view)
        text, self._state = self._dialect.start(self._episode_names, view)
        self._layout = self._seen_layout()
        return self._with_layout(text)

    def first_sight(self) -> str:
        """The first observation of another agent that takes over in the present state."""
        return self._with_layout(self._dialect.start(self._episode_names, self.view)[0])

    def layout(self) -> str:
        """How the things in view lie to each other; "" where the adapter gives no directions."""
        return layout_in_words(self.view.graph, self._directions, self._called)

    def admit(self, action: Action) -> Failure | None:
        """Why an action must not reach the simulator, or None."""
        failure = self._perception.admit(action)
        unknown = failure is not None and failure.reason is Reason.UNKNOWN
        if action.verb not in self._actions and not unknown:
            return Failure(Reason.NOT_SUPPORTED, action.target)
        return failure

    def parse(self, text: str) -> Action:
        """The action of a text in the dialect. Raises Refusal."""
        nameable = self._perception.nameable
        return self._dialect.parse(text, self._episode_names, nameable, self._state)

    def word(self, action: Action) -> str:
        """The text of an action in the dialect; things never perceived are not named."""
        verbs = frozenset({action.verb})
        if not verbs <= self._actions and not self._dialect.supports(verbs):
            return action.verb.replace("_", " ")
        if all(thing in self._perceived_names for thing in action.things):
            return self._dialect.word(self._episode_names, action)
        return f"{action.verb.replace('_', ' ')} something"

    def after(self, view: View, action: Action, outcome: Outcome) -> tuple[str, Outcome]:
        """The observation after an action, and its outcome as the planner may know it."""
        self._perceive(view)
        redacted = self._redacted(action, outcome)
        text, self._state = self._dialect.after(
            self._episode_names, view, action, redacted, self._state
        )
        layout = self._seen_layout()
        if is_new(layout, self._layout):
            self._layout = layout
            text = self._with_layout(text)
        return text, redacted

    def confirmed(self, things: Iterable[int]) -> str:
        """The text that things in view lie where the task may have them."""
        return self._dialect.confirmed(
            self._episode_names, sorted(things, key=self._episode_names.number)
        )

    def menu(self) -> Offers:
        """The dialect's actions on offer now, as text and value."""
        return self._dialect.menu(self._episode_names, self.view, self._menu, self._state)

    def sayable(self) -> Offers:
        """The possible actions in every form, with walks to remembered things."""
        names = self._episode_names
        remembered = self._perception.remembered() if Verb.GO_TO in self._actions else []
        remembered.sort(key=names.number)  # the order of ids would tell of places
        return self._dialect.sayable(names, self.view, self._menu, self._state, remembered)

    def read(self, text: str) -> Reading:
        """A text as an action, and why it is not possible now, as far as the agent can know.

        What is out of sight cannot be judged from here: only trying tells.
        """
        try:
            action = self.parse(text)
        except Refusal as refusal:
            return Reading(None, str(refusal))
        failure = self.admit(action)
        said = self.view.said
        if said is not None:  # a game has rules of its own
            possible = any(action == offered for _, offered in said.offers)
            failure = None if possible else failure or Failure(Reason.UNSUITABLE, action.target)
        elif failure is None and all(self.view.get(thing) is not None for thing in action.things):
            failure = check(self.view.graph, action, self._body)
        if failure is None:
            return Reading(action, None)
        names, state = self._episode_names, self._state
        return Reading(action, self._dialect.reason(names, self.view, action, failure, state))

    def _seen_layout(self) -> Layout:
        return {} if self._directions is None else layout_of(self.view.graph, self._directions)

    def _with_layout(self, text: str) -> str:
        layout = self.layout()
        return f"{text}\n{layout}" if layout else text

    def _called(self, thing: int) -> str:
        return self._dialect.called(Named(*self._episode_names.number(thing)))

    def _perceive(self, view: View) -> None:
        new = self._perception.update(view)
        if not new:
            return
        names = self._episode_names
        names.append(new)
        for node_id in sorted(node.id for node in new):
            expected_as = names.expected_as(node_id)
            if expected_as is not None:
                self._perceived_names.pop(expected_as, None)
            self._perceived_names[node_id] = names(node_id)

    def _redacted(self, action: Action, outcome: Outcome) -> Outcome:
        """The outcome without the simulator's messages; its failures as the agent may know them."""
        if outcome.failure is None and not outcome.attempts:
            return outcome
        attempts = tuple(
            replace(attempt, message="", failure=self._redacted_failure(action, attempt.failure))
            for attempt in outcome.attempts
        )
        failure = self._redacted_failure(action, outcome.failure)
        return replace(outcome, failure=failure, attempts=attempts, injected=None)

    def _redacted_failure(self, action: Action, failure: Failure | None) -> Failure | None:
        return None if failure is None else self._perception.redacted(action, failure)
