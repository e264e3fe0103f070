"""Nothing that was not perceived reaches a planner: no text, menu, view, outcome or refusal.

Random agents act in random houses, legally and illegally, on seen, hidden and nonexistent things,
through the same `Observer` that the runner uses; the simulator may report any failure about any
thing, in words of its own. Every node has a category, id and native id found nowhere else, so
that any trace of it can be told.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peephole.observation_text.dialect import Dialect, Refusal
from peephole.observation_text.dialects.alfworld import dialect as alfworld
from peephole.observation_text.dialects.compact import dialect as compact
from peephole.observation_text.dialects.llm_state import dialect as llm_state
from peephole.observation_text.dialects.lookplangraph import dialect as lookplangraph
from peephole.observation_text.dialects.reactree import dialect as reactree
from peephole.observation_text.dialects.reactree import plain
from peephole.observation_text.dialects.tru_pomdp import dialect as tru_pomdp
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.observation_text.view import Visibility, visible
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind
from peephole.skills.actions import (
    HOUSEHOLD_VERBS,
    PUT_RELATIONS,
    WITH_PLACE,
    WITHOUT_TARGET,
    Action,
    Verb,
    pour,
    put,
)
from peephole.skills.dynamics import legal_actions, step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Attempt, Failure, Outcome, Reason

BODY = Embodiment(needs_tool=False)
EVERY_VERB = HOUSEHOLD_VERBS
#: Ids that no house has.
NOWHERE = (70001, 70002)
NO_CATEGORY = "zz70001zz"
FORMS = ("{}", "go to {}", "put down {}", "look at {}", "open {} now", "pour {}", "take {}")
FORMS += ("move({})", "placein({0},{0})", "open({}) now", "pickup({}")
FORMS += ("go_to({})", "put_on({})", "put_inside({0}, {0})", "pick_up({}")
#: Each wording, and how it says a name.
WORDINGS = {
    "reactree": (reactree.DIALECT, "{} 1"),
    "reactree_plain": (plain.PLAIN_DIALECT, "{} 1"),
    "reactree_thor": (reactree.THOR_DIALECT, "{} (1)"),
    "reactree_thor_plain": (plain.THOR_PLAIN_DIALECT, "{} (1)"),
    "alfworld": (alfworld.DIALECT, "{} 1"),
    "llm_state": (llm_state.DIALECT, "{}1"),
    "lookplangraph": (lookplangraph.DIALECT, "{}-1"),
    "tru_pomdp": (tru_pomdp.DIALECT, "{}"),
    "compact": (compact.DIALECT, "{}1"),
}
#: The plain wordings share their texts, so that one of them is enough for every day.
_SLOW = {"reactree_thor", "reactree_thor_plain"}
of_every_dialect = pytest.mark.parametrize(
    ("dialect", "name"),
    [
        pytest.param(*wording, id=name, marks=[pytest.mark.slow] * (name in _SLOW))
        for name, wording in WORDINGS.items()
    ],
)


def told_apart(graph: SceneGraph) -> SceneGraph:
    """The same house, its nodes renamed so that each leaves a trace of its own."""
    new = {node.id: 10000 + i for i, node in enumerate(graph.nodes())}
    nodes = [
        replace(node, id=new[node.id], category=f"zz{new[node.id]}zz", native_id=20000 + node.id)
        for node in graph.nodes()
    ]
    return SceneGraph(nodes, [(new[e.source], e.relation, new[e.target]) for e in graph.edges()])


class Episode:
    """A planner's side of an episode, and a check of everything it is given."""

    def __init__(self, truth: SceneGraph, profile: Visibility, dialect: Dialect) -> None:
        self.truth = truth
        self.profile = profile
        self.observer = Observer(Names(), dialect, EVERY_VERB)
        self.seen: set[int] = set()
        view = visible(truth, profile)
        self.perceive(view)
        self.check_text(self.observer.start(view))

    def perceive(self, view):
        self.seen |= {node.id for node in view.graph.nodes()}

    def hidden(self):
        return [node.id for node in self.truth.nodes() if node.id not in self.seen]

    def check_text(self, text):
        for node_id in self.hidden():
            assert str(node_id) not in text, "a category holds the id, so this finds both"
            assert str(self.truth[node_id].native_id) not in text

    def act(self, action, reported=None):
        """Do an action as the runner does; `reported` is what the simulator says instead."""
        failure = self.observer.admit(action)
        if failure is not None:
            return self.after(action, Outcome(failure))
        assert set(action.things) <= self.seen, "nothing else may reach a simulator"
        failure = reported or step(self.truth, action, BODY)
        words = repr(list(self.truth.nodes()))
        attempts = (Attempt(0, failure, words, 0.1), Attempt(1, failure, words, 0.1))
        return self.after(action, Outcome(failure, attempts, 0.2))

    def after(self, action, outcome):
        view = visible(self.truth, self.profile)
        self.perceive(view)
        text, told = self.observer.after(view, action, outcome)
        assert told.success == outcome.success
        assert len(told.attempts) == len(outcome.attempts)
        self.check_text(text)
        if set(action.things) <= self.seen:
            self.check_text(repr(told))
        self.check_text(repr(self.observer.view))
        self.check_text(repr(list(self.observer.view.graph.nodes())))
        self.check_text(repr(list(self.observer.view.graph.edges())))
        return text, told

    def check_offers(self):
        for text, action in self.observer.menu():
            self.check_text(text)
            assert set(action.things) <= self.seen
        for text, action in self.observer.sayable():
            self.check_text(text)
            assert set(action.things) <= self.seen
        assert set(self.observer.names) == self.seen
        self.check_text(repr(self.observer.names))


def draw_action(data, truth: SceneGraph) -> Action:
    """A legal action, or any at all."""
    legal = legal_actions(truth, BODY)
    if legal and data.draw(st.booleans()):
        return data.draw(st.sampled_from(legal))
    thing = st.sampled_from([*(node.id for node in truth.nodes()), *NOWHERE])
    verb = data.draw(st.sampled_from(sorted(HOUSEHOLD_VERBS)))
    if verb is Verb.PUT:
        relation = data.draw(st.sampled_from(PUT_RELATIONS))
        return put(data.draw(thing), relation, data.draw(thing))
    if verb is Verb.POUR:
        return pour(data.draw(thing), data.draw(thing))
    if verb in WITHOUT_TARGET:
        return Action(verb)
    return Action(verb, data.draw(thing))


def draw_report(data, truth: SceneGraph) -> Failure | None:
    """Mostly nothing; now and then any failure about anything."""
    if data.draw(st.integers(0, 3)):
        return None
    thing = st.sampled_from([None, *(node.id for node in truth.nodes())])
    return Failure(data.draw(st.sampled_from(list(Reason))), data.draw(thing))


@of_every_dialect
@given(data=st.data())
def test_no_text_menu_view_or_outcome_tells_of_what_was_not_perceived(
    data, house_strategy, dialect, name
):
    truth = told_apart(data.draw(house_strategy))
    profile = data.draw(st.sampled_from([Visibility.ROOM, Visibility.NEAR]))
    episode = Episode(truth, profile, dialect)
    for _ in range(data.draw(st.integers(1, 8))):
        action = draw_action(data, truth)
        episode.check_text(episode.observer.word(action))
        episode.act(action, draw_report(data, truth))
        episode.check_offers()


def swapped(action: Action, node_id: int, other: int) -> Action:
    return replace(
        action,
        target=other if action.target == node_id else action.target,
        place=other if action.place == node_id else action.place,
    )


@of_every_dialect
@settings(max_examples=20)
@given(data=st.data())
def test_hidden_and_nonexistent_targets_get_the_same_answers(data, house_strategy, dialect, name):
    truth = told_apart(data.draw(house_strategy))
    profile = data.draw(st.sampled_from([Visibility.ROOM, Visibility.NEAR]))
    episode = Episode(truth, profile, dialect)
    for _ in range(data.draw(st.integers(0, 3))):
        episode.act(draw_action(data, truth))
    hidden, me = episode.hidden(), truth.agent().id
    for form in FORMS:
        made_up = refusal(episode, form.format(name.format(NO_CATEGORY)))
        for category in {truth[node_id].category for node_id in hidden}:
            said = form.format(name.format(category))
            assert refusal(episode, said) == made_up
            assert episode.observer.read(said) == (None, made_up)
    for node_id in hidden:
        for verb in HOUSEHOLD_VERBS - WITHOUT_TARGET:
            for target, place in ((node_id, None), (node_id, me), (me, node_id)):
                relation = PUT_RELATIONS[0] if verb is Verb.PUT else None
                if (verb in WITH_PLACE) != (place is not None):
                    continue
                real = Action(verb, target, relation, place)
                made_up = swapped(real, node_id, NOWHERE[0])
                assert episode.observer.word(real) == episode.observer.word(made_up)
                (text, told), (text_2, told_2) = episode.act(real), episode.act(made_up)
                assert text == text_2
                assert told == replace(told_2, failure=Failure(told_2.failure.reason, node_id))


def refusal(episode: Episode, text: str) -> str:
    with pytest.raises(Refusal) as caught:
        episode.observer.parse(text)
    return str(caught.value)


@of_every_dialect
@given(data=st.data())
def test_no_refusal_tells_of_what_was_not_perceived(data, house_strategy, dialect, name):
    truth = told_apart(data.draw(house_strategy))
    episode = Episode(truth, Visibility.NEAR, dialect)
    names = [node.category for node in truth.nodes()]
    phrases = ["go to", "pick up", "put down", "open", "look at", "done", "in", "on", "1", "2"]
    phrases += ["pour", "into", "sit on", "put on", "put", "take", "from", "in/on", "(1)", "with"]
    calls = [f"{name}1" for name in names] + ["move(", "placein(", "wait(", ",", ")"]
    calls += [f"{name}-1" for name in names] + ["go_to(", "put_inside(", "look("]
    words = st.sampled_from([*names, *phrases, *calls])
    said = data.draw(st.sampled_from([" ", ""])).join(data.draw(st.lists(words, max_size=7)))
    try:
        action = episode.observer.parse(said)
    except Refusal as refused:
        episode.check_text(str(refused))
    else:
        assert set(action.things) <= episode.seen


def test_the_checks_above_would_see_a_leak(house):
    """The traces are found where they are: a dialect that names everything is caught."""
    truth = told_apart(house)
    episode = Episode(truth, Visibility.NEAR, reactree.DIALECT)
    assert any(truth[i].kind is Kind.OBJECT for i in episode.hidden())
    with pytest.raises(AssertionError):
        episode.check_text(" ".join(node.category for node in truth.nodes()))
