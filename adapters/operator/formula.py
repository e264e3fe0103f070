"""Goals as JSON with labels in place of ids, as a room file has them, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_QUANTIFIERS = ("forall", "exists", "at_least")


def with_terms(data: Any, new: Callable[[Any], Any], bound: frozenset[str] = frozenset()) -> Any:
    """A goal as JSON with other terms. new: makes a term of one that is no bound variable.

    What is malformed stays as it is, for the codec to name.
    """

    def term(old: Any) -> Any:
        return old if old is None or (isinstance(old, str) and old in bound) else new(old)

    if not isinstance(data, dict) or len(data) != 1:
        return data
    form, content = next(iter(data.items()))
    if form == "not":
        return {form: with_terms(content, new, bound)}
    if form in ("happened", "lies"):
        return {form: _with_things(content, term)}
    if form in _QUANTIFIERS and isinstance(content, dict):
        return {form: _quantified(content, new, bound)}
    if not isinstance(content, list):
        return data
    if form in ("and", "or"):
        return {form: [with_terms(part, new, bound) for part in content]}
    if form == "in_order":
        return {form: [_with_things(each, term) for each in content]}
    if form == "state":
        return {form: [term(each) for each in content[:1]] + content[1:]}
    return {form: [term(each) for each in content]}


def _quantified(
    content: dict[str, Any], new: Callable[[Any], Any], bound: frozenset[str]
) -> dict[str, Any]:
    changed = dict(content)
    if isinstance(content.get("ids"), list):
        changed["ids"] = [new(each) for each in content["ids"]]
    variable = content.get("variable")
    names = bound | {variable} if isinstance(variable, str) else bound
    if "body" in content:
        changed["body"] = with_terms(content["body"], new, names)
    return changed


def _with_things(data: Any, term: Callable[[Any], Any]) -> Any:
    if not isinstance(data, dict) or not isinstance(data.get("things"), list):
        return data
    return {**data, "things": [term(thing) for thing in data["things"]]}
