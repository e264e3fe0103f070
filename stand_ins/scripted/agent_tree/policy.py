"""What an agent of a tree decides: to think, to recall, to divide its goal, or to act for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..dialects.reactree import category
from ..household import commonsense
from ..household.memory_updates import memory_of
from ..household.policy import action_for, first_possible, next_action, situation_of
from ..household.requirements import Requirement, Table, Term, requirements_of
from ..household.search import search_for
from ..household.situation import Choices, Situation
from ..household.subtasks import pick_up, put_down
from ..transcript import DONE, GIVE_UP, Choice, Transcript
from . import subgoals
from .subgoals import Bring, Find, GoOn, Group, Place, Put, Subgoal, Treat, WantedPlacement

SEQUENCE, FALLBACK, PARALLEL = "sequence", "fallback", "parallel"
#: By how much the room that one is in is preferred to others as good.
_HERE = 0.3
#: Places of this value may be looked at first; the others where nothing was found in any room.
_LIKELY = 0.3
#: So many subgoals an expansion may have.
_MOST_WAYS = 10
#: So many things are looked for one by one where nothing is remembered of earlier searches.
_FEW = 2
_SAW = re.compile(
    r"You saw (?P<thing>.+?)(?: near (?P<place>.+?))?(?: in (?P<room>.+?))?(?P<gone>,.+)?"
)


@dataclass(frozen=True)
class Earlier:
    """A decision of the agent: think, act, recall or expand. told: what came of it."""

    kind: str
    content: str
    told: str


@dataclass(frozen=True)
class AgentContext:
    """What an agent knows when it decides.

    transcript: its goal as the instruction, and its actions. is_root: the goal is the user's.
    flows: the control flow types on offer; none where the goal cannot be divided (any more).
    recalls: whether it may recall where things were seen.
    """

    transcript: Transcript
    earlier: tuple[Earlier, ...]
    is_root: bool
    flows: tuple[str, ...]
    recalls: bool

    @property
    def goal(self) -> str:
        return self.transcript.instruction

    @property
    def has_thought(self) -> bool:
        """Whether the newest decision was a thought."""
        return bool(self.earlier) and self.earlier[-1].kind == "think"


@dataclass(frozen=True)
class Thought:
    """A thought as a decision of its own."""

    text: str


@dataclass(frozen=True)
class Recall:
    """The question where things of a kind were seen last."""

    thing: str


@dataclass(frozen=True)
class Expansion:
    """A goal divided."""

    control_flow: str
    subgoals: tuple[str, ...]


Decided = Thought | Recall | Expansion | Choice


def decide(agent: AgentContext, table: Table) -> Decided:
    """The next decision of an agent."""
    subgoal = None if agent.is_root else subgoals.parse(agent.goal)
    match subgoal:
        case None:
            return _root(agent, requirements_of(table, agent.goal) or ())
        case Group(place, things, alone):
            divided = None if alone else _divided(agent, PARALLEL, _parts(agent, things, place))
            return divided or action_for(agent.transcript, _required(things, place))
        case WantedPlacement():
            divided = _divided(agent, SEQUENCE, _find_and_put(subgoal), at_once=True)
            return divided or _chosen(agent, _move(situation_of(agent.transcript), subgoal))
        case Find():
            return _find(agent, subgoal)
        case Put():
            return _chosen(agent, _put(situation_of(agent.transcript), subgoal))
        case Bring(_, _, room):
            wanted = [subgoal.requirement()]
            return _in_room(agent, room) or action_for(agent.transcript, wanted)
        case Treat():
            return action_for(agent.transcript, subgoal.requirements())
        case GoOn(_, instruction):
            rest = replace(agent.transcript, instruction=instruction)
            return next_action(rest, table)


# --- dividing a goal -----------------------------------------------------------------------------


def _divided(
    agent: AgentContext,
    flow: str,
    goals: Sequence[Subgoal],
    *,
    at_once: bool = False,
) -> Decided | None:
    """A thought and then the expansion, None where the goal cannot be divided.

    at_once: without the thought, where there is nothing to weigh.
    """
    if not agent.flows or (flow == FALLBACK and flow not in agent.flows):
        return None
    if flow not in agent.flows:
        flow = SEQUENCE
    if not at_once and not agent.has_thought:
        return Thought(f"I divide this into {len(goals)}: {'; '.join(map(str, goals))}.")
    return Expansion(flow, tuple(map(str, goals)))


def _root(agent: AgentContext, requirements: Sequence[Requirement]) -> Decided:
    """Divide what the user asks for, where it consists of things to be put somewhere."""
    if agent.flows and requirements:
        memory = memory_of(agent.transcript)
        divided = _divide_house if len(memory.rooms) > 1 else _divide_room
        decided = divided(agent, requirements)
        if decided is not None:
            return decided
    return action_for(agent.transcript, requirements)


def _divide_house(agent: AgentContext, requirements: Sequence[Requirement]) -> Decided | None:
    """Find the places where things go, then divide by things; None for anything else."""
    placements = [r for r in requirements if _is_placement(r)]
    states = [r for r in requirements if _is_state_of_place(r, placements)]
    if not placements or len(placements) + len(states) < len(requirements):
        return None
    situation = situation_of(agent.transcript)
    groups: dict[Place, list[Term]] = {}
    places: dict[Term, Place] = {}
    for placement in placements:
        assert placement.place is not None
        assert placement.thing is not None
        place = _place_of(situation, placement.relation, placement.place)
        if place is None:
            search = search_for(situation, placement.place.categories)
            return first_possible(search, situation, agent.transcript)
        places[placement.place] = place
        groups.setdefault(place, []).extend([placement.thing] * (placement.count or 1))
    bring = [Bring(r.state, places[r.thing].name, places[r.thing].room) for r in states if r.thing]
    if not bring and len(groups) == 1:
        ((place, things),) = groups.items()
        if len(things) == 1:
            return _divided(agent, SEQUENCE, _find_and_put(WantedPlacement(things[0], place)))
        return _divided(agent, PARALLEL, _parts(agent, things, place))
    put = [
        Group(place, tuple(things)) if len(things) > 1 else WantedPlacement(things[0], place)
        for place, things in groups.items()
    ]
    return _divided(agent, SEQUENCE if bring else PARALLEL, [*put, *bring])


def _divide_room(agent: AgentContext, requirements: Sequence[Requirement]) -> Decided | None:
    """Find the first thing, have it treated, then put it where it goes, or do all the rest."""
    placements = [r for r in requirements if r.relation in ("inside", "on") and r.thing and r.place]
    treated = [r for r in requirements if r.relation == "treated" and r.thing]
    sliced = any(r.state == "sliced" for r in requirements)
    places = [r.place for r in placements]
    things = [r.thing for r in (*placements, *requirements) if r.thing not in places]
    first = Term(("knife", "butter knife")) if sliced else next(iter(filter(None, things)), None)
    if first is None:
        return None
    one = placements[0] if len(placements) == 1 and placements[0].count == 1 else None
    if one is None or sliced or len(treated) + 1 < len(requirements):
        return _divided(agent, SEQUENCE, [Find(first), GoOn(first, agent.goal)])
    put = Put(first, one.relation, kind=one.place)
    return _divided(agent, SEQUENCE, [Find(first), *(Treat(r.state, first) for r in treated), put])


def _is_placement(required: Requirement) -> bool:
    """Whether so many things of a kind are to be at a piece of furniture of a kind."""
    return (
        required.relation in ("inside", "on")
        and required.count is not None
        and required.thing is not None
        and required.thing.named is None
        and required.place is not None
        and required.place.named is None
    )


def _is_state_of_place(required: Requirement, placements: Sequence[Requirement]) -> bool:
    return (
        required.relation == "state"
        and subgoals.can_be_said(required.state)
        and any(required.thing == placement.place for placement in placements)
    )


def _parts(agent: AgentContext, things: Sequence[Term], place: Place) -> Sequence[Subgoal]:
    """The things one by one; many, where nothing tells who saw which, in few groups."""
    if agent.recalls or len(things) <= _FEW:
        numbers = [things[: i + 1].count(thing) for i, thing in enumerate(things)]
        return [WantedPlacement(each, place, n) for each, n in zip(things, numbers, strict=True)]
    groups: list[list[Term]] = [[]]
    for thing, count in Counter(things).items():
        if groups[-1] and len(groups[-1]) + count > _FEW:
            groups.append([])
        groups[-1] += [thing] * count
    return [Group(place, tuple(group), alone=True) for group in groups]


def _find_and_put(move: WantedPlacement) -> list[Subgoal]:
    find = Find(move.thing, but=move.place if move.number > 1 else None)
    return [find, Put(move.thing, move.place.relation, move.place)]


def _place_of(situation: Situation, relation: str, term: Term) -> Place | None:
    """The piece of furniture that things go to: of a kind that was seen first."""
    for name, room in situation.memory.furniture.items():
        if category(name) in term.categories and room is not None:
            return Place(relation, name, room)
    return None


# --- acting --------------------------------------------------------------------------------------


def _find(agent: AgentContext, goal: Find) -> Decided:
    """Have a thing in hand: where it was seen last, or room by room."""
    situation = situation_of(agent.transcript)
    rooms = situation.memory.rooms
    if any(situation.fits(goal.thing, held) for held in situation.memory.held):
        return Choice("I have it in hand.", DONE)
    seen_at: Sighting | None = None
    if goal.within is None and agent.recalls:
        answers = [earlier.told for earlier in agent.earlier if earlier.kind == "recall"]
        if not answers:
            return Recall(goal.thing.categories[0])
        seen_at = _sighting(answers[-1], goal, situation.memory.room)
    if seen_at is not None:
        there = replace(goal, within=seen_at.room)
        choice = _chosen(agent, _search(situation, there, seen_at.place))
        if choice.action != GIVE_UP:
            return choice
    left = [room for room in rooms if seen_at is None or room != seen_at.room]
    if goal.within is None and len(left) > 1:
        ways = [replace(goal, within=room) for room in _by_value(situation, goal, left)]
        if not goal.unlikely:
            ways = [*ways[: _MOST_WAYS - 1], replace(goal, unlikely=True)]
        divided = _divided(agent, FALLBACK, ways[:_MOST_WAYS])
        if divided is not None:
            return divided
    return _chosen(agent, _search(situation, goal))


@dataclass(frozen=True)
class Sighting:
    """Where a thing was seen last, as a recall tells."""

    thing: str
    place: str | None
    room: str | None


def _sighting(answer: str, goal: Find, here: str | None) -> Sighting | None:
    """One of the things that a recall tells of: in this room where there is one."""
    found = [
        Sighting(match["thing"], match["place"], match["room"])
        for match in map(_SAW.fullmatch, answer.rstrip(".").split(". "))
        if match is not None and not match["gone"]
    ]
    if goal.but is not None:
        found = [s for s in found if (s.place, s.room) != (goal.but.name, goal.but.room)]
    return min(found, key=lambda sighting: sighting.room != here, default=None)


def _by_value(situation: Situation, goal: Find, rooms: Sequence[str]) -> list[str]:
    """Rooms in the order in which a thing is looked for in them."""

    def value(room: str) -> float:
        likely = sum(
            commonsense.room_search_value(kind, category(room)) for kind in goal.thing.categories
        )
        return likely + _HERE * (room == situation.memory.room)

    return sorted(rooms, key=lambda room: -value(room))


def _search(situation: Situation, goal: Find, place: str | None = None) -> Choices:
    """Look for a thing and pick it up. place: where to look first."""
    memory, within = situation.memory, goal.within
    if within is not None and memory.room != within:
        yield Choice(f"I go to the {within}.", f"go to {within}")
    if place is not None and place not in memory.inspected:
        yield Choice(f"It was seen at {place}.", f"go to {place}")
    for thing in situation.instances(goal.thing):
        if within is not None and memory.room_of(thing) != within:
            continue
        if goal.but is not None:
            if _is_at(situation, thing, goal.but):
                continue
            if _may_be_at(situation, thing, goal.but):
                name = goal.but.name
                yield Choice(f"Is {thing} one of those at {name}?", f"look at {name}")
        yield from pick_up(situation, thing, "This is what I am to find.")
    among = partial(_is_meant, situation, goal)
    yield from search_for(situation, goal.thing.categories, among=among)
    where = "anywhere" if within is None else f"in the {within}"
    yield Choice(f"I do not find the {subgoals.said(goal.thing)} {where}.", GIVE_UP)


def _is_at(situation: Situation, thing: str, place: Place) -> bool:
    sighting = situation.memory.things.get(thing)
    return sighting is not None and sighting.place == place.name


def _may_be_at(situation: Situation, thing: str, place: Place) -> bool:
    """Whether a thing is beside a place, and nothing tells whether it is at it."""
    memory = situation.memory
    sighting = memory.things.get(thing)
    if sighting is None or sighting.place is not None:
        return False
    if (thing, place.name) in memory.not_at | memory.not_inside:
        return False
    return memory.in_reach(thing) and memory.in_reach(place.name)


def _is_meant(situation: Situation, goal: Find, place: str) -> bool:
    """Whether a place is in the room that a goal names, and one of those to be looked at."""
    if goal.within is None:
        return True
    if place in situation.memory.rooms:  # to look around in
        return place == goal.within and goal.unlikely
    in_room = situation.memory.room_of(place) == goal.within
    return in_room and goal.unlikely != _is_likely(goal.thing, category(place))


def _is_likely(term: Term, furniture: str) -> bool:
    """Whether one expects such a thing at such furniture."""
    return any(
        commonsense.search_value(kind, furniture, "") >= _LIKELY
        and not commonsense.is_for_other_things(furniture, kind)
        for kind in term.categories
    )


def _put(situation: Situation, goal: Put) -> Choices:
    """Put down what is in hand."""
    memory = situation.memory
    held = [thing for thing in memory.held if situation.fits(goal.thing, thing)]
    if not held:
        put = any(action.startswith("put down ") for action in memory.succeeded)
        yield (
            Choice("It is where it belongs.", DONE)
            if put
            else Choice(f"I hold no {subgoals.said(goal.thing)}.", GIVE_UP)
        )
        return
    why = f"{held[0]} goes {goal.place or 'there'}."
    if goal.place is not None:
        if memory.room != goal.place.room:
            yield Choice(why, f"go to {goal.place.room}")
        yield from put_down(situation, held[0], goal.relation, goal.place.name, why)
        return
    assert goal.kind is not None
    for place in situation.instances(goal.kind):
        if place not in memory.full:
            yield from put_down(situation, held[0], goal.relation, place, why)
    yield from search_for(situation, goal.kind.categories)


def _in_room(agent: AgentContext, room: str) -> Choice | None:
    """Going to a room, None where one is there."""
    if situation_of(agent.transcript).memory.room == room:
        return None
    return _chosen(agent, iter([Choice(f"I go to the {room}.", f"go to {room}")]))


def _move(situation: Situation, move: WantedPlacement) -> Choices:
    """Find a thing and put it where it goes, in one."""
    find, put = _find_and_put(move)
    assert isinstance(find, Find)
    assert isinstance(put, Put)
    done = any(action.startswith("put down ") for action in situation.memory.succeeded)
    holds = any(situation.fits(move.thing, thing) for thing in situation.memory.held)
    yield from _put(situation, put) if done or holds else _search(situation, find)


def _chosen(agent: AgentContext, choices: Choices) -> Choice:
    return first_possible(choices, situation_of(agent.transcript), agent.transcript)


def _required(things: Sequence[Term], place: Place) -> list[Requirement]:
    """That so many things of each kind are at a place."""
    return [
        Requirement(place.relation, thing, Term((category(place.name),), named=1), count)
        for thing, count in Counter(things).items()
    ]
