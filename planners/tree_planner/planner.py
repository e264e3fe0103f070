"""The planner `tree_planner`: many whole plans, merged into a tree, and a path down it.

After Hu et al., Tree-Planner (2024), as the baseline of Choi et al., ReAcTree (2025), appendix C.
Plans are sampled with the prompt of `zsp`. Earlier actions are not undone. The wording is
Peephole's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from pydantic import Field

from ...models.contract import LONG_ANSWER, Message, NoAnswer, Request
from ...skills.actions import Verb
from ..contract import Act, Brief, Decisions, Done, GiveUp, Internal, Note, Percept, SubPlan
from ..kits.prompting.conversation import Conversation, giving_up
from ..kits.prompting.templates import Templates
from ..kits.written_plans.prompting import PlanPrompt
from ..kits.written_plans.reading import PURPOSE, PlanOptions, lines_of, plan_writer
from ..kits.written_plans.skills import DONE, Skill, Skills

_PROMPTS = Templates(__file__)


class Options(PlanOptions):
    """Options of `tree_planner`."""

    plans: int = Field(
        25, ge=1, le=1000, description="number of plans to sample; the paper uses 25 and 50"
    )
    temperature: float = Field(0.8, ge=0, le=2, description="sampling temperature of plans")
    top_p: float = Field(0.95, gt=0, le=1, description="nucleus (top-p) for sampling plans")


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Sample plans, and find a path through their tree."""
    options = brief.options_of(Options)
    asked = PlanPrompt(brief, percept, options)
    request = Request(
        asked.messages(),
        parse=lines_of,
        temperature=options.temperature,
        top_p=options.top_p,
        purpose=PURPOSE,
        needs=LONG_ANSWER,
        about=lambda: {"kind": "plan_lines"},
    )
    plans: list[Sequence[Skill]] = []
    for answer in brief.model.samples(request, options.plans):
        if isinstance(answer, NoAnswer):
            yield Note("plan", f"a sample is no plan: {answer}")
            continue
        yield Internal("plan", "\n".join(answer))
        plans.append((*asked.plan_of(answer), DONE))
    if not plans:
        yield GiveUp("None of the samples is a plan.")
        return
    tree = ActionTree(brief.instruction, plans)
    yield Note("tree", f"{len(plans)} plans in a tree of {len(tree)} actions", tree.changes())
    yield from _Decider(brief, percept, asked.skills, tree).run()


class _Decider:
    """A path down the tree: at each fork the model chooses by the observation."""

    def __init__(self, brief: Brief, percept: Percept, skills: Skills, tree: ActionTree) -> None:
        self._brief = brief
        self._percept = percept
        self._skills = skills
        self._tree = tree
        self._failed: set[str] = set()  # since the last action that succeeded
        example = brief.dialect if Verb.GO_TO in brief.actions else "in_reach"
        system = _PROMPTS.render(
            "system", example=f"example_{example}.jinja", dialect=brief.dialect
        )
        self._talk = Conversation(system, f"Task: {brief.instruction}\n{percept.text}")

    def run(self) -> Decisions:
        """Act to the end of a plan, or until no plan is left."""
        node: ActionNode | None = self._tree.root
        while node is not None:
            again = [each for each in node.choices() if self._has_failed(each)]
            if again:
                *_, node = [self._tree.cut(each) for each in again]
                yield Note("tree", "cut off what has just failed", self._tree.changes())
                continue
            choices = node.choices()
            chosen = choices[0]
            if len(choices) > 1:  # with one there is nothing to decide
                node.asked += 1
                chosen = yield from self._choose(choices)
            succeeded = yield from self._do(chosen, continued=len(choices) == 1)
            if succeeded:
                chosen.state = ActionState.SUCCESS
                node = chosen
                continue
            node = self._tree.cut(chosen)
            assert chosen.skill is not None, "the root is not done"
            yield Note("tree", f"cut off: {chosen.skill.text}", self._tree.changes())
        yield GiveUp("No plan is left.")

    def _has_failed(self, choice: ActionNode) -> bool:
        """Whether the same action failed, and nothing has changed since."""
        skill = choice.skill
        assert skill is not None, "the root is no choice"
        return skill != DONE and self._skills.action(skill, self._percept) in self._failed

    def _choose(self, choices: Sequence[ActionNode]) -> SubPlan[ActionNode]:
        """Ask which action comes next."""
        by_text = {child.skill.text: child for child in choices if child.skill is not None}

        def question(messages: list[Message]) -> str:
            return self._brief.model.choose(
                messages, [*by_text], purpose="decide", about=lambda: {"kind": "fork"}
            )

        menu = "\n".join(["Choose one of these:", *by_text])
        return by_text[(yield from self._talk.ask(question, menu))]

    def _do(self, chosen: ActionNode, *, continued: bool) -> SubPlan[bool]:
        """Do the chosen action; whether it succeeded, or its effect held already."""
        skill = chosen.skill
        assert skill is not None, "the root is not done"
        if skill == DONE:
            self._tree.finish(chosen)
            yield Note("tree", "the end of a plan", self._tree.changes())
            percept = yield Done("A plan was carried out to its end.")
            said, seen, succeeded, holds = skill.text, percept.feedback or "", False, False
        else:
            said = self._skills.action(skill, self._percept)
            self._percept = percept = yield Act(said, continued=continued)
            seen, succeeded = percept.text, percept.succeeded
            holds = succeeded or percept.already_so
            if succeeded:
                self._failed.clear()
            elif not holds:
                self._failed.add(said)
        result = f"{'Done' if succeeded else 'So already' if holds else 'Failed'}: {said}\n{seen}"
        self._talk.add(json.dumps({"choice": skill.text}, ensure_ascii=False), result)
        return holds


PLANNER = plan_writer(
    "tree_planner",
    "a language model that samples plans and finds a path in their tree (Tree-Planner)",
    plan,
    Options,
)


# --- the action tree ------------------------------------------------------------------------------


class ActionState(Enum):
    """The state of an action. INVALID: it was done, but everything after it has failed."""

    OPEN, SUCCESS, FAILURE, INVALID = range(4)


@dataclass(eq=False)
class ActionNode:
    """An action after those above it in the tree."""

    id: int
    """The number of the node."""
    skill: Skill | None
    """The action; None for the root."""
    parent: ActionNode | None
    """The node above, None for the root."""
    plans: int = 0
    """How many plans have the action."""
    asked: int = 0
    """How often the model chose what follows."""
    state: ActionState = ActionState.OPEN
    """The state of the action."""
    children: dict[Skill, ActionNode] = field(default_factory=dict)
    """The actions that may follow."""

    def choices(self) -> list[ActionNode]:
        """The open actions that may follow, those of most plans first."""
        left = [child for child in self.children.values() if child.state is ActionState.OPEN]
        return sorted(left, key=lambda child: -child.plans)


class ActionTree:
    """Plans as a tree: those that begin with the same actions share them."""

    def __init__(self, instruction: str, plans: Iterable[Sequence[Skill]]) -> None:
        self._instruction = instruction
        self.root = ActionNode(0, None, None)
        self._count = 1
        self._noted: dict[int, dict[str, Any]] = {}
        for plan in plans:
            self._add(plan)

    def __len__(self) -> int:
        """The number of actions."""
        return self._count - 1

    def _add(self, plan: Sequence[Skill]) -> None:
        node = self.root
        node.plans += 1
        for skill in plan:
            child = node.children.get(skill)
            if child is None:
                child = node.children[skill] = ActionNode(self._count, skill, node)
                self._count += 1
            child.plans += 1
            node = child

    def cut(self, node: ActionNode) -> ActionNode | None:
        """Cut off a failed action; the nearest action above it with another branch.

        None where no plan is left.
        """
        node.state, self.root.state = ActionState.FAILURE, ActionState.OPEN
        above = node.parent
        while above is not None and not above.choices():
            above.state = ActionState.INVALID
            above = above.parent
        return above

    def finish(self, node: ActionNode) -> None:
        """Mark the end of a plan as reached."""
        node.state = self.root.state = ActionState.SUCCESS

    # --- as data of a note ---------------------------------------------------------------------

    def changes(self) -> Mapping[str, Any]:
        """The tree as data of a note "tree": the nodes that changed since the last call.

        Actions in a row without a fork are one node. Every fork is a node too, between its
        alternatives and the row before it.
        """
        changed = []
        for node in self._segments(self.root, None):
            if self._noted.get(node["id"]) != node:
                self._noted[node["id"]] = node
                changed.append(node)
        return {"nodes": changed}

    def _segments(self, first: ActionNode, fork: int | None) -> Iterator[dict[str, Any]]:
        row = [first]
        while len(row[-1].children) == 1:
            row += row[-1].children.values()
        texts = [node.skill.text for node in row if node.skill is not None]
        data = {
            "goal": "; ".join(texts) or self._instruction,
            "state": _state(row),
            "decisions": sum(node.asked for node in row),
        }
        yield {"id": 2 * first.id, "parent": fork, "kind": "agent", **data}
        last = row[-1]
        if last.children:
            number = 2 * first.id + 1
            yield {"id": number, "parent": 2 * first.id, "kind": "fallback", **data}
            for child in last.children.values():
                yield from self._segments(child, number)


def _state(row: Sequence[ActionNode]) -> str:
    """The state of actions in a row; for the root alone, whether a plan was carried out."""
    states = {node.state for node in row if node.skill is not None or len(row) == 1}
    if ActionState.FAILURE in states or ActionState.INVALID in states:
        return "failure"
    return "success" if states == {ActionState.SUCCESS} else "running"
