"""Goals that can never hold, and that no goal of a reachable state is taken for one of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.audit.constraints import Constraints
from peephole.audit.final_states import final_state
from peephole.audit.laws import Laws
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    Event,
    EventOccurred,
    Exists,
    ForAll,
    Goal,
    HasState,
    Not,
    Or,
    Related,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import PLACEMENTS, Affordance, State
from peephole.skills.dynamics import legal_actions, step
from peephole.skills.embodiment import Embodiment
from peephole.skills.events import events_of

SPEC = SymbolicAdapter.spec
BODIES = (
    Embodiment(),
    Embodiment(hands=1, needs_free_hand=SPEC.actions, needs_tool=False),
    Embodiment(
        capacity={"bowl": 1, "plate": 2, "box": 0},
        accepts={"kitchen cabinet": frozenset({"apple", "plate"})},
        closed_to_run=frozenset({"microwave"}),
    ),
)


@given(data=st.data())
def test_a_goal_of_a_reachable_state_is_never_called_impossible(house_strategy, data):
    start = data.draw(house_strategy)
    for node in list(start.nodes()):  # doors that nothing opens, furniture that nobody lifts …
        if data.draw(st.integers(0, 3)) == 0:
            lost = data.draw(st.sampled_from([Affordance.OPENABLE, Affordance.GRASPABLE]))
            start.replace_node(replace(node, affordances=node.affordances - {lost}))
    laws = Laws(SPEC.actions, data.draw(st.sampled_from(BODIES)))
    graph, events = wandered(start, laws, data)
    goal = data.draw(goals_of(graph, events))
    assert satisfied(goal, graph, events)
    found = final_state(start, goal, laws, str, 3000)
    assert not found.impossible, (found.reasons, found.rules)


def wandered(start: SceneGraph, laws: Laws, data: st.DataObject) -> tuple[SceneGraph, list[Event]]:
    """A state that some actions lead to, and what happened on the way."""
    graph, events = start.copy(), []
    for number in range(data.draw(st.integers(0, 14))):
        legal = legal_actions(graph, laws.body)
        verbs = sorted({action.verb for action in legal})
        if not verbs:
            break
        verb = data.draw(st.sampled_from(verbs))
        action = data.draw(st.sampled_from([each for each in legal if each.verb is verb]))
        events += events_of(graph, action, number)
        assert step(graph, action, laws.body) is None
    return graph, events


@st.composite
def goals_of(draw: st.DrawFn, graph: SceneGraph, events: list[Event]) -> Goal:
    """Goals that hold in a state: many of its facts at once, some of them behind quantifiers."""
    facts = draw(st.lists(st.sampled_from(facts_of(graph, events)), min_size=1, max_size=12))
    return And(tuple(draw(st.sampled_from(wordings(fact, graph, events))) for fact in facts))


def facts_of(graph: SceneGraph, events: list[Event]) -> list[Goal]:
    """Facts that hold: of states, relations, negations of others, and events."""
    nodes = [node.id for node in graph.nodes()]
    facts: list[Goal] = [HasState(node.id, s) for node in graph.nodes() for s in node.states]
    facts += [Related(*edge) for edge in graph.edges()]
    facts += [Related(e.source, e.relation, e.target, True) for e in graph.edges()]
    everything = [HasState(i, state) for i in nodes for state in State]
    everything += [Related(a, r, b) for a, b in product(nodes, nodes) for r in PLACEMENTS if a != b]
    facts += [fact for fact in everything if isinstance(fact, Related) and satisfied(fact, graph)]
    facts += [Not(fact) for fact in everything if not satisfied(fact, graph)][::7]
    return facts + [EventOccurred((event.name,), event.things) for event in events]


def wordings(fact: Goal, graph: SceneGraph, events: list[Event]) -> list[Goal]:
    """The fact, and goals that follow from it."""
    found: list[Goal] = [fact, Or((HasState(10_000, State.ON), fact))]
    if isinstance(fact, Related | HasState):
        thing = fact.source if isinstance(fact, Related) else fact.thing
        assert isinstance(thing, int)
        alike = Domain(frozenset({graph[thing].category}))
        body = (
            Related("x", fact.relation, fact.target, fact.direct)
            if isinstance(fact, Related)
            else HasState("x", fact.state)
        )
        found.append(Exists("x", alike, body))
        holding = sum(
            satisfied(Exists("x", Domain(ids=frozenset({node.id})), body), graph, events)
            for node in graph.nodes()
            if alike.admits(node)
        )
        found.append(AtLeast(holding, "x", alike, body))
        found.append(Not(AtLeast(holding + 1, "x", alike, body)))
        every = ForAll("x", alike, body)
        found.append(every if satisfied(every, graph, events) else Not(every))
    return found


@given(data=st.data())
def test_the_search_is_exhaustive(data):
    """Against trying all values of a few variables."""
    constraints = Constraints()
    variables = [constraints.variable() for _ in range(5)]
    literals = st.sampled_from([s * v for v in variables for s in (1, -1)])
    for _ in range(data.draw(st.integers(0, 8))):
        some = data.draw(st.lists(literals, min_size=1, max_size=5, unique=True))
        least = data.draw(st.integers(0, len(some)))
        constraints.at_least(some, least, "any", when=data.draw(st.sampled_from([0, 1, -3])))
    keeping = [
        values
        for values in product((True, False), repeat=5)
        if all(
            sum(w for lit, w in each.terms if values[abs(lit) - 1] == (lit > 0)) >= each.least
            for each in constraints.kept
        )
    ]
    answer = constraints.solve(10_000)
    assert answer.exhausted == (not keeping)
    if answer.values is not None:
        assert any(
            all(values[abs(lit) - 1] == (lit > 0) for lit in answer.values) for values in keeping
        )


def test_more_pigeons_than_holes_are_found_impossible_by_search():
    constraints = Constraints()
    at = {pair: constraints.variable() for pair in product(range(5), range(4))}
    for pigeon in range(5):
        constraints.at_least([at[pigeon, hole] for hole in range(4)], 1, "somewhere")
    for hole in range(4):
        for one, other in combinations(range(5), 2):
            constraints.implies([at[one, hole], at[other, hole]], [], "room for one")
    answer = constraints.solve(10_000)
    assert (answer.exhausted, answer.values) == (True, None)
    assert answer.choices > 0
    assert not constraints.solve(5).exhausted
    assert constraints.solve(10_000, ["room for one"]).values is not None
