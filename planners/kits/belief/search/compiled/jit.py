"""Compilation by numba: the one module that imports it.

Compiled code has its own types; mypy sees none beyond this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ......errors import Missing
from ......installed import Lack

try:
    import numba
    import numba.extending
except ImportError as error:
    raise Missing(Lack("The compiled search needs numba", "search")) from error

#: The integers of compiled code; smaller ones of arrays are converted before calculation.
int64: Any = np.int64
_njit: Any = numba.njit
_intrinsic: Any = numba.extending.intrinsic
_types: Any = numba.types


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that Python calls; kept on disk, runs without the interpreter lock.

    numba names its files after the source file and the function. An instance of a template (see
    `.model`) adds its digest, so that each model gets its own code.
    """
    digest = function.__globals__.get("DIGEST")
    if digest is not None:
        function.__qualname__ += f"_{digest}"
    decorated: Callable[..., Any] = _njit(cache=True, nogil=True, error_model="numpy")(function)
    return decorated


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that only compiled functions call; kept on disk as a part of those.

    Without a wrapper for Python it compiles in a fraction of the time.
    """
    return _inner(function, inline=False)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a small, frequently called function, as `inner` does, and inline it.

    A call passes every field of every array by itself, which takes longer than a step of a model.
    """
    return _inner(function, inline=True)


def _inner(function: Callable[..., Any], *, inline: bool) -> Callable[..., Any]:
    decorated: Callable[..., Any] = _njit(
        nogil=True,
        error_model="numpy",
        forceinline=inline,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )(function)
    return decorated


def _borrowed(_typing: Any, values: Any) -> Any:
    """The same arrays, alone or in named tuples, without reference counts.

    The Python caller keeps them alive. Counting costs more than most steps of a search: every
    access to an array of a tuple would increment and decrement its count.
    """
    return values(values), lambda context, builder, _, given: _uncounted(
        context, builder, values, given[0]
    )


borrowed: Any = _intrinsic(_borrowed)


def _uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A value of a type, its arrays without owners."""
    if isinstance(kind, _types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = array.meminfo.type(None)
        array.parent = array.parent.type(None)
        return array._getvalue()
    if isinstance(kind, _types.BaseTuple):
        for number, part in enumerate(kind):
            field = _uncounted(context, builder, part, builder.extract_value(value, number))
            value = builder.insert_value(value, field, number)
    return value
