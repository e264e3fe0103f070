"""Files and texts of data: ours, a user's, a stranger's and a model's.

Every JSON and YAML text is read here. What cannot be read raises ValueError, whose text is a part
of a sentence: malformed text, nesting deeper than `DEEPEST`, and numbers that are not finite or
beyond the range of a float.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

#: The levels of values within each other that are read.
DEEPEST = 100
#: The values of a YAML text, with those that aliases repeat.
_MOST_YAML_VALUES = 2_000_000
#: A whole number up to here is within the range of a float.
_LARGEST = 10**308
_TOO_DEEP = f"it is nested deeper than {DEEPEST} levels"
_TOO_LARGE = "a number is too large"


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, without a byte-order mark; lines end with "\\n".

    Raises OSError and UnicodeDecodeError.
    """
    return path.read_text(encoding="utf-8-sig")


def lines_of(text: str) -> list[str]:
    """The lines of a text, which only "\\n", "\\r\\n" and "\\r" end.

    `str.splitlines` also ends lines at U+2028, U+0085 and others, which JSON texts may contain.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def json_line(data: Any) -> str:
    """Data as a line of JSON with its end; what else ends lines for some readers is escaped."""
    text = json_text(data)
    return re.sub("[\x85\u2028\u2029]", lambda end: f"\\u{ord(end[0]):04x}", text) + "\n"


def json_data(content: str | bytes, *, finite: bool = True) -> Any:
    """The data of a JSON text. Raises ValueError.

    finite: whether its numbers must be; programs in the wild also write NaN and Infinity.
    """
    text = content if isinstance(content, str) else content.decode()
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python converts no text of so many digits
        raise ValueError(_TOO_LARGE) from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _check_each(data, _parts_of_data if finite else _parts_of_container)
    return data


def yaml_data(text: str) -> Any:
    """The data of a YAML text by the core schema of YAML 1.2, where "on" is a word.

    Raises ValueError.
    """
    import yaml

    loader = _yaml_loader()(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _check_each(node, _parts_of_node, _MOST_YAML_VALUES)
        _check_names(node)
        data = loader.construct_document(node)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except (yaml.YAMLError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(" ".join(str(error).split())) from None
    finally:
        loader.dispose()
    _check_each(data, _parts_of_data)
    return data


def _check_each(
    root: Any, parts_of: Callable[[Any], Sequence[Any]], most: float = math.inf
) -> None:
    """Raise ValueError for a value that is too deep, or one too many."""
    level, depth, values = [root], 0, 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise ValueError(_TOO_DEEP)
        below: list[Any] = []
        for value in level:
            parts = parts_of(value)
            values += len(parts)
            if values > most:
                raise ValueError(f"it has more than {most} values")
            below += parts
        level = below


def _parts_of_container(value: Any) -> Sequence[Any]:
    if isinstance(value, list):
        return value
    return list(value.values()) if isinstance(value, dict) else ()


def _parts_of_data(value: Any) -> Sequence[Any]:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"the number {value} is not finite")
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise ValueError(_TOO_LARGE)
    return _parts_of_container(value)


def _parts_of_node(node: Any) -> Sequence[Any]:
    """The nodes within a node of YAML, keys included."""
    if node.id == "mapping":
        return [part for pair in node.value for part in pair]
    return node.value if node.id == "sequence" else ()


def _check_names(root: Any) -> None:
    """Raise ValueError where a mapping has a name twice, of which YAML would drop the first."""
    nodes, seen = [root], {id(root)}
    while nodes:
        node = nodes.pop()
        if node.id == "mapping":
            names = Counter(key.value for key, _ in node.value if key.id == "scalar")
            twice = [name for name, number in names.items() if number > 1 and name != "<<"]
            if twice:
                raise ValueError(f"'{twice[0]}' is there twice")
        for part in _parts_of_node(node):
            if id(part) not in seen:  # aliases name a node again
                seen.add(id(part))
                nodes.append(part)


def read_yaml(path: Path) -> Any:
    """The data of a YAML file. Raises OSError and ValueError."""
    return yaml_data(read_text(path))


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
    try:
        data = read_yaml(path)
    except OSError as error:
        raise BadInput(f"The {what} {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise BadInput(f"The {what} {path} is not YAML ({error}); correct it.") from None
    return checked(data, form, f"The {what} {path}")


def checked(data: Any, form: type[ModelT], what: str) -> ModelT:
    """Data in its form. Raises BadInput, which begins with `what`, on the first mistake."""
    with first_mistake_in(what, form):
        return form.model_validate(data)


@contextmanager
def first_mistake_in(what: str, form: type[BaseModel] | None = None) -> Iterator[None]:
    """Raise pydantic's first error as a BadInput that begins with `what`.

    form: of the data, so that the error can name the fields that there are.
    """
    from pydantic import ValidationError

    try:
        yield
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if not first["loc"] and first["type"] == "model_type":
            raise BadInput(f"{what} has no fields; write each as NAME: VALUE.") from None
        if first["type"] == "extra_forbidden":
            raise BadInput(f"{what}: {_unknown_field(first['loc'], form)}") from None
        where = ".".join(map(str, first["loc"])) or "the file"
        why = first["msg"].removeprefix("Value error, ")
        why = why[:1].lower() + why[1:]
        raise BadInput(f"{what}: '{where}' is wrong: {why}; correct it.") from None


def _unknown_field(place: Sequence[int | str], form: type[BaseModel] | None) -> str:
    """The sentence on a field that its form does not have. place: the names and numbers to it."""
    *parts, name = map(str, place)
    if parts or form is None:
        inside = f" in '{'.'.join(parts)}'" if parts else ""
        return f"There is no field '{name}'{inside}; correct its name, or leave it out."
    known = [field.alias or key for key, field in form.model_fields.items()]
    return str(unknown_name("field", name, known))


def cache_folder(name: str) -> Path:
    """The folder of this name in the user's cache, which may not exist."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "peephole" / name


def private_folder(path: Path, variable: str) -> Path:
    """A folder that only its user can enter, made where it is missing.

    variable: of the environment, which names the folder that it is in. Raises BadInput where it
    cannot be made, or belongs to others.
    """
    advice = f"set {variable} to a folder of yours"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.lstat()
    except OSError as error:
        raise BadInput(f"The folder {path} cannot be made ({error.strerror}); {advice}.") from None
    private = found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
    if not (private and stat.S_ISDIR(found.st_mode)):
        raise BadInput(f"Others can enter the folder {path}; remove it, or {advice}.")
    return path


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


def write_safely(path: Path, data: bytes, *, append: bool = True) -> None:
    """Write to a file, which is made with its folder. Raises OSError.

    The data, and the name of a new file, are on the disk when this returns. append: whether it
    goes to the end of the file, or replaces it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    end = os.O_APPEND if append else os.O_TRUNC
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | end, 0o644)
    try:
        while data:
            data = data[os.write(fd, data) :]
        os.fsync(fd)
    finally:
        os.close(fd)
    if is_new:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def whole_lines(path: Path, *, cut: bool = False) -> list[bytes]:
    """The lines of a file without their ends, and without a torn last one. Raises OSError.

    cut: whether a torn line is cut off the file, so that more can be appended. A file that does
    not exist has no lines.
    """
    content = path.read_bytes() if path.exists() else b""
    whole = content.rfind(b"\n") + 1
    if cut and whole < len(content):
        os.truncate(path, whole)
    return content[:whole].split(b"\n")[:-1]


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
