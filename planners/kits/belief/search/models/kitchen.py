"""Rearrangement in a kitchen of open and closed areas, one object in hand at a time.

After Tang et al., Tru-POMDP (2025), section 3.2. A state has the place of every object, which areas
are open, where the robot stands, and the goal: the destination area of each wanted object.

The robot opens areas, picks objects up and places them, or waits. Each action includes a walk, at a
cost by distance. The robot sees everything in open areas and nothing in closed ones. Only opening
an area shows something new. So the observation of a step is the contents of the opened area, or
else whether the action was feasible.

Areas, objects, standing places and goals are numbers from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

from ......errors import BadInput
from ..protocol import Random, Transition

if TYPE_CHECKING:
    from types import ModuleType

    from ..compiled.model import CompiledModel

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

    def action(self, kitchen: Kitchen, states: Sequence[Arrangement], rng: Random) -> int:
        """One action for states that share their history, the likelier hypothesis first."""

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

    def step(self, state: Arrangement, action: int, rng: Random) -> Transition:
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

    def actions(self, states: Sequence[Arrangement]) -> Sequence[int]:
        """The feasible actions, or of those only the ones that some state has a use for."""
        offered = self._feasible(states[0]) if self.offered == "all" else self._relevant(states)
        return [*sorted(offered), self.number(NULL)]

    def _feasible(self, state: Arrangement) -> set[int]:
        held = self.held(state)
        opened = [area for area in range(self.areas) if state.opened >> area & 1]
        offered = {self.number(OPEN, area) for area in set(range(self.areas)) - set(opened)}
        if held >= 0:
            return offered | {self.number(PLACE, area) for area in opened}
        things = enumerate(state.places)
        return offered | {self.number(PICK, thing) for thing, area in things if area in opened}

    def _relevant(self, states: Sequence[Arrangement]) -> set[int]:
        held = self.held(states[0])
        offered: set[int] = set()
        for state in states:
            for thing, target in self.left(state):
                area = state.places[thing]
                if not state.opened >> target & 1:
                    offered.add(self.number(OPEN, target))
                elif thing == held:
                    offered.add(self.number(PLACE, target))
                if thing != held and not state.opened >> area & 1:
                    offered.add(self.number(OPEN, area))
                elif held < 0:
                    offered.add(self.number(PICK, thing))
            if held >= 0 and held not in self.goals[state.goal]:
                nearest = self._nearest_open(state)
                if nearest >= 0:
                    offered.add(self.number(PLACE, nearest))
        return offered

    def _nearest_open(self, state: Arrangement) -> int:
        """The nearest open area, the first of several; -1 for none."""
        opened = [area for area in range(self.areas) if state.opened >> area & 1]
        ways = self._ways[state.robot]
        return min(opened, key=lambda area: ways[self.standing[area]], default=-1)

    def rollout(self, states: Sequence[Arrangement], rng: Random) -> int:
        """Continue with the nearest object that the first state's goal wants elsewhere."""
        if self.policy is not None:
            return self.policy.action(self, states, rng)
        state = states[0]
        held = self.held(state)
        if held >= 0:
            target = self.goals[state.goal].get(held, -1)
            if target < 0:
                target = self._nearest_open(state)
            if target < 0:
                return self.number(NULL)
            return self.number(PLACE if state.opened >> target & 1 else OPEN, target)
        left = self.left(state)
        if not left:
            return self.number(NULL)
        ways = self._ways[state.robot]
        thing, _ = min(left, key=lambda each: ways[self.standing[state.places[each[0]]]])
        area = state.places[thing]
        if state.opened >> area & 1:
            return self.number(PICK, thing)
        return self.number(OPEN, area)

    def lower_bound(self, state: Arrangement) -> float:
        """The return of doing nothing."""
        return 0.0

    def upper_bound(self, state: Arrangement) -> float:
        """The return if every needed action can be the next one.

        The k-th object to arrive takes a pick and a place after the one before. The last comes
        after all needed areas are open. An object's own walk is from its place to its destination;
        shorter walks come first, which is best.
        """
        left, held = self.left(state), self.held(state)
        ways, closed = [], set()
        for thing, target in left:
            area = state.places[thing]
            if not state.opened >> target & 1:
                closed.add(target)
            if thing == held:
                ways.append(self._ways[state.robot][self.standing[target]])
                continue
            ways.append(self._ways[self.standing[area]][self.standing[target]])
            if not state.opened >> area & 1:
                closed.add(area)
        time = 1 if held < 0 else 2
        if any(thing == held for thing, _ in left):
            time = 0
        total = 0.0
        for number, way in enumerate(sorted(ways)):
            last = number == len(ways) - 1
            won = self.rewards.subgoal - self.rewards.manipulation - way
            if time > 0:
                won -= self.rewards.manipulation / self.discount
            if last:
                time += len(closed)
                won += self.rewards.task - self.rewards.manipulation * len(closed)
            total += max(0.0, self.powers[time] * won)
            time += 2
        return total

    @cached_property
    def powers(self) -> list[float]:
        """The powers of the discount."""
        powers = [1.0]
        for _ in range(2 * self.objects + self.areas + 4):
            powers.append(powers[-1] * self.discount)
        return powers

    def compiled(self) -> CompiledModel[Arrangement]:
        """The same model for the compiled searches."""
        from .kitchen_arrays import compiled

        return compiled(self)


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
