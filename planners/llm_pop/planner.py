"""The planner `llm_pop`: rounds of planning, acting and evaluating with a language model.

After Sun et al., LLM-POP (2023), section 4.1 and appendices A.1 and A.2. In each round the
evaluator judges whether the task is fulfilled and analyses what is missing, what is new and what
failed; the planner then gives an explanation and a sequence of actions, which are carried out up
to the first that fails. Both see the environment, the action options, the output rules, the task
and all rounds so far with their observations. Variants: `llm_pop_no_evaluator` (the paper's
ablation "w/o E"; the planner says itself when it is done), and `llm_pop_cot`, which asks small
models three questions in turn (section 4.2). The prompts are Peephole's own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...observation_text.dialects.blocks.dialect import TABLE
from ..contract import Act, Brief, Decision, Decisions, Done, GiveUp, Note, Percept, Planner
from ..model import ContextFull, Message, Model, NoAnswer
from . import grammar as grammar
from .grammar import ActionPlan, Evaluation, Unreadable
from .history import Round, question, told

if TYPE_CHECKING:
    from jinja2 import Environment

DIALECTS = ("blocks",)
#: Rounds of an episode, and replies taken to one question.
ROUNDS, REPLIES = 12, 5
#: What is quoted of a reply that cannot be read.
_QUOTED = 2000

_T = TypeVar("_T")
_Step = Generator[Decision, Percept, _T]


def plan(brief: Brief, percept: Percept, *, evaluator: bool = True) -> Decisions:
    """Rounds of evaluation, plan and actions, until the model says that the task is done."""
    talk = _Talk(brief, percept)
    for _ in range(ROUNDS):
        evaluation: Evaluation | None = None
        try:
            if evaluator:
                evaluation = yield from talk.evaluation()
                if evaluation.success:
                    yield Done(evaluation.text)
                    return
            planned = yield from talk.plan(evaluation)
        except NoAnswer as error:
            yield GiveUp(str(error))
            return
        if not planned.actions:
            yield Done(planned.explain)
            return
        yield from talk.carry_out(planned)
    yield GiveUp(f"The task is not done after {ROUNDS} rounds.")


def plan_cot(brief: Brief, percept: Percept) -> Decisions:
    """Ask what is missing, how to find it out and how to solve the task, each when it is due.

    The episode ends after the actions that are to solve the task, unless one of them failed.
    """
    talk = _Talk(brief, percept)
    for _ in range(ROUNDS):
        try:
            judged = yield from talk.answer(1)
            enough = judged.explain.lower().startswith("yes")
            talk.rounds.append(Round(judged.explain))
            planned = yield from talk.answer(3 if enough else 2)
        except NoAnswer as error:
            yield GiveUp(str(error))
            return
        went_well = yield from talk.carry_out(planned)
        if enough and went_well:
            yield Done(planned.explain)
            return
    yield GiveUp(f"The task is not done after {ROUNDS} rounds.")


class _Talk:
    """What was done so far, and the questions about it."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        assert brief.models, "llm_pop asks a model"
        arm = percept.view.arm
        self.model: Model = brief.model
        self.task = brief.instruction
        self.numbers = 7 if arm is None else len(arm.pose)
        first, _, rest = percept.text.partition("\n")
        told_table = first.startswith(TABLE)
        self.table = first if told_table else ""
        self.current = rest if told_table else percept.text
        self.rounds: list[Round] = []

    def evaluation(self) -> _Step[Evaluation]:
        found = yield from self._ask("evaluator", {}, grammar.read_evaluation)
        explain = f"{'Yes' if found.enough else 'No'}. {' '.join(found.text.split())}"
        yield Note("belief", found.text, {} if found.success else _asked(1, explain, ()))
        return found

    def plan(self, evaluation: Evaluation | None) -> _Step[ActionPlan]:
        values = {
            "evaluation": evaluation.text if evaluation else "",
            "evaluator": evaluation is not None,
        }
        read = partial(grammar.read_plan, may_end=evaluation is None)
        found = yield from self._ask("planner", values, read)
        data = {}
        if evaluation is not None:
            data = _asked(3 if evaluation.enough else 2, found.explain, found.actions)
        yield Note("plan", found.explain, data)
        return found

    def answer(self, number: int) -> _Step[ActionPlan]:
        """The answer to one of the three questions."""
        read = partial(grammar.read_answer, acts=number != 1)
        found = yield from self._ask("cot", {"question": number}, read)
        kind = "belief" if number == 1 else "plan"
        yield Note(kind, found.explain, _asked(number, found.explain, found.actions))
        return found

    def carry_out(self, planned: ActionPlan) -> _Step[bool]:
        """Do the actions up to the first that fails; whether none did."""
        this = Round(planned.explain)
        self.rounds.append(this)
        for index, action in enumerate(planned.actions):
            percept = yield Act(action)
            if percept.refused is not None:
                this.done.append((action, f"Refused: {percept.refused}\n{self.current}"))
            else:
                this.done.append((action, percept.text))
                self.current = percept.text.partition("\n")[2]  # without "Done." or the failure
            if percept.outcome is None or not percept.outcome.success:
                this.left = planned.actions[index + 1 :]
                return False
        return True

    # --- asking ----------------------------------------------------------------------------

    def _ask(self, what: str, values: dict[str, Any], read: Callable[[str], _T]) -> _Step[_T]:
        """Ask until the reply can be read. Raises NoAnswer after REPLIES replies."""
        while True:
            try:
                return self._read(self._messages(what, values), read)
            except ContextFull:
                dropped = (len(self.rounds) + 1) // 2
                if not dropped:
                    raise
                del self.rounds[:dropped]
                yield Note("memory", f"the oldest {dropped} rounds are left out of the prompt")

    def _read(self, messages: list[Message], read: Callable[[str], _T]) -> _T:
        problem = ""
        for _ in range(REPLIES):
            reply = self.model.complete(messages)
            try:
                return read(reply)
            except Unreadable as error:
                problem = str(error)
            messages = [
                *messages,
                {"role": "assistant", "content": reply[:_QUOTED] or "(nothing)"},
                {"role": "user", "content": f"That cannot be used. {problem} Answer again."},
            ]
        raise NoAnswer(f"{self.model.name} gave {REPLIES} unreadable replies: {problem}")

    def _messages(self, what: str, values: dict[str, Any]) -> list[Message]:
        values = {
            "evaluator": True,
            "numbers": self.numbers,
            "table": self.table,
            "task": self.task,
            "rounds": self.rounds,
            "current": self.current,
            **values,
        }
        if what == "cot":
            asked = question(self.task, values["question"])
            user = f"{asked}\n{told(self.current, self.rounds)}"
        else:
            user = _render(f"{what}_task.jinja", values)
        return [
            {"role": "system", "content": _render(f"{what}.jinja", values)},
            {"role": "user", "content": user},
        ]


def _asked(number: int, explain: str, actions: tuple[str, ...]) -> dict[str, Any]:
    """What is exported of an answer to one of the three questions."""
    return {"question": number, "explain": explain, "actions": list(actions)}


def _render(name: str, values: dict[str, Any]) -> str:
    return _prompts().get_template(name).render(values).strip()


@cache
def _prompts() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "prompts"),
        undefined=StrictUndefined,
        autoescape=False,
    )


PLANNER = Planner(
    name="llm_pop",
    summary="a language model that plans for an arm and evaluates what it learned (LLM-POP)",
    plan=plan,
    dialects=DIALECTS,
    models=("planner",),
)
NO_EVALUATOR = Planner(
    name="llm_pop_no_evaluator",
    summary="LLM-POP without its evaluator, the paper's ablation",
    plan=partial(plan, evaluator=False),
    dialects=DIALECTS,
    models=("planner",),
)
COT = Planner(
    name="llm_pop_cot",
    summary="LLM-POP for small models: three questions in turn",
    plan=plan_cot,
    dialects=DIALECTS,
    models=("planner",),
)
