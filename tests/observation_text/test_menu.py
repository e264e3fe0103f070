"""The menu: exactly what the perceived state allows, however the view is kept."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.incremental_view import IncrementalView
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.observation_text.view import Visibility, visible
from peephole.skills.actions import Verb
from peephole.skills.dynamics import legal_actions, step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Outcome

BODIES = (
    Embodiment(),
    Embodiment(hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.TURN_ON})),
    Embodiment(capacity={"fridge": 1, "table": 2}, accepts={"sink": frozenset({"plate"})}),
    Embodiment(seats={Verb.SIT: {"sofa": 2}}, needs_tool=False),
)


@settings(max_examples=60)
@given(
    data=st.data(),
    body=st.sampled_from(BODIES),
    profile=st.sampled_from([Visibility.NEAR, Visibility.ROOM]),
)
def test_the_menu_is_what_the_rules_allow_on_the_perceived_graph(
    data, house_strategy, body, profile
):
    house = data.draw(house_strategy)
    sight = IncrementalView(house, profile)
    kept = Observer(Names(), DIALECT, frozenset(Verb), body)
    anew = Observer(Names(), DIALECT, frozenset(Verb), body)
    kept.start(sight.view())
    anew.start(visible(house, profile))
    for _ in range(data.draw(st.integers(1, 12))):
        menu = kept.menu()
        assert menu == anew.menu()  # in the same order
        alone = {Verb.LOOK, Verb.WAIT}
        assert {
            action for _, action in menu if action.verb not in alone or action.target is not None
        } == set(legal_actions(kept.view.graph, body))
        if not menu:
            break
        _, action = data.draw(st.sampled_from(menu))
        outcome = Outcome(step(house, action, body))
        kept.after(sight.view(), action, outcome)
        anew.after(visible(house, profile), action, outcome)
