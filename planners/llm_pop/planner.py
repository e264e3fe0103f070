"""The planner `llm_pop`: rounds of planning, acting and evaluating with a language model.

After Sun et al., LLM-POP (2023), section 4.1 and appendices A.1 and A.2. The prompts are Peephole's
own. Their shared part comes first and only grows; output rules and examples come last. So a
server's prompt cache serves both questions of a round.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field

from ...models.contract import LONG_ANSWER
from ...observation_text.dialects.blocks.dialect import TABLE, vector_of
from ..contract import (
    Act,
    Brief,
    Decisions,
    Done,
    GiveUp,
    Internal,
    Note,
    OnlyWith,
    Percept,
    Planner,
    SubPlan,
)
from ..kits.prompting.conversation import ask_within_context, giving_up, prompt
from ..kits.prompting.templates import Templates
from . import grammar
from .grammar import STOP, ActionPlan
from .records import QuestionForm, Round, question, record_input

_PROMPTS = Templates(__file__)
_T = TypeVar("_T")
#: The system prompt of each kind of question.
_SCENES = {"evaluator": "scene", "planner": "scene", "questions": "questions_scene"}
_QUOTED = 200  # characters quoted of text that is ignored


class Options(BaseModel):
    """Options of `llm_pop`."""

    evaluator: Annotated[bool, OnlyWith("questions", "none")] = Field(
        True,
        description="let an evaluator judge and analyse before each plan; false: the planner "
        "itself says when it is done (the paper's ablation w/o E)",
    )
    questions: QuestionForm = Field(
        QuestionForm.NONE,
        description="short questions for small models, instead of evaluator and planner (section "
        "4.2): all three in turn (cot), or the last alone (vanilla)",
    )
    system_prompt: Annotated[bool, OnlyWith("questions", "cot", "vanilla")] = Field(
        True,
        description="add a system prompt on the arm, its actions and the form of answers to the "
        "questions for small models; false: for models fine-tuned as in the paper",
    )
    result_words: bool = Field(
        False,
        description="show the outcome of each action in words too (Done., Failed: …); the paper "
        "shows only poses and forces",
    )
    rounds: int = Field(12, ge=1, description="most rounds of planning and acting in an episode")


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Play rounds until the model says that the task is done."""
    options = brief.options_of(Options)
    episode = _Episode(brief, percept)
    play = episode.evaluate_and_plan if options.evaluator else episode.plan_alone
    if options.questions is QuestionForm.COT:
        play = episode.ask_in_turn
    elif options.questions is QuestionForm.VANILLA:
        play = episode.ask_alone
    for _ in range(options.rounds):
        done = yield from play()
        if done is not None:
            yield Done(done)
            return
    yield GiveUp(f"The task is not done after {options.rounds} rounds.")


class _Episode:
    """The rounds so far. A round returns why the task is done, None where it is not."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        arm = percept.view.arm
        first, _, rest = percept.text.partition("\n")
        with_table = first.startswith(TABLE)
        self.model = brief.model
        options = brief.options_of(Options)
        self.result_words, self.described = options.result_words, options.system_prompt
        self.current = self.first = rest if with_table else percept.text
        self.rounds: list[Round] = []
        self.known = {
            "task": brief.instruction,
            "table": first if with_table else "",
            "numbers": 7 if arm is None else len(arm.pose),
        }

    def evaluate_and_plan(self) -> SubPlan[str | None]:
        """The evaluator, then the planner."""
        judged = yield from self._ask("evaluator", grammar.read_evaluation)
        explain = f"{'Yes' if judged.enough else 'No'}. {' '.join(judged.text.split())}"
        yield Note("belief", judged.text, {} if judged.success else _answered(1, explain))
        yield from _left_unread("belief", judged.ignored)
        if judged.success:
            return judged.text
        yield _verified(judged.enough)
        read = partial(grammar.read_plan, may_end=False)
        planned = yield from self._ask("planner", read, evaluation=judged.text)
        data = _answered(3 if judged.enough else 2, planned.explain, planned.actions)
        yield Note("plan", planned.explain, data)
        yield from _left_unread("plan", planned.ignored)
        yield from self._carry_out(planned)
        return None

    def plan_alone(self) -> SubPlan[str | None]:
        """The planner, which says itself when the task is done."""
        read = partial(grammar.read_plan, may_end=True)
        planned = yield from self._ask("planner", read, evaluation="")
        yield Note("plan", planned.explain)
        yield from _left_unread("plan", planned.ignored)
        if not planned.actions:
            return planned.explain
        yield from self._carry_out(planned)
        return None

    def ask_in_turn(self) -> SubPlan[str | None]:
        """Ask what is missing; then how to find it out, or how to solve the task.

        The task counts as done after the actions that should solve it, unless one failed.
        """
        judged = yield from self._question(1)
        self.rounds.append(Round(judged.explain))
        enough = judged.explain.lower().startswith("yes")
        yield _verified(enough)
        planned = yield from self._question(3 if enough else 2)
        went_well = yield from self._carry_out(planned)
        return planned.explain if enough and went_well else None

    def ask_alone(self) -> SubPlan[str | None]:
        """Ask how to solve the task, until the answer is that there is nothing to do."""
        planned = yield from self._question(3, may_end=True)
        if not planned.actions:
            return planned.explain
        yield from self._carry_out(planned)
        return None

    def _question(self, number: int, *, may_end: bool = False) -> SubPlan[ActionPlan]:
        """The answer to one of the three questions. may_end: it may have no actions."""
        read = partial(grammar.read_answer, acts=number != 1, may_end=may_end)
        answer = yield from self._ask("questions", read, number=number, may_end=may_end)
        name = "belief" if number == 1 else "plan"
        yield Note(name, answer.explain, _answered(number, answer.explain, answer.actions))
        yield from _left_unread(name, answer.ignored)
        return answer

    def _ask(self, name: str, read: Callable[[str], _T], **values: object) -> SubPlan[_T]:
        """The reply, as `read` reads it, to a prompt with all rounds so far."""

        def ask() -> _T:
            shown = {"current": self.current, "rounds": self.rounds, **self.known, **values}
            functions = {"question": question, "record_input": record_input}
            user = _PROMPTS.render(name, **functions, **shown)
            messages = prompt(_PROMPTS.render(_SCENES[name], **shown), user)
            bare = name == "questions" and not self.described
            sent = messages[1:] if bare else messages
            about = partial(self._about, name, **values)
            return self.model.read(
                sent, read, stop=STOP[name], purpose=name, needs=LONG_ANSWER, about=about
            )

        return ask_within_context(self.rounds, ask, "rounds")

    def _about(self, name: str, number: object = 0, **values: object) -> dict[str, object]:
        """The data of a question: the task, the actions, and the observations as numbers."""
        done = [[action, vector_of(seen)] for past in self.rounds for action, seen in past.done]
        return {
            "kind": f"arm_{name}",
            "number": number,
            "task": self.known["task"],
            "numbers": self.known["numbers"],
            "first": vector_of(self.first),
            "done": done,
            "judged": bool(self.rounds) and not self.rounds[-1].done,
        }

    def _carry_out(self, planned: ActionPlan) -> SubPlan[bool]:
        """Do the actions up to the first that fails; whether none did."""
        this = Round(planned.explain)
        self.rounds.append(this)
        for index, action in enumerate(planned.actions):
            percept = yield Act(action, continued=index > 0)
            if percept.refused is not None:
                this.done.append((action, f"Refused: {percept.refused}\n{self.current}"))
            else:
                self.current = percept.text.partition("\n")[2]  # without "Done." or the failure
                seen = percept.text if self.result_words else self.current
                this.done.append((action, seen))
            if percept.outcome is None or not percept.outcome.success:
                this.left = planned.actions[index + 1 :]
                return False
        return True


def _verified(enough: bool) -> Internal:
    """The decision that a judgement is."""
    return Internal("verify", "enough is known" if enough else "something is not known yet")


def _left_unread(name: str, text: str) -> SubPlan[None]:
    """Note the text of a reply beyond its form, which is ignored."""
    if text:
        yield Note(name, f"Ignored in the reply, as it stands after its form: '{text[:_QUOTED]}'")


def _answered(number: int, explain: str, actions: tuple[str, ...] = ()) -> dict[str, Any]:
    """The data to export of an answer to one of the three questions."""
    return {"question": number, "explain": explain, "actions": list(actions)}


PLANNER = Planner(
    name="llm_pop",
    summary="a language model that plans for an arm and evaluates what it learned (LLM-POP)",
    plan=plan,
    dialects=("blocks",),
    models=("planner",),
    options=Options,
)
