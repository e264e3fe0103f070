"""Algorithm 1 of ReAcTree: an agent node thinks, acts and expands until its goal is settled.

A node that expands passes its goal on: the status of its control flow node is its own. The budget
of decisions is for the whole tree.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...models.contract import NoAnswer
from ..contract import Act, Brief, Deciding, Internal, Percept, Think
from ..kits.agent_tree.decisions import (
    DONE,
    FAILURE,
    Kind,
    choices_of,
    kind_of,
    line_of,
    read,
    refusal,
    reply_of,
    shape_of,
)
from ..kits.agent_tree.nodes import (
    AgentNode,
    AgentTree,
    ControlFlow,
    Execution,
    FlowNode,
    Status,
    end_note,
    execute_flow,
    growth_note,
)
from ..kits.memory.working import WorkingMemory
from ..kits.prompting.conversation import Conversation
from ..kits.prompting.menus import menu_text
from .options import Options
from .prompting import Prompts

#: The answer to a thought.
THOUGHT_TAKEN = "OK."

#: Yields decisions and returns the answer for the model.
_Answer = Deciding[str]


class Agents:
    """The agents of one tree: their shared state, and the execution of each.

    percept: the newest one. reason: why the newest node ended.
    """

    def __init__(
        self,
        brief: Brief,
        options: Options,
        prompts: Prompts,
        memory: WorkingMemory | None,
        percept: Percept,
    ) -> None:
        """memory: their shared working memory, None for none."""
        self.percept = percept
        self.reason = ""
        self._model = brief.model
        self._options = options
        self._prompts = prompts
        self._memory = memory
        self._end: Internal | None = None  # of the newest node, until something follows it

    def execute(self, tree: AgentTree, node: AgentNode, feedback: str = "") -> Execution:
        """Carry out an agent node (Algorithm 1).

        feedback: the result of a goal check, to follow the description of the present place.
        """
        if self._end is not None:
            yield self._end
            self._end = None
        talk = self._begin(node, f"{self.percept.overview()} {feedback}".rstrip())
        while True:
            try:
                kind, content = yield from self._sample(talk, node)
            except NoAnswer as error:
                self.reason = str(error)
                return (yield from _ended(node, Status.FAILURE))
            match kind:
                case "act" if content == DONE:
                    self._end = _subtask_end(node, Status.SUCCESS)
                    return (yield from _ended(node, Status.SUCCESS))
                case "act" if content == FAILURE:
                    self._end = _subtask_end(node, Status.FAILURE)
                    return (yield from _ended(node, Status.FAILURE))
                case "act":
                    answer = yield from self._act(content)
                case "think":
                    answer = yield from self._think(content)
                case "recall":
                    answer = yield from self._recall(content)
                case "expand":
                    flow, answer = yield from self._expand(tree, node, content)
                    if flow is not None:
                        return (yield from self._execute_flow(tree, flow))
            if answer:
                node.lines.append(answer)
            talk.add(reply_of(kind, content), answer or THOUGHT_TAKEN)

    def _execute_flow(self, tree: AgentTree, flow: FlowNode) -> Execution:
        """Carry out a control flow node (Algorithm 2)."""
        run = partial(self.execute, tree)
        status = yield from execute_flow(flow.control_flow, flow.children, run)
        return (yield from _ended(flow, status))

    # --- decisions -------------------------------------------------------------------------------

    def _begin(self, node: AgentNode, observation: str) -> Conversation:
        self.reason = ""
        system, task = self._prompts.of(node, observation)
        node.lines.append(task)
        return Conversation(system, task)

    def _sample(self, talk: Conversation, node: AgentNode) -> Deciding[tuple[Kind, Any]]:
        """Ask the model for a decision. Raises NoAnswer."""
        offers = self.percept.menu()
        flows, length = self._prompts.control_flows, self._options.thought_length
        question = partial(
            self._model.answer,
            shape=shape_of(flows, length, self._memory is not None),
            choices=choices_of(text for text, _ in offers),
            about=lambda: {
                "kind": "node",
                "goal": node.goal,
                "flows": [*flows],
                "recalls": self._memory is not None,
                "earlier": [*map(kind_of, node.lines[1:])],
                "most": self._options.max_subgoals,
            },
        )
        menu = menu_text(self._prompts.form, offers, (DONE, FAILURE))
        reply = yield from talk.ask(question, menu)
        kind, content = read(reply)
        node.decisions += 1
        node.lines.append(line_of(kind, content))
        return kind, content

    def _act(self, action: str) -> _Answer:
        self.percept = yield Act(action)
        if self._memory is not None:
            self._memory.update(self.percept)
        return self.percept.text

    def _think(self, thought: str) -> _Answer:
        self.reason = thought
        yield Think(thought)
        return ""

    def _recall(self, thing: str) -> _Answer:
        assert self._memory is not None
        answer = self._memory.recall(thing)
        yield Internal("recall", thing, {"answer": answer})
        return answer

    def _expand(
        self, tree: AgentTree, node: AgentNode, content: Any
    ) -> Deciding[tuple[FlowNode | None, str]]:
        """Expand a node: its control flow node, or None and why it is refused."""
        how, subgoals = ControlFlow(content["control_flow"]), content["subgoals"]
        options = self._options
        refused = refusal(node, subgoals, options.max_depth, options.max_subgoals)
        data = {"node": node.id, **content}
        if refused is not None:
            yield Internal("expand", refused, {**data, "refused": "subgoals"})
            return None, refused
        yield Internal("expand", f"{how}: {'; '.join(subgoals)}", data)
        flow = tree.expand(node, how, subgoals)
        yield growth_note(node, flow)
        return flow, ""


def _ended(node: AgentNode | FlowNode, status: Status) -> Execution:
    """End a node, with a note."""
    node.state = status
    yield end_note(node)
    return status


def _subtask_end(node: AgentNode, status: Status) -> Internal:
    return Internal("subtask_end", str(status), {"node": node.id, "status": str(status)})
