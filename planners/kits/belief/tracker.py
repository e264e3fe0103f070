"""The belief of an episode: weighted hypotheses, updated by what is observed.

A particle is a goal and the places of that goal's unseen objects; what was seen is the same in all
of them. Since only the robot moves things, prediction is what was observed of its actions, and
conditioning is elimination: a particle ends where an object is seen elsewhere than it has it, or is
not seen at an area whose contents are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...contract import Percept
from .hypothesis import Hypothesis, Targets, sorted_targets
from .search.models.kitchen import Arrangement, Kitchen
from .search.particles import EmptyBelief, ParticleBelief
from .search.streams import Stream, branch
from .world import HAND, KitchenWorld, Move

#: How much less likely a goal is that has nothing to do with, or other places for, a thing that was
#: told to lie where some acceptable goal has it.
OTHER_GOAL = 0.5


@dataclass(frozen=True, slots=True)
class Particle:
    """A goal, and where the unseen objects of it lie."""

    targets: Targets
    places: Targets


@dataclass(frozen=True)
class BeliefUpdate:
    """What came of an observation.

    survived: the weight of the particles that agreed with it. contradicted: what ended others,
    "mug is not in dishware_cabinet", the most weight first.
    """

    survived: float
    contradicted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Admitted:
    """What became of hypotheses. repaired, refused: how many, by the reason."""

    particles: int
    repaired: Mapping[str, int]
    refused: Mapping[str, int]


class BeliefTracker:
    """The belief of one episode. It may be empty, until it is replenished."""

    def __init__(
        self, world: KitchenWorld, hypotheses: Iterable[Hypothesis] = (), seed: int = 0
    ) -> None:
        """seed: of places that are drawn for hypotheses that leave them open."""
        self.world = world
        self.refuted: set[Targets] = set()
        self._belief: ParticleBelief[Particle] | None = None
        self._rng = Stream(branch(branch(0, seed), 0))
        self._confirmed: set[tuple[str, str]] = set()
        self.admitted = self.replenish(hypotheses, share=1.0)

    # --- what is believed ------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        """Whether no hypothesis is left."""
        return self._belief is None

    @property
    def particles(self) -> Sequence[tuple[Particle, float]]:
        """The particles with their weights, which sum to 1 unless the belief is empty."""
        if self._belief is None:
            return ()
        return list(zip(self._belief.states, self._belief.weights, strict=True))

    def objects(self) -> dict[str, dict[str, float]]:
        """How likely each object of some goal is at each area; an object in hand is at `HAND`.

        What a particle does not tell of an unseen object is left out, so the sums may be below 1.
        """
        world, told = self.world, dict[str, dict[str, float]]()
        for name in self.rows():
            at = HAND if name == world.held else world.located.get(name)
            if at is not None:
                told[name] = {at: 1.0}
        seen = set(told)
        for particle, weight in self.particles:
            for name, place in particle.places:
                if name not in seen:
                    at_places = told.setdefault(name, {})
                    at_places[place] = at_places.get(place, 0.0) + weight
        return told

    def goals(self) -> list[tuple[float, dict[str, str]]]:
        """The goals with their weights, the likeliest first."""
        sums: dict[Targets, float] = {}
        for particle, weight in self.particles:
            sums[particle.targets] = sums.get(particle.targets, 0.0) + weight
        ordered = sorted(sums, key=lambda targets: (-sums[targets], targets))
        return [(sums[targets], dict(targets)) for targets in ordered]

    def reached(self) -> list[dict[str, str]]:
        """The goals that hold by what was seen."""
        located = self.world.located
        return [
            goal
            for _, goal in self.goals()
            if all(located.get(name) == area for name, area in goal.items())
        ]

    # --- observation -----------------------------------------------------------------------------

    def observe(self, percept: Percept, action: Move | None = None) -> BeliefUpdate:
        """Update by what is perceived after an action, and by the things that are confirmed."""
        self.world.update(percept)
        if self._belief is None:
            return BeliefUpdate(0.0)
        ended: Counter[str] = Counter()
        kept, weights = [], []
        for particle, weight in self.particles:
            reason = self._contradiction(particle)
            if reason is None:
                kept.append(self._without_seen(particle))
                weights.append(weight)
            else:
                ended[reason] += weight  # type: ignore[assignment]
        survived = min(1.0, math.fsum(weights))
        self._settle(kept, weights)
        if self.world.brief.rules.confirms_placements:
            names = {self.world.name(thing) for thing in percept.confirmed}
            survived *= self.confirm(names)
        return BeliefUpdate(survived, tuple(reason for reason, _ in ended.most_common()))

    def confirm(self, names: Collection[str]) -> float:
        """Update by which of the objects in view lie where some acceptable goal has them.

        A goal ends that has an object where it lies without being confirmed. A goal that has no
        place for an object that is newly confirmed, or another one, becomes less likely. The weight
        that agreed, where lesser likelihoods count as such.
        """
        located = self.world.located
        pairs = {(name, located[name]) for name in names if name in located}
        new = pairs - self._confirmed
        self._confirmed |= new
        return self._reweight(
            [self._confirmation(dict(each.targets), names, new) for each, _ in self.particles]
        )

    def refute(self, goal: Mapping[str, str]) -> float:
        """Give up a goal that was reached without success. The weight that is left."""
        targets = sorted_targets(goal)
        self.refuted.add(targets)
        return self._reweight([float(each.targets != targets) for each, _ in self.particles])

    def prefer(self, weights: Mapping[Targets, float]) -> None:
        """Weigh goals anew, each with its particles as they are among themselves.

        weights: of goals; one that is left out keeps its weight.
        """
        sums: dict[Targets, float] = {}
        for particle, weight in self.particles:
            sums[particle.targets] = sums.get(particle.targets, 0.0) + weight
        self._reweight(
            [
                weights.get(each.targets, sums[each.targets]) / sums[each.targets]
                for each, _ in self.particles
            ]
        )

    def _confirmation(
        self, goal: Mapping[str, str], names: Collection[str], new: Collection[tuple[str, str]]
    ) -> float:
        """How likely it is that just these objects are confirmed."""
        located = self.world.located
        for name, area in goal.items():
            if located.get(name) == area and name not in names:
                return 0.0
        return OTHER_GOAL ** sum(goal.get(name) != area for name, area in new)

    def _contradiction(self, particle: Particle) -> str | None:
        """Why what was seen rules a particle out; None where it does not."""
        world = self.world
        for name, place in particle.places:
            if name == world.held:
                continue
            seen = world.located.get(name)
            area = world.areas.get(place)
            if (seen is not None and seen != place) or (
                seen is None and (area is None or area.is_open)
            ):
                return f"{name} is not in {place}"
        if particle.places and self._holds(dict(particle.targets), dict(particle.places)):
            return "what is wanted would be done"
        return None

    def _holds(self, targets: Mapping[str, str], places: Mapping[str, str]) -> bool:
        """Whether a goal holds, with its unseen objects at some places."""
        lie = {**places, **self.world.located}
        lie.pop(self.world.held or "", None)
        return all(lie.get(name) == area for name, area in targets.items())

    def _without_seen(self, particle: Particle) -> Particle:
        """A particle that has places for unseen objects only."""
        world = self.world
        unseen = tuple(
            (name, place)
            for name, place in particle.places
            if name not in world.located and name != world.held
        )
        return particle if len(unseen) == len(particle.places) else replace(particle, places=unseen)

    def _reweight(self, likelihoods: Sequence[float]) -> float:
        """Condition on an observation of such likelihoods. The weight that is left."""
        if self._belief is None:
            return 0.0
        particles, weights = self._belief.states, self._belief.weights
        products = [w * likelihood for w, likelihood in zip(weights, likelihoods, strict=True)]
        self._settle(particles, products)
        return min(1.0, math.fsum(products))

    def _settle(self, particles: Sequence[Particle], weights: Sequence[float]) -> None:
        """Make a distribution of what is left, equal particles as one."""
        if any(weights):
            self._belief = ParticleBelief(particles, weights).merged()
        else:
            self._belief = None

    # --- new hypotheses --------------------------------------------------------------------------

    def replenish(self, hypotheses: Iterable[Hypothesis], share: float = 0.5) -> Admitted:
        """Add hypotheses, each brought into agreement with what was seen, or refused.

        share: their part of the weight; all of it where nothing else is left.
        """
        repaired: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        particles, weights = [], []
        for each in hypotheses:
            reason = self._reason_to_refuse(each)
            if reason is None:
                particles.append(self._repaired(each, repaired))
                weights.append(float(each.weight))
            else:
                refused[reason] += 1
        if particles:
            new = ParticleBelief(particles, weights).merged()
            old = self._belief
            self._belief = new if old is None else old.mixed(new, share).merged()
        return Admitted(len(particles), dict(repaired), dict(refused))

    def _reason_to_refuse(self, each: Hypothesis) -> str | None:
        if not math.isfinite(each.weight) or each.weight <= 0:
            return "weighs nothing"
        if not each.targets:
            return "wants nothing"
        if any(area not in self.world.areas for area in each.targets.values()):
            return "wants an object in an unknown area"
        if sorted_targets(each.targets) in self.refuted:
            return "was reached without success"
        if self._holds(each.targets, each.places):
            return "holds already"
        return None

    def _repaired(self, each: Hypothesis, repaired: Counter[str]) -> Particle:
        """A particle of a hypothesis, unseen objects where they can be."""
        world = self.world
        closed = world.closed()
        places: dict[str, str] = {}
        for name in dict.fromkeys([*each.targets, *each.places]):
            if name in world.located or name == world.held:
                if each.places.get(name, world.located.get(name)) != world.located.get(name):
                    repaired["has an object elsewhere than it was seen"] += 1
                continue
            place = each.places.get(name)
            if place in closed:
                assert place is not None
                places[name] = place
                continue
            if place is None:
                reason = "has no place for an object"
            elif place in world.areas:
                reason = "has an object where it was not seen"
            else:
                reason = "has an object in an unknown area"
            repaired[reason] += 1
            if closed:
                places[name] = closed[int(self._rng.random() * len(closed))]
        return Particle(sorted_targets(each.targets), sorted_targets(places))

    # --- for the search --------------------------------------------------------------------------

    def rows(self) -> list[str]:
        """The objects that the array model has: those of goals, and the one in hand."""
        names = {name for particle, _ in self.particles for name, _ in particle.targets}
        return sorted(names | ({self.world.held} if self.world.held else set()))

    def goal_rows(self) -> list[Targets]:
        """The goals of the array model."""
        return sorted({particle.targets for particle, _ in self.particles})

    def states(self) -> ParticleBelief[Arrangement]:
        """The belief over states of the array model. Raises EmptyBelief."""
        if self._belief is None:
            raise EmptyBelief("Nothing that was supposed agrees with what was seen.")
        rows, goals = self.rows(), self.goal_rows()
        numbers = {targets: number for number, targets in enumerate(goals)}
        states = self.world.arrangements(
            rows, [(each.places, numbers[each.targets]) for each in self._belief.states]
        )
        return ParticleBelief(states, self._belief.weights)

    def kitchen(self, **options: object) -> Kitchen:
        """The array model; see `KitchenWorld.kitchen` for its options."""
        goals = [dict(targets) for targets in self.goal_rows()]
        return self.world.kitchen(self.rows(), goals, **options)  # type: ignore[arg-type]
