"""Simulations a CPU-second of pomdp_py's POUCT on RockSample(7, 8): its own Python or Cython model.

Run by benchmarks/pomdp.py, in an environment that has pomdp_py (see `make bench-pomdp`):

    python benchmarks/pomdp_py_rocksample.py python|cython SIMULATIONS DEPTH SEED

One decision from the first belief, with its own random rollouts, discount 0.95 and exploration 10.
The map is that of benchmarks/pomdp.py, its origin in the upper corner. Prints one JSON document.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import time

import pomdp_py

ROCKS = ((2, 0), (0, 1), (3, 1), (6, 3), (2, 4), (3, 4), (5, 5), (1, 6))
MODULES = {
    "python": "pomdp_py.problems.rocksample.rocksample_problem",
    "cython": "pomdp_py.problems.rocksample.cythonize.rocksample_problem",
}


def main(kind: str, simulations: int, depth: int, seed: int) -> None:
    rocksample = importlib.import_module(MODULES[kind])
    random.seed(seed)
    locations = {place: number for number, place in enumerate(ROCKS)}
    state_type = getattr(rocksample, "State", None) or rocksample.RSState
    good = rocksample.RockType.GOOD
    start = state_type((0, 3), tuple([good] * len(ROCKS)), False)
    belief = rocksample.init_particles_belief(len(ROCKS), 200, start, belief="uniform")
    problem = rocksample.RockSampleProblem(7, 8, start, locations, belief)
    planner = pomdp_py.POUCT(
        max_depth=depth,
        discount_factor=0.95,
        num_sims=simulations,
        exploration_const=10,
        rollout_policy=problem.agent.policy_model,
    )
    begin = time.process_time()
    planner.plan(problem.agent)
    print(json.dumps({"per_cpu_s": planner.last_num_sims / (time.process_time() - begin)}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
