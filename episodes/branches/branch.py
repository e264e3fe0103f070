"""What run.json has of a branch."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import BadInput


class NotBranched(BadInput):
    """A recorded episode cannot be played to a step, or not be changed there as wanted."""


@dataclass(frozen=True)
class Branch:
    """Where a run branches from the episode of another run, and what it changes."""

    parent: str
    """Folder of that run."""
    digest: str
    """SHA-256 of the parent's recording up to the step; see `parent.digest_of`."""
    lines: int
    """So many lines of the parent's file are up to the step."""
    episode: int
    """Number of the episode in the parent."""
    step: int
    """The first step that is not repeated, from 1."""
    seed: int
    """Seed of the world and of the planner; the seeds of repeats are those of models."""
    change: str
    """What is changed, in words."""
    taken: int
    """So many events of the parent's episode begin each episode; 0 where another planner takes
    over, which has a recording of its own from the start."""
    action: str = ""
    """The action that is done at the step, in the dialect; "" for the planner's own."""
    any_question: bool = False
    """Whether recorded replies answer the planner's questions by number alone, since an option or
    a model was changed that may change the questions."""

    @property
    def text(self) -> str:
        """What the run is, for its label."""
        return f"branch at step {self.step}: {self.change}"
