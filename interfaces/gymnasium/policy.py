"""A policy as a planner, so that what was trained is played, recorded and compared as any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import plugins
from ...episodes.resolve import DEFAULT_DIALECT
from ...planners.contract import Act, Brief, Decisions, Done, GiveUp, Percept, Planner
from .words import DONE, GIVE_UP, choices, info_of, with_task

#: Chooses an action as text, from the observation and `info`.
Policy = Callable[[str, dict[str, Any]], str]


def planner_of(policy: Policy, name: str = "policy", summary: str = "a trained policy") -> Planner:
    """A planner that acts by a policy, for `peephole.run`.

    policy: gets the observations and the `info` of `TextEnv`, without what is for the learner
    alone: the rewards, "task", "ended", "success", "progress" and "action_mask".
    """

    def plan(brief: Brief, percept: Percept) -> Decisions:
        text = with_task(brief.instruction, percept.text)
        while True:
            menu = choices([words for words, _ in percept.menu()], brief.rules)
            said = policy(text, info_of(brief.instruction, percept, menu))
            word = said.strip().lower()
            if word == GIVE_UP:
                yield GiveUp()
            percept = yield Done() if word == DONE else Act(said)
            text = percept.text

    dialects = dict.fromkeys((DEFAULT_DIALECT, *plugins.names("dialect")))
    return Planner(name, summary, plan, dialects=tuple(dialects))
