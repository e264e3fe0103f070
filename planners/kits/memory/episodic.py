"""Episodic memory: what earlier episodes were like, as examples for later ones.

After Choi et al., ReAcTree (2025), section 4.2: an experience is the text of an agent's work on a
goal, kept from episodes that succeeded; those whose goals are most similar to a goal are examples
for it. The files that hold them are described in `memory_file`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from pydantic import AfterValidator

from ....errors import BadInput
from .embedders import DEFAULT, embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...contract import Preparation

#: A memory's file as an option of a planner; good in any working directory.
MemoryPath = Annotated[Path, AfterValidator(lambda path: path.expanduser().resolve())]

End = Literal["success", "failure", "expand"]
ENDS: tuple[End, ...] = get_args(End)
#: The tokens that examples may take, as in the paper.
TOKENS = 5000
#: Bytes a token, as `estimated_tokens` has it.
BYTES_PER_TOKEN = 3
#: Similarities that differ by less are equal.
_SAME = 1e-5


@dataclass(frozen=True)
class Experience:
    """The work of one agent on one goal.

    text: as the planner's prompts have it. end: how it came out; "expand" where the goal was split
    into subgoals. suite, task, scene: of the episode, the scene as `Task.base_scene` has it.
    planner: who worked. control_flow: the kinds of control flow that goals could be split by,
    sorted; none where a text is a whole episode.
    """

    goal: str
    text: str
    end: End
    suite: str
    task: str
    scene: str
    planner: str
    control_flow: tuple[str, ...] = ()


@dataclass(frozen=True)
class MemoryHeader:
    """What is said of a memory as a whole.

    embedder: the name of what gave the vectors. dialect: of the texts. scenes, suites: where the
    experiences come from. planners: whose they are. control_flow: as of each experience.
    """

    embedder: str
    dialect: str
    planners: tuple[str, ...]
    control_flow: tuple[str, ...]
    suites: tuple[str, ...]
    scenes: tuple[str, ...]
    experiences: int
    dimensions: int


class EpisodicMemory:
    """Experiences with the vectors of their goals, shape (experiences, dimensions), unit length."""

    def __init__(
        self,
        experiences: Sequence[Experience],
        vectors: NDArray[np.float32],
        dialect: str,
        embedder_name: str = DEFAULT,
    ) -> None:
        """Raises BadInput for experiences of several control-flow settings."""
        import numpy as np

        settings = sorted({each.control_flow for each in experiences})
        if len(settings) > 1:
            told = " and of ".join(f"({', '.join(setting) or 'none'})" for setting in settings)
            raise BadInput(
                f"These experiences are of several settings of control flow: of {told}; build one "
                f"memory for each."
            )
        self.experiences = tuple(experiences)
        self.vectors = vectors
        self.header = MemoryHeader(
            embedder=embedder_name,
            dialect=dialect,
            planners=_each(each.planner for each in experiences),
            control_flow=settings[0] if settings else (),
            suites=_each(each.suite for each in experiences),
            scenes=_each(each.scene for each in experiences),
            experiences=len(self.experiences),
            dimensions=int(vectors.shape[1]),
        )
        self._tokens = np.array([estimated_tokens(each.text) for each in experiences], dtype=int)

    @classmethod
    def build(
        cls, experiences: Sequence[Experience], dialect: str, embedder_name: str = DEFAULT
    ) -> EpisodicMemory:
        """A memory of experiences whose goals are embedded now.

        Raises Missing where the embedder is not installed, and BadInput as the class does.
        """
        vectors = embedder(embedder_name).embed([each.goal for each in experiences])
        return cls(experiences, vectors, dialect, embedder_name)

    @classmethod
    def load(cls, path: Path) -> EpisodicMemory:
        """The memory of a file. Raises BadInput for what is no such file or is damaged."""
        from .memory_file import read_memory

        return read_memory(path)

    def save(self, path: Path) -> None:
        """Write the memory's file, whole or not at all. Raises BadInput."""
        from .memory_file import write_memory

        write_memory(self, path)

    @property
    def scenes(self) -> frozenset[str]:
        return frozenset(self.header.scenes)

    def retrieve(self, goal: str, tokens: int = TOKENS, seed: int = 0) -> list[Experience]:
        """The experiences with the most similar goals, the most similar first.

        As many as fit into so many tokens (`estimated_tokens`): the first that does not fit ends
        the list, but one that is longer than all of it is passed over. Equally similar ones are
        spread uniformly over the end states; seed: of that.
        Raises Missing where the memory's embedder is not installed.
        """
        if not self.experiences:
            return []
        found: list[Experience] = []
        left = tokens
        for index in self._by_similarity(goal, self._most(tokens), random.Random(seed)):
            needed = self._tokens[index]
            if needed > tokens:
                continue
            if needed > left:
                break
            left -= needed
            found.append(self.experiences[index])
        return found

    def _most(self, tokens: int) -> int:
        """More experiences than can be looked at before the tokens are used up."""
        passed_over = int((self._tokens > tokens).sum())
        return tokens // int(self._tokens.min()) + passed_over + 1

    def _by_similarity(self, goal: str, most: int, chance: random.Random) -> Iterator[int]:
        """The indices of the so many most similar experiences, and of those that tie with them."""
        import numpy as np

        vector = embedder(self.header.embedder).embed([goal])[0]
        # by one thread: BLAS waits for its others, which on a busy machine takes ten times as long
        similarities = np.einsum("ij,j->i", self.vectors, vector)
        last = max(0, len(similarities) - most)
        least = np.partition(similarities, last)[last]
        near = np.flatnonzero(similarities >= least - _SAME)
        order = near[(-similarities[near]).argsort(kind="stable")]
        levels = (similarities / _SAME).round()
        for _, tied in groupby(order.tolist(), key=lambda index: levels[index]):
            yield from _spread([*tied], self.experiences, chance)


def _spread(
    tied: Sequence[int], experiences: Sequence[Experience], chance: random.Random
) -> Iterator[int]:
    """Equally similar experiences: rounds of one of each end state, all in random order."""
    by_end: dict[str, list[int]] = {}
    for index in tied:
        by_end.setdefault(experiences[index].end, []).append(index)
    for members in by_end.values():
        chance.shuffle(members)
    while by_end:
        ends = sorted(by_end)
        chance.shuffle(ends)
        for end in ends:
            yield by_end[end].pop()
        by_end = {end: members for end, members in by_end.items() if members}


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: one for every three bytes of UTF-8, and one at least.

    Tokenizers of today's models take four characters of plain English for a token, but the names
    and numbers of observations, in which these texts abound, make shorter ones.
    """
    return max(1, -(-len(text.encode()) // BYTES_PER_TOKEN))


def load_for(
    preparation: Preparation,
    path: Path,
    *,
    planners: Iterable[str] | None = None,
    control_flow: Iterable[str] | None = None,
    seen_scenes: bool = False,
) -> EpisodicMemory:
    """The memory of a file, checked to fit a run.

    planners: whose experiences can be examples; None for anybody's. control_flow: the kinds that
    goals can be split by in this run; None where that does not matter. seen_scenes: whether scenes
    of the memory may be played, for splits that are meant so, as ALFRED's valid_seen.
    Raises BadInput where the memory holds a scene that is played, or does not fit otherwise.
    """
    memory = load(path)
    header = memory.header
    shared = sorted(memory.scenes & preparation.scenes)
    if shared and not seen_scenes:
        more = f" and {len(shared) - 1} more" if len(shared) > 1 else ""
        raise BadInput(
            f"The memory {path} has experiences in {shared[0]}{more}, which this run plays; build "
            f"one from runs in other scenes, such as those of a training suite."
        )
    if header.dialect != preparation.dialect:
        raise BadInput(
            f"The memory {path} is told in the dialect {header.dialect}, this run in "
            f"{preparation.dialect}; choose --dialect {header.dialect} or another memory."
        )
    others = set(header.planners) - set(header.planners if planners is None else planners)
    if others:
        raise BadInput(
            f"The memory {path} has experiences of {', '.join(sorted(others))}, which are no "
            f"examples for this planner; build one of runs of {', '.join(sorted(planners or ()))}."
        )
    wanted = header.control_flow if control_flow is None else tuple(sorted(control_flow))
    if header.control_flow != wanted:
        raise BadInput(
            f"The memory {path} was built with the control flow "
            f"({', '.join(header.control_flow) or 'none'}), and this run has "
            f"({', '.join(wanted) or 'none'}); build one memory for each setting."
        )
    return memory


_LOADED: dict[tuple[Path, int, int], EpisodicMemory] = {}


def load(path: Path) -> EpisodicMemory:
    """As `EpisodicMemory.load`; a file that has not changed is read once a process."""
    try:
        status = path.stat()
    except OSError:
        return EpisodicMemory.load(path)  # which says what is wrong
    key = (path.resolve(), status.st_mtime_ns, status.st_size)
    if key not in _LOADED:
        _LOADED.clear()
        _LOADED[key] = EpisodicMemory.load(path)
    return _LOADED[key]


def _each(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))
