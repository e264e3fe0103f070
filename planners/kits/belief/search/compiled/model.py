"""How a model plugs into the compiled searches without losing what is kept on disk.

A model is a module of compiled functions, its kernels, over rows of an array of states:

    step(data, states, row, action, key) -> (observation, reward, done)   changes the row
    legal(data, states, rows, start, count, actions) -> how many it wrote into `actions`
    rollout(data, states, rows, start, count, key) -> action
    upper(data, states, row) -> float
    lower(data, states, row) -> float

    random_action(data, states, rows, row, number, actions) -> action, by a number in [0, 1): may
        be left out; then it is drawn from the list of `legal`, with the same result

`actions` holds twice the largest number of actions; the second half is working memory.
`rows[start:start + count]` are the states that share a history, the likelier hypothesis first; an
observation is 64 bits; all chance comes from the key, through `streams.uniform(key, number)`. The
problem's arrays and numbers are in `data`, a named tuple.

numba caches compiled functions by their source file, and notices a change of that file alone. So a
search is a template. Its source runs once per model as a module of its own, with the model's
kernels in it. The module is named after a digest of all the sources. So the next process reuses
the compiled code, and a change of a model or of the search compiles again. A kernels module imports
only compiled code from this folder: the digest covers no more.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Generic

import numpy as np

from ..protocol import StateT

#: The functions of a kernels module.
FUNCTIONS = ("step", "legal", "rollout", "upper", "lower", "random_action")
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class CompiledModel(Generic[StateT]):
    """A model as kernels and arrays."""

    kernels: ModuleType
    """The module of compiled functions."""
    data: Any
    """The problem's arrays and numbers, a named tuple."""
    encode: Callable[[Sequence[StateT]], Any]
    """Converts states to rows of an array of `state_type`."""
    state_size: int
    """Numbers per row."""
    state_type: Any
    """Their numpy type."""
    max_actions: int
    """The largest number of actions in a state."""
    discount: float
    """The weight of a reward one step later."""

    def rows(self, states: Sequence[StateT]) -> Any:
        """States as an array."""
        rows = np.ascontiguousarray(self.encode(states), dtype=self.state_type)
        assert rows.shape == (len(states), self.state_size)
        return rows


@cache
def instantiated(template: str, kernels: ModuleType) -> ModuleType:
    """A template of this folder, by its name, with the kernels of a model."""
    path = _FOLDER / f"{template}.py"
    digest = _digest(kernels)
    name = f"{__package__}.{template}_{digest}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(kernels=kernels, DIGEST=digest)
    sys.modules[name] = module  # numba looks its cached code up here
    spec.loader.exec_module(module)
    return module


def with_rollout(kernels: ModuleType, rollout: Callable[..., int], source: str) -> ModuleType:
    """The kernels with another rollout policy. source: its text, a part of the digest."""
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    module = ModuleType(f"{kernels.__name__}_{digest}")
    for function in FUNCTIONS:
        if hasattr(kernels, function):
            setattr(module, function, getattr(kernels, function))
    module.__dict__.update(rollout=rollout, SOURCE=_source(kernels) + source)
    return module


def _source(kernels: ModuleType) -> str:
    """The source text of a kernels module."""
    source: str | None = getattr(kernels, "SOURCE", None)
    return inspect.getsource(kernels) if source is None else source


def _digest(kernels: ModuleType) -> str:
    """The digest of all sources that are compiled into an instance."""
    digest = hashlib.sha256(kernels.__name__.encode())
    for path in sorted(_FOLDER.glob("*.py")):
        digest.update(path.read_bytes())
    digest.update(_source(kernels).encode())
    return digest.hexdigest()[:16]
