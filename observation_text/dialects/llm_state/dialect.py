"""The dialect `llm_state`: the wording of LLM-State's observations and actions.

After Chen et al., LLM-State (2023), section III-A and appendix VI-A. Names have no blanks,
"coffeetable1". An observation is lists of names: things with their places, containers, surfaces,
rooms, held things, close things, and the present room. As in the appendix, it lists everything seen
so far at the place where it was last seen. States are never listed. An action's result is
"(Success)" or "(Fail)" on a line before the observation.
"""

from __future__ import annotations

from collections.abc import Container

from ....skills.actions import Action, Verb
from ....skills.outcomes import Outcome
from ...dialect import Dialect, DialectState, kinds_of_action, with_detail
from ...names import Named, Names
from ...view import View
from . import grammar, lists

SUCCESS, FAIL = "(Success)", "(Fail)"
#: The key of the memory in the dialect's state.
_SEEN = "seen"


class LlmState(Dialect):
    """The dialect; its state is where each thing was last seen (`lists.Memory`)."""

    name = "llm_state"
    words_things_alike = True

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        return self._observation(names, view, {})

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        failure = outcome.failure
        result = SUCCESS if failure is None else with_detail(FAIL, failure)
        text, state = self._observation(names, view, state)
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

    def _observation(
        self, names: Names, view: View, state: DialectState
    ) -> tuple[str, DialectState]:
        memory = lists.updated(lists.from_data(state.get(_SEEN, ())), names, view)
        return lists.observation(memory, names, view), {_SEEN: lists.to_data(memory)}


DIALECT = LlmState()


def observed(text: str) -> str:
    """The observation in a text, without the result before it."""
    return text.partition("\n")[2] if text.startswith(("(Success", "(Fail")) else text
