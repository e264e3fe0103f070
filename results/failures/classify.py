"""The class of a failed episode: the first rule that matches, and its step.

docs/reference/failures.md has the rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from ...episodes.events import RecordedEvent, result_among
from ...models.events import ModelContextFull
from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind
from ...skills.actions import Verb
from ...skills.outcomes import FailureClass, Reason
from .history import EpisodeHistory, Try, history_of
from .needs import OpenNeed, goal_targets, open_needs


class FailureKind(StrEnum):
    """The kind of failure that stopped an episode; docs/reference/failures.md defines each."""

    SIMULATOR = "simulator"
    PLANNER_ERROR = "planner_error"
    MODEL_REFUSED = "model_refused"
    MODEL_MALFORMED = "model_malformed"
    MODEL_NO_ANSWER = "model_no_answer"
    EXECUTION_INFEASIBLE = "execution_infeasible"
    BELIEF_PLAN = "belief_plan"
    BELIEF_ANALYSIS = "belief_analysis"
    EXECUTION_SKILL = "execution_skill"
    DENIED = "denied"
    EXECUTION_REPEAT = "execution_repeat"
    AMBIGUOUS = "ambiguous"
    EXPAND_MISSING = "expand_missing"
    EXPAND_WRONG = "expand_wrong"
    SEARCH_SAME_ROOM = "search_same_room"
    SEARCH_REVISIT = "search_revisit"
    SEARCH_INCOMPLETE = "search_incomplete"
    EXECUTION_CONFUSION = "execution_confusion"
    EXECUTION_SKIPPING = "execution_skipping"
    OTHER = "other"

    @property
    def words(self) -> str:
        """Such as "search incomplete"."""
        return self.value.replace("_", " ")


@dataclass(frozen=True)
class Diagnosis:
    """Why an episode failed. step: the deciding one, 0 for the beginning."""

    kind: FailureKind
    step: int


#: Verbs that touch nothing.
IDLE = frozenset({Verb.GO_TO, Verb.LOOK, Verb.WAIT, Verb.TURN_TO})
#: A repetition: so many equal actions, or so many at the end of so few sorts.
_REPEATED, _SORTS = 6, 2
#: A stay in one room: the fewest steps, and the share of them spent there.
_STAY, _STAY_SHARE = 12, 0.75
#: A search that goes back: the fewest walks, and the share of walks back.
_WALKS, _BACK_SHARE = 4, 0.5
#: Malformed output: so many texts in a row that are no actions.
_REFUSED = 5


def diagnose(events: Sequence[RecordedEvent]) -> Diagnosis | None:
    """The class of a recorded episode; None if it has not failed, or nobody can tell."""
    result = result_among(events)
    if result is None or result.success or (result.success is None and not result.is_voided):
        return None
    history = history_of(events, result)
    found = next(filter(None, (rule(history) for rule in (_ending, _model, _infeasible))), None)
    if found is not None:
        return found
    if history.goal is None or history.last is None:
        return _at_end(history, FailureKind.OTHER)
    return _Plan(
        history, history.last, open_needs(history.goal, history.last, history.happened)
    ).why()


def _at_end(history: EpisodeHistory, kind: FailureKind) -> Diagnosis:
    return Diagnosis(kind, history.result.steps)


# --- failures without a plan ---------------------------------------------------------------------


def _ending(history: EpisodeHistory) -> Diagnosis | None:
    """The simulator was lost, or the planner broke."""
    kinds = {"voided": FailureKind.SIMULATOR, "stopped": FailureKind.SIMULATOR}
    kind = (kinds | {"planner_error": FailureKind.PLANNER_ERROR}).get(history.result.ended)
    return None if kind is None else _at_end(history, kind)


def _model(history: EpisodeHistory) -> Diagnosis | None:
    """No usable answer, also where the planner gave up for it; or texts that are no actions."""
    reply = history.replied
    unanswered = history.result.ended == "no_answer" or (
        history.result.ended == "gave_up"
        and reply is not None
        and (isinstance(reply, ModelContextFull) or reply.problem is not None)
    )
    if not unanswered:
        wordless = _tail(history.tries, lambda t: t.action is None)
        steps = [t.step for t in wordless] + history.refused
        malformed = len(steps) >= _REFUSED
        return Diagnosis(FailureKind.MODEL_MALFORMED, steps[0]) if malformed else None
    if reply is None or isinstance(reply, ModelContextFull):
        return _at_end(history, FailureKind.MODEL_NO_ANSWER)
    if reply.withheld:
        return Diagnosis(FailureKind.MODEL_REFUSED, reply.step)
    silent = reply.cut or not reply.reply.strip()
    kind = FailureKind.MODEL_NO_ANSWER if silent else FailureKind.MODEL_MALFORMED
    return Diagnosis(kind, reply.step)


def _infeasible(history: EpisodeHistory) -> Diagnosis | None:
    """The goal holds, and the first infeasible action is to blame."""
    if not history.result.infeasible or history.result.progress != 1.0:
        return None
    for tried in history.tries:
        if tried.failure is not None and tried.failure.kind is FailureClass.PRECONDITION:
            return Diagnosis(FailureKind.EXECUTION_INFEASIBLE, tried.step)
    return _at_end(history, FailureKind.EXECUTION_INFEASIBLE)


# --- plans -----------------------------------------------------------------------------------


class _Plan:
    """An episode whose plan failed. needs: the open parts of the goal at its end."""

    def __init__(
        self, history: EpisodeHistory, graph: SceneGraph, needs: Sequence[OpenNeed]
    ) -> None:
        assert history.goal is not None
        self._history = history
        self._graph = graph
        self._needs = needs
        self._tries = history.tries
        self._open = frozenset().union(*(need.targets for need in needs))
        self._asked = goal_targets(history.goal, graph)

    def why(self) -> Diagnosis:
        rules = (
            *(self._belief, self._skill, self._denied, self._repeat, self._ambiguous),
            *(self._expansion, self._search, self._confusion, self._skipping),
        )
        found = next(filter(None, (rule() for rule in rules)), None)
        return found or _at_end(self._history, FailureKind.OTHER)

    def _belief(self) -> Diagnosis | None:
        history = self._history
        if history.evidence is None:
            return None
        for event in history.happened:
            known = [e for e in history.happened if e.step <= event.step]
            if satisfied(history.evidence, self._graph, known):
                return Diagnosis(FailureKind.BELIEF_ANALYSIS, self._first_taken(event.step))
        return Diagnosis(FailureKind.BELIEF_PLAN, self._first_taken(0))

    def _skill(self) -> Diagnosis | None:
        tries = [t for t in self._tries if self._concerns_target(t)]
        if not tries or tries[-1].failure is None:
            return None
        physical = (FailureClass.GEOMETRY, FailureClass.TRANSIENT)
        failed = list(_tail(tries, lambda t: t.failure is not None and t.failure.kind in physical))
        return Diagnosis(FailureKind.EXECUTION_SKILL, failed[0].step) if failed else None

    def _concerns_target(self, tried: Try) -> bool:
        action = tried.action
        if action is None or action.verb in IDLE:
            return False
        return not self._open.isdisjoint(action.things)

    def _denied(self) -> Diagnosis | None:
        """The last action on a target, or on the furniture around it, was denied."""
        around = {p for t in self._open if t in self._graph for p in self._graph.above(t)}
        wanted = self._open | (around - set(self._graph.room_ids))
        last: Try | None = None
        for tried in self._tries:
            action = tried.action
            if action is None or wanted.isdisjoint(action.things):
                continue
            if action.verb not in IDLE or _is_denied(tried):
                last = tried
        if last is None or not _is_denied(last):
            return None
        return Diagnosis(FailureKind.DENIED, last.step)

    def _repeat(self) -> Diagnosis | None:
        for end in range(len(self._tries), _REPEATED - 1, -1):
            alike = self._tries[end - _REPEATED : end]
            if len({t.wording for t in alike}) == 1:
                return Diagnosis(FailureKind.EXECUTION_REPEAT, alike[0].step)
        last = self._tries[-_REPEATED:]
        walks = all(t.action is not None and t.action.verb is Verb.GO_TO for t in last)
        if len(last) < _REPEATED or len({t.wording for t in last}) > _SORTS or walks:
            return None
        sorts = {t.wording for t in last}
        return Diagnosis(
            FailureKind.EXECUTION_REPEAT,
            next(iter(_tail(self._tries, lambda t: t.wording in sorts))).step,
        )

    def _ambiguous(self) -> Diagnosis | None:
        text = self._history.instruction
        named = [need.categories for need in self._needs if need.categories]
        if len(named) < len(self._needs) or not named:
            return None
        if any(speaks_of(text, category) for categories in named for category in categories):
            return None
        return Diagnosis(FailureKind.AMBIGUOUS, self._first_taken(0))

    def _expansion(self) -> Diagnosis | None:
        history = self._history
        if not history.subgoals:
            return None
        subgoals = "; ".join(history.subgoals)
        for need in self._needs:
            if not any(speaks_of(subgoals, name) for name in self._categories(need.targets)):
                return Diagnosis(FailureKind.EXPAND_MISSING, history.expanded_at)
        wanted = self._categories(self._asked)
        for subgoal in history.subgoals:
            if any(speaks_of(subgoal, name) for name in self._movables() - wanted):
                return Diagnosis(FailureKind.EXPAND_WRONG, history.expanded_at)
        furniture = {node.category for node in self._graph.nodes(Kind.FIXTURE)}
        for need in self._needs:
            places = self._categories(need.places)
            for subgoal in history.subgoals:
                about = any(speaks_of(subgoal, name) for name in self._categories(need.targets))
                right = any(speaks_of(subgoal, name) for name in places)
                other = any(speaks_of(subgoal, name) for name in furniture - places)
                if about and places and other and not right:
                    return Diagnosis(FailureKind.EXPAND_WRONG, history.expanded_at)
        return None

    def _search(self) -> Diagnosis | None:
        seen = self._history.seen
        if all(any(target in seen for target in need.targets) for need in self._needs):
            return None
        stay = self._stay()
        if stay is not None:
            return Diagnosis(FailureKind.SEARCH_SAME_ROOM, stay)
        back = self._way_back()
        if back is not None:
            return Diagnosis(FailureKind.SEARCH_REVISIT, back)
        return _at_end(self._history, FailureKind.SEARCH_INCOMPLETE)

    def _stay(self) -> int | None:
        """The first step of a stay in one room while other rooms were never visited."""
        left_out = set(self._history.rooms) - {t.room for t in self._tries}
        last = self._tries[-max(_STAY, len(self._tries) // 2) :]
        if not left_out or len(last) < _STAY:
            return None
        room, times = Counter(t.room for t in last).most_common(1)[0]
        if times < _STAY_SHARE * len(last):
            return None
        return next(iter(_tail(self._tries, lambda t: t.room == room)), last[0]).step

    def _way_back(self) -> int | None:
        """The first walk to a place that was searched before, where many walks are such."""
        visited: set[int] = set()
        back: list[Try] = []
        walks = 0
        for tried in self._tries:
            action = tried.action
            if action is None or action.verb is not Verb.GO_TO or not tried.success:
                continue
            place = self._graph.get(action.things[0])
            if place is None or place.kind is Kind.ROOM:
                continue
            walks += 1
            if place.id in visited:
                back.append(tried)
            visited.add(place.id)
        others = [n for n in self._graph.nodes(Kind.FIXTURE) if n.id not in visited]
        if walks < _WALKS or len(back) < _BACK_SHARE * walks or not others:
            return None
        return back[0].step

    def _confusion(self) -> Diagnosis | None:
        """The first time that a wrong object was put down, or a target at a wrong place."""
        for tried in self._tries:
            action = tried.action
            if action is None or action.verb is not Verb.PUT or not tried.success:
                continue
            assert action.target is not None
            if action.target not in self._asked:
                return Diagnosis(FailureKind.EXECUTION_CONFUSION, tried.step)
            if any(
                action.target in need.targets
                and need.places
                and action.place not in need.places
                and any(place == action.place for _, place in self._graph.places(action.target))
                for need in self._needs
            ):
                return Diagnosis(FailureKind.EXECUTION_CONFUSION, tried.step)
        return None

    def _skipping(self) -> Diagnosis | None:
        seen = self._history.seen
        steps = [seen[target] for need in self._needs for target in need.targets if target in seen]
        return Diagnosis(FailureKind.EXECUTION_SKIPPING, min(steps)) if steps else None

    # --- small helpers -----------------------------------------------------------------------

    def _first_taken(self, after: int) -> int:
        """The step of the first pick-up after `after`; else the last step."""
        taken = (
            tried.step
            for tried in self._tries
            if tried.action is not None and tried.action.verb is Verb.PICK_UP
            if tried.success and tried.step > after
        )
        return next(taken, self._history.result.steps)

    def _categories(self, things: frozenset[int]) -> set[str]:
        return {self._graph[thing].category for thing in things if thing in self._graph}

    def _movables(self) -> set[str]:
        return {
            node.category
            for node in self._graph.nodes(Kind.OBJECT)
            if Affordance.GRASPABLE in node.affordances
        }


def _tail(tries: Sequence[Try], fits: Callable[[Try], bool]) -> list[Try]:
    """The tries at the end that all fit."""
    first = len(tries)
    while first > 0 and fits(tries[first - 1]):
        first -= 1
    return list(tries[first:])


def _is_denied(tried: Try) -> bool:
    return tried.failure is not None and tried.failure.reason is Reason.DENIED


def speaks_of(text: str, category: str) -> bool:
    """Whether a text contains a category's words in sequence, in singular or plural."""
    return _pattern(category).search(text) is not None


@cache
def _pattern(category: str) -> re.Pattern[str]:
    *first, last = category.split() or [""]
    words = [*map(re.escape, first), _with_any_ending(last)]
    return re.compile(rf"(?<!\w){' '.join(words)}(?!\w)", re.IGNORECASE)


def _with_any_ending(word: str) -> str:
    """A word or its plural: knife and knives, loaf and loaves, berry and berries."""
    forms = {re.escape(word) + "(?:s|es)?"}
    for ending, plural in (("fe", "ves"), ("f", "ves"), ("y", "ies")):
        if word.endswith(ending):
            forms.add(re.escape(word.removesuffix(ending) + plural))
    return f"(?:{'|'.join(sorted(forms))})"
