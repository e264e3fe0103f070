"""What a state still lacks of a problem's goal, and a lower bound on the actions that takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...scene_graph.goals import EventOccurred, HasState, InOrder, Not, Related, satisfied
from ...scene_graph.graph import Outgoing, SceneGraph
from ...scene_graph.node import OPPOSITE, POSTURES, Affordance, Relation, State
from ...skills.actions import Verb
from ...skills.dynamics import bases
from .agent_actions import is_agent_action
from .goal_alternatives import Literal
from .literal_costs import VERB_FOR
from .relevance import RelevantProblem
from .walk_bounds import WalkBounds

#: Verbs that other needs count already where they are needed.
_COUNTED = frozenset(
    {
        *(verb for verb, _ in VERB_FOR.values()),
        *(Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.POUR, Verb.PUT_ON, Verb.TURN_TO, Verb.LOOK),
        *(Verb.SIT, Verb.LIE_DOWN, Verb.STAND_UP, Verb.DROP, Verb.TAKE_OFF),
        *(Verb.RINSE, Verb.SCRUB, Verb.WIPE),
    }
)


@dataclass
class RemainingActions:
    """What every plan from a state on contains; each pick, put and change is one action.

    puts: things to put down, and where; None where there is a choice. changes: verbs to do on
    things. deeds: what is to be done about the agent itself, each by an action of its own. tool:
    whether a knife has to be fetched besides. visits: things to be reached. through: the containers
    that things pass through. open_ended: whether the plan may need other actions than these.
    stands: the bases to go to. total: the least number of actions, 0
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
class Location:
    """Where a thing is.

    chain: itself and all that keeps it. inside: the containers among them that it is inside.
    stands: the bases where it is reached, none for what is in hand. cluster: of these. carried:
    whether something that can be moved keeps it.
    """

    chain: tuple[int, ...]
    inside: tuple[int, ...]
    stands: frozenset[int]
    cluster: int | None
    carried: bool


class Heuristic:
    """Finds the needs of the states of one problem.

    Walks are the fewest arrivals by which all that is to be reached is reached, and as many as the
    hands require where more has to leave or to come than they can hold at once. Things may be put
    down on the way as well, but each such time takes two actions, for at most two walks less.
    Nothing is overestimated.
    """

    def __init__(self, problem: RelevantProblem) -> None:
        self.problem = problem
        self.me = problem.me
        self.hands = max(problem.body.hands, 1)
        self.arrivals = WalkBounds(problem.start, problem.me)
        self.wanted_states = {
            (each.thing, each.state) for each in problem.literals if isinstance(each, HasState)
        }
        self.deeds = {x for x in problem.literals if is_agent_action(x, problem.start, self.me)}
        related = [each for each in problem.literals if isinstance(each, Related)]
        self.placed = {
            each.source
            for each in related
            if each.relation is not Relation.INSIDE or each in self.deeds
        }
        count = Counter(each.source for each in related)
        self.once = {source for source, times in count.items() if times == 1}
        self._spots: dict[tuple[int, Outgoing, bool], Location] = {}
        self.fixed = {
            node.id: spot
            for node in problem.start.nodes()
            if not set((spot := self._spot(problem.start, node.id)).chain) & problem.movable.keys()
        }
        del self.fixed[self.me]

    def __call__(self, graph: SceneGraph, done: tuple[int, ...]) -> RemainingActions:
        """The needs of a state. done: of each sequence of events, how many have happened."""
        return _Reading(self, graph).read(done)

    def spot(self, graph: SceneGraph, thing: int) -> Location:
        """Where a thing is now; of one at a fixed place, or in hand, it is told once for all."""
        outgoing = graph.outgoing(thing)
        if any(place not in self.fixed for _, place in outgoing):
            return self._spot(graph, thing)
        key = thing, outgoing, graph.has_edge(self.me, Relation.HOLDS, thing)
        spot = self._spots.get(key)
        if spot is None:
            spot = self._spots[key] = self._spot(graph, thing)
        return spot

    def _spot(self, graph: SceneGraph, thing: int) -> Location:
        chain = (thing, *graph.above(thing))
        inside = tuple(
            place
            for node_id in chain
            for relation, place in graph.outgoing(node_id)
            if relation is Relation.INSIDE and place not in self.problem.open_spaces
        )
        stands, clusters = frozenset[int](), self.arrivals.cluster_of
        if not any(graph.has_edge(self.me, Relation.HOLDS, node_id) for node_id in chain):
            stands = frozenset(base for base in bases(graph, thing) if base in clusters)
        cluster = clusters[min(stands)] if stands else None
        carried = any(node_id in self.problem.movable for node_id in chain[1:])
        return Location(chain, inside, stands, cluster, carried)


class _Reading:
    """The assessment of one state."""

    def __init__(self, assessment: Heuristic, graph: SceneGraph) -> None:
        self._all = assessment
        self._me = assessment.me
        self._graph = graph
        self._held = set(graph.held(self._me))
        self._close = set(graph.targets(self._me, Relation.CLOSE))
        self._spots: dict[int, Location] = {}
        self._needs = RemainingActions()

    def read(self, done: tuple[int, ...]) -> RemainingActions:
        needs, events = self._needs, self._all.problem.events
        waiting = [parts[n:] for parts, n in zip(events, done, strict=True) if n < len(parts)]
        lacking = needs.open_ended = bool(waiting)
        for literal in self._all.problem.literals:
            if isinstance(literal, EventOccurred | InOrder):
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
        # To stand up may be all that is to be done about the agent.
        rising |= ("up", self._me) in needs.deeds and ("body", self._me) not in needs.deeds
        total -= ("up", self._me) in needs.deeds
        needs.total = max(total + walks + rising, 1) if lacking else 0
        return needs

    # --- literals that do not hold ---------------------------------------------------------------

    def _lack(self, literal: Literal) -> None:
        needs = self._needs
        if literal in self._all.deeds:
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
            case Not(Related(int(source), relation, _)):
                needs.open_ended = True
                if source != self._me:
                    # Out of something it may be taken by what carries it.
                    rides = relation is Relation.INSIDE
                    self._reach(self._outermost(source) if rides else source)

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
                if place != self._me:
                    needs.visits.add(place)
            case HasState():
                needs.deeds.add(("body", self._me))
            case Not(Related(int(thing), Relation.ON, target)) if target == self._me:
                needs.deeds.add(("off", thing))
            case Not(Related(int(thing), Relation.INSIDE, _)):
                self._reach(thing)
            case _:
                needs.deeds.add(("up", self._me))

    def _place(self, source: int, relation: Relation, place: int) -> None:
        needs, thing = self._needs, source
        direct = relation is not Relation.INSIDE
        if not direct and self._worn(source):
            needs.open_ended = True  # it falls to the floor
            needs.deeds.add(("off", source))
            return
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
        if self._worn(thing):
            self._needs.deeds.add(("off", thing))
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
        """The arrivals at stands that cannot be done without.

        Counted by clusters of stands, of which an arrival never reaches two.
        """
        needs, hands, arrivals = self._needs, self._all.hands, self._all.arrivals
        missed: dict[int, set[frozenset[int]]] = {}
        for spot in map(self._spot, needs.visits):
            if spot.cluster is not None and not self._reached(spot):
                missed.setdefault(spot.cluster, set()).add(spot.stands)
                needs.stands |= spot.stands
        leaving: Counter[int] = Counter()
        arriving: Counter[int] = Counter()
        brought: Counter[int] = Counter()
        received: set[int] = set()  # where a hand can be freed without opening anything
        for thing, place in needs.puts.items():
            if place is None:
                continue
            start, end = self._spot(thing), self._spot(place)
            if start.carried or end.carried or end.cluster is None or self._movable(place):
                continue
            if thing not in needs.picks:
                brought[end.cluster] += 1
            elif start.cluster is not None and not self._all.arrivals.join(
                start.stands, end.stands
            ):
                leaving[start.cluster] += 1
                arriving[end.cluster] += 1
            if (Verb.OPEN, place) not in needs.changes and not any(
                (Verb.OPEN, container) in needs.changes for container in end.inside
            ):
                received.add(end.cluster)
        opened = set()  # where the first arrival needs a free hand
        if Verb.OPEN in self._all.problem.body.needs_free_hand:
            opened = {self._spot(i).cluster for verb, i in needs.changes if verb is Verb.OPEN}
        clusters = arrivals.cluster_of
        here = {clusters[base] for base in self._close if base in clusters}
        walks = 0
        for cluster in {*missed, *leaving, *arriving, *brought}:
            out, into = leaving[cluster], arriving[cluster] + brought[cluster]
            if cluster in here:
                out, into = out - hands, arriving[cluster]
            elif cluster in opened and cluster not in received:
                into += 1
            least = arrivals.fewest(frozenset(missed.get(cluster, ())))
            walks += max(-(-out // hands), -(-into // hands), least)
        return walks

    # --- small helpers ---------------------------------------------------------------------------

    def _spot(self, thing: int) -> Location:
        spot = self._all.fixed.get(thing) or self._spots.get(thing)
        if spot is None:
            spot = self._spots[thing] = self._all.spot(self._graph, thing)
        return spot

    def _reached(self, spot: Location) -> bool:
        return any(i in self._close or i in self._held for i in spot.chain)

    def _worn(self, thing: int) -> bool:
        return self._graph.has_edge(thing, Relation.ON, self._me)

    def _movable(self, thing: int) -> bool:
        return thing in self._all.problem.movable

    def _outermost(self, thing: int) -> int:
        """The outermost movable thing that carries this one, or itself."""
        return [i for i in self._spot(thing).chain if i == thing or self._movable(i)][-1]


def _uncounted(parts: tuple[EventOccurred, ...]) -> int:
    """How many of these events take an action that no other need counts."""
    return sum(_COUNTED.isdisjoint(part.names) for part in parts)
