"""Counts in words, as instructions have them: a small model compares tokens."""

from __future__ import annotations

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def number_word(count: int) -> str:
    """The word for a count, "two"; from ten on its digits."""
    return _WORDS[count] if count < len(_WORDS) else str(count)
