"""The kitchen in a readable form, as the oracle of its kernels."""

from __future__ import annotations

from collections.abc import Sequence

from peephole.planners.kits.belief.search.kitchen import (
    NULL,
    OPEN,
    PICK,
    PLACE,
    Arrangement,
    Kitchen,
)
from peephole.planners.kits.belief.search.protocol import Random, Transition


class PlainKitchen(Kitchen):
    """A kitchen with its actions on offer, its rollout policy and its bounds."""

    def step(self, state: Arrangement, action: int, rng: Random | None = None) -> Transition:
        return super().step(state, action)

    def actions(self, states: Sequence[Arrangement]) -> Sequence[int]:
        """The feasible actions, or of those only the ones that some state has a use for."""
        if self.offered == "all":
            return self.feasible(states[0])
        return [*sorted(self._relevant(states)), self.number(NULL)]

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
