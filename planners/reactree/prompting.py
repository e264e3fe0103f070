"""What an agent node is asked: the rules, examples, and its task with those around it."""

from __future__ import annotations

from ...skills.actions import Verb
from ..contract import Brief
from ..llm.menus import MenuForm
from ..llm.templates import Templates
from .decisions import DONE, FAILURE, as_replies
from .nodes import AgentNode
from .options import Options

_TEMPLATES = Templates(__file__)


class Prompts:
    """The prompts of one episode. control_flows: the types on offer."""

    def __init__(self, brief: Brief, options: Options, form: MenuForm) -> None:
        """form: how the actions on offer are told."""
        self.form = form
        self.control_flows = tuple(map(str, options.control_flow.types(brief.dialect)))
        body = brief.embodiment
        self._common = {
            "menu": str(form),
            "recalls": options.working_memory,
            "flows": self.control_flows,
        }
        self._rules = _TEMPLATES.render(
            brief.dialect,
            **self._common,
            forms="; ".join(brief.forms),
            done=DONE,
            failure=FAILURE,
            hands=body.hands,
            free_hand_to_open=Verb.OPEN in body.needs_free_hand,
        )
        self._example = _TEMPLATES.render(f"example_{brief.dialect}", **self._common)

    def of(self, node: AgentNode, observation: str) -> tuple[str, str]:
        """The system prompt of a node, and its first message."""
        examples = [as_replies(self._example)]
        system = _TEMPLATES.render("system", rules=self._rules, examples=examples)
        return system, task_of(node, observation)


def task_of(node: AgentNode, observation: str) -> str:
    """What a node's text begins with: its task with those around it, and the present place."""
    return _TEMPLATES.render("task", node=node, observation=observation)
