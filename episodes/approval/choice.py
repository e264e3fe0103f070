"""Who approves the actions of a run, as recorded in run.json."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from .approver import Approver
from .person import PersonApprover
from .rules import Rule, RulesApprover, read_rules

#: The word for a person in the terminal, in the place of a file.
PERSON: Final = "person"


@dataclass(frozen=True)
class Approval:
    """Who approves the actions of a run."""

    by: Literal["person", "rules"]
    """A person in the terminal, or the rules of a file."""
    file: str = ""
    """Name of the file, for readers of results."""
    rules: tuple[Rule, ...] = ()
    """Its rules."""

    @property
    def text(self) -> str:
        """Such as "approved by a person"."""
        return "approved by a person" if self.by == PERSON else f"approved by {self.file}"


def approval_of(given: str | Path) -> Approval:
    """The approval that a user asks for: "person" or a file of rules. Raises BadInput."""
    if str(given) == PERSON:
        return Approval(PERSON)
    return Approval("rules", Path(given).name, read_rules(Path(given)))


def approver_of(approval: Approval | None) -> Approver | None:
    """The approver of a run; None where nobody approves."""
    if approval is None:
        return None
    return PersonApprover() if approval.by == PERSON else RulesApprover(approval.rules)
