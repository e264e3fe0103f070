"""The heuristic of the search: a lower bound on the number of actions left in a state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import EventOccurred, HasState, InOrder, Not, Related
from ....scene_graph.graph import Outgoing, SceneGraph
from ....scene_graph.node import OPPOSITE, POSTURES, Affordance, Relation, State
from ....skills.actions import Verb
from ....skills.reach import bases
from .agent_actions import is_agent_action
from .goal_alternatives import Literal
from .literal_costs import VERB_FOR
from .relevance import RelevantProblem
from .walk_bounds import Bases, WalkBounds

#: Verbs that `RemainingActions` counts already without an event.
_COUNTED = frozenset(
    {
        *VERB_FOR.values(),
        *(Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.POUR, Verb.PUT_ON, Verb.TURN_TO, Verb.LOOK),
        *(Verb.SIT, Verb.LIE_DOWN, Verb.STAND_UP, Verb.DROP, Verb.TAKE_OFF),
        *(Verb.RINSE, Verb.SCRUB, Verb.WIPE),
    }
)


@dataclass
class RemainingActions:
    """The actions that every plan from a state contains."""

    picks: set[int] = field(default_factory=set)
    """The things to pick up."""
    puts: dict[int, int | None] = field(default_factory=dict)
    """The things to put down, and where; None where there is a choice."""
    state_changes: set[tuple[Verb, int]] = field(default_factory=set)
    """Verbs to do on things."""
    agent_changes: set[tuple[str, int]] = field(default_factory=set)
    """Changes of the agent, (what, thing), each by an action of its own."""
    fetch_tool: bool = False
    """Whether a knife has to be fetched, too."""
    to_reach: set[int] = field(default_factory=set)
    """The things to reach."""
    passed: set[int] = field(default_factory=set)
    """The containers that things are moved into or out of."""
    open_ended: bool = False
    """Whether the plan may need other actions than these."""
    bases: set[int] = field(default_factory=set)
    """The bases to go to."""
    lower_bound: int = 0
    """The least number of actions; 0 exactly where the goal holds."""


@dataclass(frozen=True)
class Location:
    """Where a thing is."""

    chain: tuple[int, ...]
    """The thing itself and all that keeps it."""
    inside: tuple[int, ...]
    """The containers of the chain that it is inside."""
    bases: Bases
    """Where the agent reaches it; empty for a thing in hand."""
    cluster: int | None
    """The cluster of its bases."""
    carried: bool
    """Whether something movable keeps it."""


class Heuristic:
    """An admissible heuristic: the remaining actions of the states of one problem.

    All counted actions differ: each pick, put and change that every plan contains, and walks. A
    walk leads to one cluster of bases. The walks to a cluster are at least the largest of three
    numbers, not their sum:

    1. the walks to stand at everything to be reached there,
    2. the walks that bring what is put there for good,
    3. the arrivals with free hands for what is taken away.

    One more arrival is counted where the first needs a free hand for opening. That is so only if
    everything brought there waits for something closed. A thing that may be open already, or that
    is put upon, keeps nothing waiting. Things may also be put down on the way. Each time this takes
    two actions, a put and a pick, and saves at most two walks.
    """

    def __init__(self, problem: RelevantProblem) -> None:
        self.problem = problem
        self.agent = problem.agent
        self.hands = max(problem.body.hands, 1)
        self.walk_bounds = WalkBounds(problem.start, problem.agent)
        self.goal_states = {
            (each.thing, each.state) for each in problem.literals if isinstance(each, HasState)
        }
        self.agent_literals = {
            each for each in problem.literals if is_agent_action(each, problem.start, self.agent)
        }
        related = [each for each in problem.literals if isinstance(each, Related)]
        self.directly_placed = {
            each.source
            for each in related
            if each.relation is not Relation.INSIDE or each.direct or each in self.agent_literals
        }
        count = Counter(each.source for each in related)
        self.placed_once = {source for source, times in count.items() if times == 1}
        self._locations: dict[tuple[int, Outgoing, bool], Location] = {}
        self.fixed_locations = {
            node.id: location
            for node in problem.start.nodes()
            if problem.movable.keys().isdisjoint(
                (location := self._locate(problem.start, node.id)).chain
            )
        }
        del self.fixed_locations[self.agent]

    def __call__(self, graph: SceneGraph, events_done: tuple[int, ...]) -> RemainingActions:
        """The remaining actions of a state.

        events_done: for each sequence of events, how many have happened.
        """
        return _StateEvaluation(self, graph).remaining_actions(events_done)

    def location(self, graph: SceneGraph, thing: int) -> Location:
        """Where a thing is in a state; cached for things at a fixed place or in hand."""
        outgoing = graph.outgoing(thing)
        if any(place not in self.fixed_locations for _, place in outgoing):
            return self._locate(graph, thing)
        key = thing, outgoing, graph.has_edge(self.agent, Relation.HOLDS, thing)
        location = self._locations.get(key)
        if location is None:
            location = self._locations[key] = self._locate(graph, thing)
        return location

    def _locate(self, graph: SceneGraph, thing: int) -> Location:
        chain = (thing, *graph.above(thing))
        inside = tuple(
            place
            for node_id in chain
            for relation, place in graph.outgoing(node_id)
            if relation is Relation.INSIDE and place not in self.problem.never_closed
        )
        own_bases, clusters = frozenset[int](), self.walk_bounds.cluster_of
        if not any(graph.has_edge(self.agent, Relation.HOLDS, node_id) for node_id in chain):
            own_bases = frozenset(base for base in bases(graph, thing) if base in clusters)
        cluster = clusters[min(own_bases)] if own_bases else None
        carried = any(node_id in self.problem.movable for node_id in chain[1:])
        return Location(chain, inside, own_bases, cluster, carried)


class _StateEvaluation:
    """The evaluation of one state."""

    def __init__(self, heuristic: Heuristic, graph: SceneGraph) -> None:
        self._heuristic = heuristic
        self._me = heuristic.agent
        self._graph = graph
        self._held = set(graph.held(self._me))
        self._close = set(graph.targets(self._me, Relation.CLOSE))
        self._locations: dict[int, Location] = {}
        self._waiting: set[int] = set()  # things that are put down only after an opening
        self._remaining = RemainingActions()

    def remaining_actions(self, events_done: tuple[int, ...]) -> RemainingActions:
        remaining, sequences = self._remaining, self._heuristic.problem.event_sequences
        pending = [
            parts[done:]
            for parts, done in zip(sequences, events_done, strict=True)
            if done < len(parts)
        ]
        unsatisfied = remaining.open_ended = bool(pending)
        for literal in self._heuristic.problem.literals:
            if isinstance(literal, EventOccurred | InOrder):
                continue
            if not satisfied(literal, self._graph):
                unsatisfied = True
                self._add_literal(literal)
            elif isinstance(literal, Related) and isinstance(literal.source, int):
                # Moving its carrier may undo a literal that holds now.
                inside = literal.relation is Relation.INSIDE
                remaining.open_ended |= inside and self._location(literal.source).carried
        self._add_tool()
        remaining.open_ended |= remaining.fetch_tool or None in remaining.puts.values()
        total = len(remaining.picks) + len(remaining.puts) + len(remaining.state_changes)
        total += remaining.fetch_tool + len(remaining.agent_changes)
        total += max(map(_uncounted, pending), default=0)
        walks = self._min_walks()
        standing_up = walks > 0 and not POSTURES.isdisjoint(self._graph[self._me].states)
        # Standing up may be the only change of the agent.
        up, posture = ("up", self._me), ("posture", self._me)
        standing_up |= up in remaining.agent_changes and posture not in remaining.agent_changes
        total -= up in remaining.agent_changes
        remaining.lower_bound = max(total + walks + standing_up, 1) if unsatisfied else 0
        return remaining

    # --- literals that do not hold ---------------------------------------------------------------

    def _add_literal(self, literal: Literal) -> None:
        remaining = self._remaining
        if literal in self._heuristic.agent_literals:
            self._add_agent_literal(literal)
            return
        match literal:
            case HasState(int(thing), state):
                self._add_state_change(VERB_FOR[state], thing)
            case Not(HasState(int(thing), state)):
                self._add_state_change(VERB_FOR[OPPOSITE[state]], thing)
            case Related(source, Relation.HOLDS, int(target)) if source == self._me:
                self._add_pick(target)
            case Related(source, relation, int(target)) if source == self._me:
                remaining.open_ended = True
                if relation is Relation.CLOSE:
                    remaining.to_reach.add(target)
            case Related(int(source), relation, int(target), direct):
                self._add_put(source, relation, target, direct)
            case Not(Related(source, Relation.HOLDS, int(target))) if source == self._me:
                remaining.puts.setdefault(target, None)
            case Not(Related(int(source), relation, _)):
                remaining.open_ended = True
                if source != self._me:
                    # Its carrier may be taken out of a container instead.
                    inside = relation is Relation.INSIDE
                    self._add_reach(self._outermost(source) if inside else source)

    def _add_agent_literal(self, literal: Literal) -> None:
        """Add one action for a posture, a seat or a facing; one may settle all three."""
        remaining = self._remaining
        remaining.open_ended = True
        match literal:
            case Related(source, relation, int(target)) if source == self._me:
                remaining.agent_changes.add(("posture", self._me))
                if relation is Relation.ON:
                    remaining.to_reach.add(target)
            case Related(int(thing), relation, int(place)):
                remaining.agent_changes.add((str(relation), thing))
                if thing not in self._held:
                    self._add_pick(thing)
                if place != self._me:
                    remaining.to_reach.add(place)
            case HasState():
                remaining.agent_changes.add(("posture", self._me))
            case Not(Related(int(thing), Relation.ON, target)) if target == self._me:
                remaining.agent_changes.add(("off", thing))
            case Not(Related(int(thing), Relation.INSIDE, _)):
                self._add_reach(thing)
            case _:
                remaining.agent_changes.add(("up", self._me))

    def _add_put(self, source: int, relation: Relation, place: int, direct: bool) -> None:
        remaining, thing = self._remaining, source
        inside = relation is Relation.INSIDE
        direct = direct or not inside
        if not direct and self._is_worn(source):
            remaining.open_ended = True  # it falls to the floor
            remaining.agent_changes.add(("off", source))
            return
        takes_things = not inside or Affordance.CONTAINER in self._graph[place].affordances
        around = self._location(place).inside
        self._add_passed(around)
        if inside and place not in self._heuristic.problem.never_closed:
            self._add_passed([place])
        if not direct:
            if source in self._heuristic.directly_placed:
                remaining.open_ended = True  # the place of its other literal may lie inside
                return
            thing = self._outermost(source)
            if thing != source:
                remaining.open_ended = True  # it may be taken out of its carrier
        if thing not in self._held:
            self._add_pick(thing)
        remaining.puts[thing] = None
        if takes_things:
            remaining.to_reach.add(place)
            if source in self._heuristic.placed_once:  # otherwise another thing may carry it there
                remaining.puts[thing] = place
                if any(map(self._is_closed, (*around, place) if inside else around)):
                    self._waiting.add(thing)

    def _add_pick(self, thing: int) -> None:
        self._remaining.picks.add(thing)
        if self._is_worn(thing):
            self._remaining.agent_changes.add(("off", thing))
        self._add_reach(thing)

    def _add_state_change(self, verb: Verb, thing: int) -> None:
        changes = self._remaining.state_changes
        changes.add((verb, thing))
        self._add_reach(thing)
        states = self._graph[thing].states
        if verb is Verb.TURN_ON and State.PLUGGED_OUT in states:
            changes.add((Verb.PLUG_IN, thing))
        if verb in (Verb.OPEN, Verb.PLUG_OUT) and State.ON in states:
            changes.add((Verb.TURN_OFF, thing))
            if (thing, State.ON) in self._heuristic.goal_states:
                changes.add((Verb.TURN_ON, thing))

    def _add_reach(self, thing: int) -> None:
        self._remaining.to_reach.add(thing)
        self._add_passed(self._location(thing).inside)

    def _add_passed(self, containers: Iterable[int]) -> None:
        """Add containers that things are moved through; closed ones have to be opened."""
        for container in containers:
            self._remaining.passed.add(container)
            if self._is_closed(container):
                self._remaining.to_reach.add(container)
                self._add_state_change(Verb.OPEN, container)
                if (container, State.CLOSED) in self._heuristic.goal_states:
                    self._remaining.state_changes.add((Verb.CLOSE, container))

    def _add_tool(self) -> None:
        remaining = self._remaining
        slicing = any(verb is Verb.SLICE for verb, _ in remaining.state_changes)
        if slicing and self._heuristic.problem.body.needs_tool:
            in_hand = [*self._held, *remaining.picks]
            in_hand += [thing for each in remaining.picks for thing in self._graph.below(each)]
            remaining.fetch_tool = not any(
                Affordance.CUTS in self._graph[thing].affordances for thing in in_hand
            )

    # --- walks -----------------------------------------------------------------------------------

    def _min_walks(self) -> int:
        """The least number of walks, counted by clusters of bases."""
        remaining, hands, bounds = (
            self._remaining,
            self._heuristic.hands,
            self._heuristic.walk_bounds,
        )
        unreached: dict[int, set[Bases]] = {}
        for location in map(self._location, remaining.to_reach):
            if location.cluster is not None and not self._is_reached(location):
                unreached.setdefault(location.cluster, set()).add(location.bases)
                remaining.bases |= location.bases
        leaving: Counter[int] = Counter()
        arriving: Counter[int] = Counter()
        brought: Counter[int] = Counter()  # in hand already
        frees_hand: set[int] = set()  # clusters with a put that needs no opening
        for thing, place in remaining.puts.items():
            if place is None:
                continue
            start, end = self._location(thing), self._location(place)
            if start.carried or end.carried or end.cluster is None or self._is_movable(place):
                continue
            if thing not in remaining.picks:
                brought[end.cluster] += 1
            elif start.cluster is not None and not bounds.reached_at_once(start.bases, end.bases):
                leaving[start.cluster] += 1
                arriving[end.cluster] += 1
            if thing not in self._waiting:
                frees_hand.add(end.cluster)
        opened = set()  # clusters where the first arrival needs a free hand
        if Verb.OPEN in self._heuristic.problem.body.needs_free_hand:
            opened = {
                self._location(thing).cluster
                for verb, thing in remaining.state_changes
                if verb is Verb.OPEN
            }
        clusters = bounds.cluster_of
        here = {clusters[base] for base in self._close if base in clusters}
        walks = 0
        for cluster in {*unreached, *leaving, *arriving, *brought}:
            out, into = leaving[cluster], arriving[cluster] + brought[cluster]
            if cluster in here:
                out, into = out - hands, arriving[cluster]
            elif cluster in opened and cluster not in frees_hand:
                into += 1
            to_all = bounds.min_walks(frozenset(unreached.get(cluster, ())))
            walks += max(-(-out // hands), -(-into // hands), to_all)
        return walks

    # --- small helpers ---------------------------------------------------------------------------

    def _location(self, thing: int) -> Location:
        location = self._heuristic.fixed_locations.get(thing) or self._locations.get(thing)
        if location is None:
            location = self._locations[thing] = self._heuristic.location(self._graph, thing)
        return location

    def _is_reached(self, location: Location) -> bool:
        return any(i in self._close or i in self._held for i in location.chain)

    def _is_closed(self, thing: int) -> bool:
        return State.CLOSED in self._graph[thing].states

    def _is_worn(self, thing: int) -> bool:
        return self._graph.has_edge(thing, Relation.ON, self._me)

    def _is_movable(self, thing: int) -> bool:
        return thing in self._heuristic.problem.movable

    def _outermost(self, thing: int) -> int:
        """The outermost movable thing that carries this one, or itself."""
        return [i for i in self._location(thing).chain if i == thing or self._is_movable(i)][-1]


def _uncounted(parts: tuple[EventOccurred, ...]) -> int:
    """How many of these events take an action that nothing else counts."""
    return sum(_COUNTED.isdisjoint(part.names) for part in parts)
