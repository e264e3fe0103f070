"""A kitchen in physics, played through the adapter; each test begins at its start."""

from __future__ import annotations

import pytest

from peephole.adapters.kitchens.furnished.scenes import scene_of
from peephole.adapters.mujoco.kitchens.adapter import KitchenPhysicsAdapter
from peephole.scene_graph.goals import And
from peephole.scene_graph.task import Task
from peephole.skills.executor import Executor

#: Two drawers over each other, one with a can and one with an apple; a mug and a bowl on a worktop.
OBJECTS = {
    "can_1": "drawer_1",
    "apple_1": "drawer_3",
    "mug_1": "counter_1",
    "bowl_1": "counter_1",
}
SEED = 1


def task_of(objects=OBJECTS, seed=SEED, **more):
    return Task("kitchen", "look around", And(()), scene_of(seed, objects, **more))


class Played:
    """The adapter in one scene, with things by name."""

    def __init__(self, adapter):
        self.adapter = adapter
        self.episode = adapter.episode
        self.ids = adapter.episode.ids
        self.executor = Executor(adapter, restart=lambda: None, bounded=True)

    def id(self, name):
        return self.ids[name]

    def do(self, action):
        return self.executor.execute(action)

    def known(self):
        """The things that the robot knows, with their places, by name."""
        graph = self.adapter.view().graph
        names = {number: name for name, number in self.ids.items()}
        return {
            name: [(str(relation), names[place]) for relation, place in graph.places(number)]
            for name, number in self.ids.items()
            if name in self.episode.world.shapes and number in graph
        }

    def covered(self, name):
        return self.adapter.view().covered.get(self.ids[name])

    def set_open(self, area, value):
        """Open or close a front by hand, with what a drawer has in it."""
        front = self.episode.kitchen.fronts[self.episode.front_of[area]]
        world = self.episode.world
        moved = value - world.front_value(front.name)
        spaces = [space for space in world.spaces.values() if space.front == front.name]
        inside = [t for space in spaces if space.slides for t in world.things_in(space.name)]
        world.data.qpos[world.model.joint(front.name).qposadr[0]] = value
        for thing in inside:
            at = int(world.model.joint(thing).qposadr[0])
            world.data.qpos[at : at + 3] += moved * front.axis
        self.settle()

    def move(self, thing, position):
        """Put a thing somewhere by hand."""
        world = self.episode.world
        at = int(world.model.joint(thing).qposadr[0])
        world.data.qpos[at : at + 3] = position
        self.settle()

    def settle(self):
        import mujoco

        world = self.episode.world
        mujoco.mj_forward(world.model, world.data)
        mujoco.mj_step(world.model, world.data, 40)
        world.sync()

    def look(self):
        """Look around from where the robot is."""
        self.episode.look_around()


@pytest.fixture(scope="module")
def started():
    adapter = KitchenPhysicsAdapter()
    adapter.reset(task_of(), 0)
    yield adapter, adapter.snapshot()
    adapter.close()


@pytest.fixture
def played(started):
    adapter, snapshot = started
    adapter.restore(snapshot)
    return Played(adapter)
