"""Data files of the package."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import BadInput, unknown_name

if TYPE_CHECKING:
    from pydantic import BaseModel

ModelT = TypeVar("ModelT", bound="BaseModel")


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV; the first one is the header."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def read_yaml(path: Path) -> Any:
    """The data of one of our YAML files, read by the C parser if PyYAML has it."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), loader)


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
    from pydantic import ValidationError

    try:
        return form.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        told = first["msg"][:1].lower() + first["msg"][1:]
        raise BadInput(f"{what}: '{where}' is wrong: {told}; correct it.") from None


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
