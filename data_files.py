"""Data files of the package."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from .errors import BadInput, unknown_name

if TYPE_CHECKING:
    from pydantic import BaseModel

ModelT = TypeVar("ModelT", bound="BaseModel")


def json_text(
    data: Any, *, indent: int | None = None, separators: tuple[str, str] | None = None
) -> str:
    """Data as JSON, which has no numbers but finite ones: others become null."""
    write = partial(json.dumps, ensure_ascii=False, allow_nan=False, default=str)
    try:
        return write(data, indent=indent, separators=separators)
    except ValueError:
        return write(_finite(data), indent=indent, separators=separators)


def _finite(data: Any) -> Any:
    match data:
        case float() if not math.isfinite(data):
            return None
        case Mapping():
            return {key: _finite(value) for key, value in data.items()}
        case list() | tuple():
            return [_finite(each) for each in data]
    return data


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV; the first one is the header."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


#: What a plain word is in YAML 1.2's core schema, with the characters it begins with. PyYAML has
#: YAML 1.1, in which "on", "off", "yes" and "no" are booleans and 1:30 is a number of seconds.
_PLAIN = {
    "bool": ("true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": ("[-+]?(0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    "float": (
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
        r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+.0123456789",
    ),
    "null": ("~|null|Null|NULL|", ["~", "n", "N", ""]),
    "merge": ("<<", "<"),
}


def read_yaml(path: Path) -> Any:
    """The data of a YAML file by the core schema of YAML 1.2, where "on" is a word."""
    import yaml

    return yaml.load(path.read_text(encoding="utf-8"), _yaml_loader())


@cache
def _yaml_loader() -> Any:
    """PyYAML's safe loader, its C parser where it has one, with the words of `_PLAIN`."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

    for tag, (pattern, firsts) in _PLAIN.items():
        Loader.add_implicit_resolver(
            f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), list(firsts)
        )
    return Loader


def read_checked(path: Path, form: type[ModelT], what: str) -> ModelT:
    """The data of a user's YAML file in its form.

    what: what the file is, in a word. Raises BadInput with one sentence on the first mistake.
    """
    import yaml

    try:
        data = read_yaml(path)
    except OSError as error:
        raise BadInput(f"The {what} {path} cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        problem = " ".join(str(error).split())
        raise BadInput(f"The {what} {path} is not YAML ({problem}); correct it.") from None
    return checked(data, form, f"The {what} {path}")


def checked(data: Any, form: type[ModelT], what: str) -> ModelT:
    """Data in its form. Raises BadInput, which begins with `what`, on the first mistake."""
    with first_mistake_in(what):
        return form.model_validate(data)


@contextmanager
def first_mistake_in(what: str) -> Iterator[None]:
    """Raise pydantic's first error as a BadInput that begins with `what`."""
    from pydantic import ValidationError

    try:
        yield
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        why = first["msg"].removeprefix("Value error, ")
        why = why[:1].lower() + why[1:]
        raise BadInput(f"{what}: '{where}' is wrong: {why}; correct it.") from None


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A draft of a file, which takes its place in the end, or is removed if an error is raised."""
    draft = path.with_name(f"{path.name}.new")
    try:
        yield draft
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def found_file(given: Path, folder: Path, what: str) -> Path:
    """A YAML file by its path, or one of ours by its name: "reactree_table1".

    folder: where ours are. what: what the file is, in a word. Raises BadInput, naming ours.
    """
    own = folder / f"{given.name.removesuffix('.yaml')}.yaml"
    if given.exists():
        return given
    if len(given.parts) == 1 and own.is_file():
        return own
    if given.suffix in (".yaml", ".yml") and len(given.parts) > 1:
        raise BadInput(f"The {what} {given} does not exist; correct the path.")
    raise unknown_name(what, str(given), [each.stem for each in folder.glob("*.yaml")])
