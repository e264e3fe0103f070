"""The planner `reflexion`: thoughts and actions in trials, with a reflection after each trial.

After Shinn et al., Reflexion (2023), as the baseline of Tang et al., Tru-POMDP (2025), section 5.2
and appendix A.6. Where the episode allows a further trial, the task restarts from its initial
state, as with Shinn et al. Otherwise the next trial continues in the present state, as with Tang et
al., who allow no resets. The wording is Peephole's own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import BaseModel, Field

from ...observation_text.dialects.llm_state.dialect import DIALECT as LISTS
from ...observation_text.dialects.llm_state.grammar import PAPER_VERBS, paper_calls
from ..contract import (
    HOMES,
    Act,
    Brief,
    Decisions,
    Done,
    GiveUp,
    Internal,
    NewTrial,
    Note,
    Percept,
    Planner,
    SubPlan,
    Think,
)
from ..kits.prompting.body import body_values
from ..kits.prompting.conversation import Conversation, ask_within_context, giving_up, prompt
from ..kits.prompting.menus import MenuForm
from ..kits.prompting.offers import listing, offered
from ..kits.prompting.templates import Templates
from ..kits.turns import (
    DONE,
    GIVE_UP,
    domain_in_words,
    observation_of,
    reply_of,
    system_prompt,
    turn_shape,
)

_PROMPTS = Templates(__file__)
THINK, THOUGHT = "think", "OK."


class Options(BaseModel):
    """Options of `reflexion`."""

    window: int = Field(10, ge=1, description="number of latest steps in the prompt")
    in_a_row: int = Field(
        3, ge=1, description="number of failed actions, or of thoughts, in a row that ends a trial"
    )
    reflections: int = Field(3, ge=1, description="number of latest reflections to keep")
    domain: bool = Field(
        False,
        description="describe actions, body, goals and costs in the prompt (Reflexion* of "
        "Tru-POMDP)",
    )
    thought_length: int = Field(
        3000, ge=0, description="most characters of a thought or a reflection; the rest is cut"
    )
    menu: MenuForm = Field(
        MenuForm.AUTO,
        description="the actions on offer in the prompt: none, grouped, or one by one (full); "
        "auto: grouped. Others may be said too, and may fail. In the dialect llm_state: none",
    )


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Play trials until the task is done, or the model gives up in the last one."""
    episode = _Episode(brief, percept)
    while not isinstance(end := (yield from episode.play_trial()), Done | GiveUp):
        yield from episode.reflect(end)
    yield end


@dataclass
class _Episode:
    """The trials of an episode. percept: the newest one. trial: the number, from 1."""

    brief: Brief
    percept: Percept
    trial: int = 1
    reflections: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        brief = self.brief
        self.options = brief.options_of(Options)
        self._lists = brief.dialect == LISTS.name
        form = self.options.menu if self.options.menu is not MenuForm.AUTO else MenuForm.GROUPED
        self._form = MenuForm.NONE if self._lists else form
        self._system = self._system_prompt()
        self._begin(self.percept)

    def play_trial(self) -> SubPlan[Done | GiveUp | str]:
        """Think and act until the episode or the trial ends; the last decision or why it ended."""
        infeasible = thoughts = 0  # in a row
        while True:
            turn = yield from self._ask()
            decision = _decision(turn.action, turn.thought)
            if isinstance(decision, GiveUp):
                if self.trial >= self.brief.rules.trials:
                    return decision
                return f"You saw no way. {turn.thought}"
            before = self.percept
            self.percept = yield decision
            text = THOUGHT if isinstance(decision, Think) else self._observed(before)
            self._talk.add(reply_of(turn.thought, turn.action), text)
            del self._talk.turns[: -self.options.window]
            if isinstance(decision, Done):
                if self.percept.feedback is None:
                    return decision
                if self.trial < self.brief.rules.trials:
                    return self.percept.feedback
                continue
            outcome = self.percept.outcome
            if isinstance(decision, Think):
                thoughts += 1
            else:
                thoughts = 0
                infeasible = 0 if outcome is not None and outcome.success else infeasible + 1
            if infeasible >= self.options.in_a_row:
                return f"{infeasible} actions in a row were not possible."
            if thoughts >= self.options.in_a_row:
                return f"You thought {thoughts} times in a row and did nothing."

    def reflect(self, why: str) -> Decisions:
        """Ask for a reflection on the trial, and begin the next one with it."""
        turns = self._talk.turns

        def ask() -> str:
            asked = _PROMPTS.render(
                "reflection",
                task=self.brief.instruction,
                first=self._first.text,
                reflections=self.reflections,
                turns=turns,
                why=why,
            )
            system = _PROMPTS.render("reflection_system")
            return self.brief.model.complete(
                prompt(system, asked), purpose="reflection", about=lambda: {"kind": "reflection"}
            )

        said = yield from ask_within_context(turns, ask, "steps")
        reflection = " ".join(said.split())[: self.options.thought_length]
        self.reflections = [*self.reflections, reflection][-self.options.reflections :]
        yield Internal("reflect", reflection, {"why": why})
        yield Note("memory", "\n".join(self.reflections), {"reflections": self.reflections})
        if self.trial < self.brief.rules.trials:
            self.trial += 1
            self.percept = yield NewTrial(why)
            self._begin(self.percept)
        else:
            self._begin(self._first, turns=turns)

    # --- prompts --------------------------------------------------------------------------------

    def _begin(self, first: Percept, turns: list[Any] | None = None) -> None:
        """Begin a conversation with the reflections so far, and with `turns` to continue from."""
        self._first = first
        task = _PROMPTS.render(
            "task",
            task=self.brief.instruction,
            observation=first.text,
            reflections=self.reflections,
        )
        self._talk = Conversation(self._system, task)
        self._talk.turns += turns or []

    def _observed(self, before: Percept) -> str:
        """The observation after a step, as the model reads it."""
        percept = self.percept
        if self._lists:
            return percept.text if percept.feedback is None else percept.feedback
        return observation_of(percept, before.view)

    def _ask(self) -> SubPlan[Any]:
        """The model's next turn."""
        forms = paper_calls(self.brief.actions)
        calls = [form.partition("(")[0] for form in forms] if self._lists else None
        question = partial(
            self.brief.model.answer,
            shape=turn_shape(self.options.thought_length),
            about=lambda: {"kind": "turn", "functions": calls},
        )
        if self._lists:
            return self._talk.ask(question)
        now = offered(self.brief, self.percept)
        menu = listing(self._form, now, (THINK, DONE, GIVE_UP))
        return self._talk.ask(question, f"{self._present()}{menu}")

    def _present(self) -> str:
        """The present place, where earlier steps that told of it are no longer in the prompt."""
        if len(self._talk.turns) < self.options.window:
            return ""
        return f"Now: {self.percept.surroundings()}\n"

    def _system_prompt(self) -> str:
        brief, options = self.brief, self.options
        if self._lists:
            rules = _PROMPTS.render(
                LISTS.name,
                forms=", ".join(paper_calls(brief.actions)),
                done=DONE,
                give_up=GIVE_UP,
                **body_values(brief, PAPER_VERBS),
            )
        else:
            rules = system_prompt(brief, self._form, domain=options.domain)
        trials = _PROMPTS.render(
            "trials",
            think=THINK,
            thought=THOUGHT,
            window=options.window,
            limit=options.in_a_row,
            restarts=brief.rules.trials > 1,
        )
        domain = [domain_in_words(brief)] if options.domain and self._lists else []
        return "\n\n".join([*domain, rules, trials])


def _decision(action: str, thought: str) -> Act | Think | Done | GiveUp:
    match action.strip().rstrip(".").lower().removesuffix("()"):
        case "think":
            return Think(thought)
        case "done":
            return Done(thought)
        case "give up":
            return GiveUp(thought)
    return Act(action, thought)


PLANNER = Planner(
    name="reflexion",
    summary="a language model that acts in trials and reflects on those that fail (Reflexion)",
    plan=plan,
    dialects=(*HOMES, "alfworld", "tru_pomdp", LISTS.name),
    models=("planner",),
    options=Options,
)
