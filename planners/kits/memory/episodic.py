"""Episodic memory: earlier episodes as examples for later ones.

After Choi et al., ReAcTree (2025), section 4.2. An experience is the text of an agent's work on a
goal, from a successful episode. Experiences with the most similar goals are examples for a goal.
`memory_file` describes the files.
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
from ....models.embedding import DEFAULT, embedder
from ....scene_graph.task import scene_digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...contract import Preparation

#: A memory's file as an option of a planner; absolute, so valid in any working directory.
MemoryPath = Annotated[Path, AfterValidator(lambda path: path.expanduser().resolve())]

End = Literal["success", "failure", "expand"]
ENDS: tuple[End, ...] = get_args(End)
#: The most tokens of all examples, as in the paper.
TOKENS = 5000
#: Bytes per token, see `estimated_tokens`.
BYTES_PER_TOKEN = 3
#: Similarities with a smaller difference count as equal.
_SAME = 1e-5


@dataclass(frozen=True)
class Experience:
    """The work of one agent on one goal."""

    goal: str
    """In words."""
    text: str
    """As in the planner's prompts."""
    end: End
    """The outcome; "expand" where the goal was split into subgoals."""
    suite: str
    """The suite of the episode."""
    task: str
    """The task of the episode."""
    scene: str
    """The scene of the episode, as `Task.base_scene`."""
    planner: str
    """The planner that worked."""
    control_flow: tuple[str, ...] = ()
    """The control flow types on offer, sorted; empty where a text is a whole episode."""


@dataclass(frozen=True)
class MemoryHeader:
    """The header of a memory."""

    embedder: str
    """The name of the embedder of the vectors."""
    dialect: str
    """The dialect of the texts."""
    planners: tuple[str, ...]
    """The planners of the experiences."""
    control_flow: tuple[str, ...]
    """The control flow types, as in each experience."""
    suites: tuple[str, ...]
    """The suites of the experiences."""
    scenes: tuple[str, ...]
    """The scenes of the experiences."""
    experiences: int
    """Their number."""
    dimensions: int
    """The length of a vector."""


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
            listed = " and ".join(f"({', '.join(setting) or 'none'})" for setting in settings)
            raise BadInput(
                f"These experiences are of several settings of control flow: {listed}; build one "
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
        """The memory of a file. Raises BadInput for other and damaged files."""
        from .memory_file import read_memory

        return read_memory(path)

    def save(self, path: Path) -> None:
        """Write the memory's file, whole or not at all. Raises BadInput."""
        from .memory_file import write_memory

        write_memory(self, path)

    def retrieve(self, goal: str, tokens: int = TOKENS, seed: int = 0) -> list[Experience]:
        """The experiences with the most similar goals, most similar first.

        tokens: the limit of their sum (`estimated_tokens`). The first experience that does not fit
        ends the list; one above the whole limit is skipped. Equally similar ones are spread evenly
        over the end states, at random by `seed`. Raises Missing where the memory's embedder is not
        installed.
        """
        if not self.experiences:
            return []
        examples: list[Experience] = []
        left = tokens
        # an upper bound on the number of experiences that use up the tokens
        most = tokens // int(self._tokens.min()) + int((self._tokens > tokens).sum()) + 1
        for index in self._by_similarity(goal, most, random.Random(seed)):
            needed = self._tokens[index]
            if needed > tokens:
                continue
            if needed > left:
                break
            left -= needed
            examples.append(self.experiences[index])
        return examples

    def _by_similarity(self, goal: str, most: int, chance: random.Random) -> Iterator[int]:
        """The indices of the most similar experiences, and of those that tie with them."""
        import numpy as np

        vector = embedder(self.header.embedder).embed([goal])[0]
        # in one thread: on a busy machine BLAS with more threads takes ten times as long
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
    """Order equally similar experiences in rounds, one per end state, at random."""
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
    """The estimated tokens of a text: one per three bytes of UTF-8, at least one.

    Today's tokenizers take about four characters of plain English per token. These texts have many
    names and numbers, which make shorter tokens.
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

    planners: whose experiences can be examples; None for all. control_flow: the control flow types
    of this run; None where they do not matter. seen_scenes: whether scenes of the memory may be
    played, as in ALFRED's split valid_seen.

    Raises BadInput where the run plays a scene of the memory, or the memory does not fit otherwise.
    """
    memory = load(path)
    header = memory.header
    shared = sorted(s for s in header.scenes if scene_digest(s) in preparation.scenes)
    if shared and not seen_scenes:
        more = f" and {len(shared) - 1} more" if len(shared) > 1 else ""
        raise BadInput(
            f"The memory {path} has experiences in {shared[0]}{more}, which this run plays; build "
            f"one from runs in other scenes, such as those of a training suite."
        )
    if header.dialect != preparation.dialect:
        raise BadInput(
            f"The memory {path} has the dialect {header.dialect}, and this run has "
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
    """As `EpisodicMemory.load`; an unchanged file is read once per process."""
    try:
        status = path.stat()
    except OSError:
        return EpisodicMemory.load(path)  # which says what is wrong
    key = (path.resolve(), status.st_mtime_ns, status.st_size)
    memory = _LOADED.get(key)
    if memory is None:
        memory = EpisodicMemory.load(path)
        _LOADED.clear()
        _LOADED[key] = memory
    return memory


def _each(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))
