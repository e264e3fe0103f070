"""The gate between an agent's action and the world, at which an approver is asked."""

from __future__ import annotations

import time

from ...observation_text.observer import Observer
from ...scene_graph.node import Kind
from ...skills.actions import Action
from ...skills.outcomes import Failure, Reason
from ..journal import Journal
from ..world import Moment
from .approver import Answer, Approver, Proposal


class Gate:
    """Asks the approver of an episode, if there is one, before an action reaches the world."""

    def __init__(self, approver: Approver | None, journal: Journal) -> None:
        self._approver = approver
        self._journal = journal

    def denied(
        self, action: Action, wording: str, step: int, observer: Observer, moment: Moment
    ) -> Failure | None:
        """Why an action is denied; None where it is allowed.

        observer, moment: before the action. A recorded answer is taken instead of a new one.
        """
        approver = self._approver
        if approver is None:
            return None
        proposal = proposal_of(action, wording, step, observer, moment)
        if approver.repeatable:
            answer = approver.answer(proposal)
        else:
            answer = self._journal.approval(lambda: _timed(approver, proposal))
        if answer.allowed:
            return None
        return Failure(Reason.DENIED, action.target, answer.reason.rstrip("."))


def _timed(approver: Approver, proposal: Proposal) -> tuple[Answer, float]:
    began = time.monotonic()
    return approver.answer(proposal), time.monotonic() - began


def proposal_of(
    action: Action, wording: str, step: int, observer: Observer, moment: Moment
) -> Proposal:
    """What an approver is asked about an action; nothing in it is hidden from the agent."""
    graph = moment.view.graph
    around = [observer.around(thing) for thing in action.things]
    places = {node.category for nodes in around for node in nodes}
    for thing, nodes in zip(action.things, around, strict=True):
        # Of furniture that is known but was not seen, the room is known, too.
        if len(nodes) == 1 and nodes[0].kind is Kind.FIXTURE and moment.truth is not None:
            places |= {moment.truth[place].category for place in moment.truth.above(thing)}
    if not action.things:
        places = {graph[place].category for place in graph.above(graph.agent().id)}
    return Proposal(
        step=step,
        wording=wording,
        verb=action.verb,
        target=around[0][0].category if around and around[0] else None,
        places=frozenset(places),
        holding=frozenset(graph[thing].category for thing in moment.view.held()),
    )
