"""Rearrangement in a kitchen of open and closed areas, one object in hand at a time.

After Tang et al., Tru-POMDP (2025), section 3.2. The robot opens areas, picks objects up and places
them, or waits. Each action includes a walk, at a cost by distance. The observation of a step is the
contents of the opened area, or else whether the action was feasible. Areas, objects, standing
places and goals are numbers from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

from .....errors import BadInput
from .protocol import Transition
from .streams import branch

if TYPE_CHECKING:
    from types import ModuleType

    from .compiled.model import CompiledModel
    from .kitchen_kernels import KitchenArrays

#: The kinds of actions, and the observations of a feasible and an infeasible one.
OPEN, PLACE, PICK, NULL = "open", "place", "pick", "null"
DONE, INFEASIBLE = 1, 0
#: The observation of a right placement, in models with feedback.
RIGHT = 2


class Arrangement(NamedTuple):
    """A state.

    places: the area of each object; for the held one, the number of areas. opened: one bit per
    area. robot: where it stands. goal: which of the kitchen's goals is true.
    """

    places: tuple[int, ...]
    opened: int
    robot: int
    goal: int


@dataclass(frozen=True, slots=True)
class KitchenRewards:
    """Rewards and costs, as the paper plans with them."""

    manipulation: float = 5
    """The cost of a manipulation."""
    infeasible: float = 100
    """The cost of an infeasible action."""
    subgoal: float = 200
    """The reward of an object at its destination."""
    task: float = 200
    """The reward of the whole goal."""
    undo: float = 250
    """The cost of removing an object from its destination; at least `subgoal`."""

    def __post_init__(self) -> None:
        if self.undo < self.subgoal:
            raise BadInput(
                f"Undoing a subgoal has to cost at least its reward of {self.subgoal}, "
                f"not {self.undo}."
            )


class RolloutPolicy(Protocol):
    """A rollout policy in place of the kitchen's own."""

    def __hash__(self) -> int: ...

    def kernels(self, kernels: ModuleType) -> ModuleType:
        """The kernels of kitchens with this policy compiled; the same object each time."""


class Kitchen:
    """A kitchen with its goals.

    The rollout policy assumes the likeliest hypothesis and brings the nearest object that its goal
    wants to its destination. The lower bound is to do nothing. The upper bound assumes that every
    needed action can be the next one, and counts only the walks with objects in hand.
    """

    def __init__(
        self,
        *,
        standing: Sequence[int],
        travel: Any,
        objects: int,
        goals: Sequence[Mapping[int, int]],
        rewards: KitchenRewards | None = None,
        discount: float = 0.95,
        offered: Literal["relevant", "all"] = "relevant",
        feedback: bool = False,
        policy: RolloutPolicy | None = None,
    ) -> None:
        """standing: for each area, where the robot stands at it.

        travel: the cost of the walk between two such places. goals: the destination area of each
        wanted object. offered: the actions that some particle has a use for, or all feasible ones
        (which POMCP needs). feedback: whether the robot learns that a placed object is at its
        destination.
        """
        self.standing = tuple(standing)
        self.travel = np.asarray(travel, float)
        self.areas, self.objects = len(self.standing), objects
        self.goals = [dict(goal) for goal in goals]
        self.rewards = rewards or KitchenRewards()
        self.discount = discount
        self.offered = offered
        self.feedback = feedback
        self.policy = policy
        self._check()
        self._ways: list[list[float]] = self.travel.tolist()

    def _check(self) -> None:
        places = len(self.travel)
        if self.travel.shape != (places, places) or not (self.travel >= 0).all():
            raise BadInput("Travel costs are a square table of numbers from 0.")
        if any(not 0 <= place < places for place in self.standing):
            raise BadInput(
                f"Every area's standing place is one of the {places} of the travel costs."
            )
        for number, goal in enumerate(self.goals):
            for thing, area in goal.items():
                if not (0 <= thing < self.objects and 0 <= area < self.areas):
                    raise BadInput(
                        f"Goal {number} wants object {thing} in area {area}, but there are "
                        f"{self.objects} objects and {self.areas} areas, numbered from 0."
                    )

    def number(self, verb: str, which: int = 0) -> int:
        """The number of an action. which: the area, or the object to pick up."""
        first = {OPEN: 0, PLACE: self.areas, PICK: 2 * self.areas}
        return 2 * self.areas + self.objects if verb == NULL else first[verb] + which

    def action(self, number: int) -> tuple[str, int]:
        """The kind of an action, and its area or object."""
        if number < 2 * self.areas:
            return (OPEN, number) if number < self.areas else (PLACE, number - self.areas)
        which = number - 2 * self.areas
        return (PICK, which) if which < self.objects else (NULL, 0)

    def held(self, state: Arrangement) -> int:
        """The object in hand, -1 for none."""
        return state.places.index(self.areas) if self.areas in state.places else -1

    def left(self, state: Arrangement) -> list[tuple[int, int]]:
        """The objects that are not at their destinations, with these."""
        goal = self.goals[state.goal]
        return [(thing, area) for thing, area in goal.items() if state.places[thing] != area]

    def step(self, state: Arrangement, action: int) -> Transition:
        """Simulate one action; an infeasible one changes nothing."""
        if not self.left(state):
            return Transition(state, DONE, 0.0, True)
        verb, which = self.action(action)
        if verb == NULL:
            return Transition(state, DONE, 0.0, False)
        area = state.places[which] if verb == PICK else which
        held = self.held(state)
        is_open = area < self.areas and bool(state.opened >> area & 1)
        feasible = {OPEN: not is_open, PLACE: is_open and held >= 0, PICK: is_open and held < 0}
        if not feasible[verb]:
            return Transition(state, INFEASIBLE, -self.rewards.infeasible, False)
        reward = -self.rewards.manipulation - self._ways[state.robot][self.standing[area]]
        state = state._replace(robot=self.standing[area])
        if verb == OPEN:
            shown = tuple(thing for thing, place in enumerate(state.places) if place == area)
            opened = state._replace(opened=state.opened | 1 << area)
            return Transition(opened, ("contents", shown), reward, False)
        moved = which if verb == PICK else held
        right = self.goals[state.goal].get(moved, -1) == area
        places = list(state.places)
        places[moved] = self.areas if verb == PICK else area
        state = state._replace(places=tuple(places))
        if verb == PICK:
            return Transition(state, DONE, reward - self.rewards.undo * right, False)
        reward += self.rewards.subgoal * right
        finished = not self.left(state)
        if finished:
            reward += self.rewards.task
        return Transition(state, RIGHT if right and self.feedback else DONE, reward, finished)

    def feasible(self, state: Arrangement) -> list[int]:
        """The feasible actions, waiting last."""
        held = self.held(state)
        opened = [area for area in range(self.areas) if state.opened >> area & 1]
        offered = {self.number(OPEN, area) for area in set(range(self.areas)) - set(opened)}
        if held >= 0:
            offered |= {self.number(PLACE, area) for area in opened}
        else:
            things = enumerate(state.places)
            offered |= {self.number(PICK, thing) for thing, area in things if area in opened}
        return [*sorted(offered), self.number(NULL)]

    def compiled(self) -> CompiledModel[Arrangement]:
        """The same model for the compiled searches. Raises Missing without numba.

        States have 8 bits per entry where all numbers fit, else 16.
        """
        from . import kitchen_kernels as kernels
        from .compiled.model import CompiledModel

        most = max(self.areas, self.objects + 1, len(self.travel), len(self.goals))
        bits = 8 if most < 2**8 else 16
        words = -(-self.areas // bits)
        return CompiledModel(
            kernels=kernels if self.policy is None else self.policy.kernels(kernels),
            data=self._arrays(3 if bits == 8 else 4),
            encode=lambda states: np.array([self._row(state, bits, words) for state in states]),
            state_size=kernels.PLACES + self.objects + words,
            state_type=np.uint8 if bits == 8 else np.uint16,
            max_actions=2 * self.areas + self.objects + 1,
            discount=self.discount,
        )

    def _arrays(self, shift: int) -> KitchenArrays:
        from .kitchen_kernels import KitchenArrays

        wanted = max((len(goal) for goal in self.goals), default=0)
        targets = np.full((len(self.goals), self.objects), -1, np.int16)
        things = np.full((len(self.goals), max(1, wanted)), -1, np.int16)
        for number, goal in enumerate(self.goals):
            things[number, : len(goal)] = list(goal)
            for thing, area in goal.items():
                targets[number, thing] = area
        return KitchenArrays(
            areas=self.areas,
            objects=self.objects,
            shift=shift,
            relevant=self.offered == "relevant",
            feedback=self.feedback,
            standing=np.array(self.standing),
            travel=self.travel,
            targets=targets,
            things=things,
            hashes=np.array([branch(1, thing) for thing in range(self.objects)], np.uint64),
            powers=self.powers,
            **{name: float(reward) for name, reward in asdict(self.rewards).items()},
        )

    def _row(self, state: Arrangement, bits: int, words: int) -> list[int]:
        """A state as numbers, see `kitchen_kernels`."""
        return [
            state.robot,
            state.goal,
            self.held(state) + 1,
            len(self.left(state)),
            *state.places,
            *(state.opened >> bits * word & (1 << bits) - 1 for word in range(words)),
        ]

    @property
    def powers(self) -> Any:
        """The powers of the discount, as an array."""
        return np.cumprod([1.0, *[self.discount] * (2 * self.objects + self.areas + 4)])


def random_legal(kitchen: Kitchen, state: Arrangement, number: float) -> int:
    """A random feasible action, by a number in [0, 1); waiting is left out.

    Left out are also areas whose walk costs more than an infeasible action: the area of objects
    that a hypothesis does not place.
    """
    held = kitchen.held(state)
    feasible = []
    for area in range(kitchen.areas):
        if kitchen.travel[state.robot, kitchen.standing[area]] > kitchen.rewards.infeasible:
            continue
        if not state.opened >> area & 1:
            feasible.append(kitchen.number(OPEN, area))
        elif held >= 0:
            feasible.append(kitchen.number(PLACE, area))
    if held < 0:
        for thing, area in enumerate(state.places):
            if state.opened >> area & 1:
                feasible.append(kitchen.number(PICK, thing))
    return feasible[int(number * len(feasible))] if feasible else kitchen.number(NULL)
