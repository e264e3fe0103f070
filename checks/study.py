"""A study: every assumption about an adapter's engine is put to the engine that is there.

No check ends the study: an engine that crashes is started again. Where it does not come back, or
where the time is over, the other assumptions cannot be told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from .. import plugins
from ..adapters.contract import STAND_IN, Adapter
from ..adapters.registry import connect as connected
from ..errors import BadInput, Missing, unknown_name
from ..scene_graph.task import Task
from .assumption import Assumption, CannotTell, Checks, Differs, Finding, Verdict, task_in
from .bench import Bench

#: Seconds for all checks of a study.
WITHIN_S = 600.0

#: Gets the number of the check, the number of all checks, the finding, and what answered.
OnFinding = Callable[[int, int, Finding, str], None]


@dataclass(frozen=True)
class Study:
    """What an engine said to all assumptions about it."""

    adapter: str
    """The name of the adapter."""
    facts: dict[str, Any]
    """Versions and settings of the engine; empty where it never ran."""
    findings: tuple[Finding, ...]
    """In the order of the checks."""
    duration_s: float = 0.0
    """Wall-clock seconds."""

    @property
    def stand_in(self) -> str:
        """The stand-in that answered instead of the engine; empty for the engine itself."""
        return str(self.facts.get(STAND_IN) or "")

    def of(self, verdict: Verdict) -> list[Finding]:
        """The findings of a verdict."""
        return [each for each in self.findings if each.verdict is verdict]


def answering(facts: dict[str, Any]) -> str:
    """What answered, by an adapter's facts, in a word or two."""
    if not facts:
        return "no engine asked"
    return "stand-in" if facts.get(STAND_IN) else "engine itself"


def checks_of(adapter: str) -> Checks | None:
    """The assumptions about the engine of an adapter; None where none are registered.

    Raises Missing for a broken plugin.
    """
    if adapter not in plugins.names("check"):
        return None
    found = plugins.load("check", adapter)
    if not isinstance(found, Checks):
        raise Missing(
            f"The checks '{adapter}' are no checks (their entry point names {found!r}, expected a "
            f"peephole.checks.assumption.Checks); correct or remove their package."
        )
    return found


def chosen(assumptions: Sequence[Assumption], only: Collection[str]) -> list[Assumption]:
    """The assumptions of these names or topics, all by default. Raises BadInput for another one."""
    known = {each.name for each in assumptions} | {str(each.topic) for each in assumptions}
    for name in only:
        if name not in known:
            raise unknown_name("check", name, known)
    return [each for each in assumptions if not only or {each.name, str(each.topic)} & {*only}]


def study(
    checks: Checks,
    *,
    task: Task | None = None,
    only: Collection[str] = (),
    connect: Callable[[], Adapter] | None = None,
    within_s: float = WITHIN_S,
    on_finding: OnFinding | None = None,
) -> Study:
    """Put the assumptions to an adapter's engine.

    task: in whose scene checks begin that name none. only: names or topics of the checks. connect:
    makes the adapter, by default the registered one. on_finding: called with each finding as it
    comes. Raises BadInput and Missing before the first check, and nothing afterwards.
    """
    name = checks.adapter
    wanted = chosen(checks.assumptions, only)
    if task is None:
        if not checks.scene:
            raise BadInput(f"The checks of {name} name no scene; give one.")
        task = task_in(checks.scene)
    began = time.monotonic()
    bench = Bench(
        connect or (lambda: connected(name)), task, lambda: within_s - (time.monotonic() - began)
    )
    _ = bench.adapter  # raises Missing
    findings = []
    try:
        for number, assumption in enumerate(wanted, 1):
            findings.append(_found(bench, assumption))
            if on_finding is not None:
                on_finding(number, len(wanted), findings[-1], answering(bench.facts))
    finally:
        bench.close()
    return Study(name, bench.facts, tuple(findings), time.monotonic() - began)


def _found(bench: Bench, assumption: Assumption) -> Finding:
    """The finding of one check."""
    bench.steps = []
    began = time.monotonic()
    try:
        if bench.is_over:
            raise CannotTell("no time was left")
        if not assumption.bare and bench.gave_up(assumption.start):
            raise CannotTell("the engine did not come to its start, in this check and before")
        if assumption.start is not None:
            bench.begin_by(assumption.start)
        elif not assumption.bare:
            bench.begin(assumption.scene or None)
        verdict, answer = Verdict.HOLDS, assumption.check(bench)
    except Differs as differs:
        verdict, answer = Verdict.DIFFERS, str(differs)
        if bench.is_over:  # what then differs may be what had no time
            verdict, answer = Verdict.CANNOT_TELL, f"no time was left: {differs}"
    except CannotTell as untold:
        verdict, answer = Verdict.CANNOT_TELL, str(untold)
    except Exception as error:  # of the check, such as over an answer of another form
        verdict = Verdict.CANNOT_TELL
        answer = f"the check met {plugins.reason(error)}"
    return Finding(assumption, verdict, answer, tuple(bench.steps), time.monotonic() - began)
