"""The state that a model keeps in `llm_state`: key objects with attributes, and a summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

#: What stands for the attributes of an object of which nothing was said.
_NOTHING = "[]"


@dataclass
class OpenState:
    """The key objects, which are only ever added, with their attributes ("" for none); a summary.

    Attributes and summary are made anew from the whole history each time, so that a wrong one is
    not carried on (section IV-C2).
    """

    attributes: dict[str, str] = field(default_factory=dict)
    summary: str = ""

    def add(self, names: Iterable[str]) -> tuple[str, ...]:
        """Add key objects; those that are new."""
        new = tuple(dict.fromkeys(name for name in names if name not in self.attributes))
        self.attributes.update(dict.fromkeys(new, ""))
        return new

    def forget_estimate(self) -> None:
        """Leave only the names of the key objects."""
        self.attributes = dict.fromkeys(self.attributes, "")
        self.summary = ""

    def names_told(self) -> str:
        """The key objects alone."""
        return "\n".join(f"{name}: {_NOTHING}" for name in self.attributes)

    def told(self) -> str:
        """The state as a policy reads it."""
        lines = [f"{name}: {value or _NOTHING}" for name, value in self.attributes.items()]
        if self.summary:
            lines += ["", f"Reasoning: {self.summary}"]
        return "\n".join(lines).strip()
