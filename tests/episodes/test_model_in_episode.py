"""An episode whose planner asks a model: what is recorded, and that nothing is paid twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.events import Decided, Voided
from peephole.episodes.recording import EpisodeLog, read_events, without_times
from peephole.episodes.result import EpisodeResult
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.contract import Request
from peephole.models.events import ModelEvent, ModelHttpError, ModelReplied
from peephole.models.failures import BudgetUsed, ModelFailure, Unreachable
from peephole.models.served_model import ModelEndpoint
from peephole.planners.contract import Act, Brief, Decisions, Done, Note, Percept, Think
from peephole.planners.react.planner import plan as react
from peephole.scene_graph.rules import Budgets
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action
from peephole.skills.executor import EpisodeVoided
from peephole.skills.outcomes import RawResult

MakeContext = Callable[..., EpisodeContext]
Connect = Callable[..., ModelConnection]


@pytest.fixture
def connect(endpoint: Any) -> Iterator[Connect]:
    opened = []

    def make(**config: Any) -> ModelConnection:
        access = ModelEndpoint(endpoint.url, "stand-in", "sk-secret")
        opened.append(ModelConnection(ModelConfig("stand-in", **config), access))
        return opened[-1]

    yield make
    for connection in opened:
        connection.close()


def play(context: EpisodeContext, task: Task, path: Path) -> EpisodeResult:
    with EpisodeLog(path) as log:
        return run_episode(context, task, log)


def models(path: Path) -> list[ModelEvent]:
    return [event for event in read_events(path) if isinstance(event, ModelEvent)]


def replies(path: Path) -> list[ModelReplied]:
    return [event for event in models(path) if isinstance(event, ModelReplied)]


def test_react_plays_an_episode_and_its_tokens_are_counted(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    wanted = iter(["go to fridge 1", "open fridge 1", "pick up apple 1", "done"])
    endpoint.pick = lambda body, options: next(wanted)
    path = tmp_path / "e.jsonl"
    context = make_context(react, model=connect(price_in=2.0, price_out=10.0))
    result = play(context, task, path)
    assert (result.ended, result.steps) == ("done", 3)
    assert result.calls == len(endpoint.requests) == 4
    usages = [event.usage for event in replies(path)]
    assert result.tokens_in == sum(usage.tokens_in for usage in usages) > 0
    assert result.tokens_out == sum(usage.tokens_out for usage in usages) > 0
    assert result.usd == pytest.approx((2 * result.tokens_in + 10 * result.tokens_out) / 1e6)


def test_each_request_repeats_the_one_before_so_that_caches_of_endpoints_serve(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    """Only the menu at the end of the newest observation is not kept."""
    wanted = iter(["go to fridge 1", "open fridge 1", "pick up apple 1", "look around", "done"])
    endpoint.pick = lambda body, options: next(wanted)
    play(make_context(react, model=connect()), task, tmp_path / "e.jsonl")
    sent = [body["messages"] for body in endpoint.requests]
    assert len(sent) == 5
    for before, after in pairwise(sent):
        kept = len(before) - 1
        assert after[:kept] == before[:kept]
        observation, _, menu = before[kept]["content"].partition("\nPossible actions:")
        assert menu
        assert after[kept] == {"role": "user", "content": observation}
    settings = [
        {key: body[key] for key in body if key not in ("messages", "response_format")}
        for body in endpoint.requests
    ]
    assert settings == [settings[0]] * 5


def test_a_growing_conversation_is_stored_once_and_without_the_key(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    wanted = iter(["go to fridge 1", "open fridge 1", "pick up apple 1", "done"])
    endpoint.pick = lambda body, options: next(wanted)
    path = tmp_path / "e.jsonl"
    play(make_context(react, model=connect()), task, path)
    sent: dict[int, list[Any]] = {0: []}
    for event in replies(path):
        request = event.request
        assert request is not None
        sent[event.call] = sent[request.base][: request.shared] + request.messages
    assert list(sent.values())[1:] == [body["messages"] for body in endpoint.requests]
    assert endpoint.headers[0]["authorization"] == "Bearer sk-secret"
    text = path.read_text()
    assert "sk-secret" not in text
    assert text.count("You are a household robot") == 1


def four_turns(body: dict[str, Any], options: list[str]) -> str:
    """Four actions, each once it can be done, then done."""
    said = [m["content"] for m in body["messages"] if '"action"' in m["content"]]
    turns = ["go to fridge 1", "open fridge 1", "pick up apple 1", "close fridge 1", "done"]
    done = sum(any(f'"{turn}"' in text for text in said[1:]) for turn in turns)
    return turns[done]


FAULTS = ["ok", "500", "wrong_enum", "empty", "ok", "no_completion", "free_text"]


@pytest.mark.slow
def test_an_episode_cut_anywhere_goes_on_without_paying_twice(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    """Cut at every line; bad replies among those kept are not asked for again either."""
    whole = tmp_path / "whole.jsonl"
    endpoint.faults.extend(FAULTS)
    endpoint.pick = four_turns
    model = connect()
    expected = play(make_context(react, model=model), task, whole)
    assert expected.steps > 3
    assert any(event.problem for event in replies(whole))
    lines = whole.read_bytes().splitlines(keepends=True)
    recorded = replies(whole)
    for kept in range(1, len(lines)):
        path = tmp_path / f"{kept}.jsonl"
        path.write_bytes(b"".join(lines[:kept]))
        already, http_errors_before = replies(path), http_errors(path)
        endpoint.requests.clear()
        endpoint.faults.clear()
        endpoint.faults.extend(_faults_left(len(already)))
        result = play(make_context(react, model=model), task, path)
        answered = replies(path)
        assert without_times(answered) == without_times(recorded)
        errors = http_errors(path) - http_errors_before
        assert len(endpoint.requests) == len(recorded) - len(already) + errors
        assert result.calls == expected.calls
        assert (result.tokens_in, result.tokens_out) == (expected.tokens_in, expected.tokens_out)
        assert (result.ended, result.steps) == (expected.ended, expected.steps)


def http_errors(path: Path) -> int:
    return sum(isinstance(event, ModelHttpError) for event in models(path))


def _faults_left(replies: int) -> list[str]:
    """The faults that come after so many replies with a text."""
    left = list(FAULTS)
    while replies and left:
        replies -= left.pop(0) not in ("500", "no_completion")
    return left


def test_questions_asked_at_once_are_answered_in_order_and_from_the_record(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        assert brief.models
        asked = [
            Request([{"role": "user", "content": f"Question {i}"}], permitted=("yes", "no", f"{i}"))
            for i in range(12)
        ]
        answers = brief.model.many(asked)
        yield Note("search", "answers", {"answers": answers})
        yield Done()

    endpoint.pick = lambda body, options: options[-1]
    whole = tmp_path / "whole.jsonl"
    play(make_context(plan, model=connect()), task, whole)
    decided = next(event for event in read_events(whole) if isinstance(event, Decided))
    note = decided.decision
    assert isinstance(note, Note)
    assert note.data["answers"] == [str(i) for i in range(12)]
    assert sorted(event.call for event in replies(whole)) == list(range(1, 13))
    lines = whole.read_bytes().splitlines(keepends=True)
    for kept in (1, 4, 9, 13):
        path = tmp_path / f"{kept}.jsonl"
        path.write_bytes(b"".join(lines[:kept]))
        endpoint.requests.clear()
        play(make_context(plan, model=connect()), task, path)
        assert len(endpoint.requests) == 13 - kept


def test_half_a_surrogate_pair_ends_neither_a_run_nor_its_continuation(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    """In a reply, in the JSON that a reply holds, in an error and in what a planner makes of it."""
    half = "caf\u00e9 \ud83d"
    said = iter([half, '{"choice": "\\ud83d"}', '{"choice": "a"}'])
    endpoint.text = lambda body: next(said)
    endpoint.faults.append("surrogate_error")

    def plan(brief: Brief, percept: Percept) -> Decisions:
        question = [{"role": "user", "content": half}]
        yield Note("memory", half, {half: [brief.model.complete(question)]})
        yield Think(brief.model.choose(question, ["a", "b"]) + half)
        yield Done(half)

    whole = tmp_path / "whole.jsonl"
    result = play(make_context(plan, model=connect()), task, whole)
    assert (result.ended, result.calls) == ("done", 3)
    assert replies(whole)[0].reply == "caf\u00e9 \ufffd"
    lines = whole.read_bytes().splitlines(keepends=True)
    for kept in range(1, len(lines)):
        path = tmp_path / f"{kept}.jsonl"
        path.write_bytes(b"".join(lines[:kept]))
        said = iter([half, '{"choice": "\\ud83d"}', '{"choice": "a"}'][len(replies(path)) :])
        result = play(make_context(plan, model=connect()), task, path)
        assert (result.ended, result.calls, result.voided) == ("done", 3, 0)


def test_another_question_than_the_recorded_one_begins_the_episode_anew(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    def asking(question: str) -> Callable[[Brief, Percept], Decisions]:
        def plan(brief: Brief, percept: Percept) -> Decisions:
            yield Think(brief.model.complete([{"role": "user", "content": question}]))
            yield Done()

        return plan

    path = tmp_path / "e.jsonl"
    play(make_context(asking("Where?"), model=connect()), task, path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    result = play(make_context(asking("When?"), model=connect()), task, path)
    assert (result.ended, result.voided, result.calls) == ("done", 1, 2)
    (voided,) = (event for event in read_events(path) if isinstance(event, Voided))
    assert voided.reason.startswith("Call 1 of the role planner differs from the recording")
    assert voided.reason.endswith("says 'When?' where it said 'Where?'.")


@pytest.mark.slow
def test_a_slow_model_uses_up_none_of_the_planners_own_seconds(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    """Nor do its HTTP errors with their pauses, nor replies that come from the recording."""
    endpoint.slow_s = 0.5
    question = [{"role": "user", "content": "?"}]

    def plan(brief: Brief, percept: Percept) -> Decisions:
        yield Think(brief.model.complete(question))
        yield Think(brief.model.complete(question))
        brief.model.many([Request(question)] * 3)
        yield Done()

    faults = ["429"] * 6 + ["slow"] * 5
    whole = tmp_path / "whole.jsonl"
    endpoint.faults.extend(faults)
    context = make_context(plan, model=connect(), budgets=Budgets(planning_s=0.4))
    result = play(context, task, whole)
    assert result.ended == "done"
    assert result.planning_s < 0.4
    first, second, *rest = (event.latency_s for event in replies(whole))
    assert min(first, second, *rest) >= 0.5
    assert result.model_s == pytest.approx(first + second + max(rest), abs=1e-4)
    lines = whole.read_bytes().splitlines(keepends=True)
    for kept in range(1, len(lines)):
        path = tmp_path / f"{kept}.jsonl"
        path.write_bytes(b"".join(lines[:kept]))
        endpoint.faults.clear()
        result = play(context, task, path)
        assert result.ended == "done"
        assert result.planning_s < 0.4
        first, second, *rest = (event.latency_s for event in replies(path))
        assert result.model_s == pytest.approx(first + second + max(rest), abs=1e-4)


def test_a_planner_that_is_slow_itself_is_ended_by_its_budget(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        yield Think(brief.model.complete([{"role": "user", "content": "?"}]))
        time.sleep(0.3)
        yield Think("at last")
        yield Done()

    context = make_context(plan, model=connect(), budgets=Budgets(planning_s=0.2))
    result = play(context, task, tmp_path / "e.jsonl")
    assert (result.ended, result.decisions) == ("planning_time", 2)
    assert result.planning_s >= 0.3


def test_an_answer_that_stays_nonsense_is_the_planners_failure(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    endpoint.always = lambda body: "free_text"
    path = tmp_path / "e.jsonl"
    result = play(make_context(react, model=connect(attempts=3)), task, path)
    assert result.ended == "gave_up"
    assert "unusable" in result.detail
    assert len(models(path)) == 3

    def careless(brief: Brief, percept: Percept) -> Decisions:
        assert brief.models
        yield Think(brief.model.choose([{"role": "user", "content": "?"}], ["a", "b"]))

    result = play(make_context(careless, model=connect()), task, tmp_path / "f.jsonl")
    assert result.ended == "no_answer"


@pytest.mark.parametrize("fault", ["filtered", "flagged", "withheld"])
def test_a_content_filter_fails_the_episode_alone_and_stays_in_the_record(
    make_context: MakeContext,
    task: Task,
    tmp_path: Path,
    endpoint: Any,
    connect: Connect,
    fault: str,
) -> None:
    """Asked again as often as after unusable replies, with its schema; never on resume."""
    endpoint.always = lambda body: fault

    def plan(brief: Brief, percept: Percept) -> Decisions:
        yield Think("I ask.")
        yield Think(brief.model.choose([{"role": "user", "content": "?"}], ["a", "b"]))

    whole = tmp_path / "whole.jsonl"
    result = play(make_context(plan, model=connect(attempts=3)), task, whole)
    assert result.ended == "no_answer"
    assert "3 unusable replies: A content filter" in result.detail
    assert all("response_format" in body for body in endpoint.requests)
    assert [event.withheld for event in replies(whole)] == [True] * 3
    lines = whole.read_bytes().splitlines(keepends=True)
    for kept in range(1, len(lines)):
        path = tmp_path / f"{kept}.jsonl"
        path.write_bytes(b"".join(lines[:kept]))
        already = len(replies(path))
        endpoint.requests.clear()
        again = play(make_context(plan, model=connect(attempts=3)), task, path)
        assert (again.ended, again.detail) == (result.ended, result.detail)
        assert len(endpoint.requests) == 3 - already


def test_trouble_around_the_model_leaves_the_episode_to_be_continued(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    def greedy(brief: Brief, percept: Percept) -> Decisions:
        """Catches what it should not."""
        try:
            yield from react(brief, percept)
        except ModelFailure:
            yield Act("wait")

    path = tmp_path / "e.jsonl"
    endpoint.pick = four_turns
    endpoint.faults.extend(["ok", "ok", "500"])
    with pytest.raises(Unreachable, match="status 500"):
        play(make_context(greedy, model=connect(patience_s=0)), task, path)
    assert isinstance(read_events(path)[-1], ModelEvent)
    with pytest.raises(BudgetUsed, match="--model-tokens"):
        play(make_context(greedy, model=connect(budget_tokens=500)), task, path)
    result = play(make_context(greedy, model=connect()), task, path)
    assert result.ended in ("done", "gave_up", "goal_reached", "steps")
    answered = replies(path)
    assert result.calls == len(answered)
    assert [event.call for event in answered] == list(range(1, len(answered) + 1))


def test_a_conversation_too_long_for_the_model_loses_its_oldest_turns(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    endpoint.always = lambda body: "context" if len(body["messages"]) > 6 else None
    endpoint.pick = lambda body, options: "wait" if "wait" in options else options[0]
    path = tmp_path / "e.jsonl"

    def ten_turns(brief: Brief, percept: Percept) -> Decisions:
        turns = react(brief, percept)
        decision = next(turns)
        for _ in range(30):
            percept = yield decision
            decision = turns.send(percept)

    play(make_context(ten_turns, model=connect()), task, path)
    decided = [event.decision for event in read_events(path) if isinstance(event, Decided)]
    assert any(isinstance(decision, Note) for decision in decided)
    longest = [body for body in endpoint.requests if len(body["messages"]) <= 6]
    assert all(body["messages"][0]["role"] == "system" for body in longest)
    assert all(body["messages"][1]["content"].startswith("Task: ") for body in longest)
    for body in endpoint.requests:
        roles = [message["role"] for message in body["messages"][1:]]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]


class Vanishing(SymbolicAdapter):
    """Is lost for good at its first try, once."""

    lost = False

    def attempt(self, action: Action, variation: int) -> RawResult:
        if not self.lost:
            self.lost = True
            raise EpisodeVoided("the simulator is gone")
        return super().attempt(action, variation)


def test_the_calls_of_a_voided_start_stay_counted(
    make_context: MakeContext, task: Task, tmp_path: Path, endpoint: Any, connect: Connect
) -> None:
    endpoint.pick = four_turns
    path = tmp_path / "e.jsonl"
    context = make_context(react, adapter=Vanishing(), model=connect())
    result = play(context, task, path)
    assert (result.voided, result.ended) == (1, "done")
    assert result.calls == len(endpoint.requests) == 6
    assert result.tokens_in == sum(event.usage.tokens_in for event in replies(path))
    counted = replies(path)[1:]  # a start that was voided planned nothing
    assert result.planning_tokens == sum(event.usage.tokens for event in counted) < result.tokens
    assert [event.call for event in models(path)] == [1, 1, 2, 3, 4, 5]
