"""Whether a text speaks of things of a category, in the singular or in the plural."""

from __future__ import annotations

import re
from functools import cache


def speaks_of(text: str, category: str) -> bool:
    """Whether a text has a category's words, one after the other, whatever their endings."""
    return _pattern(category).search(text) is not None


@cache
def _pattern(category: str) -> re.Pattern[str]:
    *first, last = category.split() or [""]
    words = [*map(re.escape, first), _with_any_ending(last)]
    return re.compile(rf"(?<!\w){' '.join(words)}(?!\w)", re.IGNORECASE)


def _with_any_ending(word: str) -> str:
    """A word, or its plural: knife and knives, loaf and loaves, berry and berries."""
    forms = {re.escape(word) + "(?:s|es)?"}
    for ending, plural in (("fe", "ves"), ("f", "ves"), ("y", "ies")):
        if word.endswith(ending):
            forms.add(re.escape(word.removesuffix(ending) + plural))
    return f"(?:{'|'.join(sorted(forms))})"
