"""The functions of programs, made of the forms in which a dialect says actions.

"placein(a,b)" gives the function `placein` of two names, "put down thing 1 on place 1" the function
`put_down_on`. A call is worded as an action in the dialect again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..kits.programs.program import ProgramFunction, Value

_CALL = re.compile(r"(\w+)\((\w*(?:,\w+)*)\)")
_NAME = re.compile(r"\b(?:[Tt]hing|[Pp]lace) (?:1\b|\(1\))")
#: Characters of a name; more is no name of anything.
_LONGEST = 100


@dataclass(frozen=True)
class ActionFunction:
    """A function that is an action.

    wordings: in the dialect with {} for names, by how many there are.
    """

    name: str
    wordings: dict[int, str]

    def __str__(self) -> str:
        most = max(self.wordings)
        return f"{self.name}({', '.join('abc'[:most])})" if most else f"{self.name}()"

    def action(self, names: Sequence[Value]) -> str:
        """The action in the words of the dialect."""
        return self.wordings[len(names)].format(*(str(name)[:_LONGEST] for name in names))

    def declared(self) -> ProgramFunction:
        """The function as the interpreter knows it."""
        return ProgramFunction(self.name, min(self.wordings), max(self.wordings))


def action_functions(forms: Iterable[str]) -> dict[str, ActionFunction]:
    """The functions of the forms, by name."""
    found: dict[str, ActionFunction] = {}
    for form in forms:
        call = _CALL.fullmatch(form)
        if call is not None:
            name, count = call[1], len([letter for letter in call[2].split(",") if letter])
            wording = f"{name}({', '.join(['{}'] * count)})"
        else:
            wording, count = _NAME.subn("{}", form)
            name = "_".join(re.findall(r"\w+", wording))
        found.setdefault(name, ActionFunction(name, {})).wordings[count] = wording
    return found
