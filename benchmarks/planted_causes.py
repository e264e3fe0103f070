"""Are planning, perception and contact told apart in several engines, with or without a true state?

    .venv/bin/python benchmarks/planted_causes.py --tasks 8

`explore` plays the same tasks of `houses` in several engines. Those it solves are played again with
one planted cause of failure: it stops halfway (planning), nobody sees what is asked for
(perception), or the last skill that it needs always fails (contact). Each failure is classed three
times: by the recorded true state; as in a real room, where there is none and a person judges; and
there with the start of the simulated episode as a twin. Prints a row an engine and cause.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from peephole.adapters.contract import Adapter, Capability
from peephole.adapters.registry import connect
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.events import RecordedEvent, Stepped, result_among
from peephole.episodes.recording import EpisodeLog, read_events
from peephole.episodes.resolve import load_dialect
from peephole.observation_text.view import View
from peephole.planners.contract import Act, Brief, Decisions, GiveUp, Percept, Planner
from peephole.planners.registry import load_planner
from peephole.results.failures.causes import blame
from peephole.results.failures.classify import IDLE
from peephole.results.failures.needs import open_needs
from peephole.results.failures.played import Attribution, Cause
from peephole.scene_graph.goal_evaluation import Progress, progress
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, Verb
from peephole.skills.outcomes import Failure, RawResult, Reason
from peephole.suites.contract import Suite
from peephole.suites.registry import load_suite

ENGINES = ("symbolic", "symbolic_one_hand", "virtualhome_room")
#: The most actions of an episode.
STEPS = 60


@dataclass(frozen=True)
class Planted:
    """What is put wrong. hidden: things that nobody sees. fails: a verb that always fails."""

    hidden: frozenset[int] = frozenset()
    fails: Verb | None = None
    steps: int | None = None
    """Actions after which the planner stops."""


class Faulty(Adapter):
    """An engine with something put wrong. is_room: without a true state, judged by its goal."""

    def __init__(self, engine: Adapter, planted: Planted, *, is_room: bool) -> None:
        self._engine, self._planted, self._is_room = engine, planted, is_room
        self.spec = engine.spec
        if is_room:
            self.spec = replace(engine.spec, capabilities=frozenset({Capability.JUDGE}))

    def reset(self, task: Task, seed: int) -> None:
        self._engine.reset(task, seed)

    def attempt(self, action: Action, variation: int) -> RawResult:
        if action.verb is self._planted.fails:
            return RawResult(Failure(Reason.SLIPPED, action.target), "planted")
        return self._engine.attempt(action, variation)

    def graph(self) -> SceneGraph | None:
        return None if self._is_room else self._engine.graph()

    def view(self) -> View:
        view = self._engine.view()
        kept = [node.id for node in view.graph.nodes() if node.id not in self._planted.hidden]
        covered = {place: whole for place, whole in view.covered.items() if place in kept}
        return View(view.graph.part(kept), covered)

    def judge(self, task: Task) -> Progress | None:
        truth = self._engine.graph()
        return None if truth is None or not self._is_room else progress(task.goal, truth)


def play(
    engine: Adapter, suite: Suite, task: Task, planted: Planted, *, is_room: bool
) -> list[RecordedEvent]:
    """The events of an episode by `explore`."""
    explore = load_planner("explore")

    def plan(brief: Brief, percept: Percept) -> Decisions:
        answer: Percept | None = None
        decisions, acts = explore.plan(brief, percept), 0
        while True:
            try:
                decision = decisions.send(answer) if answer is not None else next(decisions)
            except StopIteration:
                return
            acts += isinstance(decision, Act)
            if planted.steps is not None and acts > planted.steps:
                yield GiveUp("planted")
            answer = yield decision

    planner = Planner("explore", explore.summary, plan, explore.grants, dialects=explore.dialects)
    context = EpisodeContext(
        Faulty(engine, planted, is_room=is_room),
        planner,
        load_dialect("reactree_plain"),
        rules=suite.rules,
        budgets=replace(suite.budgets, steps=STEPS),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "episode.jsonl")
        with EpisodeLog(path) as log:
            run_episode(context, task, log)
        return read_events(path)


def planted_causes(
    task: Task, start: SceneGraph, events: list[RecordedEvent]
) -> Iterator[tuple[Cause, Planted]]:
    """What is put wrong, by the cause that it is. events: of the episode that succeeded."""
    steps = [e for e in events if isinstance(e, Stepped) and e.action is not None]
    touching = [e for e in steps if e.action is not None and e.action.verb not in IDLE]
    targets = {t for need in open_needs(task.goal, start, []) for t in need.targets}
    hidden = frozenset(t for t in targets if t in start and start[t].kind is Kind.OBJECT)
    if not touching or not hidden:
        return
    last = touching[-1].action
    assert last is not None
    yield Cause.PLANNING, Planted(steps=len(steps) // 2)
    yield Cause.PERCEPTION, Planted(hidden=hidden)
    yield Cause.CONTACT, Planted(fails=last.verb)


def _told(found: Attribution | None) -> str:
    return "cannot be told" if found is None else str(found.cause)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=8)
    parser.add_argument("--engines", nargs="+", default=ENGINES)
    options = parser.parse_args()
    suite = load_suite("houses")
    print("engine | planted | by the true state | in a room with a twin | in a room alone")
    right: Counter[str] = Counter()
    for name in options.engines:
        engine = connect(name)
        told: dict[Cause, list[Counter[str]]] = {}
        for task in suite.tasks[: options.tasks]:
            engine.reset(task, 0)
            start = engine.graph()
            assert start is not None
            whole = play(engine, suite, task, Planted(), is_room=False)
            result = result_among(whole)
            if result is None or not result.success:
                continue
            for cause, planted in planted_causes(task, start, whole):
                known = play(engine, suite, task, planted, is_room=False)
                room = play(engine, suite, task, planted, is_room=True)
                found = (blame(known), blame(room, start), blame(room))
                counts = told.setdefault(cause, [Counter(), Counter(), Counter()])
                for how, (count, each) in enumerate(zip(counts, found, strict=True)):
                    count[_told(each)] += 1
                    right[f"{how} {'right' if _told(each) == cause else _kind(each)}"] += 1
        engine.close()
        for cause, counts in told.items():
            cells = [", ".join(f"{n} {what}" for what, n in c.most_common()) for c in counts]
            print(" | ".join([name, str(cause), *cells]), flush=True)
    for how, title in enumerate(("true state", "room with a twin", "room alone")):
        total = sum(n for key, n in right.items() if key.startswith(f"{how} "))
        counts_of = {key[2:]: n for key, n in right.items() if key.startswith(f"{how} ")}
        print(f"{title}: {counts_of} of {total}")


def _kind(found: Attribution | None) -> str:
    return "untold" if found is None else "wrong"


if __name__ == "__main__":
    main()
