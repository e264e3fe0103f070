"""Options of planners: values that `--set` accepts and refuses, and their description."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, model_validator

from peephole import plugins
from peephole.errors import BadInput
from peephole.planners.contract import Planner
from peephole.planners.expert import PLANNER as EXPERT
from peephole.planners.llm_pop.planner import PLANNER as LLM_POP
from peephole.planners.options import changed_options, describe_options, parse_options, written
from peephole.planners.react.planner import PLANNER as REACT
from peephole.planners.registry import load_planner


class Speed(StrEnum):
    FAST = "fast"
    SLOW = "slow"


class Options(BaseModel):
    evaluator: bool = Field(True, description="judge before planning")
    rounds: int = Field(12, ge=1)
    exploration: float = 1.4
    temperature: float | None = Field(None, gt=0)
    memory: Literal["none", "episodic"] = "episodic"
    speed: Speed = Speed.FAST
    order: tuple[str, ...] = ("rooms", "fixtures")
    title: str | None = None

    @model_validator(mode="after")
    def _fit(self) -> Options:
        if self.memory == "none" and self.rounds > 100:
            raise ValueError("more than 100 rounds need a memory")
        return self


def planner(options: type[BaseModel] | None = Options) -> Planner:
    return Planner("tester", "tests", lambda brief, percept: iter(()), options=options)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("evaluator", "false", False),
        ("rounds", "3", 3),
        ("exploration", "2", 2.0),
        ("temperature", "0.5", 0.5),
        ("temperature", "none", None),
        ("memory", "none", "none"),
        ("speed", "slow", Speed.SLOW),
        ("order", "fixtures, rooms", ("fixtures", "rooms")),
        ("order", '["a, b"]', ("a, b",)),
        ("title", "12", "12"),
        ("title", "a=b", "a=b"),
    ],
)
def test_texts_are_read_by_the_type_of_their_option(name: str, text: str, value: Any) -> None:
    options = parse_options(planner(), {name: text})
    assert getattr(options, name) == value
    assert options == Options(**{name: value})


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "evaluator": st.booleans(),
            "rounds": st.integers(1, 100),
            "exploration": st.floats(allow_nan=False, allow_infinity=False),
            "temperature": st.none() | st.floats(0.1, 2),
            "memory": st.sampled_from(["none", "episodic"]),
            "speed": st.sampled_from(Speed),
            "order": st.lists(st.text(max_size=5), max_size=3).map(tuple),
        },
    )
)
def test_what_is_written_is_read_again(values: dict[str, Any]) -> None:
    texts = {name: written(value) for name, value in values.items()}
    assert parse_options(planner(), texts) == Options(**values)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("evaluator", "perhaps", r"valid boolean.*it is true or false, by default true"),
        ("rounds", "true", r"valid integer.*it is int, by default 12"),
        ("rounds", "0", "greater than or equal to 1"),
        ("rounds", "1.5", "valid integer"),
        ("temperature", "-1", r"greater than 0; it is float or none, by default none"),
        ("memory", "semantic", "it is none or episodic, by default episodic"),
        ("speed", "quick", "it is fast or slow"),
        ("order", '["a', "list of str"),
    ],
)
def test_a_value_of_another_type_is_refused_in_one_sentence(
    name: str, text: str, told: str
) -> None:
    with pytest.raises(BadInput, match=told) as refused:
        parse_options(planner(), {name: text})
    said = str(refused.value)
    assert said.startswith(f"The option {name} of tester cannot be '{text}': ")
    assert "\n" not in said


def test_values_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(BadInput, match="tester are not valid: more than 100 rounds need a memory"):
        parse_options(planner(), {"memory": "none", "rounds": "101"})


@pytest.mark.parametrize(
    ("name", "texts", "void"),
    [
        ("tru_pomdp", {"flat_particles": "3"}, "flat_particles only with hypotheses=flat"),
        ("tru_pomdp", {"update": "new", "threshold": "0.5"}, "threshold only with update=hybrid"),
        ("tru_pomdp", {"action": "model", "depth": "9"}, "depth only with action=search"),
        ("llm_pop", {"system_prompt": "false"}, "system_prompt only with questions=cot or"),
        ("llm_pop", {"questions": "cot", "evaluator": "false"}, "evaluator only with questions=no"),
        ("belief", {"exploration": "5"}, "exploration only with solver=pomcp or"),
        ("react", {"seen_scenes": "true"}, "seen_scenes only with memory=VALUE, and memory is"),
        ("llm_state", {"state": "false", "summary": "false"}, "summary only with state=true"),
    ],
)
def test_an_option_that_another_one_makes_void_is_refused(
    name: str, texts: dict[str, str], void: str
) -> None:
    with pytest.raises(BadInput, match=f"{name} uses {void}") as refused:
        parse_options(load_planner(name), texts)
    assert re.search(r"; leave \w+ out, or add --set \w+=\w+\.$", str(refused.value))


def test_a_search_without_any_limit_is_refused() -> None:
    with pytest.raises(BadInput, match="a search without simulations needs seconds"):
        parse_options(load_planner("tru_pomdp"), {"simulations": "none"})


def test_an_unknown_option_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        BadInput,
        match=r"react has no option 'evaluator'; llm_pop has; "
        r"its own are thought_length \(int, 300\)",
    ):
        parse_options(REACT, {"evaluator": "false"})
    with pytest.raises(BadInput, match=r"expert has no option 'speed'; it has no options\."):
        parse_options(EXPERT, {"speed": "1"})
    with pytest.raises(BadInput, match=r"llm_pop has no option 'round'; its own are evaluator"):
        parse_options(LLM_POP, {"round": "1"})


def test_without_options_there_is_nothing_to_set() -> None:
    assert parse_options(EXPERT, {}) is None
    assert parse_options(planner(), {}) == Options()


def test_options_are_described_with_their_defaults() -> None:
    assert describe_options(EXPERT) == []
    first, *_, order, _ = describe_options(planner())
    assert first == ("evaluator", "true or false", "true", "judge before planning")
    assert (order.type, json.loads(order.default)) == ("list of str", ["rooms", "fixtures"])
    for name in (LLM_POP, REACT):
        assert all(option.description for option in describe_options(name))


@pytest.mark.parametrize("name", plugins.names("planner"))
def test_the_default_of_an_option_is_one_of_its_values(name: str) -> None:
    options = load_planner(name).options
    if options is not None:
        assert options.model_validate(options().model_dump()) == options()


def test_a_label_tells_what_differs_from_the_defaults() -> None:
    assert changed_options(EXPERT, None) == {}
    assert changed_options(LLM_POP, parse_options(LLM_POP, {"evaluator": "true"})) == {}
    options = parse_options(LLM_POP, {"rounds": "3", "evaluator": "false"})
    assert changed_options(LLM_POP, options) == {"evaluator": "false", "rounds": "3"}
