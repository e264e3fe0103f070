"""The files of episodic memories: JSON lines, a header and then one line per experience.

    {"format": "peephole memory", "version": 1, "embedder": "wordllama", "dimensions": 256,
     "dialect": …, "planners": […], "control_flow": […], "suites": […], "scenes": […],
     "experiences": 1234}
    {"goal": …, "text": …, "end": …, "suite": …, "task": …, "scene": …, "planner": …,
     "control_flow": […], "vector": "…"}

A vector is the goal's embedding: little-endian 32-bit floats in base64. It is stored, so that a
memory loads fast and gives the same examples on every machine.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from ....data_files import draft_of, json_data, json_line, lines_of, read_text
from ....errors import BadInput
from .episodic import EpisodicMemory, Experience, MemoryHeader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = "peephole memory"
VERSION = 1
_STRICT = ConfigDict(extra="forbid")
#: The tolerance of the unit length of vectors.
_TOLERANCE = 1e-3
_MOST_DIMENSIONS = 100_000


@dataclass(frozen=True)
class _Header(MemoryHeader):
    """The first line."""

    __pydantic_config__ = _STRICT

    format: str
    version: int


@dataclass(frozen=True)
class _Line(Experience):
    """A line after the first."""

    __pydantic_config__ = _STRICT

    vector: str = ""


def write_memory(memory: EpisodicMemory, path: Path) -> None:
    """Write a memory's file, whole or not at all. Raises BadInput where it cannot be written."""
    try:
        with draft_of(path) as draft, draft.open("w", encoding="utf-8") as file:
            for line in _lines(memory):
                file.write(json_line(line))
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written ({error.strerror}); choose another --out."
        ) from None


def _lines(memory: EpisodicMemory) -> Iterator[dict[str, Any]]:
    yield {"format": FORMAT, "version": VERSION, **asdict(memory.header)}
    for experience, vector in zip(memory.experiences, memory.vectors, strict=True):
        packed = base64.b64encode(vector.astype("<f4").tobytes()).decode()
        yield {**asdict(experience), "vector": packed}


def read_memory(path: Path) -> EpisodicMemory:
    """Read a memory's file. Raises BadInput, which says in one sentence what is wrong."""
    import numpy as np

    try:
        lines = lines_of(read_text(path))
    except UnicodeDecodeError:
        lines = []
    except OSError as error:
        raise BadInput(
            f"The memory {path} cannot be read ({error.strerror}); correct its name, or make it "
            f"with: peephole memory build RUN… --out FILE."
        ) from None
    header = _header(path, lines[0] if lines else "")
    experiences: list[Experience] = []
    vectors = np.zeros((len(lines) - 1, header.dimensions), np.float32)
    for number, line in enumerate(lines[1:], start=2):
        experience, vector = _experience(path, number, line, header)
        experiences.append(experience)
        vectors[number - 2] = vector
    if len(experiences) != header.experiences:
        raise BadInput(
            f"The memory {path} has {len(experiences)} of the {header.experiences} experiences "
            f"in its header; restore the file or build it again."
        )
    memory = EpisodicMemory(experiences, vectors, header.dialect, header.embedder)
    for name, value in asdict(memory.header).items():
        if experiences and value != getattr(header, name):
            raise _damaged(path, 1, f"'{name}' differs from the experiences")
    return memory


def _header(path: Path, line: str) -> _Header:
    try:
        data = json_data(line)
    except ValueError:
        data = None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadInput(
            f"{path} is no memory: its first line is not the header of one; make one with: "
            f"peephole memory build RUN… --out FILE."
        )
    if data.get("version") != VERSION:
        raise BadInput(
            f"The memory {path} has the version {data.get('version')!r}, and this peephole reads "
            f"version {VERSION}; build it again."
        )
    header: _Header = _checked(_Header, line, path, 1)
    if header.dimensions < 1:
        raise _damaged(path, 1, "'dimensions' is less than 1")
    if header.dimensions > _MOST_DIMENSIONS:
        raise _damaged(path, 1, f"'dimensions' is more than {_MOST_DIMENSIONS}")
    return header


def _experience(
    path: Path, number: int, line: str, header: _Header
) -> tuple[Experience, NDArray[np.float32]]:
    """The experience of a line, and its vector."""
    import numpy as np

    stored: _Line = _checked(_Line, line, path, number)
    try:
        packed = base64.b64decode(stored.vector, validate=True)
    except (binascii.Error, ValueError):
        raise _damaged(path, number, "its vector is not base64") from None
    if len(packed) != 4 * header.dimensions:
        raise _damaged(
            path, number, f"its vector has {len(packed) / 4:g} of {header.dimensions} dimensions"
        )
    vector = np.frombuffer(packed, "<f4")
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not (abs(length - 1) < _TOLERANCE or length == 0):  # no number fails too
        raise _damaged(path, number, f"its vector is of length {length:.4g}, not 1")
    fields = {name: getattr(stored, name) for name in Experience.__dataclass_fields__}
    return Experience(**fields), vector


@cache
def _reader(form: type) -> TypeAdapter[Any]:
    return TypeAdapter(form)


def _checked(form: type, line: str, path: Path, number: int) -> Any:
    try:
        return _reader(form).validate_json(line, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        mistake = (
            "it is not JSON" if first["type"] == "json_invalid" else f"'{where}': {first['msg']}"
        )
        raise _damaged(path, number, mistake) from None


def _damaged(path: Path, line: int, what: str) -> BadInput:
    return BadInput(
        f"The memory {path} is damaged in line {line}: {what}; restore the file or build it again."
    )
