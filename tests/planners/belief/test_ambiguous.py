"""The planner `belief` with an ambiguous goal: confirmed placements show which is meant."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import peephole
from peephole.adapters.scenes import load_scene
from peephole.episodes.environment import Environment
from peephole.planners.belief.hypotheses import Acceptable, HypothesisPrior
from peephole.planners.contract import Percept
from peephole.planners.kits.belief.search.streams import Stream
from peephole.planners.kits.belief.world import KitchenWorld, sorted_targets
from peephole.planners.kits.household import prior
from peephole.scene_graph.goals import Related
from peephole.scene_graph.placement_goals import alternatives
from peephole.skills.actions import open_, pick_up, put
from peephole.suites.contract import Suite
from peephole.suites.registry import load_suite

TASK = load_suite("kitchens_ambiguous:easy").tasks[0]


@pytest.mark.parametrize("solver", ["despot", "one_hypothesis"])
def test_reaches_whatever_is_meant(three_alike: Suite, solver: str) -> None:
    run = peephole.run("belief", three_alike, options={"solver": solver})
    assert [result.success for result in run.results] == [True] * 3


@pytest.fixture
def begun() -> Iterator[tuple[Environment, KitchenWorld, HypothesisPrior]]:
    with peephole.make("kitchens_ambiguous", task=TASK, grants=("goal",)) as environment:
        percept = environment.reset()
        brief = environment.brief()
        assert brief.goal is not None
        world = KitchenWorld(brief, percept)
        acceptable = Acceptable(brief.goal, world)
        known = prior.load(counted=True)
        yield environment, world, HypothesisPrior(world, acceptable, known, temperature=10.0)


def carry(environment: Environment, world: KitchenWorld, placement: Related) -> tuple[str, str]:
    """Bring a thing to its area in an alternative; the names of both."""
    truth = load_scene(TASK.scene)
    assert isinstance(placement.source, int)
    assert isinstance(placement.target, int)
    names = {
        node: f"{truth[node].category}".replace(" ", "_")
        for node in (placement.source, placement.target, truth.places(placement.source)[0][1])
    }
    thing, target, hidden = (
        names[placement.source],
        names[placement.target],
        names[truth.places(placement.source)[0][1]],
    )

    def step(action: object) -> Percept:
        percept = environment.step(action)  # type: ignore[arg-type]
        world.update(percept)
        return percept

    for area in (hidden, target):
        if not world.areas[area].is_open:
            step(open_(world.areas[area].id))
    found, place = world.id_of(thing), world.areas[target].id
    assert found is not None
    step(pick_up(found))
    step(put(found, world.relation(found, place), place))
    assert world.located[thing] == target
    return thing, target


def test_what_is_not_confirmed_is_drawn_no_more(
    begun: tuple[Environment, KitchenWorld, HypothesisPrior],
) -> None:
    environment, world, hypotheses = begun
    assert TASK.candidates is not None
    wanted = {p.source for goal in alternatives(TASK.goal) or () for p in goal}
    wrong = next(
        p for goal in alternatives(TASK.candidates) or () for p in goal if p.source not in wanted
    )
    hypotheses.confirm(())
    assert not hypotheses.denied  # nothing lies yet where somebody may want it
    thing, area = carry(environment, world, wrong)
    before = [dict(each.targets) for each in hypotheses.drawn(500, Stream(1))]
    assert any(goal.get(thing) == area for goal in before)
    hypotheses.confirm(())
    assert hypotheses.denied == {(thing, area)}
    after = [dict(each.targets) for each in hypotheses.drawn(500, Stream(1))]
    assert after
    assert not any(goal.get(thing) == area for goal in after)
    assert sum(thing in goal for goal in after) < sum(thing in goal for goal in before)


def test_what_is_confirmed_counts_for_the_goals_that_have_it(
    begun: tuple[Environment, KitchenWorld, HypothesisPrior],
) -> None:
    environment, world, hypotheses = begun
    thing, area = carry(environment, world, (alternatives(TASK.goal) or [])[0][0])
    drawn = [dict(each.targets) for each in hypotheses.drawn(500, Stream(1))]
    with_it = next(goal for goal in drawn if goal.get(thing) == area)
    without = next(goal for goal in drawn if goal.get(thing) != area)

    def share() -> float:
        weights = hypotheses.weights([with_it, without])
        return weights[sorted_targets(with_it)] / weights[sorted_targets(without)]

    before = share()
    hypotheses.confirm({thing})
    assert hypotheses.confirmed == {(thing, area)}
    assert share() == pytest.approx(2 * before)


def test_goals_reached_without_success_are_drawn_no_more(
    begun: tuple[Environment, KitchenWorld, HypothesisPrior],
) -> None:
    _, _, hypotheses = begun
    goals = {sorted_targets(each.targets) for each in hypotheses.drawn(500, Stream(1))}
    kept = sorted(goals)[0]
    left = {
        sorted_targets(each.targets)
        for each in hypotheses.drawn(500, Stream(1), refuted=goals - {kept})
    }
    assert kept in left
    assert left.isdisjoint(goals - {kept})


def test_of_goals_that_want_the_same_things_one_is_drawn(
    begun: tuple[Environment, KitchenWorld, HypothesisPrior],
) -> None:
    """The cheapest place first; another one once that is ruled out."""
    _, _, hypotheses = begun
    goals = {sorted_targets(each.targets) for each in hypotheses.drawn(500, Stream(1))}
    assert len({frozenset(dict(goal)) for goal in goals}) == len(goals) > 1
    others = {sorted_targets(each.targets) for each in hypotheses.drawn(500, Stream(1), goals)}
    assert others
    assert {frozenset(dict(goal)) for goal in others} <= {frozenset(dict(goal)) for goal in goals}
