"""The wording of menus: put together from a dialect's words, it is what the dialect itself says."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.dialects.alfworld.dialect import DIALECT as ALFWORLD
from peephole.observation_text.dialects.llm_state.dialect import DIALECT as LLM_STATE
from peephole.observation_text.dialects.lookplangraph.dialect import DIALECT as LOOKPLANGRAPH
from peephole.observation_text.dialects.reactree.dialect import DIALECT as REACTREE
from peephole.observation_text.dialects.reactree.dialect import THOR_DIALECT as THOR
from peephole.observation_text.dialects.reactree.dialect import ReAcTree
from peephole.observation_text.dialects.reactree.plain import PLAIN_DIALECT as PLAIN
from peephole.observation_text.dialects.tru_pomdp.dialect import DIALECT as TRU_POMDP
from peephole.observation_text.names import Names
from peephole.observation_text.wording import Wording
from peephole.scene_graph.node import Kind, Node, Relation
from peephole.skills.actions import (
    ARM_VERBS,
    PUT_RELATIONS,
    WITH_PLACE,
    WITHOUT_TARGET,
    Action,
    Verb,
)

DIALECTS = (REACTREE, PLAIN, THOR, ALFWORLD, LLM_STATE, LOOKPLANGRAPH, TRU_POMDP)
#: Some that are called otherwise in texts, some that are words of the texts around them.
CATEGORIES = st.sampled_from(
    ["microwave", "character", "chinese food", "tv stand", "go to", "down in", "on", "1"]
) | st.text(string.ascii_lowercase + " ", min_size=1, max_size=12)
VERBS = [verb for verb in Verb if verb not in ARM_VERBS | WITHOUT_TARGET | WITH_PLACE]
PUTS = [(Verb.PUT, relation) for relation in PUT_RELATIONS] + [(Verb.POUR, None)]


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@given(categories=st.lists(CATEGORIES, min_size=2, max_size=6))
def test_every_text_is_the_dialects_own(dialect, categories):
    names = Names(Node(i, name, Kind.OBJECT, i) for i, name in enumerate(categories, start=1))
    wording = Wording(names, dialect)
    for thing in names.numbers:
        for text, action in wording.acts(VERBS, thing):
            assert text == dialect.word(names, action)
            assert action == Action(action.verb, thing)
        for place in names.numbers:
            for verb, relation in PUTS:
                text, action = wording.put(verb, thing, relation, place)
                assert action == Action(verb, thing, relation, place)
                assert text == dialect.word(names, action)


class Counting(ReAcTree):
    """Words no two actions alike."""

    words_things_alike = False

    def __init__(self) -> None:
        self._said = 0

    def word(self, names, action):
        self._said += 1
        return f"{self._said}: {super().word(names, action)}"


def test_a_dialect_that_words_things_in_its_own_ways_is_asked_for_every_text():
    names = Names([Node(1, "apple", Kind.OBJECT, 1), Node(2, "table", Kind.FIXTURE, 2)])
    wording = Wording(names, Counting())
    assert wording.acts([Verb.SLICE], 1) == [("1: slice apple 1", Action(Verb.SLICE, 1))]
    assert wording.acts([Verb.SLICE], 1) == [("2: slice apple 1", Action(Verb.SLICE, 1))]
    text, _ = wording.put(Verb.PUT, 1, Relation.ON, 2)
    assert text == "3: put down apple 1 on table 1"


def test_a_thing_that_became_another_gets_another_name():
    names = Names([Node(1, "bread", Kind.OBJECT, 1)])
    wording = Wording(names, REACTREE)
    assert wording.acts([Verb.EAT], 1) == [("eat bread 1", Action(Verb.EAT, 1))]
    names.append([Node(1, "slice of bread", Kind.OBJECT, 1)])
    assert wording.acts([Verb.EAT], 1) == [("eat slice of bread 1", Action(Verb.EAT, 1))]
