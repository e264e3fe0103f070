"""How models plug into the compiled searches, and the error without numba."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from peephole.installed import install_command
from peephole.planners.kits.belief.search.compiled.model import instantiated, with_rollout

from . import rocksample_kernels, tabular_kernels

HERE = str(Path(__file__).parent)


def test_each_model_has_an_instance_of_its_own():
    one = instantiated("pomcp_template", tabular_kernels)
    other = instantiated("pomcp_template", rocksample_kernels)
    assert instantiated("pomcp_template", tabular_kernels) is one
    assert one.search is not other.search
    # numba's cache is named after this: equal names would mix up models.
    assert one.search.py_func.__qualname__ != other.search.py_func.__qualname__


def test_another_rollout_policy_is_another_instance():
    mine = with_rollout(tabular_kernels, tabular_kernels.rollout, "my policy")
    again = with_rollout(tabular_kernels, tabular_kernels.rollout, "my other policy")
    names = {instantiated("pomcp_template", each).DIGEST for each in (mine, again, tabular_kernels)}
    assert len(names) == 3


def test_missing_numba_is_reported_in_a_sentence():
    code = (
        f"import sys; sys.modules['numba'] = None; sys.path.insert(0, {HERE!r})\n"
        "from peephole.errors import Missing\n"
        "from tabular import tiger, tiger_belief\n"
        "from plain_despot import Despot\n"
        "from peephole.planners.kits.belief.search.protocol import Limits\n"
        "Despot(tiger()).search(tiger_belief(), 1, Limits(simulations=1))\n"
        "try: tiger().compiled()\n"
        "except Missing as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    told = f"The compiled search needs numba; install it with: {install_command('search')}\n"
    assert done.stdout == told


def test_the_next_process_finds_what_was_compiled():
    """Nothing is compiled where the same search was run before."""
    code = (
        f"import sys; sys.path.insert(0, {HERE!r})\n"
        "from tabular import tiger, tiger_belief\n"
        "from peephole.planners.kits.belief.search.compiled.pomcp import CompiledPomcp\n"
        "from peephole.planners.kits.belief.search.protocol import Limits\n"
        "solver = CompiledPomcp(tiger().compiled())\n"
        "solver.search(tiger_belief(), 1, Limits(simulations=1))\n"
        "search = solver.template.search\n"
        "print(sum(search.stats.cache_hits.values()), sum(search.stats.cache_misses.values()))\n"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    assert done.stdout == "1 0\n"
