"""Episodes in threads: the same recordings, many requests at once, one pace, exact budgets."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.api import RunResults
from peephole.baton import Baton, waiting
from peephole.episodes.engines.choice import make_engine
from peephole.episodes.engines.processes import ProcessEngine
from peephole.episodes.engines.threads import ThreadEngine, suits_threads
from peephole.episodes.recording import episode_files, read_events, without_times
from peephole.episodes.resolve import resolve
from peephole.episodes.run_file import RunConfig
from peephole.errors import BadInput
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.events import ModelHttpError, ModelReplied
from peephole.models.failures import BudgetUsed, Interrupted
from peephole.models.pace import Pace, Paces
from peephole.models.served_model import ModelEndpoint
from peephole.planners.contract import Act, Brief, Decisions, Done, Percept, Planner
from peephole.planners.external.seat import Seat, SeatLimits

ASK = {"role": "user", "content": "Where is the milk?"}


def choosing(turns: int) -> Planner:
    """Does what the model chooses of the menu, so many times."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        for _ in range(turns):
            menu = dict(percept.menu())
            asked = [{"role": "user", "content": percept.text}]
            choice = brief.models["planner"].choose(asked, [*menu])
            percept = yield Act(menu[choice])
        yield Done()

    return Planner("choosing", "does what a model chooses", plan, models=("planner",))


@pytest.fixture
def play(
    endpoint: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., RunResults]:
    """Plays tasks of `houses` with a model of the endpoint."""
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)

    def play(
        name: str,
        planner: Planner,
        tasks: int,
        engine: Any = "threads",
        planning_s: float | None = None,
        **model: Any,
    ) -> RunResults:
        return peephole.run(
            planner,
            "houses",
            tasks=tasks,
            model=ModelConfig("stand-in", **model),
            workers=1 if engine == "serial" else tasks,
            engine=engine,
            planning_s=planning_s,
            out=tmp_path / name,
        )

    return play


def recorded(folder: Path) -> list[Any]:
    return [without_times(read_events(path)) for path in episode_files(folder)]


def threads() -> int:
    return sum(thread.name.startswith("episodes ") for thread in threading.enumerate())


def test_threads_play_what_one_episode_after_the_other_does(play: Any, endpoint: Any) -> None:
    endpoint.slow_s, endpoint.always = 0.02, lambda body: "slow"
    alone, together = (play(engine, choosing(4), 5, engine) for engine in ("serial", "threads"))
    assert len(recorded(alone.folder)) == 5
    assert recorded(alone.folder) == recorded(together.folder)
    assert not threads()


def test_all_of_them_wait_for_the_endpoint_at_the_same_time(play: Any, endpoint: Any) -> None:
    all_there = threading.Barrier(12)

    def answer(body: Any) -> str:
        all_there.wait(timeout=20)  # a reply comes once twelve requests are there
        return "ok"

    endpoint.always = answer
    results = play("run", choosing(1), 12).results
    assert [result.calls for result in results] == [1] * 12


def test_no_more_is_spent_than_one_reply_beyond_the_budget(
    play: Any, endpoint: Any, tmp_path: Path
) -> None:
    endpoint.slow_s, endpoint.always = 0.1, lambda body: "slow"
    with pytest.raises(BudgetUsed, match="budget of 300 tokens is used up"):
        play("run", choosing(20), 6, budget_tokens=300)
    events = [e for path in episode_files(tmp_path / "run") for e in read_events(path)]
    tokens = [event.usage.tokens for event in events if isinstance(event, ModelReplied)]
    assert 300 <= sum(tokens) < 300 + max(tokens)
    assert len(tokens) == len(endpoint.requests)  # what was paid for is recorded
    assert not threads()


@pytest.fixture
def heeded() -> Iterator[None]:
    """Ctrl-C is heeded, also where pytest was started in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_ctrl_c_ends_all_at_once_and_loses_nothing(
    play: Any, endpoint: Any, tmp_path: Path
) -> None:
    endpoint.slow_s = 20.0
    interrupted = []

    def answer(body: Any) -> str:
        if len(endpoint.requests) <= 12:
            return "ok"
        if len(endpoint.requests) >= 18 and not interrupted:
            interrupted.append(time.monotonic())
            # The system may hand it to any thread, so that the main one sleeps on.
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        return "slow"

    endpoint.always = answer
    with pytest.raises(KeyboardInterrupt):
        play("run", choosing(6), 6)
    assert time.monotonic() - interrupted[0] < 2
    assert not threads()
    before = [read_events(path) for path in episode_files(tmp_path / "run")]
    endpoint.always = lambda body: None
    peephole.resume(tmp_path / "run", planner=choosing(6), workers=6, engine="threads")
    after = [read_events(path) for path in episode_files(tmp_path / "run")]
    assert all(now[: len(then)] == then for then, now in zip(before, after, strict=True))
    assert recorded(tmp_path / "run") == recorded(play("alone", choosing(6), 6, "serial").folder)


def test_a_planner_that_waits_for_ever_costs_its_own_episode(
    play: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peephole.episodes.episode._GRACE_S", 0.2)

    def plan(brief: Brief, percept: Percept) -> Decisions:
        if next(numbers) == 1:
            while True:
                time.sleep(0.05)
        yield from choosing(2).plan(brief, percept)

    numbers = count()
    planner = Planner("stuck", "waits for ever", plan, models=("planner",))
    results = play("run", planner, 3, planning_s=2.0).results
    assert sorted(result.ended for result in results) == ["done", "done", "planning_time"]


@pytest.mark.parametrize("call", ["reset", "view", "attempt", "graph"])
def test_an_error_of_a_simulator_costs_its_own_episode(
    play: Any, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    right, bad = getattr(SymbolicAdapter, call), []

    def broken(adapter: SymbolicAdapter, *given: Any) -> Any:
        if not bad:
            bad.append(adapter)
        if adapter is bad[0]:
            raise ZeroDivisionError("a fault of the world")
        return right(adapter, *given)

    monkeypatch.setattr(SymbolicAdapter, call, broken)
    results = play("run", choosing(2), 4).results
    assert sorted(result.ended for result in results) == ["done", "done", "done", "voided"]
    (voided,) = (result for result in results if result.ended == "voided")
    why = f"The adapter symbolic failed in '{call}' (ZeroDivisionError: a fault of the world, in "
    assert why in voided.detail
    assert not threads()


def test_agents_outside_are_waited_for_at_the_same_time(
    play: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peephole.baton._LONGEST_S", 60.0)
    began, ended = [], []

    def plan(brief: Brief, percept: Percept) -> Decisions:
        began.append(time.monotonic())
        try:
            yield from Seat(SeatLimits(silence_s=0.5)).plan(brief, percept)
        finally:
            ended.append(time.monotonic())

    play("run", Planner("silent", "says nothing", plan, models=("planner",)), 4)
    assert max(began) < min(ended)


def test_what_cannot_be_played_in_threads_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for more, sentence in (
        ({"adapter": "virtualhome"}, "is played once in a process; use --engine processes"),
        ({"isolate": True}, "--isolate plays in processes"),
    ):
        with pytest.raises(BadInput, match=sentence):
            peephole.run(
                "explore", "houses", tasks=2, workers=2, engine="threads", out=tmp_path, **more
            )
    assert not list(tmp_path.iterdir())


def test_threads_are_chosen_where_episodes_wait_for_an_endpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")

    def suits(planner: str, model: str = "", **more: Any) -> bool:
        models = {"planner": ModelConfig(model)} if model else {}
        return suits_threads(resolve(RunConfig("houses", planner, models=models, **more), "1"))

    assert suits("react", "gpt")
    assert not suits("react", "gpt", adapter="virtualhome")
    assert not suits("react", "gpt", isolate=True)
    assert not suits("react", "scripted")  # answers on this machine
    assert not suits("explore")
    assert isinstance(make_engine("", 2, tmp_path, in_threads=True), ThreadEngine)
    assert isinstance(make_engine("processes", 2, tmp_path, in_threads=True), ProcessEngine)


# --- the pace of an endpoint ---------------------------------------------------------------------


def test_a_pause_that_an_endpoint_asks_for_is_one_for_all() -> None:
    pace, sent = Pace(), []
    pace.refused(time.monotonic(), 0.3)

    def send(number: float) -> None:
        with pace.sending(number):
            sent.append((number, time.monotonic()))

    began = time.monotonic()
    waiters = [threading.Thread(target=send, args=(number,)) for number in (3.0, 1.0, 2.0)]
    for waiter in waiters:
        waiter.start()
    for waiter in waiters:
        waiter.join()
    assert min(at for _, at in sent) - began >= 0.3


def test_after_a_refusal_fewer_are_sent_at_the_same_time_and_who_asked_first_goes_first() -> None:
    pace, order = Pace(), []
    with pace.sending(0.0):
        pace.refused(time.monotonic(), 0.0)  # one of two on their way: one from now on
        waiters = []
        for number in (3.0, 1.0, 2.0):

            def send(number: float = number) -> None:
                with pace.sending(number):
                    order.append(number)

            waiters.append(threading.Thread(target=send))
            waiters[-1].start()
        time.sleep(0.1)
        assert not order
    for waiter in waiters:
        waiter.join()
    assert order == [1.0, 2.0, 3.0]


def test_who_waits_is_told_that_the_run_ends() -> None:
    pace = Pace()
    pace.refused(time.monotonic(), 60.0)
    threading.Timer(0.1, pace.stop).start()
    began = time.monotonic()
    with pytest.raises(Interrupted), pace.sending(0.0):
        pass
    with pytest.raises(Interrupted):
        pace.sleep(60.0)
    assert time.monotonic() - began < 5


def test_all_models_of_an_endpoint_have_one_pace(endpoint: Any) -> None:
    endpoint.faults += ["a_second"]
    paces, events = Paces(), []
    at = ModelEndpoint(endpoint.url, "stand-in", "sk-secret")
    with (
        ModelConnection(ModelConfig("stand-in"), at, paces=paces) as one,
        ModelConnection(ModelConfig("stand-in"), replace(at, model="other"), paces=paces) as other,
    ):
        asking = [
            threading.Thread(target=each.for_episode(role, events.append).complete, args=([ASK],))
            for role, each in (("planner", one), ("vision", other))
        ]
        asking[0].start()
        while not any(isinstance(event, ModelHttpError) for event in events):
            time.sleep(0.01)
        asking[1].start()
        for each in asking:
            each.join()
    first, *later = endpoint.times
    assert len(later) == 2
    assert min(later) - first >= 0.9


# --- the baton -----------------------------------------------------------------------------------


def test_one_thread_computes_at_a_time_and_others_while_it_waits() -> None:
    baton, computing, most = Baton(), [], []

    def work() -> None:
        with baton.held():
            for _ in range(3):
                computing.append(1)
                most.append(len(computing))
                time.sleep(0.002)
                computing.pop()
                with waiting():
                    time.sleep(0.002)

    workers = [threading.Thread(target=work) for _ in range(5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(most) == 15
    assert max(most) == 1


def test_a_thread_that_keeps_the_baton_holds_nobody_up_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("peephole.baton._LONGEST_S", 0.05)
    baton, ended = Baton(), threading.Event()

    def keeps() -> None:
        with baton.held():
            ended.wait(10)

    keeper = threading.Thread(target=keeps)
    keeper.start()
    time.sleep(0.02)
    for _ in range(3):
        with baton.held():
            pass
    ended.set()
    keeper.join()
