"""A place of which only a part is seen is never said to be empty, in any dialect."""

from __future__ import annotations

import re

import pytest

from peephole import plugins
from peephole.adapters.kitchens.furnished.scenes import scene_of
from peephole.adapters.scenes import load_scene
from peephole.episodes.resolve import load_dialect
from peephole.observation_text.names import Names
from peephole.observation_text.view import View, Visibility, visible
from peephole.scene_graph.node import Relation
from peephole.skills.actions import go_to, look, open_
from peephole.skills.dynamics import apply
from peephole.skills.outcomes import Attempt, Outcome

_EMPTY = re.compile(r"empty|nothing", re.IGNORECASE)
#: `compact` keeps the texts that models were trained with.
DIALECTS = [name for name in plugins.names("dialect") if name not in ("compact", "blocks")]


@pytest.mark.parametrize("name", DIALECTS)
def test_only_what_was_seen_whole_is_empty(name):
    dialect = load_dialect(name)
    if not dialect.supports(frozenset({open_(1).verb})):
        pytest.skip("opens nothing")
    graph = load_scene(scene_of(1, {"mug_1": "counter_1"}))
    drawer = next(n.id for n in graph.nodes() if n.native_id == "drawer_1")
    me = graph.agent().id
    texts = {}
    for whole in (True, False):
        now = graph.copy()
        names = Names()
        before = visible(now, Visibility.ROOM)
        names.append(list(before.graph.nodes()))
        _, state = dialect.start(names, before)
        apply(now, go_to(drawer))
        apply(now, open_(drawer))
        for thing in now.targets(me, Relation.CLOSE):
            if thing != drawer:
                now.remove_edge(me, Relation.CLOSE, thing)
        seen = visible(now, Visibility.ROOM)
        covered = {
            place: whole if place == drawer else all_ for place, all_ in seen.covered.items()
        }
        view = View(seen.graph, covered)
        outcome = Outcome(None, (Attempt(0, None, "", 0.0),), 0.0)
        said = []
        for action in (open_(drawer), look(drawer)):
            if dialect.supports(frozenset({action.verb})):
                said.append(dialect.after(names, view, action, outcome, state)[0])
        texts[whole] = " ".join(said)
    if _EMPTY.search(texts[True]):
        assert texts[True] != texts[False]
        assert len(_EMPTY.findall(texts[False])) < len(_EMPTY.findall(texts[True]))
