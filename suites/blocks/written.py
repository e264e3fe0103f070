"""Instructions about blocks in free words, each with the listed sentence that it means.

The goal of such a task is that of a sentence of `instructions`, since no rule understands free
words. The following is checked: the tags are those that the sentence needs; instruction and
sentence name the same cubes and numbers; the task can be done in some scene.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, cycle

from ...errors import BadInput
from ...observation_text.dialects.blocks.instructions import (
    DESCRIPTIONS,
    FORMS,
    BlockInstruction,
    parse_instruction,
)
from ...scene_graph.task import Task
from .drawing import in_a_scene

#: The tags in written order.
TAGS = ("three", "mass", "fix")
#: Most characters of an instruction.
LONGEST = 300
#: Seconds for which a task may ask to hold a block.
_HOLD = (1, 60)
#: Scenes to try for an instruction: when it is accepted, and when it is played. Then other scenes
#: have their turn.
_TRIES, _TRIES_PLAYED = 10, 100
_TAGGED = re.compile(r"((?:<\w+>\s*)*)(.*)")
_CUBE = re.compile(r"\bcube[A-Z]\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Unfit(BadInput):
    """An instruction that cannot become a task. kind: the kind of error, for counting."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


@dataclass(frozen=True)
class WrittenTask:
    """An instruction without its tags, the tags in written order, and the meaning."""

    words: str
    tags: tuple[str, ...]
    wish: BlockInstruction

    @property
    def instruction(self) -> str:
        """The instruction with its tags, as planners get it."""
        return "".join(f"<{tag}>" for tag in self.tags) + " " * bool(self.tags) + self.words

    @property
    def means(self) -> str:
        """The listed sentence that it means, in the first wording."""
        return self.wish.texts()[0]

    @property
    def own_words(self) -> bool:
        """Whether it is not just a listed sentence."""
        return parse_instruction(self.words) is None

    @property
    def explores(self) -> bool:
        """Whether it needs exploration in the scenes in which it is played."""
        return self.wish.needs_weights or "fix" in self.tags

    def to_data(self) -> dict[str, str]:
        """The task in the format of `--data` of blocks:generated."""
        return {"task": self.instruction, "means": self.means}


def read_written(task: str, means: str) -> WrittenTask:
    """Read an instruction with its tags, and the sentence that it means. Raises Unfit."""
    tagged = _TAGGED.fullmatch(" ".join(task.split()))
    assert tagged is not None, "any line matches"
    given, words = re.findall(r"\w+", tagged[1]), tagged[2].rstrip("* ")
    if unknown := [tag for tag in given if tag not in TAGS]:
        raise Unfit("tags", f"There is no tag <{unknown[0]}>; the tags are <three>, <mass>, <fix>.")
    if not words or len(words) > LONGEST or "<" in words or not words.isprintable():
        raise Unfit(
            "form", f"A task is its tags and then a sentence of at most {LONGEST} characters."
        )
    wish = listed_sentence(means)
    if wish is None:
        raise Unfit("no goal test", f"'{means[:80]}' is none of the listed sentences.")
    found = WrittenTask(words, tuple(tag for tag in TAGS if tag in given), wish)
    _check_agreement(found)
    if wrong := unsuitable(found.tags, wish):
        raise Unfit("tags", wrong)
    return found


def listed_sentence(text: str) -> BlockInstruction | None:
    """The meaning of a listed sentence, with or without full stop; None for another sentence."""
    line = " ".join(text.split())
    return parse_instruction(line) or parse_instruction(f"{line}.")


def _check_agreement(task: WrittenTask) -> None:
    """Raise Unfit where instruction and sentence cannot mean the same."""
    known = parse_instruction(task.words)
    if known is not None and known != task.wish:
        raise Unfit("disagreement", f"'{task.words}' means something else than '{task.means}'.")
    cubes = set(_CUBE.findall(task.words))
    if cubes != set(_CUBE.findall(task.means)):
        raise Unfit("disagreement", "The task and what it means have to name the same cubes.")
    if not set(_NUMBER.findall(task.words)) <= set(_NUMBER.findall(task.means)):
        raise Unfit("disagreement", "The task has a number that is not in what it means.")
    low, high = _HOLD
    if FORMS[task.wish.form].takes_seconds and not low <= task.wish.seconds <= high:
        raise Unfit("impossible", f"A block can be held for {low} to {high} seconds.")


def unsuitable(tags: Sequence[str], wish: BlockInstruction) -> str:
    """Why a sentence cannot be asked for with these tags, or "".

    The rule of `drawing.sentences`, with a reason for the author of a task.
    """
    blocks = 3 if "three" in tags else 2
    weighs, some_fixed = "mass" in tags, "fix" in tags
    form = FORMS[wish.form]
    if blocks not in form.block_counts:
        return f"'{wish.texts()[0]}' is for {_blocks_tag(form.block_counts)}."
    if form.needs_weights and some_fixed:
        return "With <fix> not every block can be weighed; leave <fix> out."
    if wish.needs_weights and not weighs:
        return "Only a task with the tag <mass> can describe blocks by their weight."
    if wish.x and wish.x == wish.y:
        return "The sentence names the same block twice."
    for name in filter(None, (wish.x, wish.y)):
        which = DESCRIPTIONS[name]
        if blocks not in which.block_counts:
            return f"'{name}' is for {_blocks_tag(which.block_counts)}."
        if which.needs_movability and not some_fixed:
            return f"'{name}' needs the tag <fix>."
        if some_fixed and not which.needs_movability:
            return f"With <fix>, tell a block by whether it can be moved, not as '{name}'."
    return ""


def _blocks_tag(counts: Sequence[int]) -> str:
    return "three blocks; write the tag <three>" if 3 in counts else "two blocks; leave <three> out"


# --- scenes --------------------------------------------------------------------------------------


def is_possible(task: WrittenTask, first_scene: int) -> bool:
    """Whether some scene allows it, and needs exploration as its tags say."""
    return _in_a_scene(1, task, count(first_scene), _TRIES) is not None


def written(tasks: Sequence[WrittenTask], first_scene: int, where: str) -> Iterator[Task]:
    """Endless tasks of the instructions in turn, in scenes with increasing seeds. where: the file.

    Raises BadInput for an instruction that no scene suits.
    """
    scenes = count(first_scene)
    for number, task in enumerate(cycle(tasks), start=1):
        made = _in_a_scene(number, task, scenes, _TRIES_PLAYED)
        if made is None:
            raise BadInput(f"{where}: no scene suits '{task.instruction}'; leave it out.")
        yield made


def _in_a_scene(number: int, task: WrittenTask, scenes: Iterator[int], tries: int) -> Task | None:
    for _ in range(tries):
        made = in_a_scene(number, task.instruction, task.tags, task.wish, scenes)
        if made is not None:
            words = "own" if task.own_words else "listed"
            return replace(made, labels={**made.labels, "words": words})
    return None
