"""Whole plans: options of their planners, the prompt for one, and how a reply is read as skills."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from pydantic import BaseModel, Field

from ....models.contract import Message, Unusable
from ....models.embedding import DEFAULT, embedder, missing
from ....skills.actions import Verb
from ...contract import Brief, Decisions, Grant, Percept, Planner, Preparation
from ..memory import episodic
from ..memory.episodic import MemoryPath
from ..prompting.conversation import prompt
from ..prompting.templates import Templates
from .house import described
from .skills import DONE, Skill, Skills

_PROMPTS = Templates(__file__)
PURPOSE = "plan"
#: The planner whose episodes are examples of whole plans.
EXAMPLES_FROM = "zsp_examples"


class PlanOptions(BaseModel):
    """Options of planners that make whole plans."""

    plan_length: int = Field(
        100,
        ge=1,
        description="the most lines of a plan; also limited by the steps of the task",
    )
    memory: MemoryPath | None = Field(
        None,
        description="a memory of examples, made by `peephole memory build` from runs of "
        "zsp_examples; none: two fixed examples",
    )
    seen_scenes: bool = Field(
        False, description="allow scenes of the memory in this run, as in ALFRED's valid_seen"
    )
    embedder: str = Field(
        DEFAULT,
        description="the embedder that compares lines with skills: wordllama, or a model of "
        "sentence-transformers as in the paper",
    )
    map: bool = Field(
        False, description="give the place of every object at the start; not in the paper"
    )


def plan_writer(
    name: str,
    summary: str,
    plan: Callable[[Brief, Percept], Decisions],
    options: type[PlanOptions],
) -> Planner:
    """A planner of whole plans, with all that such planners have in common."""
    return Planner(
        name=name,
        summary=summary,
        plan=plan,
        grants=frozenset({Grant.FIXTURES, Grant.INVENTORY}),
        dialects=("reactree", "reactree_plain", "reactree_thor"),
        models=("planner",),
        options=options,
        prepare=_prepare,
        more_grants=_more_grants,
        missing=missing,
    )


def _more_grants(options: BaseModel) -> frozenset[Grant]:
    """The additional grants of a planner with such options."""
    assert isinstance(options, PlanOptions)
    return frozenset({Grant.MAP}) if options.map else frozenset()


def _prepare(preparation: Preparation) -> Mapping[str, Any]:
    """Check that the memory fits and the embedder is installed. Raises BadInput, Missing."""
    assert isinstance(preparation.options, PlanOptions)
    options = preparation.options
    if options.memory is not None:
        episodic.load_for(
            preparation,
            options.memory,
            planners=(EXAMPLES_FROM,),
            seen_scenes=options.seen_scenes,
        )
    embedder(options.embedder)
    return {}


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
        body = brief.embodiment
        self._system = _PROMPTS.render(
            "system",
            verbs=", ".join(skills.verbs),
            done=DONE.text,
            line_by_line=line_by_line,
            hands=body.hands,
            free_hand_to_open=Verb.OPEN in body.needs_free_hand,
            slicing=Verb.SLICE in brief.actions,
            fixed_examples=f"examples_{brief.dialect}.jinja",
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


def lines_of(reply: str) -> list[str]:
    """The lines of a plan, without a code fence. Raises Unusable for an empty plan."""
    lines = [line.strip() for line in reply.splitlines() if not line.strip().startswith("```")]
    kept = [line for line in lines if any(map(str.isalpha, line)) and line.lower() != "plan:"]
    if not kept:
        raise Unusable("There is no action in it; say one action a line.")
    return kept
