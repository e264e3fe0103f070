"""Compilation by numba: the one module that imports it.

Compiled code has its own types, so here end those that mypy sees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import Missing

try:
    import numba
except ImportError as error:
    raise Missing(
        "The compiled search needs numba; get it with: pip install 'peephole[search]'"
    ) from error

#: The integers of compiled code; small ones of arrays become these before they are reckoned with.
int64: Any = np.int64
_njit: Any = numba.njit


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile what Python calls; kept on disk, run without the interpreter lock.

    numba names what it keeps after the file and the function. In an instance of a template (see
    `.model`) the digest is added, or one model would be given what was compiled for another.
    """
    digest = function.__globals__.get("DIGEST")
    if digest is not None:
        function.__qualname__ += f"_{digest}"
    decorated: Callable[..., Any] = _njit(cache=True, nogil=True)(function)
    return decorated


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile what compiled functions alone call: it is kept on disk as a part of those.

    Without the wrapper that lets Python call it, it compiles in a fraction of the time.
    """
    return _inner(function, inline=False)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `inner`, for small functions that are called often.

    A call passes every field of every array on its own, which takes longer than a step of a model.
    """
    return _inner(function, inline=True)


def _inner(function: Callable[..., Any], *, inline: bool) -> Callable[..., Any]:
    decorated: Callable[..., Any] = _njit(
        nogil=True, forceinline=inline, no_cpython_wrapper=True, no_cfunc_wrapper=True
    )(function)
    return decorated
