"""The stand-in as it drives `reactree` to the end of episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from peephole.api import make
from peephole.episodes.instruction_table import instruction_table
from peephole.models.answers import read_answer, schema_of
from peephole.models.contract import Request
from peephole.planners.contract import Act, Decision, Done, GiveUp, counts
from peephole.planners.reactree.options import Options
from peephole.planners.reactree.planner import PLANNER
from peephole.stand_ins.chat_completions import ChatRequest
from peephole.stand_ins.scripted.household.requirements import Table, to_table
from peephole.stand_ins.scripted.reply import answer

TASK = "put_dishwasher/house-118-1"


@dataclass
class InProcess:
    """The stand-in as a model, without a server."""

    table: Table
    asked: list[Sequence[Mapping[str, Any]]] = field(default_factory=list)

    def enforces_schema(self) -> bool:
        return True

    def answer(self, messages: Sequence[Mapping[str, Any]], shape: Any, **_: Any) -> Any:
        self.asked.append(messages)
        request = Request(messages, shape=shape)
        schema = schema_of(request, lengths=True)
        assert schema is not None
        told = tuple(dict(message) for message in messages)
        return read_answer(request, answer(ChatRequest(told, schema, None), self.table).text)


@pytest.mark.parametrize("recalls", [False, True])
@pytest.mark.parametrize("control_flow", ["all", "seq_fallback", "seq"])
def test_an_episode_is_played_to_its_end(control_flow: str, recalls: bool) -> None:
    with make("wah", task=TASK) as environment:
        percept = environment.reset()
        graph = environment.adapter.graph()
        model = InProcess(to_table(instruction_table([environment.task], lambda task: graph)))
        options = Options(control_flow=control_flow, working_memory=recalls, menu="none")
        brief = replace(environment.brief(), models={"planner": model}, options=options)
        plan = PLANNER.plan(brief, percept)
        decisions: list[Decision] = [next(plan)]
        while not isinstance(decisions[-1], Done | GiveUp):
            if isinstance(decisions[-1], Act):
                percept = environment.step(decisions[-1].action)
            decisions.append(plan.send(percept))
        assert environment.score().success
    assert isinstance(decisions[-1], Done)
    counted = sum(map(counts, decisions))
    assert counted == len(model.asked) < environment.budgets.decisions
    assert any('"recall"' in str(messages) for messages in model.asked) == recalls
