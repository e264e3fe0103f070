"""Planners that do one thing wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import cycle, islice

from peephole.planners.contract import (
    Act,
    Brief,
    Decisions,
    Done,
    GiveUp,
    Internal,
    Note,
    Percept,
)
from peephole.scene_graph.goals import Related
from peephole.scene_graph.node import Affordance, Kind, Node, Relation
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, Verb, close, go_to, look, open_, put

from .acting import (
    act,
    bases,
    empty_room,
    go,
    look_into,
    other_category,
    places_without,
    pursue,
    truth,
)
from .tasks import STEPS, WahGoal, asked_by

Plan = Callable[[Brief, Percept], Decisions]


def searches_little(task: Task, number: int) -> Plan:
    """Looks at three to six places, and gives up or says that it is done."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        for place in places_without(percept, asked_by(task))[: 3 + number]:
            percept = yield from look_into(percept, place)
        yield GiveUp("I cannot find it.") if number % 2 else Done()

    return plan


def stays_in_one_room(task: Task, number: int) -> Plan:
    """Goes round and round in one room."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        asked = asked_by(task)
        places = places_without(percept, asked, empty_room(percept, asked))
        for place in islice(cycle(places[: 5 + number]), 20 + 5 * number):
            percept = yield from look_into(percept, place)
        yield GiveUp("I cannot find it.")

    return plan


def searches_again(task: Task, number: int) -> Plan:
    """Walks from room to room between places that it has seen, and to no others."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        asked, graph = asked_by(task), truth(percept)
        of_room: dict[int | None, int] = {}
        for place in places_without(percept, asked):
            of_room.setdefault(graph.room_of(place), place)
        places = list(of_room.values())[: 3 + number % 2]
        for place in islice(cycle(places), len(places) * (3 + number // 2)):
            percept = yield from look_into(percept, place)
        yield GiveUp("I cannot find it.")

    return plan


def confuses(task: Task, number: int) -> Plan:
    """Brings another thing, or all of it to another place, and sees what it was to bring."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        asked = asked_by(task)
        if number % 2:
            wrong = replace(asked, place="sofa", relation=Relation.ON)
        else:
            for base in bases(percept, asked):
                percept = yield from look_into(percept, base)
            wrong = asked.with_another(number, other_category(percept, task, number))
        yield from pursue(brief, percept, wrong.goal)
        yield Done()

    return plan


def repeats(task: Task, number: int) -> Plan:
    """Sees a thing, and does the same over and over."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        asked, graph = asked_by(task), truth(percept)
        base = bases(percept, asked)[0]
        percept = yield from look_into(percept, base)
        thing = next(t for t in graph.contents(base) if graph[t].category in dict(asked.counts))
        box = next(n.id for n in graph.nodes(Kind.FIXTURE) if Affordance.OPENABLE in n.affordances)
        again: list[Action] = [
            [look()],
            [put(thing, Relation.ON, base)],
            [close(box), open_(box)],
            [go_to(base)],
        ][number]
        if number == 2:
            percept = yield from look_into(percept, box)
        for action in islice(cycle(again), 10):
            percept = yield from act(action)
        yield GiveUp("It does not work.")

    return plan


def skips(task: Task, number: int) -> Plan:
    """Stands before what it was to bring and goes on, or brings all but that."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        asked = asked_by(task)
        for base in bases(percept, asked):
            percept = yield from look_into(percept, base)
        if number % 2:
            yield from pursue(brief, percept, asked.without(number).goal)
            yield Done()
        for place in places_without(percept, asked)[: 2 + number]:
            percept = yield from look_into(percept, place)
        yield GiveUp("I have not seen it.")

    return plan


def divides(task: Task, subgoals: Callable[[Percept], tuple[list[str], WahGoal]]) -> Plan:
    """Divides the goal into subgoals, brings about what they say, and is content."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        texts, done = subgoals(percept)
        yield Internal("expand", f"sequence: {'; '.join(texts)}", {"subgoals": texts})
        nodes = [
            {
                "id": 0,
                "parent": None,
                "kind": "agent",
                "goal": brief.instruction,
                "state": "expand",
            },
            {"id": 1, "parent": 0, "kind": "sequence", "goal": "", "state": "running"},
            *(
                {"id": i, "parent": 1, "kind": "agent", "goal": text, "state": "running"}
                for i, text in enumerate(texts, start=2)
            ),
        ]
        yield Note("tree", "0: sequence", {"nodes": nodes})
        percept = yield from pursue(brief, percept, done.goal)
        yield Internal("subtask_end", "success", {"node": 0, "status": "success"})
        yield Done()

    return plan


def _subgoal(asked: WahGoal, category: str) -> str:
    how = "into" if asked.relation is Relation.INSIDE else "onto"
    return f"find a {category} and put it {how} the {asked.place}"


def expands_too_little(task: Task, number: int) -> Plan:
    def subgoals(percept: Percept) -> tuple[list[str], WahGoal]:
        kept = asked_by(task).without(number)
        return [_subgoal(kept, category) for category, _ in kept.counts], kept

    return divides(task, subgoals)


def expands_wrongly(task: Task, number: int) -> Plan:
    def subgoals(percept: Percept) -> tuple[list[str], WahGoal]:
        asked = asked_by(task)
        if number % 2:
            wrong = replace(asked, place="sofa", relation=Relation.ON)
        else:
            other = other_category(percept, task, number)
            extra = WahGoal(asked.relation, ((other, 1),), asked.place)
            wrong = replace(asked.without(0), counts=(*asked.without(0).counts, *extra.counts))
            texts = [_subgoal(asked, category) for category, _ in asked.counts[1:]]
            return [*texts, f"{_subgoal(asked, other)} instead of {asked.counts[0][0]}"], wrong
        return [_subgoal(wrong, category) for category, _ in wrong.counts], wrong

    return divides(task, subgoals)


def guesses(task: Task, number: int) -> Plan:
    """Brings something else that the words may mean."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        wrong = asked_by(task)
        for i in range(len(wrong.counts)):
            wrong = wrong.with_another(i, other_category(percept, task, number + i))
        yield from pursue(brief, percept, wrong.goal)
        yield Done()

    return plan


def tries(task: Task, number: int) -> Plan:
    """Does what is right and gives up where the skill fails."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        yield from pursue(brief, percept, asked_by(task).goal)
        yield GiveUp("It does not work.")

    return plan


def takes_the_wrong_one(right: Node, wrong: Node, *, looks: bool) -> Plan:
    """Takes the other of two that look alike; after it looked at the right one, or blindly."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        graph = truth(percept)
        of_native = {node.native_id: node.id for node in graph.nodes()}
        good, bad = of_native[right.native_id], of_native[wrong.native_id]
        assert isinstance(brief.goal, Related)
        if looks:
            percept = yield from go(percept, graph.places(good)[0][1])
            percept = yield from act(Action(Verb.LOOK, good))
        yield from pursue(brief, percept, replace(brief.goal, source=bad))
        yield Done()

    return plan


def asks(brief: Brief, percept: Percept) -> Decisions:
    """Asks its model what to do, until that gives no usable answer."""
    for _ in range(STEPS):
        offers = [text for text, _ in percept.menu()]
        chosen = brief.model.choose([{"role": "user", "content": percept.text}], offers)
        percept = yield Act(chosen)
