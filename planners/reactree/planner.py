"""The planner `reactree`: a tree of agents that think, act and expand, joined by control flow.

After Choi et al., ReAcTree (2025): Algorithm 1 is in `agents`, Algorithm 2 in the kit `agent_tree`.
The wording is Peephole's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..contract import HOMES, Brief, Decisions, Done, GiveUp, Percept, Planner, Preparation
from ..kits.action_space import limited_to
from ..kits.agent_tree import AgentTree, Status
from ..kits.memory.episodic import load_for
from ..kits.memory.working import WorkingMemory
from ..kits.prompting.menus import MenuForm, settled
from .agents import Agents, Options, Prompts
from .seen_places import SeenPlaces

#: The planners whose experiences can be examples.
EXPERIENCED = ("reactree", "reactree_seeds")


def prepare(preparation: Preparation) -> Mapping[str, Any]:
    """Choose the form of menus, and check the memory, once a run.

    Raises BadInput for a memory of scenes that are played, or of another setting.
    """
    options = preparation.options
    assert isinstance(options, Options)
    if options.memory is not None:
        types = options.control_flow.types(preparation.dialect)
        load_for(
            preparation,
            options.memory,
            planners=EXPERIENCED,
            control_flow=types,
            seen_scenes=options.seen_scenes,
        )
    return {"menu": str(settled(options.menu, preparation.models["planner"]))}


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Carry out a tree from its root; where a goal check fails, another tree.

    The end of the last agent is the end of the task: one reply, one decision.
    """
    options = brief.options_of(Options)
    brief = limited_to(options.actions, brief)
    form = settled(MenuForm((brief.prepared or {}).get("menu", options.menu)), brief.model)
    prompts = Prompts(brief, options, form)
    memory = WorkingMemory(brief.dialect) if options.working_memory else None
    seen = SeenPlaces(brief.dialect) if options.briefing else None
    tree, feedback = AgentTree(brief.instruction), ""
    while True:
        if memory is not None:
            memory.update(percept)
        if seen is not None:
            seen.update(percept)
        agents = Agents(brief, options, prompts, memory, seen, percept)
        status = yield from agents.execute(tree, tree.root, feedback)
        if status is Status.FAILURE:
            yield GiveUp(agents.reason)
            return
        percept = yield Done(agents.reason)
        seen = SeenPlaces(brief.dialect) if options.briefing else None
    tree, feedback = AgentTree(brief.instruction, tree.count), percept.feedback or ""


PLANNER = Planner(
    name="reactree",
    summary="a tree of language model agents that divide goals, joined by control flow (ReAcTree)",
    plan=plan,
    dialects=HOMES,
    models=("planner",),
    options=Options,
    prepare=prepare,
)
