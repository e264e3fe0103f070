"""Planners in a world that shows what is inside of furniture only after a look of its own."""

from __future__ import annotations

import pytest

from peephole.adapters.kitchens.furnished.scenes import scene_of
from peephole.adapters.symbolic import GripperAdapter
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.recording import EpisodeLog
from peephole.episodes.resolve import load_dialect
from peephole.observation_text.view import View
from peephole.planners.registry import load_planner
from peephole.scene_graph.goals import Related
from peephole.scene_graph.node import Affordance, Kind, Relation
from peephole.scene_graph.task import Task
from peephole.skills.actions import Verb

_OBJECTS = {"can_1": "drawer_1", "mug_1": "counter_2"}


class ShySight(GripperAdapter):
    """Things show only once their place was looked at or gone to."""

    def __init__(self):
        super().__init__()
        self._looked = set()

    def attempt(self, action, variation):
        result = super().attempt(action, variation)
        if result.success and action.verb in (Verb.LOOK, Verb.GO_TO):
            self._looked.add(action.target)
        return result

    def view(self):
        view = super().view()
        graph = view.graph.copy()
        for node in list(graph.nodes(Kind.OBJECT)):
            places = [place for _, place in graph.places(node.id)]
            if places and not self._looked.issuperset(places):
                graph.remove_node(node.id)
        areas = {n.id for n in graph.nodes() if n.affordances & {Affordance.SURFACE}}
        areas |= {n.id for n in graph.nodes() if n.affordances & {Affordance.CONTAINER}}
        hidden = areas - self._looked
        covered = {p: w and p not in hidden for p, w in view.covered.items() if p in graph}
        return View(graph, covered)


@pytest.mark.parametrize("name", ["expert", "explore", "belief"])
def test_they_look_before_they_take(name, tmp_path):
    scene = scene_of(1, _OBJECTS)
    adapter = ShySight()
    adapter.reset(Task("t", "", None, scene), 0)
    ids = {str(node.native_id): node.id for node in adapter.graph().nodes()}
    goal = Related(ids["can_1"], Relation.ON, ids["counter_1"])
    task = Task("t", "Put the can on the counter.", goal, scene)
    planner = load_planner(name)
    options = planner.options() if planner.options is not None else None
    context = EpisodeContext(ShySight(), planner, load_dialect("reactree_plain"), options=options)
    with EpisodeLog(tmp_path / "log.jsonl") as log:
        result = run_episode(context, task, log)
    assert result.success, result.detail
