"""The prompt for a whole plan, and examples for it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from ....models.contract import Message
from ....skills.actions import Verb
from ...contract import Brief, Percept
from ..memory import episodic
from ..prompting.body import body_values
from ..prompting.conversation import prompt
from ..prompting.templates import Templates
from .house import described
from .reading import PlanOptions
from .skills import DONE, VERBS, Skill, Skills

_PROMPTS = Templates(__file__)


class PlanPrompt:
    """The prompt of a planner that plans a task as a whole.

    skills: of its plans. most: the most lines of one.
    """

    def __init__(
        self, brief: Brief, percept: Percept, options: PlanOptions, *, line_by_line: bool = False
    ) -> None:
        """line_by_line: ask for one line."""
        self.skills = skills = Skills(brief, options.embedder)
        self.most = min(options.plan_length, brief.budgets.steps)
        examples: Sequence[str] = ()
        if options.memory is not None:
            memory = episodic.load(options.memory)
            experiences = memory.retrieve(brief.instruction, seed=brief.seed)
            examples = [example.text for example in experiences]
        body = body_values(brief, VERBS)
        self._system = _PROMPTS.render(
            "system",
            verbs=", ".join(skills.verbs),
            done=DONE.text,
            line_by_line=line_by_line,
            **body,
            slicing=Verb.SLICE in brief.actions,
            fixed_examples=f"examples_{brief.dialect if body['walks'] else 'in_reach'}.jinja",
            examples=examples,
        )
        self._task = as_asked(described(brief, percept), brief.instruction)

    def messages(self, lines: Sequence[str] = ()) -> list[Message]:
        """The messages of a question. lines: the plan so far."""
        return prompt(self._system, "\n".join([self._task, *lines]))

    def plan_of(self, lines: Sequence[str]) -> list[Skill]:
        """The skills of a plan's lines up to its end."""
        skills = map(self.skills.meant_by, lines[: self.most])
        return [*takewhile(lambda skill: skill != DONE, skills)]


def as_asked(house: str, instruction: str) -> str:
    """A task as in prompts and examples; the plan follows."""
    return f"{house}\nYour task is to: {instruction}\nPlan:"


def as_example(house: str, instruction: str, lines: Sequence[str]) -> str:
    """A task with its plan."""
    return "\n".join([as_asked(house, instruction), *lines, DONE.text])
