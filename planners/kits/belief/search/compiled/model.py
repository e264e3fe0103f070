"""How a model plugs into the compiled searches without losing what is kept on disk.

A model is a module of compiled functions, its kernels, over rows of an array of states:

    step(data, states, row, action, key) -> (observation, reward, done)   changes the row
    legal(data, states, rows, start, count, actions) -> how many it wrote into `actions`
    rollout(data, states, rows, start, count, key) -> action
    upper(data, states, row) -> float
    lower(data, states, row) -> float

    random_action(data, states, rows, row, number, actions) -> action, by a number in [0, 1): may
        be left out; it is drawn from what `legal` lists, and has to be the same

`actions` has room for twice the most actions, the second half to work in.
`rows[start:start + count]` are the states that share a history, the likelier hypothesis first; an
observation is 64 bits; all chance comes from the key, through `streams.uniform(key, number)`. The
problem's arrays and numbers are in `data`, a named tuple.

numba keeps compiled functions by the file that they stand in, and notices a change of that file
alone. So a search is a template: its source is run once a model as a module of its own, named after
a digest of all the sources, with the model's kernels in it. What was compiled is found again in the
next process, and a change of a model or of the search compiles anew. A kernels module imports
nothing compiled but what is in this folder: the digest covers no more.
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
    """A model as kernels and arrays.

    encode: states as rows of an array of `state_type`. discount, max_actions: as the kernels take
    them.
    """

    kernels: ModuleType
    data: Any
    encode: Callable[[Sequence[StateT]], Any]
    state_size: int
    state_type: Any
    max_actions: int
    discount: float

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
    sys.modules[name] = module  # where numba looks up what it kept on disk
    spec.loader.exec_module(module)
    return module


def with_rollout(kernels: ModuleType, rollout: Callable[..., int], source: str) -> ModuleType:
    """The kernels with another rollout policy. source: its text, by which it is kept apart."""
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    module = ModuleType(f"{kernels.__name__}_{digest}")
    for function in FUNCTIONS:
        if hasattr(kernels, function):
            setattr(module, function, getattr(kernels, function))
    module.__dict__.update(rollout=rollout, SOURCE=_source(kernels) + source)
    return module


def _source(kernels: ModuleType) -> str:
    """The text that a kernels module was made from."""
    source: str | None = getattr(kernels, "SOURCE", None)
    return inspect.getsource(kernels) if source is None else source


def _digest(kernels: ModuleType) -> str:
    """What names an instance: all the sources that are compiled into it."""
    digest = hashlib.sha256(kernels.__name__.encode())
    for path in sorted(_FOLDER.glob("*.py")):
        digest.update(path.read_bytes())
    digest.update(_source(kernels).encode())
    return digest.hexdigest()[:16]
