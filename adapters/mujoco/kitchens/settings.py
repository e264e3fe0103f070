"""The user's kitchen in physics: one environment variable.

PEEPHOLE_MUJOCO_KITCHEN is a list such as "missed=0.1 pose=0.01 look=no". Without it, perception has
no noise, and the robot looks into what it has opened.
"""

from __future__ import annotations

import math
import os
from dataclasses import asdict, dataclass, fields
from typing import Any

from ....errors import BadInput, unknown_name

VARIABLE = "PEEPHOLE_MUJOCO_KITCHEN"
_SWITCH = {"yes": True, "no": False}


@dataclass(frozen=True)
class Settings:
    """What the robot does by itself, and how well it perceives. Noise is drawn once an action."""

    look: bool = True
    """Whether it takes a stand to look into what it has opened."""
    missed: float = 0.0
    """The probability that a thing in view is not noticed."""
    merged: float = 0.0
    """The probability that of two things side by side one is not told apart."""
    misnamed: float = 0.0
    """The probability that a thing is taken for one of another category."""
    pose: float = 0.0
    """The standard deviation of a perceived position, in m on each axis."""
    certify: bool = False
    """Whether a kitchen is refused in which no way is found to open one of its fronts."""

    @property
    def noisy(self) -> bool:
        """Whether perception has any noise."""
        return any((self.missed, self.merged, self.misnamed, self.pose))

    def to_data(self) -> dict[str, Any]:
        return asdict(self)


def chosen() -> Settings:
    """The settings of the environment. Raises BadInput naming what is wrong."""
    return parse(os.environ.get(VARIABLE, ""))


def parse(text: str) -> Settings:
    """The settings of a text "NAME=VALUE …". Raises BadInput."""
    kinds = {field.name: field.type for field in fields(Settings)}
    values: dict[str, Any] = {}
    for item in text.replace(",", " ").split():
        name, _, value = item.partition("=")
        if name not in kinds:
            raise unknown_name(f"setting in {VARIABLE}", name, kinds)
        values[name] = _switch(name, value) if kinds[name] == "bool" else _number(name, value)
    return Settings(**values)


def _switch(name: str, value: str) -> bool:
    if value not in _SWITCH:
        raise BadInput(f"In {VARIABLE}, {name} is '{value}'; give {name}=yes or {name}=no.")
    return _SWITCH[value]


def _number(name: str, value: str) -> float:
    most = 0.1 if name == "pose" else 1.0
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number <= most:
        raise BadInput(f"In {VARIABLE}, {name} is '{value}'; give a number from 0 to {most:g}.")
    return number
