"""How much of every place shows by a look into it: completeness, things seen, seconds.

python benchmarks/kitchen_physics/looks.py --seeds 3000-3009

In each kitchen every door and drawer is opened by hand, one after the other, and the robot looks
into it from where it stood at the start, with twenty things in the kitchen.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import mujoco
import numpy as np

from peephole.adapters.kitchens.furnished.arranging import scatter
from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.kitchens.furnished.scenes import FurnishedScene, graph_of
from peephole.adapters.kitchens.furnished.things import kind, kinds
from peephole.adapters.mujoco.kitchens.episode import KitchenEpisode
from peephole.adapters.mujoco.kitchens.settings import Settings
from peephole.results.statistics.estimates import wilson

THINGS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="3000-3009", help="FIRST-LAST")
    asked = parser.parse_args()
    first, last = map(int, asked.seeds.split("-"))
    whole: Counter[tuple[str, bool]] = Counter()
    shown: Counter[tuple[str, bool]] = Counter()
    simulated, computed = [], []
    for seed in range(first, last + 1):
        episode, areas = _episode(seed)
        start = episode.snapshot()
        for area, things in areas.items():
            episode.restore(start)
            _open(episode, area)
            began = time.process_time()
            looked = episode.look_into(area)
            computed.append(time.process_time() - began)
            simulated.append(looked.time_s)
            category = episode.kitchen.areas[area].category
            complete = episode.perception.sees_all(area)
            whole[category, complete] += 1
            if looked.failed is not None:
                print(seed, area, looked.failed)
            for thing in things:
                shown[category, episode.ids[thing] in episode.view.graph] += 1
    print("place: seen completely; its things seen")
    for category in sorted({name for name, _ in whole}):
        print(f"  {category}: {_rate(whole, category)}; {_rate(shown, category)}")
    print(f"  all: {_rate(whole)}; {_rate(shown)}")
    print(f"simulated s: mean {np.mean(simulated):.1f}, largest {np.max(simulated):.1f}")
    print(f"CPU s: mean {np.mean(computed):.2f}, largest {np.max(computed):.2f}")


def _episode(seed: int) -> tuple[KitchenEpisode, dict[str, list[str]]]:
    """A kitchen with its things, and the things of each place with a door or drawer."""
    random = np.random.default_rng([seed, 6])
    kitchen = draw_kitchen(seed)
    names = [name for name in kinds() if kind(name).graspable]
    chosen = [names[index] for index in random.permutation(len(names))[:THINGS]]
    things = scatter(kitchen, chosen, seed)
    scene = FurnishedScene(kitchen, things)
    episode = KitchenEpisode(scene, graph_of(scene), seed, Settings())
    areas: dict[str, list[str]] = {
        area.name: [] for area in kitchen.areas.values() if area.front and area.spaces
    }
    for thing in things:
        area = kitchen.spaces[thing.space or ""].area
        if area in areas:
            areas[area].append(thing.name)
    return episode, areas


def _open(episode: KitchenEpisode, area: str) -> None:
    """Open a front by hand, with what a drawer has in it."""
    world = episode.world
    front = world.fronts[episode.front_of[area]]
    for space in world.spaces.values():
        if space.front == front.name and space.slides:
            for thing in world.things_in(space.name):
                at = int(world.model.joint(thing).qposadr[0])
                world.data.qpos[at : at + 3] += front.open_value * front.axis
    world.data.qpos[world.model.joint(front.name).qposadr[0]] = front.open_value
    mujoco.mj_forward(world.model, world.data)
    mujoco.mj_step(world.model, world.data, 50)
    world.sync()


def _rate(counts: Counter[tuple[str, bool]], category: str | None = None) -> str:
    right, wrong = (
        sum(n for (name, good), n in counts.items() if good is wanted and category in (None, name))
        for wanted in (True, False)
    )
    if not right + wrong:
        return "none"
    rate = wilson(right, right + wrong)
    return f"{right}/{right + wrong} = {rate.mean:.3f} ({rate.low:.3f} to {rate.high:.3f})"


if __name__ == "__main__":
    main()
