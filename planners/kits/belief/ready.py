"""Compilation of the search before the first decision, so that no decision waits for it."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

from .decide import SearchOptions, Solver, searched
from .search.models.kitchen import Arrangement, Kitchen, RolloutPolicy
from .search.particles import ParticleBelief
from .search.protocol import Limits

_LOG = logging.getLogger(__name__)
COMPILING = "Compiling the belief search, once on this machine; this can take a minute or two."


@cache
def make_ready(solver: Solver, policy: RolloutPolicy | None = None) -> None:
    """Compile or load a search, once per process; a slow compilation is logged.

    policy: the rollout policy; None for the kitchen's own. Raises Missing without numba.
    """
    if not _is_kept(solver, policy):
        _LOG.warning(COMPILING)
    options = SearchOptions(solver=solver, scenarios=1, depth=1, rollout=1, policy=policy)
    kitchen = Kitchen(standing=[0, 0], travel=[[0.0]], objects=1, goals=[{0: 1}], policy=policy)
    belief = ParticleBelief([Arrangement((0,), 0b11, 0, 0)])
    searched(kitchen, belief, options, 0, Limits(simulations=1))


def _is_kept(solver: Solver, policy: RolloutPolicy | None) -> bool:
    """Whether the compiled search is on disk. Raises Missing without numba."""
    from .search.compiled.model import instantiated
    from .search.models import kitchen_kernels

    template = "despot_template" if solver is Solver.DESPOT else "pomcp_template"
    kernels = kitchen_kernels if policy is None else policy.kernels(kitchen_kernels)
    module = instantiated(template, kernels)
    folder = Path(module.search.stats.cache_path)
    return any(folder.glob(f"{template}.search_{module.DIGEST}*.nbc"))
