"""Algorithm 1 of ReAcTree: an agent node thinks, acts and expands until its goal is settled.

A node that expands passes its goal on: the status of its control flow node is its own. The budget
of decisions is for the whole tree. A prompt has rules, examples, and the task with those around it.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from pydantic import BaseModel, Field

from ...models.contract import NoAnswer
from ...skills.actions import Verb
from ..contract import Act, Brief, Internal, OnlyWith, Percept, SubPlan, Think
from ..kits.action_space import Actions
from ..kits.agent_tree import (
    DONE,
    FAILURE,
    AgentNode,
    AgentTree,
    ControlFlow,
    ControlFlows,
    Execution,
    FlowNode,
    Kind,
    Status,
    as_replies,
    choices_of,
    end_note,
    execute_flow,
    growth_note,
    kind_of,
    line_of,
    read,
    refusal,
    reply_of,
    shape_of,
    task_of,
)
from ..kits.memory.episodic import MemoryPath, load
from ..kits.memory.working import WorkingMemory
from ..kits.prompting.body import body_values
from ..kits.prompting.conversation import Conversation
from ..kits.prompting.menus import MenuForm
from ..kits.prompting.offers import dialect_of, judge, listing, offered
from ..kits.prompting.templates import Templates
from ..kits.turns import observation_of
from .seen_places import SeenPlaces


class Options(BaseModel):
    """Options of `reactree`."""

    control_flow: ControlFlows = Field(
        ControlFlows.AUTO,
        description="control flow types on offer: all, sequence and fallback (seq_fallback), or "
        "sequence (seq); auto: all, but no parallel in the dialects of AI2-THOR",
    )
    working_memory: bool = Field(
        False, description="let agents recall where they last saw things (ReAcTree+WM)"
    )
    briefing: bool = Field(
        True,
        description="tell each agent what those before it saw out of its sight; false: nothing, as "
        "in the paper, where recalls tell it",
    )
    actions: Actions = Field(
        Actions.ALL,
        description="actions on offer: all of the simulator, or the paper's (six; eight in the "
        "dialects of AI2-THOR)",
    )
    memory: MemoryPath | None = Field(
        None,
        description="memory from `peephole memory build` that provides the examples; none: one "
        "fixed example",
    )
    seen_scenes: Annotated[bool, OnlyWith("memory")] = Field(
        False,
        description="allow tasks in scenes of the memory, to build a memory on a training suite "
        "or for ALFRED's valid_seen",
    )
    max_depth: int = Field(
        6, ge=1, description="most agents from the root to a leaf; the paper's trees have up to 4"
    )
    max_subgoals: int = Field(10, ge=1, description="most subgoals of one expansion")
    thought_length: int = Field(
        300, ge=0, description="most characters of a thought; the rest is cut"
    )
    menu: MenuForm = Field(
        MenuForm.AUTO,
        description="the actions on offer in the prompt: none, grouped, or one by one (full); "
        "auto: none if the server enforces schemas, else grouped",
    )


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
        setting = {
            "recalls": options.working_memory,
            "briefing": options.briefing,
            "flows": self.control_flows,
        }
        body = body_values(brief)
        self._rules = _TEMPLATES.render(
            brief.dialect,
            **setting,
            menu=str(form),
            whole=dialect_of(brief).lists_whole_menu,
            forms="; ".join(brief.forms),
            looks=Verb.LOOK in brief.actions,
            done=DONE,
            failure=FAILURE,
            **body,
        )
        example = f"example_{brief.dialect}" if body["walks"] else "example_in_reach"
        self._fixed_example = _TEMPLATES.render(example, **setting, **body)

    def of(self, node: AgentNode, observation: str) -> tuple[str, str]:
        """The system prompt of a node, and its first message."""
        texts = [self._fixed_example]
        if self._memory is not None:  # experiences with similar goals, the most similar last
            retrieved = self._memory.retrieve(node.goal, seed=self._seed)
            texts = [experience.text for experience in reversed(retrieved)]
        examples = [*map(as_replies, texts)]
        system = _TEMPLATES.render("system", rules=self._rules, examples=examples)
        return system, task_of(node, observation)


#: The answer to a thought.
THOUGHT_TAKEN = "OK."


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
        seen: SeenPlaces | None,
        percept: Percept,
    ) -> None:
        """memory: their shared working memory, None for none. seen: likewise, for briefings."""
        self.percept = percept
        self.reason = ""
        self._brief = brief
        self._model = brief.model
        self._options = options
        self._prompts = prompts
        self._memory = memory
        self._seen = seen
        self._end: Internal | None = None  # of the newest node, until something follows it

    def execute(self, tree: AgentTree, node: AgentNode, feedback: str = "") -> Execution:
        """Carry out an agent node (Algorithm 1).

        feedback: the result of a goal check, to follow the description of the present place.
        """
        if self._end is not None:
            yield self._end
            self._end = None
        known = "" if self._seen is None or node.flow is None else self._seen.text()
        texts = (self.percept.overview(), known, feedback)
        talk = self._begin(node, " ".join(filter(None, texts)))
        while True:
            try:
                kind, content = yield from self._sample(talk, node)
            except NoAnswer as error:
                self.reason = str(error)
                return (yield from _ended(node, Status.FAILURE))
            match kind:
                case "act" if content in (DONE, FAILURE):
                    status = Status.SUCCESS if content == DONE else Status.FAILURE
                    data = {"node": node.id, "status": str(status)}
                    self._end = Internal("subtask_end", str(status), data)
                    return (yield from _ended(node, status))
                case "act":
                    answer = yield from self._act(content)
                case "think":
                    self.reason, answer = content, ""
                    yield Think(content)
                case "recall":
                    answer = yield from self._recall(content)
                case "expand":
                    flow, answer = yield from self._expand(tree, node, content)
                    if flow is not None:  # a control flow node (Algorithm 2)
                        how, run = flow.control_flow, partial(self.execute, tree)
                        status = yield from execute_flow(how, flow.children, run)
                        return (yield from _ended(flow, status))
            if answer:
                node.lines.append(answer)
            talk.add(reply_of(kind, content), answer or THOUGHT_TAKEN)

    # --- decisions -------------------------------------------------------------------------------

    def _begin(self, node: AgentNode, observation: str) -> Conversation:
        self.reason = ""
        system, task = self._prompts.of(node, observation)
        node.lines.append(task)
        return Conversation(system, task)

    def _sample(self, talk: Conversation, node: AgentNode) -> SubPlan[tuple[Kind, Any]]:
        """Ask the model for a decision. Raises NoAnswer."""
        now = offered(self._brief, self.percept)
        flows, length = self._prompts.control_flows, self._options.thought_length
        question = partial(
            self._model.answer,
            shape=shape_of(flows, length, self._memory is not None),
            choices=choices_of(now.sayable),
            judge=judge(self._brief, self.percept),
            about=lambda: {
                "kind": "node",
                "goal": node.goal,
                "flows": [*flows],
                "recalls": self._memory is not None,
                "earlier": [*map(kind_of, node.lines[1:])],
                "most": self._options.max_subgoals,
            },
        )
        menu = listing(self._prompts.form, now, (DONE, FAILURE))
        reply = yield from talk.ask(question, menu)
        kind, content = read(reply)
        node.decisions += 1
        node.lines.append(line_of(kind, content))
        return kind, content

    def _act(self, action: str) -> SubPlan[str]:
        before = self.percept.view
        self.percept = yield Act(action)
        if self._memory is not None:
            self._memory.update(self.percept)
        if self._seen is not None:
            self._seen.update(self.percept)
        return observation_of(self.percept, before)

    def _recall(self, thing: str) -> SubPlan[str]:
        assert self._memory is not None
        answer = self._memory.recall(thing)
        yield Internal("recall", thing, {"answer": answer})
        return answer

    def _expand(
        self, tree: AgentTree, node: AgentNode, content: Any
    ) -> SubPlan[tuple[FlowNode | None, str]]:
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
