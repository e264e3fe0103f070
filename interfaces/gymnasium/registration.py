"""The ids of the environments: one for every suite."""

from __future__ import annotations

from contextlib import suppress

import gymnasium

from ...suites.contract import path_name
from ...suites.registry import suite_names


def env_id(suite: str) -> str:
    """The id of a suite's environment: "peephole/kitchens_hard" for `kitchens:hard`.

    Gymnasium reads what is before a colon as the name of a module.
    """
    return f"peephole/{path_name(suite)}"


def register() -> None:
    """Register an environment for every installed suite, as far as its name can be an id."""
    for suite in suite_names():
        with suppress(gymnasium.error.Error):  # the name of a foreign suite
            if env_id(suite) not in gymnasium.registry:
                gymnasium.register(
                    env_id(suite),
                    "peephole.interfaces.gymnasium.text_env:TextEnv",
                    vector_entry_point="peephole.interfaces.gymnasium.batch_env:BatchEnv",
                    kwargs={"suite": suite},
                )
