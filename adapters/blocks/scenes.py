"""The scene loader "blocks": blocks of 5 cm on a table before an arm, such as "blocks:seed=3;n=2".

A reference is settings by name, separated by semicolons; each may be left out.

- seed: where the blocks lie, and what the tags decide (from 0; default 0). The same for good.
- n: how many blocks there are, 1 to 3 (default 2). They are cubeA, cubeB, cubeC.
- tags: what is not as usual, separated by commas. mass: the blocks weigh from 0.05 to 0.6 kg, each
  at least 30 g more or less than the others; otherwise 0.1 kg each. fix or move (they mean the
  same): at least one block is welded to the table, and at least one is not.
- masses: in kg, separated by commas, instead of those that the seed decides.
- welded: which blocks are welded to the table ("A" or "A,C" or "none"), instead of by the seed.
- at: x, y (m) and yaw (rad) of each block, separated by commas, blocks separated by "|".
- arm: "sim" (the default) or "real", see `skills.arm.workspace`.
- pose_noise (m), angle_noise (rad), force_noise (N): standard deviations of Gaussian noise on each
  reading of a block's position, of its yaw, and of each axis of each sample of the wrist's force.
- grasp_offset: blocks are grasped so far above their middle, in m: a fault to recover from.

All in the frame of the arm's base; the top of the table is at z = 0.
"""

from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from ...errors import BadInput, unknown_name
from ...scene_graph.graph import SceneGraph
from ...skills.arm.block_graph import FIRST_BLOCK
from ...skills.arm.workspace import BLOCK, REAL, SIMULATED, Workspace

if TYPE_CHECKING:
    from ...skills.arm.world import BlockPose

LETTERS = "ABC"
MASSES = (0.05, 0.6)
MASS = 0.1
#: The least difference of two masses that the seed decides, in kg.
GAP = 0.03
#: Where blocks lie: x and y, in m, and how far apart their middles are.
X, Y, SPACING = (0.34, 0.58), (-0.27, 0.27), 0.12

#: Noise like that of a camera with fiducial markers and of a wrist force sensor.
REALISTIC_NOISE = "pose_noise=0.002;angle_noise=0.02;force_noise=0.2"


@dataclass(frozen=True)
class BlockScene:
    """A scene of blocks. places: x, y, yaw of each block. welded: numbers of blocks, from 0."""

    places: tuple[tuple[float, float, float], ...]
    masses: tuple[float, ...]
    welded: frozenset[int] = frozenset()
    setting: Workspace = SIMULATED
    pose_noise: float = 0.0
    angle_noise: float = 0.0
    force_noise: float = 0.0

    @property
    def ids(self) -> tuple[int, ...]:
        """The node ids of the blocks, in their order."""
        return tuple(range(FIRST_BLOCK, FIRST_BLOCK + len(self.places)))


def load(reference: str) -> SceneGraph:
    """The scene graph at the start: what is to be seen, thus without masses and welds."""
    from ...skills.arm import kinematics
    from ...skills.arm.block_graph import block_graph

    scene = read(reference)
    tcp = kinematics.forward(kinematics.HOME)
    return block_graph(start_poses(scene), None, tcp, scene.setting)


def start_poses(scene: BlockScene) -> dict[int, BlockPose]:
    """Where the blocks lie at the start, by their ids."""
    import numpy as np

    from ...skills.arm import rotation
    from ...skills.arm.world import BlockPose

    return {
        block: BlockPose(np.array([x, y, BLOCK / 2]), rotation.about_z(yaw))
        for block, (x, y, yaw) in zip(scene.ids, scene.places, strict=True)
    }


def read(reference: str) -> BlockScene:
    """The scene of a reference. Raises BadInput."""
    given = _settings(reference)
    seed = given.whole("seed", 0, 0, 10**9)
    count = given.whole("n", 2, 1, len(LETTERS))
    tags = frozenset(given.words("tags", ("mass", "fix", "move")))
    chance = random.Random(f"blocks {seed} {count}")
    places = _scattered(chance, count)
    drawn = _masses(chance, count)
    masses = drawn if "mass" in tags else (MASS,) * count
    fixed = frozenset(chance.sample(range(count), chance.randint(1, max(1, count - 1))))
    welded = fixed if tags & {"fix", "move"} and count > 1 else frozenset()
    arms = {"sim": SIMULATED, "real": REAL}
    arm = given.get("arm", "sim")
    if arm not in arms:
        raise unknown_name("arm", arm, arms)
    scene = BlockScene(
        places=given.places(count) or places,
        masses=given.masses(count) or masses,
        welded=given.welded(count, welded),
        setting=replace(arms[arm], grasp_offset=given.number("grasp_offset", 0.0, -0.01, 0.02)),
        pose_noise=given.number("pose_noise", 0.0, 0.0, 0.1),
        angle_noise=given.number("angle_noise", 0.0, 0.0, 1.0),
        force_noise=given.number("force_noise", 0.0, 0.0, 10.0),
    )
    given.check_names()
    return scene


_NAMES = (
    "seed",
    "n",
    "tags",
    "masses",
    "welded",
    "at",
    "arm",
    "pose_noise",
    "angle_noise",
    "force_noise",
    "grasp_offset",
)


def _settings(reference: str) -> _Settings:
    values: dict[str, str] = {}
    for part in filter(None, reference.split(";")):
        name, equals, value = part.partition("=")
        if not equals or not value:
            raise BadInput(
                f"In the scene blocks:{reference}, '{part}' is no setting; write NAME=VALUE and "
                f"separate settings by semicolons, for instance blocks:seed=3;n=2;tags=mass."
            )
        if name in values:
            raise BadInput(f"In the scene blocks:{reference}, '{name}' is set twice; set it once.")
        values[name] = value
    return _Settings(reference, values)


@dataclass(frozen=True)
class _Settings:
    """The settings of a reference as they are written. Every reading raises BadInput."""

    reference: str
    values: dict[str, str]

    def get(self, name: str, default: str) -> str:
        return self.values.get(name, default)

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        text = self.values.get(name)
        if text is None:
            return default
        if not re.fullmatch(r"\d{1,10}", text, re.ASCII) or not low <= int(text) <= high:
            raise self._wrong(name, f"a whole number from {low} to {high}")
        return int(text)

    def number(self, name: str, default: float, low: float, high: float) -> float:
        text = self.values.get(name)
        return default if text is None else self._number(name, text, low, high)

    def words(self, name: str, known: tuple[str, ...]) -> list[str]:
        text = self.values.get(name)
        words = text.split(",") if text else []
        if any(word not in known for word in words):
            raise self._wrong(name, f"{', '.join(known)}, separated by commas")
        return words

    def masses(self, count: int) -> tuple[float, ...]:
        text = self.values.get("masses")
        if text is None:
            return ()
        numbers = [self._number("masses", part, 0.001, 10.0) for part in text.split(",")]
        if len(numbers) != count:
            raise self._wrong("masses", f"{count} of them, separated by commas")
        return tuple(numbers)

    def welded(self, count: int, default: frozenset[int]) -> frozenset[int]:
        if "welded" not in self.values:
            return default
        if self.values["welded"] == "none":
            return frozenset()
        known = tuple(LETTERS[:count])
        return frozenset(LETTERS.index(word) for word in self.words("welded", known))

    def places(self, count: int) -> tuple[tuple[float, float, float], ...]:
        text = self.values.get("at")
        if text is None:
            return ()
        found = []
        for block in text.split("|"):
            numbers = [self._number("at", part, -math.pi, math.pi) for part in block.split(",")]
            if len(numbers) != 3:
                raise self._wrong("at", "x,y,yaw of each block, separated by |")
            found.append((numbers[0], numbers[1], numbers[2]))
        if len(found) != count:
            raise self._wrong("at", f"x,y,yaw of {count} blocks, separated by |")
        for (x, y, _), (u, v, _) in combinations(found, 2):
            if math.hypot(x - u, y - v) < BLOCK * 1.42:
                raise self._wrong("at", "places at least 7.1 cm apart")
        return tuple(found)

    def check_names(self) -> None:
        for name in self.values:
            if name not in _NAMES:
                raise unknown_name("setting of blocks scenes", name, _NAMES)

    def _number(self, name: str, text: str, low: float, high: float) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not low <= number <= high:
            raise self._wrong(name, f"numbers from {low:g} to {high:g}")
        return number

    def _wrong(self, name: str, expected: str) -> BadInput:
        return BadInput(
            f"In the scene blocks:{self.reference}, '{name}' is '{self.values[name]}'; "
            f"expected {expected}."
        )


def _scattered(chance: random.Random, count: int) -> tuple[tuple[float, float, float], ...]:
    found: list[tuple[float, float, float]] = []
    while len(found) < count:
        x, y = chance.uniform(*X), chance.uniform(*Y)
        if all(math.hypot(x - u, y - v) >= SPACING for u, v, _ in found):
            found.append((x, y, chance.uniform(-math.pi, math.pi)))
    return tuple(found)


def _masses(chance: random.Random, count: int) -> tuple[float, ...]:
    while True:
        found = [chance.uniform(*MASSES) for _ in range(count)]
        if all(abs(a - b) >= GAP for a, b in combinations(found, 2)):
            return tuple(found)
