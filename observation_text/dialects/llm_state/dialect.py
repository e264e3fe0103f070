"""The dialect `llm_state`: the wording of LLM-State's observations and actions.

After Chen et al., LLM-State (2023), section III-A and appendix VI-A. Names have no blanks,
"coffeetable1". An observation is lists of names: things with where they are, containers, surfaces,
rooms, what is held, what is close, and the present room. As in the appendix, where things of two
rooms stand side by side, it has all that was seen so far, at the place where it was seen last. No
state is told of anything, and of an action only whether it succeeded: "(Success)" or "(Fail)" on a
line of its own before the observation.
"""

from __future__ import annotations

from collections.abc import Container

from ....skills.actions import Action, Verb
from ....skills.outcomes import Outcome
from ...dialect import Dialect, DialectState, kinds_of_action, with_detail
from ...names import Names
from ...sightings import Named
from ...view import View
from . import grammar, lists

SUCCESS, FAIL = "(Success)", "(Fail)"
#: The key of what was seen, in the dialect's state.
_SEEN = "seen"


class LlmState(Dialect):
    """The dialect; its state is where each thing was last seen (`lists.Memory`)."""

    name = "llm_state"
    words_things_alike = True

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        return self._told(names, view, {})

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        failure = outcome.failure
        result = SUCCESS if failure is None else with_detail(FAIL, failure)
        text, state = self._told(names, view, state)
        return f"{result}\n{text}", state

    def word(self, names: Names, action: Action) -> str:
        return grammar.word(names, action)

    def called(self, thing: Named) -> str:
        return f"{grammar.stem(thing.category)}{thing.number}"

    def forms(self, verbs: frozenset[Verb]) -> tuple[str, ...]:
        """The calls, with letters for names: "placein(a,b)"."""
        return tuple(dict.fromkeys(map(grammar.form, kinds_of_action(verbs))))

    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        return grammar.parse(text, names, perceived)

    def _told(self, names: Names, view: View, state: DialectState) -> tuple[str, DialectState]:
        memory = lists.updated(lists.from_data(state.get(_SEEN, ())), names, view)
        return lists.tell(memory, names, view), {_SEEN: lists.to_data(memory)}


DIALECT = LlmState()


def observed(text: str) -> str:
    """The observation of a text, without the result that stands before it."""
    return text.partition("\n")[2] if text.startswith(("(Success", "(Fail")) else text
