"""The scene loader "blocks": blocks of 5 cm on a table before an arm, such as "blocks:seed=3;n=2".

A reference is a list of optional settings NAME=VALUE, separated by semicolons.

- seed: decides the places of the blocks and the effects of tags (from 0; default 0).
- n: the number of blocks, 1 to 3 (default 2): cubeA, cubeB, cubeC.
- tags: unusual properties, separated by commas. mass: the blocks weigh from 0.05 to 0.6 kg, each at
  least 30 g more or less than the others; otherwise 0.1 kg each. fix or move (synonyms): at least
  one block is welded to the table, and at least one is not.
- masses: in kg, separated by commas, instead of those from the seed.
- welded: the blocks welded to the table ("A" or "A,C" or "none"), instead of those from the seed.
- at: x, y (m) and yaw (rad) of each block, separated by commas, blocks separated by "|".
- arm: "sim" (the default) or "real", see `skills.arm.blocks.world`.
- pose_noise (m), angle_noise (rad), force_noise (N): standard deviations of the Gaussian noise on
  each reading of a block's position and yaw, and on each axis of the wrist's force.
- grasp_offset: how far above their centre blocks are grasped, in m: a fault to recover from.

All values are in the frame of the arm's base; the top of the table is at z = 0.
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
from ...skills.arm.blocks.block_graph import FIRST_BLOCK
from ...skills.arm.blocks.world import BLOCK, REAL, SIMULATED, Workspace

if TYPE_CHECKING:
    from ...skills.arm.blocks.world import BlockPose

LETTERS = "ABC"
MASSES = (0.05, 0.6)
MASS = 0.1
#: The least difference of two masses from the seed, in kg.
GAP = 0.03
#: The area of the blocks, x and y, in m, and the least distance of their centres.
X, Y, SPACING = (0.34, 0.58), (-0.27, 0.27), 0.12

#: Noise like that of a camera with fiducial markers and a wrist force sensor.
REALISTIC_NOISE = "pose_noise=0.002;angle_noise=0.02;force_noise=0.2"


@dataclass(frozen=True)
class BlockScene:
    """A scene of blocks."""

    places: tuple[tuple[float, float, float], ...]
    """x and y in m and yaw in rad, for each block."""
    masses: tuple[float, ...]
    """In kg."""
    welded: frozenset[int] = frozenset()
    """Indices of welded blocks, from 0."""
    setting: Workspace = SIMULATED
    """The workspace of the arm."""
    pose_noise: float = 0.0
    """Standard deviation on each axis of a position, in m."""
    angle_noise: float = 0.0
    """Standard deviation on the yaw, in rad."""
    force_noise: float = 0.0
    """Standard deviation on each axis of the wrist's force, in N."""

    @property
    def ids(self) -> tuple[int, ...]:
        """The node ids of the blocks, in their order."""
        return tuple(range(FIRST_BLOCK, FIRST_BLOCK + len(self.places)))


def load(reference: str) -> SceneGraph:
    """The scene graph at the start, without the invisible masses and welds."""
    from ...skills.arm import kinematics
    from ...skills.arm.blocks.block_graph import block_graph

    scene = read(reference)
    tcp = kinematics.forward(kinematics.HOME)
    return block_graph(start_poses(scene), None, tcp, scene.setting)


def start_poses(scene: BlockScene) -> dict[int, BlockPose]:
    """The poses of the blocks at the start, by id."""
    import numpy as np

    from ...skills.arm import rotation
    from ...skills.arm.blocks.world import BlockPose

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
    """The raw settings of a reference. Every reading raises BadInput."""

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
        places = []
        for block in text.split("|"):
            numbers = [self._number("at", part, -math.pi, math.pi) for part in block.split(",")]
            if len(numbers) != 3:
                raise self._wrong("at", "x,y,yaw of each block, separated by |")
            places.append((numbers[0], numbers[1], numbers[2]))
        if len(places) != count:
            raise self._wrong("at", f"x,y,yaw of {count} blocks, separated by |")
        for (x, y, _), (u, v, _) in combinations(places, 2):
            if math.hypot(x - u, y - v) < BLOCK * 1.42:
                raise self._wrong("at", "places at least 7.1 cm apart")
        return tuple(places)

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
    places: list[tuple[float, float, float]] = []
    while len(places) < count:
        x, y = chance.uniform(*X), chance.uniform(*Y)
        if all(math.hypot(x - u, y - v) >= SPACING for u, v, _ in places):
            places.append((x, y, chance.uniform(-math.pi, math.pi)))
    return tuple(places)


def _masses(chance: random.Random, count: int) -> tuple[float, ...]:
    while True:
        masses = [chance.uniform(*MASSES) for _ in range(count)]
        if all(abs(a - b) >= GAP for a, b in combinations(masses, 2)):
            return tuple(masses)
