"""Approval by rules: a YAML file of what is forbidden, and why.

version: 1
rules:
- verbs: [slice]
  reason: The blade has no guard.
- places: [bathroom]
  reason: Somebody is in the bathroom.
- {verbs: [put], things: [pan, fork], places: [microwave], reason: Metal burns in a microwave.}

A rule denies an action if all that it names fits. The first such rule gives the reason.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ...data_files import read_checked
from ...skills.actions import Verb
from .approver import Answer, Proposal

#: The version of files of rules that this peephole reads.
VERSION: Final = 1
#: The conditions of a rule.
_CONDITIONS = ("verbs", "things", "places", "holding")


@dataclass(frozen=True)
class Rule:
    """What is denied, and why; a condition that is empty always holds."""

    verbs: tuple[Verb, ...] = ()
    """Any of these verbs."""
    things: tuple[str, ...] = ()
    """A target of any of these categories."""
    places: tuple[str, ...] = ()
    """At any of these categories of things, furniture or rooms; see `Proposal.places`."""
    holding: tuple[str, ...] = ()
    """With a thing of any of these categories in the hand."""
    reason: str = ""
    """Why, as the agent reads it."""

    def denies(self, proposal: Proposal) -> bool:
        """Whether all conditions hold for an action."""
        target = () if proposal.target is None else (proposal.target,)
        return (
            (not self.verbs or proposal.verb in self.verbs)
            and _fits(self.things, target)
            and _fits(self.places, proposal.places)
            and _fits(self.holding, proposal.holding)
        )


class RulesApprover:
    """Denies what a rule forbids."""

    repeatable: ClassVar[bool] = True

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)

    def answer(self, proposal: Proposal) -> Answer:
        """Allow or deny an action, with the reason of the first rule that denies it."""
        denial = next((rule for rule in self._rules if rule.denies(proposal)), None)
        return Answer(True) if denial is None else Answer(False, denial.reason)


def read_rules(path: Path) -> tuple[Rule, ...]:
    """The rules of a file. Raises BadInput naming what is wrong with it."""
    file = read_checked(path, RuleFile, "file of approval rules")
    return tuple(
        Rule(
            tuple(each.verbs),
            tuple(each.things),
            tuple(each.places),
            tuple(each.holding),
            each.reason,
        )
        for each in file.rules
    )


def _fits(named: Sequence[str], found: Iterable[str]) -> bool:
    return not named or not {_plain(name) for name in named}.isdisjoint(map(_plain, found))


def _plain(category: str) -> str:
    """A category without what writers differ in: "TV_Stand", "tv stand" and "tvstand"."""
    return category.replace("_", " ").replace(" ", "").lower()


# --- the form of a file --------------------------------------------------------------------------


def _verb(given: object) -> object:
    if given in list(Verb):
        return given
    near = difflib.get_close_matches(str(given), [str(verb) for verb in Verb], n=1)
    raise ValueError(f"{given!r} is no verb" + (f", but {near[0]!r} is one" if near else ""))


def _line(given: str) -> str:
    line = " ".join(given.split())
    if not line:
        raise ValueError("it is empty")
    return line


_Verbs = list[Annotated[Verb, BeforeValidator(_verb)]]
_Line = Annotated[
    str, BeforeValidator(lambda given: given if not isinstance(given, str) else _line(given))
]


class FileRule(BaseModel):
    """A rule in a file."""

    model_config = ConfigDict(extra="forbid")

    verbs: _Verbs = []
    things: list[_Line] = []
    places: list[_Line] = []
    holding: list[_Line] = []
    reason: Annotated[_Line, Field(max_length=300)]

    @model_validator(mode="after")
    def _has_a_condition(self) -> FileRule:
        if not any(getattr(self, name) for name in _CONDITIONS):
            raise ValueError(
                f"it forbids everything; give {', '.join(_CONDITIONS[:-1])} or holding"
            )
        return self


class RuleFile(BaseModel):
    """A file of rules. note: a comment for readers."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1]
    note: str = ""
    rules: Annotated[list[FileRule], Field(min_length=1)]
