"""Reads plain data (parsed JSON) field by field; every error names the file and the field."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from ..errors import BadInput

_Name = TypeVar("_Name", bound=StrEnum)


#: The largest whole number: that of 64 bits.
_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a document, and its location.

    where: the file or another name of the document. path: such as "nodes[3].kind"; "" for the
    whole. The methods return the value in the requested type, or raise BadInput.
    """

    where: str
    path: str
    value: Any

    def wrong(self, expected: str) -> BadInput:
        """An error with the value found here and what was expected."""
        shown = repr(self.value)
        if len(shown) > 60:
            shown = f"{shown[:57]}..."
        what = self.path or "the document"
        return BadInput(f"In {self.where}, {what} is {shown}; {expected}.")

    def integer(self, least: int | None = None) -> int:
        value = self.value
        # bool is an int in Python, but not in a document
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong("expected a whole number")
        if abs(value) > _LARGEST:
            raise self.wrong(f"expected a whole number up to {_LARGEST}")
        if least is not None and value < least:
            raise self.wrong(f"expected a whole number from {least}")
        return value

    def number(self) -> float:
        value = self.value
        if not isinstance(value, int | float) or isinstance(value, bool) or not _finite(value):
            raise self.wrong("expected a finite number")
        return float(value)

    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value:
            raise self.wrong("expected text")
        return self.value

    def name_of(self, names: type[_Name]) -> _Name:
        """A member of an enumeration, by its name."""
        try:
            return names(self.value)
        except (ValueError, TypeError):
            raise self.wrong(f"expected one of {', '.join(names)}") from None

    def items(self, count: int | None = None) -> list[Field]:
        """The values of a list; count: its required length."""
        if not isinstance(self.value, list | tuple):
            raise self.wrong("expected a list")
        if count is not None and len(self.value) != count:
            raise self.wrong(f"expected a list of {count}")
        return [Field(self.where, f"{self.path}[{i}]", value) for i, value in enumerate(self.value)]

    def entries(
        self, required: Iterable[str], optional: Iterable[str] | None = ()
    ) -> dict[str, Field]:
        """The values of an object by key. All of `required` must be present.

        optional: further keys allowed; None allows any.
        """
        if not isinstance(self.value, dict):
            raise self.wrong("expected an object")
        required = tuple(required)
        of = f" of {self.path}" if self.path else ""
        for key in required:
            if key not in self.value:
                raise BadInput(f"In {self.where}, the field '{key}'{of} is missing; add it.")
        if optional is not None:
            known = (*required, *optional)
            for key in self.value:
                if key not in known:
                    raise BadInput(
                        f"In {self.where}, the field {key!r}{of} is unknown; "
                        f"expected only {', '.join(known)}."
                    )
        before = f"{self.path}." if self.path else ""
        return {
            str(key): Field(self.where, f"{before}{key}", value)
            for key, value in self.value.items()
        }


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False
