"""The planner `llm_state`: attention, state estimation and a plan of actions, in turn.

After Chen et al., LLM-State (2023), Algorithm 1 and appendix VI-A. Replies are calls in text, read
by a grammar; calls of another form are dropped and counted. The wording is Peephole's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, Field

from ...models.calls import Call, Calls, read_calls
from ...models.contract import LONG_ANSWER, Unusable
from ...observation_text.dialects.llm_state.dialect import (
    ALREADY,
    FAIL,
    SUCCESS,
    failure_in,
    observed,
    without_things,
)
from ...observation_text.dialects.llm_state.grammar import PAPER_VERBS, paper_calls
from ...scene_graph.rules import Ends
from ..contract import (
    Act,
    Brief,
    Decisions,
    Done,
    Internal,
    Note,
    OnlyWith,
    Percept,
    Planner,
    SubPlan,
)
from ..kits.prompting.body import body_values
from ..kits.prompting.conversation import ask_within_context, giving_up, prompt
from ..kits.prompting.templates import Templates

#: The text for an object without attributes.
_NOTHING = "[]"


@dataclass
class OpenState:
    """The key objects with their attributes ("" for none), and a summary.

    Objects are never removed. Attributes and summary are estimated from the whole history each
    time, so that errors do not persist (section IV-C2).
    """

    attributes: dict[str, str] = field(default_factory=dict)
    summary: str = ""

    def add(self, names: Iterable[str]) -> tuple[str, ...]:
        """Add key objects; returns the new ones."""
        new = tuple(dict.fromkeys(name for name in names if name not in self.attributes))
        self.attributes.update(dict.fromkeys(new, ""))
        return new

    def text(self) -> str:
        """The state as the policy reads it."""
        lines = [f"{name}: {value or _NOTHING}" for name, value in self.attributes.items()]
        if self.summary:
            lines += ["", f"Reasoning: {self.summary}"]
        return "\n".join(lines).strip()


_PROMPTS = Templates(__file__)
_T = TypeVar("_T")
#: The functions of the model, with the number of their arguments.
ADD, UPDATE, REASON, DONE = "add_related_objects", "update_state", "update_reasoning", "done"


class Options(BaseModel):
    """Options of `llm_state`."""

    state: bool = Field(
        True,
        description="keep a state of objects; false: the policy reads only the observation and "
        "the history (the paper's ablation w/o States)",
    )
    summary: Annotated[bool, OnlyWith("state", "true")] = Field(
        True, description="include a summary of past actions in the state (false: w/o Summary)"
    )
    objects: Annotated[bool, OnlyWith("state", "true")] = Field(
        True, description="include objects with attributes in the state (false: w/o Objects)"
    )
    plan_length: int = Field(20, ge=1, description="most actions of a plan; later ones are dropped")
    actions: Literal["paper", "all"] = Field(
        "paper", description="actions on offer: the paper's nine, or all of the simulator"
    )
    already_so: Literal["done", "failed"] = Field(
        "done",
        description="what an action counts as whose effect holds already, such as opening what is "
        "open: done, and the plan goes on, or failed as in the paper",
    )


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Attend, estimate the state, plan and act, in a loop; no action yet, nothing to estimate."""
    episode = _Episode(brief, percept)
    done = False
    while not done:
        if episode.keeps_state:
            if episode.options.objects:
                yield from episode.attend()
            if episode.has_acted:
                yield from episode.estimate_state()
        actions = yield from episode.plan()
        done = yield from episode.carry_out(actions)


class _Episode:
    """The actions so far with their results, and the state."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        self.options = options = brief.options_of(Options)
        self.keeps_state = options.state and (options.summary or options.objects)
        self._model = brief.model
        self._observation = percept.text
        self._history: list[str] = []
        self._state = OpenState()
        forms = brief.forms if options.actions == "all" else paper_calls(brief.actions)
        may_end = brief.rules.ends is Ends.PLANNER_DONE
        if may_end:
            forms = (*forms, f"{DONE}()")
        self._functions: dict[str, set[int]] = {}
        for form in forms:
            name, _, arguments = form.partition("(")
            self._functions.setdefault(name, set()).add(len(re.findall(r"\w+", arguments)))
        self._known = {
            "task": brief.instruction,
            "forms": ", ".join(forms),
            **body_values(brief, None if options.actions == "all" else PAPER_VERBS),
            "length": options.plan_length,
            "may_end": may_end,
            "keeps_state": self.keeps_state,
            "summary": options.summary,
            "objects": options.objects,
            "already": ALREADY if options.already_so == "done" else "",
        }

    @property
    def has_acted(self) -> bool:
        """Whether there is an action to estimate a state from."""
        return bool(self._history)

    # --- the three questions (Algorithm 1, lines 5 to 7) ---

    def attend(self) -> SubPlan[None]:
        """Add key objects."""
        calls = yield from self._ask("attention", partial(read_calls, known={ADD: (1,)}), (ADD,))
        new = self._state.add(call.arguments[0] for call in calls.read)
        data = {"added": list(new), "dropped": list(calls.dropped)}
        yield Internal("attend", ", ".join(new) or "nothing to add", data)

    def estimate_state(self) -> SubPlan[None]:
        """Estimate attributes and summary from the whole history."""
        options = self.options
        known = {UPDATE: (2,)} if options.objects else {}
        known |= {REASON: (1,)} if options.summary else {}
        self._state = OpenState(dict.fromkeys(self._state.attributes, ""))
        calls = yield from self._ask("estimator", partial(read_calls, known=known), known)
        for call in calls.read:
            if call.name == REASON:
                self._state.summary = " ".join(call.arguments[0].split())
            else:
                self._state.attributes[call.arguments[0]] = " ".join(call.arguments[1].split())
        text = self._state.text()
        counts = {"calls": len(calls.read), "dropped": list(calls.dropped)}
        yield Internal("estimate_state", text, counts)
        data = {"objects": dict(self._state.attributes), "summary": self._state.summary}
        yield Note("memory", text, data)

    def plan(self) -> SubPlan[tuple[Call, ...]]:
        """Ask for the next actions."""
        plan = yield from self._ask("policy", self._read_plan, self._functions)
        text = "\n".join(f"{number}. {call}" for number, call in enumerate(plan.read, start=1))
        data = {"actions": [str(call) for call in plan.read], "dropped": list(plan.dropped)}
        yield Note("plan", text, data)
        return plan.read

    def _read_plan(self, reply: str) -> Calls:
        calls = read_calls(reply, self._functions)
        if not calls.read:
            raise Unusable(
                f"There is no action in the plan; write one call a line, of {self._known['forms']}."
            )
        length = self.options.plan_length
        return Calls(calls.read[:length], (*calls.dropped, *map(str, calls.read[length:])))

    def _ask(self, name: str, read: Callable[[str], _T], functions: Iterable[str]) -> SubPlan[_T]:
        """The reply to a prompt as `read` reads it. functions: those that the reply may call."""
        about = {"kind": name, "functions": [*functions]}

        def ask() -> _T:
            values = {
                "observation": self._observation,
                "short_observation": without_things(self._observation),
                "names": "\n".join(f"{name}: {_NOTHING}" for name in self._state.attributes),
                "state": self._state.text(),
                "history": self._history,
                **self._known,
            }
            system = _PROMPTS.render(f"{name}_system", **values)
            user = _PROMPTS.render(name, **values)
            tracked = {"tracked": [*self._state.attributes]}
            return self._model.read(
                prompt(system, user),
                read,
                purpose=name,
                needs=LONG_ANSWER,
                about=lambda: about | tracked,
            )

        return ask_within_context(self._history, ask, "actions")

    # --- acting (Algorithm 1, lines 8 to 14) ---

    def carry_out(self, actions: tuple[Call, ...]) -> SubPlan[bool]:
        """Do the actions up to the first that fails; whether the episode ends."""
        for index, action in enumerate(actions):
            if action.name == DONE:
                percept = yield Done()
                if percept.feedback is None:
                    return True
                self._history.append(f"{DONE}() {FAIL.rstrip(')')}: {percept.feedback})")
                return False
            percept = yield Act(str(action), continued=index > 0)
            if percept.refused is None:
                self._observation = observed(percept.text)
            goes_on = self.options.already_so == "done" and percept.already_so
            self._history.append(f"{action} {ALREADY if goes_on else _result(percept)}")
            if not (percept.succeeded or goes_on):
                return False
        return False


def _result(percept: Percept) -> str:
    """The result shown after an action, with the reason if a person denied it."""
    return SUCCESS if percept.succeeded else failure_in(percept.text)


PLANNER = Planner(
    name="llm_state",
    summary="a language model that keeps an open state of objects and plans on it (LLM-State)",
    plan=plan,
    dialects=("llm_state",),
    models=("planner",),
    options=Options,
)
