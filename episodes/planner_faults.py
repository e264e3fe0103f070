"""Errors in a planner's code, described for people."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

from ..plugins import first_line

#: Characters of a traceback that are kept, from its end.
_KEPT = 20_000


def fault(of: Callable[..., Any], error: BaseException, suspended: object = None) -> str:
    """An error in one line: type, text, and file and line in the planner's own code.

    of: the planner's function, whose folder is searched. suspended: its generator, where the error
    is in what it yielded.
    """
    kind, text = type(error).__name__, first_line(error)
    line = f"{kind}: {text}" if text else kind
    place = _raised_at(of, error) or _yielded_at(suspended) or _defined_at(of)
    return f"{line} (in {place})" if place else line


def full_traceback(error: BaseException) -> str:
    """The traceback, for the recording."""
    try:
        text = "".join(traceback.format_exception(error))
    except Exception:  # an error whose text raises an error
        text = "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__
    return text[-_KEPT:]


def _raised_at(of: Callable[..., Any], error: BaseException) -> str:
    """The innermost call in the planner's folder, outside packages installed below it."""
    code = _code(of)
    if code is None:
        return ""
    folder = Path(code.co_filename).parent
    found = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        inside = (
            file.is_relative_to(folder) and "site-packages" not in file.relative_to(folder).parts
        )
        if inside or frame.f_code is code:
            found = f"{file}, line {line}"
    return found


def _yielded_at(generator: Any) -> str:
    """Where a generator stands, or the one that it delegates to."""
    found = ""
    while getattr(generator, "gi_frame", None) is not None:
        frame = generator.gi_frame
        found = f"{frame.f_code.co_filename}, line {frame.f_lineno}"
        generator = generator.gi_yieldfrom
    return found


def _defined_at(of: Callable[..., Any]) -> str:
    code = _code(of)
    return "" if code is None else f"{code.co_filename}, line {code.co_firstlineno}"


def _code(of: Any) -> CodeType | None:
    """The code of a function, of a partial's function, or of a callable object."""
    while isinstance(of, functools.partial):
        of = of.func
    found = getattr(of, "__code__", None) or getattr(type(of).__call__, "__code__", None)
    return found if isinstance(found, CodeType) else None
