"""Random numbers as a function of where they are drawn: the streams of scenarios.

A key is 64 bits. The keys of a search form a tree: the seed's key, below it one per scenario, and
below that one per depth. A determinised scenario is such a branch. At the same depth it always
draws the same numbers, whatever was drawn before.
"""

from __future__ import annotations

MASK = 2**64 - 1
#: The increment of the generator SplitMix64 (Steele, Lea and Flood, 2014), whose mixer this uses.
INCREMENT = 0x9E3779B97F4A7C15
#: The branch below a step's key for rollout policies, separate from the world's numbers.
POLICY_BRANCH = 1 << 32


def mixed(key: int) -> int:
    """The 64 bits of a key, mixed."""
    key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) & MASK
    return key ^ (key >> 31)


def branch(key: int, number: int) -> int:
    """The child of a key, by its number."""
    return mixed((key + (number + 1) * INCREMENT) & MASK)


def uniform(key: int, number: int) -> float:
    """A number in [0, 1) for a key, by its index."""
    return float(branch(key, number) >> 11) * 2.0**-53


class Stream:
    """The numbers of one key, in order."""

    def __init__(self, key: int) -> None:
        self.key = key
        self._drawn = 0

    def random(self) -> float:
        """The next number, in [0, 1)."""
        self._drawn += 1
        return uniform(self.key, self._drawn - 1)
