"""The prompts of agent nodes: rules, examples, and the task with those around it."""

from __future__ import annotations

from ...skills.actions import Verb
from ..contract import Brief
from ..kits.agent_tree import DONE, FAILURE, AgentNode, as_replies, task_of
from ..kits.memory.episodic import load
from ..kits.prompting.menus import MenuForm
from ..kits.prompting.templates import Templates
from .options import Options

_TEMPLATES = Templates(__file__)


class Prompts:
    """The prompts of one episode.

    form: the form of the menu. control_flows: the types on offer.
    """

    def __init__(self, brief: Brief, options: Options, form: MenuForm) -> None:
        """Raises BadInput for a memory that cannot be read."""
        self.form = form
        self.control_flows = tuple(map(str, options.control_flow.types(brief.dialect)))
        self._seed = brief.seed
        self._memory = None if options.memory is None else load(options.memory)
        body = brief.embodiment
        setting = {"recalls": options.working_memory, "flows": self.control_flows}
        self._rules = _TEMPLATES.render(
            brief.dialect,
            **setting,
            menu=str(form),
            forms="; ".join(brief.forms),
            done=DONE,
            failure=FAILURE,
            hands=body.hands,
            free_hand_to_open=Verb.OPEN in body.needs_free_hand,
        )
        self._fixed_example = _TEMPLATES.render(f"example_{brief.dialect}", **setting)

    def of(self, node: AgentNode, observation: str) -> tuple[str, str]:
        """The system prompt of a node, and its first message."""
        examples = [as_replies(text) for text in self._examples(node.goal)]
        system = _TEMPLATES.render("system", rules=self._rules, examples=examples)
        return system, task_of(node, observation)

    def _examples(self, goal: str) -> list[str]:
        """Experiences with similar goals, the most similar last; else the fixed example."""
        if self._memory is None:
            return [self._fixed_example]
        retrieved = self._memory.retrieve(goal, seed=self._seed)
        return [experience.text for experience in reversed(retrieved)]
