"""A seat: an agent outside Peephole calls its tools, and the episode's loop gets decisions.

    seat = Seat()
    peephole.run(planner_of(seat), "houses", tasks=1)  # in one thread, as any planner
    seat.call("act", "open fridge 1")                  # from others; waits for the answer

The agent's calls are answered one after the other. A call that comes at the wrong time, or makes
no sense, gets a sentence and costs no action. An agent that is silent, gone or floods ends its
episode.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass, replace

from ...baton import waiting
from ..contract import (
    Act,
    Brief,
    Decision,
    Decisions,
    Done,
    EpisodeOver,
    GiveUp,
    Percept,
)
from ..kits import tools

#: Seconds between two looks of the episode's loop at its agent.
_LOOK_EVERY_S = 0.5
#: Calls of all tools that an agent has for each decision of its budget.
CALLS_PER_DECISION = 10
#: Calls that may wait for their turn; others are refused.
_MOST_WAITING = 16


@dataclass(frozen=True)
class SeatLimits:
    """What an agent may cost besides the budgets of its episode.

    silence_s: seconds without a call. calls: of all tools; None: ten for each decision allowed.
    """

    silence_s: float = 600.0
    calls: int | None = None


@dataclass(frozen=True)
class Reply:
    """The answer to a call.

    text: for the agent. ok: False where the call was refused, did not fit or came at a wrong time.
    over: the episode has ended.
    """

    text: str
    ok: bool = True
    over: bool = False


class Seat:
    """The place of one agent in one episode. `call` is for any thread, `plan` for the loop's."""

    def __init__(self, limits: SeatLimits | None = None) -> None:
        self.calls: Counter[str] = Counter()  # by tool
        self.limits = limits or SeatLimits()
        self._turn = threading.Lock()  # of the call that is answered
        self._waiting = 0
        self._changed = threading.Condition()  # guards all below
        self._brief: Brief | None = None
        self._percept: Percept | None = None  # None while the loop is busy
        self._decision: Decision | None = None
        self._heard = 0.0  # when the agent called last, or got its last answer
        self._left = ""  # why the agent is gone
        self._news = ""  # for the next answer
        self._last: Percept | None = None  # what the agent got last
        self._ended: str | None = None

    # --- for the agent -----------------------------------------------------------------------

    def call(self, name: str, argument: str = "") -> Reply:
        """Answer a call of a tool; waits until the episode has begun, and for the loop's answer."""
        try:
            tools.tool_named(name)
        except ValueError as error:
            return Reply(str(error), False)
        with self._changed:
            if self._waiting >= _MOST_WAITING:
                return Reply("Too many calls at once: wait for an answer, then call again.", False)
            self._waiting += 1
        try:
            with self._turn, self._changed:
                self._changed.wait_for(lambda: self._percept is not None or self.over is not None)
                return self._over_reply() or self._answer(name, argument)
        finally:
            with self._changed:
                self._waiting -= 1

    def leave(self, why: str = "The agent has left.") -> None:
        """Say that the agent has gone: the episode ends as given up, unless it has ended.

        why: a sentence for the recording.
        """
        with self._changed:
            self._left = why
            self._changed.notify_all()

    def quiet(self, seconds: float, at_most_s: float) -> None:
        """Wait until the agent has made no call for some seconds, or calls on for too long."""
        until = time.monotonic() + at_most_s
        with self._changed:
            while (left := min(self._heard + seconds, until) - time.monotonic()) > 0:
                self._changed.wait(min(left, _LOOK_EVERY_S))

    @property
    def over(self) -> str | None:
        """How the episode ended, as `EpisodeResult.ended`; None while it goes on."""
        return self._ended

    # --- for the episode's loop --------------------------------------------------------------

    def plan(self, brief: Brief, percept: Percept) -> Decisions:
        """The decisions of the agent; first those of a recording that is continued."""
        again = self._brief is not None
        self._brief = brief
        try:
            for decision in brief.recorded:
                percept = yield decision
            if again:
                self._news = f"The simulator failed; the episode begins again. {percept.text}\n"
            waited_s = 0.0
            while True:
                self._hand(percept)
                began = time.monotonic()
                decision = self._next(brief.budgets.planning_s - waited_s)
                waited_s += time.monotonic() - began
                percept = yield decision
        except EpisodeOver as over:
            self._end(over.ended, over.percept)
            raise

    def close(self, ended: str = "") -> None:
        """Tell every call from now on that the episode is over. ended: as in `over`."""
        if self._ended is None:
            self._end(ended, None)

    # --- inside ------------------------------------------------------------------------------

    def _answer(self, name: str, argument: str) -> Reply:
        brief, percept = self._brief, self._percept
        assert brief is not None
        assert percept is not None
        self._heard = time.monotonic()
        self.calls[name] += 1
        most = self.limits.calls or CALLS_PER_DECISION * brief.budgets.decisions
        if self.calls.total() > most:
            return self._decide(GiveUp(f"The agent made more than {most} calls."))
        match name:
            case "task":
                return self._tell(tools.task_text(brief, percept))
            case "look":
                return self._tell(percept.overview())
            case "menu":
                return self._tell(tools.menu_text(percept))
            case "status":
                return self._tell(tools.status_text(brief, percept))
        if len(argument) > tools.MOST_CHARACTERS:
            return Reply(f"That is too long: {tools.MOST_CHARACTERS} characters at most.", False)
        argument = argument.encode("utf-8", "replace").decode()  # JSON may carry lone surrogates
        match name:
            case "done":
                return self._decide(Done(argument))
            case "give_up":
                return self._decide(GiveUp(argument))
        if not argument.strip():
            return Reply("Give an action, worded as in the menu.", False)
        if percept.ended is not None:
            return Reply(tools.LAST_WORD, False)
        return self._decide(Act(argument))

    def _decide(self, decision: Decision) -> Reply:
        """Hand a decision to the loop; returns its answer."""
        before = self._last = self._percept
        self._percept, self._decision = None, decision
        self._changed.notify_all()
        self._changed.wait_for(lambda: self._percept is not None or self.over is not None)
        self._heard = time.monotonic()
        percept = self._percept or self._last
        told = "" if percept is before or percept is None else tools.answer_text(percept)
        over = self._over_reply()
        if over is not None:
            return Reply(self._tell(f"{told}\n{over.text}".strip()).text, over=True)
        refused = percept is not None and percept.refused is not None
        return replace(self._tell(told), ok=not refused)

    def _tell(self, text: str) -> Reply:
        news, self._news = self._news, ""
        return Reply(news + text)

    def _over_reply(self) -> Reply | None:
        if self._ended is None:
            return None
        self._heard = time.monotonic()
        return Reply(tools.over_text(self._ended), ok=False, over=True)

    def _hand(self, percept: Percept) -> None:
        """Let the agent go on from a percept."""
        with self._changed:
            self._percept, self._decision = percept, None
            self._heard = time.monotonic()
            self._changed.notify_all()

    def _next(self, left_s: float) -> Decision:
        """Wait for the agent's decision. left_s: of its time."""
        until, silence_s = time.monotonic() + left_s, self.limits.silence_s
        with waiting(), self._changed:
            while self._decision is None:
                now = time.monotonic()
                quiet_s = now - self._heard
                reason = ""
                if self._left:
                    reason = self._left
                elif now >= until:
                    reason = "The agent's time is used."
                elif quiet_s >= silence_s:
                    reason = f"The agent was silent for {silence_s:g} s."
                if reason:
                    self._percept = None
                    return GiveUp(reason)
                self._changed.wait(min(_LOOK_EVERY_S, until - now, silence_s - quiet_s))
            return self._decision

    def _end(self, ended: str, percept: Percept | None) -> None:
        with self._changed:
            self._ended, self._percept = ended, None
            self._last = percept or self._last
            self._changed.notify_all()
