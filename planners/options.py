"""Options of planners: read from `--set key=value`, described, and written in labels.

A planner declares its options as a pydantic class (`contract.Planner.options`):

    class Options(BaseModel):
        rounds: int = Field(12, ge=1, description="rounds of planning and acting")

An option that counts only with a value of another one says so by `contract.OnlyWith`.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from .. import plugins
from ..data_files import json_data
from ..errors import BadInput, PeepholeError
from .contract import OnlyWith, Planner

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

#: The text for no value, where an option may have none.
NONE = "none"


class OptionDescription(NamedTuple):
    """An option of a planner in words; default: as after `--set key=`."""

    name: str
    type: str
    default: str
    description: str


def parse_options(planner: Planner, pairs: Mapping[str, str]) -> BaseModel | None:
    """The options of a planner with these values; None for a planner without options.

    pairs: texts by the names of options. Lists are JSON or split by commas. Raises BadInput for an
    unknown option, for a value that is not allowed, and for an option that another one makes void.
    """
    from pydantic import ValidationError

    fields = _fields(planner)
    for name in pairs:
        if name not in fields:
            raise BadInput(_unknown(planner, name))
    if planner.options is None:
        return None
    values = {name: _value(planner, name, text) for name, text in pairs.items()}
    try:
        options = planner.options.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "".join(f" {part}:" for part in first["loc"])
        raise BadInput(
            f"These options of {planner.name} are not valid:{where} {_reason(first)}; "
            f"correct --set."
        ) from None
    for name in changed_options(planner, options):
        _check_counts(planner, options, name)
    return options


def describe_options(planner: Planner) -> list[OptionDescription]:
    """The options of a planner, in the order in which it declares them."""
    return [
        OptionDescription(
            name, _type_name(field.annotation), written(_default(field)), field.description or ""
        )
        for name, field in _fields(planner).items()
    ]


def changed_options(planner: Planner, options: BaseModel | None) -> dict[str, str]:
    """The options that differ from their defaults, as after `--set key=`."""
    return {
        name: written(getattr(options, name))
        for name, field in _fields(planner).items()
        if options is not None and getattr(options, name) != _default(field)
    }


def written(value: object) -> str:
    """A value of an option as after `--set key=`."""
    if value is None:
        return NONE
    if isinstance(value, Enum):
        return written(value.value)
    if isinstance(value, str | Path):
        return str(value)
    return json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":"))


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, set | frozenset) else str(value)


def _check_counts(planner: Planner, options: BaseModel, name: str) -> None:
    """Raise BadInput for an option that another one makes void."""
    for condition in _conditions(_fields(planner)[name]):
        value = written(getattr(options, condition.option))
        if value in condition.values or (not condition.values and value != NONE):
            continue
        values = [f"{condition.option}={each}" for each in condition.values or ("VALUE",)]
        raise BadInput(
            f"{planner.name} uses {name} only with {' or '.join(values)}, and {condition.option} "
            f"is {value}; leave {name} out, or add --set {values[0]}."
        )


def _conditions(field: FieldInfo) -> Iterator[OnlyWith]:
    return (each for each in field.metadata if isinstance(each, OnlyWith))


# --- values --------------------------------------------------------------------------------------


def _fields(planner: Planner) -> Mapping[str, FieldInfo]:
    return {} if planner.options is None else planner.options.model_fields


def _default(field: FieldInfo) -> Any:
    return field.get_default(call_default_factory=True)


def _value(planner: Planner, name: str, text: str) -> Any:
    """A text as a value of an option's type."""
    from pydantic import TypeAdapter, ValidationError

    field = _fields(planner)[name]
    checked: Any = Annotated[field.annotation, field]
    adapter: TypeAdapter[Any] = TypeAdapter(checked)
    reason = ""
    for candidate in _candidates(text):
        try:
            return adapter.validate_python(candidate)
        except ValidationError as error:
            reason = reason or _reason(error.errors(include_url=False)[0])
    raise BadInput(
        f"The option {name} of {planner.name} cannot be '{text}': {reason}; "
        f"it is {_type_name(field.annotation)}, by default {written(_default(field))}."
    )


def _candidates(text: str) -> Iterator[Any]:
    """The possible values of a text of any type, the likeliest first."""
    if text.lower() == NONE:
        yield None
    yield text
    if text.startswith(("[", "{")):
        try:
            yield json_data(text)
        except ValueError:
            return
    else:
        yield [part.strip() for part in text.split(",") if part.strip()]


def _reason(error: Mapping[str, Any]) -> str:
    """Pydantic's message, as a part of a sentence."""
    message = str(error["msg"]).removeprefix("Value error, ").rstrip(".")
    return message[:1].lower() + message[1:]


def _type_name(annotation: Any) -> str:
    """A type in a user's words: "int", "fast or slow", "float or none"."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation is type(None):
        return NONE
    if annotation is bool:
        return "true or false"
    if annotation is Path:
        return "file"
    if origin is Literal:
        return " or ".join(written(part) for part in parts)
    if origin is Annotated:
        return _type_name(parts[0])
    if origin in (Union, types.UnionType):
        return " or ".join(_type_name(part) for part in parts)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " or ".join(written(member) for member in annotation)
    if origin in (list, tuple, set, frozenset) and parts:
        return f"list of {_type_name(parts[0])}"
    return getattr(annotation, "__name__", str(annotation))


# --- unknown options -----------------------------------------------------------------------------


def _unknown(planner: Planner, name: str) -> str:
    """A sentence on an unknown option: who has it, and the options of the planner."""
    others = [other.name for other in _others(planner) if name in _fields(other)]
    elsewhere = (
        f"; {' and '.join(others)} {'has' if len(others) == 1 else 'have'}" if others else ""
    )
    own = ", ".join(f"{o.name} ({o.type}, {o.default})" for o in describe_options(planner))
    return (
        f"{planner.name} has no option '{name}'{elsewhere}; "
        f"{f'its own are {own}' if own else 'it has no options'}."
    )


def _others(planner: Planner) -> Iterator[Planner]:
    """The other registered planners that can be loaded."""
    for name in plugins.names("planner"):
        try:
            other = plugins.load("planner", name)
        except PeepholeError:
            continue
        if isinstance(other, Planner) and other.name != planner.name:
            yield other
