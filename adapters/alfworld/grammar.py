"""The grammar of a game file: the commands of its actions, and the texts after them.

A file has actions, each with the template of its command and the text that follows it, and rules.
A rule has cases; the first one whose condition holds is used. In a text, `#rule#` stands for a
rule, `{o.name}` for a word about a thing, `{text | facts}` for the text with the things of which
the facts hold, and `[{text | facts}]` for a list of them. BadInput says what is not read; its text
is a part of a sentence about the file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...data_files import json_data
from ...errors import BadInput


class Atom(NamedTuple):
    """A fact that is asked for, with variables in the place of things."""

    predicate: str
    """With "not_" before it for a fact that an action has ended."""
    variables: tuple[tuple[str, str], ...]
    """The name and the type of each."""


class Call(NamedTuple):
    """A rule in the place of a text."""

    rule: str
    """Its name."""


class Word(NamedTuple):
    """Words about things."""

    value: ast.expr
    """The expression: names of variables, their attributes, strings, `+` and `or`."""


class Given(NamedTuple):
    """A text for all things of which facts hold, one after the other or as a list."""

    part: Call | Word
    """The text for each."""
    facts: tuple[Atom, ...]
    """What has to hold; nothing for the things that are known."""
    listed: bool
    """Whether it is a list in a sentence."""


#: A part of a text.
Part = str | Call | Word | Given


@dataclass(frozen=True)
class Case:
    """A case of a rule."""

    condition: tuple[Atom, ...]
    """What has to hold; empty for always."""
    text: tuple[Part, ...]
    """Its text."""


@dataclass(frozen=True)
class Wording:
    """The words of an action."""

    command: tuple[Part, ...]
    """The template of its command."""
    feedback: tuple[Part, ...]
    """The text after it."""


@dataclass(frozen=True)
class Grammar:
    """The words of a game."""

    actions: dict[str, Wording]
    """By the action's name in lower case."""
    rules: dict[str, tuple[Case, ...]]
    """By name."""
    said: dict[str, list[str]]
    """The texts of each rule's cases as they are written."""


_NAME = r"[\w/-]+"
_BLOCK = re.compile(r'"""(.*?)"""', re.DOTALL)
_TEXT = re.compile(r'"([^"]*)"')
_ACTION = re.compile(rf"action\s+({_NAME})\s*\{{")
_FIELD = re.compile(r"(template|feedback|pddl|grammar)\s*::\s*")
_BETWEEN = re.compile(r"(?:\s|#[^\n]*)*")
_RULE_NAME = re.compile(r"#([\w()/!<>\-\s,.]+)#")
_STATEMENT = re.compile(r"[^|\[\]{}\n<>]+")
_GIVEN = re.compile(r"\s*\|\s*([^;|{}\n\[\]#]+)")
_LITERAL = re.compile(r'[^;|"<>\[\]#{}]+')
_ATOM = re.compile(r"\s*([\w-]+)\s*\(([^()]*)\)\s*(&|$)")


def read_grammar(text: str) -> Grammar:
    """Read a grammar. Raises BadInput."""
    templates: dict[str, tuple[str, str]] = {}
    rules: dict[str, Any] = {}
    for name, fields in _sections(text):
        if "grammar" in fields:
            rules |= _rules(fields["grammar"])
        if name:
            templates[name.lower()] = fields.get("template", ""), fields.get("feedback", "")
    said = {name: [_said(case, name) for case in cases] for name, cases in rules.items()}
    return Grammar(
        {name: Wording(*map(read_text, both)) for name, both in templates.items()},
        {name: tuple(map(_case, cases)) for name, cases in rules.items()},
        said,
    )


def _sections(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The actions with their fields, and the rules outside of actions under the name ""."""
    position = _skipped(text, 0)
    while position < len(text):
        if field := _FIELD.match(text, position):
            value, position = _value(text, field.end())
            yield "", {field[1]: value}
        elif action := _ACTION.match(text, position):
            position = _skipped(text, action.end())
            fields: dict[str, str] = {}
            while field := _FIELD.match(text, position):
                fields[field[1]], position = _value(text, field.end())
            if not text.startswith("}", position):
                raise BadInput(f"its grammar's action '{action[1]}' has something unknown")
            position = _skipped(text, position + 1)
            yield action[1], fields
        else:
            raise BadInput("its grammar has something that is neither an action nor rules")


def _value(text: str, position: int) -> tuple[str, int]:
    """The text in quotation marks, and the position after it and its semicolon."""
    found = _BLOCK.match(text, position) or _TEXT.match(text, position)
    if found is None:
        raise BadInput("its grammar has a field without a text")
    end = _skipped(text, found.end())
    if not text.startswith(";", end):
        raise BadInput("its grammar has a field without a semicolon")
    return found[1], _skipped(text, end + 1)


def _skipped(text: str, position: int) -> int:
    """The position after spaces and comments."""
    found = _BETWEEN.match(text, position)
    assert found is not None  # it may be empty
    return found.end()


def _rules(block: str) -> dict[str, Any]:
    lines = (line for line in block.split("\n") if not line.lstrip().startswith("#"))
    try:
        rules = json_data("\n".join(lines))
    except ValueError as error:
        raise BadInput(f"its grammar has rules that are no JSON ({error})") from None
    if not isinstance(rules, dict) or not all(isinstance(each, list) for each in rules.values()):
        raise BadInput("its grammar has rules that are no lists of cases")
    return rules


def _said(case: Any, name: str) -> str:
    if not isinstance(case, dict) or not isinstance(case.get("rhs"), str):
        raise BadInput(f"its grammar's rule '{name}' has a case without a text 'rhs'")
    said: str = case["rhs"]
    return said


def _case(case: dict[str, Any]) -> Case:
    condition = case.get("condition", "")
    return Case(read_facts(condition) if condition else (), read_text(case["rhs"]))


def read_facts(text: str) -> tuple[Atom, ...]:
    """Read "inreceptacle(o:object, r:receptacle) & …". Raises BadInput."""
    found: list[Atom] = []
    position = 0
    while position < len(text):
        atom = _ATOM.match(text, position)
        if atom is None:
            raise BadInput(f"its grammar has the condition '{text.strip()}', which is not known")
        variables = [each.partition(":") for each in atom[2].split(",") if each.strip()]
        found.append(
            Atom(
                atom[1],
                tuple((n.strip(), t.strip() or n.strip().rstrip("'")) for n, _, t in variables),
            )
        )
        position = atom.end()
    return tuple(found)


def read_text(text: str) -> tuple[Part, ...]:
    """Read a text as the engine does, which leaves spaces at its start out. Raises BadInput.

    It ends where something is no part of a text, such as a bracket that nothing opens.
    """
    parts: list[Part] = []
    text = text.replace("\\n", "\n").lstrip()
    position = 0
    while position < len(text):
        part, end = _part(text, position)
        if part is None:
            break
        parts.append(part)
        position = end
    return tuple(parts)


def _part(text: str, position: int) -> tuple[Part | None, int]:
    """The part at a position and the position after it; None where there is none."""
    match text[position]:
        case "[":
            given, end = _given(text, position + 1, listed=True)
            return (given, end + 1) if given and text.startswith("]", end) else (None, position)
        case "{":
            return _given(text, position, listed=False)
        case "#":
            rule = _RULE_NAME.match(text, position)
            return (Call(rule[1]), rule.end()) if rule else (None, position)
        case '"':
            end = text.find('"', position + 1)
            return (text[position + 1 : end], end + 1) if end > 0 else (None, position)
    literal = _LITERAL.match(text, position)
    return (literal[0], literal.end()) if literal else (None, position)


def _given(text: str, position: int, *, listed: bool) -> tuple[Part | None, int]:
    """The part in braces at a position."""
    if not text.startswith("{", position):
        return None, position
    rule = _RULE_NAME.match(text, position + 1)
    statement = None if rule else _STATEMENT.match(text, position + 1)
    if rule:
        part: Call | Word = Call(rule[1])
        end = rule.end()
    elif statement:
        part, end = Word(_expression(statement[0])), statement.end()
    else:
        return None, position
    given = _GIVEN.match(text, end)
    facts = read_facts(given[1]) if given else ()
    end = given.end() if given else end
    if not text.startswith("}", end):
        return None, position
    if listed or facts or isinstance(part, Call):
        return Given(part, facts, listed), end + 1
    return part, end + 1


def _expression(text: str) -> ast.expr:
    """An expression about things; nothing else is read, and nothing is ever run."""
    try:
        value = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise BadInput(f"its grammar has '{{{text}}}', which is no expression") from None
    for node in ast.walk(value):
        if not isinstance(node, _ALLOWED) or (
            isinstance(node, ast.Attribute) and node.attr not in ATTRIBUTES
        ):
            raise BadInput(f"its grammar has '{{{text}}}', which is not known here")
    return value


#: What one may ask of a thing.
ATTRIBUTES = frozenset({"id", "name", "definite", "indefinite"})
_ALLOWED = (
    *(ast.Name, ast.Load, ast.Attribute, ast.Constant),
    *(ast.BinOp, ast.Add, ast.BoolOp, ast.Or, ast.And),
)
