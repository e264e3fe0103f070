"""A stand-in of OmniGibson without physics, under OmniGibson's REAL symbolic primitives.

The class SymbolicSemanticActionPrimitives, its errors and the methods that it inherits are the
source of the installed package omnigibson 1.1.1, executed here. What they touch is a stand-in:
torch, the robot, objects with their states, and the sampling of poses, which finds one unless the
thing is told to be full, or cannot hold anything of that kind.

`install` puts it all into `sys.modules` as omnigibson, so that `simulator.Simulator` runs on it. It
can be of two lines: "1.1.1", or "current", whose environment has several scenes.
"""

from .modules import Primitives, install, source
from .objects import Inside, OnTop
from .world import World

__all__ = ["Inside", "OnTop", "Primitives", "World", "install", "source"]
