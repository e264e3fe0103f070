"""Counts of tries with their causes of failure, and what they cost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from peephole.results.statistics.estimates import wilson
from peephole.skills.arm.mobile.motion import FORCE_LIMIT
from peephole.skills.arm.mobile.robot import Attempted
from peephole.skills.arm.mobile.world import Touch
from peephole.skills.outcomes import Failure, FailureClass

#: Tries of a skill, as the executor's policy has them.
TRIES = 3
#: The force that may never be reached, in N.
NEVER = 60.0


@dataclass
class Tally:
    """What a measure counts.

    pushes: the strongest in each case, in N. hardest: in the last case, with its touch. lost:
    things that left the room or fell through the floor.
    """

    done: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    causes: Counter[tuple[str, str]] = field(default_factory=Counter)
    pushes: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    sim_s: list[float] = field(default_factory=list)
    hardest: tuple[float, Touch | None] = (0.0, None)
    lost: list[str] = field(default_factory=list)

    def tried(self, parts: tuple[str, ...], skill: Callable[[int], Attempted]) -> Attempted:
        """Play one skill, with the executor's retries. parts: the rows that it counts in."""
        began, simulated = time.process_time(), 0.0
        self.hardest = (0.0, None)
        for variation in range(TRIES):
            result = skill(variation)
            simulated += result.time_s
            self.hardest = max(self.hardest, result.push, key=lambda push: push[0])
            if result.failed is None:
                break
            kind = Failure(result.failed.reason).kind
            if kind not in (FailureClass.GEOMETRY, FailureClass.TRANSIENT):
                break
        for part in parts:
            self.count(part, result)
        self.pushes.append(self.hardest[0])
        self.cpu_s.append(time.process_time() - began)
        self.sim_s.append(simulated)
        return result

    def count(self, part: str, result: Attempted) -> None:
        if result.failed is None:
            self.done[part] += 1
        else:
            self.failed[part] += 1
            self.causes[part, str(result.failed.reason)] += 1

    def table(self) -> str:
        lines = []
        for part in sorted({*self.done, *self.failed}):
            good, bad = self.done[part], self.failed[part]
            rate = wilson(good, good + bad).text(100)
            causes = [f"{c} {n}" for (p, c), n in sorted(self.causes.items()) if p == part]
            lines.append(f"{part:24} {good}/{good + bad}  {rate} %  {', '.join(causes)}")
        cases = len(self.pushes)
        over = sum(push >= FORCE_LIMIT for push in self.pushes)
        never = sum(push >= NEVER for push in self.pushes)
        lines.append(
            f"pushes over {FORCE_LIMIT:.0f} N in {over} of {cases}, over {NEVER:.0f} N in {never},"
            f" strongest {max(self.pushes, default=0.0):.0f} N"
        )
        if self.lost:
            lines.append(f"LOST: {', '.join(self.lost)}")
        cpu, simulated = sorted(self.cpu_s), sum(self.sim_s)
        lines.append(
            f"CPU each: median {cpu[cases // 2]:.2f} s, most {cpu[-1]:.2f} s;"
            f" {simulated / sum(cpu):.0f} times real time"
        )
        return "\n".join(lines)
