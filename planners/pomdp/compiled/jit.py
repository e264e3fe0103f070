"""Compilation by numba, which has no types of its own: the one module that imports it."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ....errors import Missing

try:
    import numba
except ImportError as error:
    raise Missing(
        "The compiled search needs numba; get it with: pip install 'peephole[search]'"
    ) from error

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile what Python calls; kept on disk, run without the interpreter lock.

    numba names what it keeps after the file and the function. In an instance of a template (see
    `.model`) the digest is added, or one model would be given what was compiled for another.
    """
    digest = function.__globals__.get("DIGEST")
    if digest is not None:
        function.__qualname__ += f"_{digest}"
    decorated: Callable[P, R] = numba.njit(cache=True, nogil=True)(function)
    return decorated


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile what compiled functions alone call: it is kept on disk as a part of those.

    Without the wrapper that lets Python call it, it compiles in a fraction of the time.
    """
    return _inner(function, inline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As `inner`, for small functions that are called often.

    A call passes every field of every array on its own, which takes longer than a step of a model.
    """
    return _inner(function, inline=True)


def _inner(function: Callable[P, R], *, inline: bool) -> Callable[P, R]:
    decorated: Callable[P, R] = numba.njit(
        nogil=True, forceinline=inline, no_cpython_wrapper=True, no_cfunc_wrapper=True
    )(function)
    return decorated
