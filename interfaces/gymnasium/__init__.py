"""Every suite as Gymnasium environments: importing this package registers them.

import gymnasium
import peephole.interfaces.gymnasium

env = gymnasium.make("peephole/houses")
text, info = env.reset(seed=0, options={"task": "switch/house-3-1"})
text, reward, terminated, truncated, info = env.step(info["menu"][0])
"""

from __future__ import annotations

from ...errors import Missing
from ...installed import Lack

try:
    import gymnasium as _gymnasium  # noqa: F401
except ModuleNotFoundError:
    raise Missing(Lack("This needs the package gymnasium", "gymnasium")) from None

from .batch_env import BatchEnv
from .policy import planner_of
from .registration import env_id, register
from .text_env import TextEnv

__all__ = ["BatchEnv", "TextEnv", "env_id", "planner_of", "register"]

register()
