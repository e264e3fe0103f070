"""What a state still lacks of a problem's goal, and a lower bound on the actions that takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..scene_graph.goals import Happened, HasState, InOrder, Not, Related, satisfied
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import OPPOSITE, POSTURES, Affordance, Kind, Relation, State
from ..skills.actions import Verb
from ..skills.dynamics import bases, stands_at
from .appraisal import VERB_FOR
from .deeds import is_deed
from .literals import Literal
from .problem import Problem

#: Verbs that other needs count already where they are needed.
_COUNTED = frozenset(
    {
        *(verb for verb, _ in VERB_FOR.values()),
        *(Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.POUR, Verb.PUT_ON, Verb.TURN_TO, Verb.LOOK),
        *(Verb.SIT, Verb.LIE_DOWN, Verb.STAND_UP),
    }
)


@dataclass
class Needs:
    """What every plan from a state on contains; each pick, put and change is one action.

    puts: things to put down, and where; None where there is a choice. changes: verbs to do on
    things. deeds: what is to be done about the agent itself, each by an action of its own. tool:
    whether a knife has to be fetched besides. visits: things to be reached. through: the containers
    that things pass through. open_ended: whether the plan may need other actions than these.
    stands: where to go, by class. total: the least number of actions, 0
    exactly where the goal holds.
    """

    picks: set[int] = field(default_factory=set)
    puts: dict[int, int | None] = field(default_factory=dict)
    changes: set[tuple[Verb, int]] = field(default_factory=set)
    deeds: set[tuple[str, int]] = field(default_factory=set)
    tool: bool = False
    visits: set[int] = field(default_factory=set)
    through: set[int] = field(default_factory=set)
    open_ended: bool = False
    stands: set[int] = field(default_factory=set)
    total: int = 0


@dataclass(frozen=True)
class Spot:
    """Where a thing is.

    chain: itself and all that keeps it. inside: the containers among them that it is inside.
    stand: the class of stands where it is reached, None for what is in hand. carried: whether
    something that can be moved keeps it.
    """

    chain: tuple[int, ...]
    inside: tuple[int, ...]
    stand: int | None
    carried: bool


class Assessment:
    """Finds the needs of the states of one problem.

    Walks are counted by stand: one arrival at each stand where something is to be done, and as
    many as the hands require where more has to leave it or to come to it than they can hold at
    once. Neither these nor anything else is overestimated.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.me = problem.me
        self.hands = max(problem.body.hands, 1)
        self.stand_of = _classes(problem.start)
        self.wanted_states = {
            (each.thing, each.state) for each in problem.literals if isinstance(each, HasState)
        }
        related = [each for each in problem.literals if isinstance(each, Related)]
        self.placed = {x.source for x in related if x.relation is not Relation.INSIDE}
        count = Counter(each.source for each in related)
        self.once = {source for source, times in count.items() if times == 1}
        self.fixed = {
            node.id: spot
            for node in problem.start.nodes()
            if not set((spot := self.spot(problem.start, node.id)).chain) & problem.movable.keys()
        }

    def __call__(self, graph: SceneGraph, done: tuple[int, ...]) -> Needs:
        """The needs of a state. done: of each sequence of events, how many have happened."""
        return _Reading(self, graph).read(done)

    def spot(self, graph: SceneGraph, thing: int) -> Spot:
        chain = (thing, *graph.above(thing))
        inside = tuple(
            place
            for node_id in chain
            for relation, place in graph.outgoing(node_id)
            if relation is Relation.INSIDE and place not in self.problem.open_spaces
        )
        stand = None
        if not any(graph.has_edge(self.me, Relation.HOLDS, node_id) for node_id in chain):
            stands = (self.stand_of.get(base) for base in bases(graph, thing))
            stand = next((each for each in stands if each is not None), None)
        carried = any(node_id in self.problem.movable for node_id in chain[1:])
        return Spot(chain, inside, stand, carried)


class _Reading:
    """The assessment of one state."""

    def __init__(self, assessment: Assessment, graph: SceneGraph) -> None:
        self._all = assessment
        self._me = assessment.me
        self._graph = graph
        self._held = set(graph.held(self._me))
        self._close = set(graph.targets(self._me, Relation.CLOSE))
        self._spots: dict[int, Spot] = {}
        self._needs = Needs()

    def read(self, done: tuple[int, ...]) -> Needs:
        needs, events = self._needs, self._all.problem.events
        waiting = [parts[n:] for parts, n in zip(events, done, strict=True) if n < len(parts)]
        lacking = needs.open_ended = bool(waiting)
        for literal in self._all.problem.literals:
            if isinstance(literal, Happened | InOrder):
                continue
            if not satisfied(literal, self._graph):
                lacking = True
                self._lack(literal)
            elif isinstance(literal, Related) and isinstance(literal.source, int):
                # Moving what carries it may undo what holds now.
                rides = literal.relation is Relation.INSIDE
                needs.open_ended |= rides and self._spot(literal.source).carried
        self._find_tool()
        needs.open_ended |= needs.tool or None in needs.puts.values()
        total = len(needs.picks) + len(needs.puts) + len(needs.changes) + needs.tool
        total += len(needs.deeds) + max(map(_uncounted, waiting), default=0)
        walks = self._walks()
        rising = walks > 0 and not POSTURES.isdisjoint(self._graph[self._me].states)
        needs.total = max(total + walks + rising, 1) if lacking else 0
        return needs

    # --- literals that do not hold ---------------------------------------------------------------

    def _lack(self, literal: Literal) -> None:
        needs = self._needs
        if is_deed(literal, self._graph, self._me):
            self._lack_deed(literal)
            return
        match literal:
            case HasState(int(thing), state):
                self._change(VERB_FOR[state][0], thing)
            case Not(HasState(int(thing), state)):
                self._change(VERB_FOR[OPPOSITE[state]][0], thing)
            case Related(source, Relation.HOLDS, int(target)) if source == self._me:
                self._pick(target)
            case Related(source, relation, int(target)) if source == self._me:
                needs.open_ended = True
                if relation is Relation.CLOSE:
                    needs.visits.add(target)
            case Related(int(source), relation, int(target)):
                self._place(source, relation, target)
            case Not(Related(source, Relation.HOLDS, int(target))) if source == self._me:
                needs.puts.setdefault(target, None)
            case Not(Related(int(source), _, _)):
                needs.open_ended = True
                if source != self._me:
                    self._reach(source)

    def _lack_deed(self, literal: Literal) -> None:
        """One action settles the posture, the seat and often what is faced from there."""
        needs = self._needs
        needs.open_ended = True
        match literal:
            case Related(source, relation, int(target)) if source == self._me:
                needs.deeds.add(("body", self._me))
                if relation is Relation.ON:
                    needs.visits.add(target)
            case Related(int(thing), relation, int(place)):
                needs.deeds.add((str(relation), thing))
                if thing not in self._held:
                    self._pick(thing)
                needs.visits.add(place)
            case _:
                needs.deeds.add(("body", self._me))

    def _place(self, source: int, relation: Relation, place: int) -> None:
        needs, thing = self._needs, source
        direct = relation is not Relation.INSIDE
        takes = direct or Affordance.CONTAINER in self._graph[place].affordances
        self._enter(self._spot(place).inside)
        if not direct:
            if place not in self._all.problem.open_spaces:
                self._enter([place])
            if source in self._all.placed:
                needs.open_ended = True  # where it has to be put otherwise may lie inside
                return
            thing = self._outermost(source)
            if thing != source:
                needs.open_ended = True  # it may be taken out of what carries it
        if thing not in self._held:
            self._pick(thing)
        needs.puts[thing] = None
        if takes:
            needs.visits.add(place)
            if source in self._all.once:  # otherwise another thing may carry it there
                needs.puts[thing] = place

    def _pick(self, thing: int) -> None:
        self._needs.picks.add(thing)
        self._reach(thing)

    def _change(self, verb: Verb, thing: int) -> None:
        changes = self._needs.changes
        changes.add((verb, thing))
        self._reach(thing)
        states = self._graph[thing].states
        if verb is Verb.TURN_ON and State.PLUGGED_OUT in states:
            changes.add((Verb.PLUG_IN, thing))
        if verb in (Verb.OPEN, Verb.PLUG_OUT) and State.ON in states:
            changes.add((Verb.TURN_OFF, thing))
            if (thing, State.ON) in self._all.wanted_states:
                changes.add((Verb.TURN_ON, thing))

    def _reach(self, thing: int) -> None:
        self._needs.visits.add(thing)
        self._enter(self._spot(thing).inside)

    def _enter(self, containers: Iterable[int]) -> None:
        """Things have to pass through these: what is closed of them must be opened."""
        for container in containers:
            self._needs.through.add(container)
            if State.CLOSED in self._graph[container].states:
                self._needs.visits.add(container)
                self._change(Verb.OPEN, container)
                if (container, State.CLOSED) in self._all.wanted_states:
                    self._needs.changes.add((Verb.CLOSE, container))

    def _find_tool(self) -> None:
        needs = self._needs
        slicing = any(verb is Verb.SLICE for verb, _ in needs.changes)
        if slicing and self._all.problem.body.needs_tool:
            near = [*self._held, *needs.picks]
            near += [thing for carrier in needs.picks for thing in self._graph.below(carrier)]
            needs.tool = not any(
                Affordance.CUTS in self._graph[thing].affordances for thing in near
            )

    # --- walks -----------------------------------------------------------------------------------

    def _walks(self) -> int:
        """The arrivals at stands that cannot be done without."""
        needs, hands = self._needs, self._all.hands
        needs.stands = {
            spot.stand
            for spot in map(self._spot, needs.visits)
            if spot.stand is not None and not self._reached(spot)
        }
        leaving: Counter[int] = Counter()
        arriving: Counter[int] = Counter()
        brought: Counter[int] = Counter()
        received: set[int] = set()  # stands where a hand can be freed without opening anything
        for thing, place in needs.puts.items():
            if place is None:
                continue
            start, end = self._spot(thing), self._spot(place)
            if start.carried or end.carried or end.stand is None or self._movable(place):
                continue
            if thing not in needs.picks:
                brought[end.stand] += 1
            elif start.stand is not None and start.stand != end.stand:
                leaving[start.stand] += 1
                arriving[end.stand] += 1
            if (Verb.OPEN, place) not in needs.changes and not any(
                (Verb.OPEN, container) in needs.changes for container in end.inside
            ):
                received.add(end.stand)
        opened = set()  # stands where the first arrival needs a free hand
        if Verb.OPEN in self._all.problem.body.needs_free_hand:
            opened = {self._spot(i).stand for verb, i in needs.changes if verb is Verb.OPEN}
        here = {self._all.stand_of[base] for base in self._close if base in self._all.stand_of}
        walks = 0
        for stand in {*needs.stands, *leaving, *arriving, *brought}:
            least = 1
            out, into = leaving[stand], arriving[stand] + brought[stand]
            if stand in here:
                least = 1 if stand in needs.stands else 0
                out, into = out - hands, arriving[stand]
            elif stand in opened and stand not in received:
                into += 1
            walks += max(-(-out // hands), -(-into // hands), least)
        return walks

    # --- small helpers ---------------------------------------------------------------------------

    def _spot(self, thing: int) -> Spot:
        spot = self._all.fixed.get(thing) or self._spots.get(thing)
        if spot is None:
            spot = self._spots[thing] = self._all.spot(self._graph, thing)
        return spot

    def _reached(self, spot: Spot) -> bool:
        return any(i in self._close or i in self._held for i in spot.chain)

    def _movable(self, thing: int) -> bool:
        return thing in self._all.problem.movable

    def _outermost(self, thing: int) -> int:
        """The outermost movable thing that carries this one, or itself."""
        return [i for i in self._spot(thing).chain if i == thing or self._movable(i)][-1]


def _uncounted(parts: tuple[Happened, ...]) -> int:
    """How many of these events take an action that no other need counts."""
    return sum(_COUNTED.isdisjoint(part.names) for part in parts)


def _classes(graph: SceneGraph) -> dict[int, int]:
    """Of each base the class of those stood at together, named by its least member.

    Something kept at two bases, or at one beside another, is reached by one walk to both.
    """
    parent: dict[int, int] = {}

    def root(base: int) -> int:
        while parent.setdefault(base, base) != base:
            base = parent[base]
        return base

    for node in graph.nodes():
        if node.kind in (Kind.ROOM, Kind.SCENE, Kind.AGENT):
            continue
        found = [root(base) for base in stands_at(graph, node.id)]
        for other in found[1:]:
            first, second = sorted((root(found[0]), root(other)))
            parent[second] = first
    return {base: root(base) for base in parent}
