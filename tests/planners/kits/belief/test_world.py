"""The world as the search sees it: names, moves, costs."""

from __future__ import annotations

import random

import pytest

import peephole
from peephole.planners.kits.belief.search.kitchen import NULL, OPEN, PICK, PLACE
from peephole.planners.kits.belief.tracker import BeliefTracker
from peephole.planners.kits.belief.world import NOWHERE, Hypothesis, KitchenWorld, Move
from peephole.scene_graph.node import Relation
from peephole.skills.actions import close, go_to, open_

from .kitchens import kitchen

#: An area that no random walk of the test puts anything at.
ASIDE = "human_hand"


def possible(world: KitchenWorld) -> list[Move]:
    moves = [Move(OPEN, name) for name in world.closed()]
    if world.held is None:
        return moves + [Move(PICK, name) for name in world.located]
    return moves + [Move(PLACE, name) for name, area in world.areas.items() if area.is_open]


def test_names_and_areas_are_those_of_the_observation():
    with kitchen() as (environment, world):
        assert set(world.closed()) < set(world.areas)
        for name in world.areas:
            assert name in environment.text.replace(" ", "_").lower()
        assert world.located["lettuce_head"] == "cookbook_shelf"


def test_moves_are_house_actions():
    with kitchen() as (_, world):
        for move in possible(world):
            action = world.action(move)
            assert action is not None
        assert world.action(Move(NULL)) is None


@pytest.mark.parametrize("task", ["hard/one_wall-1", "medium/galley-2"])
def test_the_model_costs_what_the_episode_costs(task):
    """The array model of the observed world gives the rewards of the environment."""
    rng = random.Random(0)
    with kitchen(task) as (environment, world):
        tracker = BeliefTracker(world)
        for _ in range(25):
            move = rng.choice(possible(world))
            # Any goal will do that nothing here reaches.
            tracker = BeliefTracker(world, [Hypothesis(dict.fromkeys(world.objects(), ASIDE))])
            kitchen_model = world.kitchen(tracker.rows(), tracker.goal_rows())
            (state,) = tracker.states().states
            numbers = range(kitchen_model.number(NULL) + 1)
            (number,) = [
                n for n in numbers if world.move_of(kitchen_model, tracker.rows(), n) == move
            ]
            stepped = kitchen_model.step(state, number)
            before = environment.score().reward
            percept = environment.step(world.action(move))
            assert percept.outcome is not None
            assert percept.outcome.success
            assert stepped.reward == pytest.approx(environment.score().reward - before)
            tracker.observe(percept, move)


def test_an_object_that_nobody_has_an_idea_of_is_nowhere():
    with kitchen() as (_, world):
        model = world.kitchen(["unicorn"], [(("unicorn", "prep_surface"),)])
        (state,) = world.arrangements(["unicorn"], [((), 0)])
        assert state.places == (model.areas - 1,)
        moves = [world.move_of(model, ["unicorn"], n) for n in model.feasible(state)]
        assert NOWHERE not in {move.what for move in moves}
        supposed = (("unicorn", "cutlery_drawer"),)
        assert world.arrangements(["unicorn"], [(supposed, 0)]) != [state]


def test_what_was_seen_in_a_drawer_stays_known_once_it_is_closed():
    task, body = "fetch/10000", "symbolic_gripper"
    with peephole.make("kitchen_physics", task=task, adapter=body, grants=("goal",)) as environment:
        percept = environment.reset()
        world = KitchenWorld(environment.brief(), percept)
        front = next(area for area in world.areas.values() if area.category == "drawer")
        assert front.name in world.unknown()
        for action in (go_to(front.stand), open_(front.id), close(front.id)):
            world.update(environment.step(action))
        assert front.name in world.closed()  # it has to be opened to put something there
        assert front.name not in world.unknown()  # but what it keeps was seen


def test_where_each_walk_has_its_price_the_robot_goes_to_where_it_reaches_most():
    """And the model makes the areas that are reached from one stand cost no walk."""
    make = peephole.make(
        "kitchen_physics", task="fetch/10000", adapter="symbolic_gripper", grants=("goal",)
    )
    with make as environment:
        percept = environment.reset()
        world = KitchenWorld(environment.brief(), percept)
        graph = world.graph
        for area in world.areas.values():
            beside = graph.has_edge(area.stand, Relation.CLOSE, area.id)
            assert beside or area.stand == area.id
        stands = {area.stand for area in world.areas.values()}
        assert len(stands) < len(world.areas) / 2
        wall = [area.name for area in world.areas.values() if area.stand == min(stands)]
        assert len(wall) > 1
        assert world.way(wall[0], wall[-1]) == 0
