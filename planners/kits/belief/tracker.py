"""The belief of an episode: weighted hypotheses, updated by observations.

A particle is a goal and the places of that goal's unseen objects; seen objects are the same in all
particles. Only the robot moves things, so prediction is the observed effect of its actions.
Conditioning is elimination: a particle is removed where an object is seen elsewhere, or is not seen
at its area although the contents are seen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...contract import Note, Percept
from .search.kitchen import Arrangement
from .search.particles import EmptyBelief, ParticleBelief
from .search.streams import Stream, branch
from .world import HAND, Hypothesis, KitchenWorld, Move, Targets, sorted_targets

#: The likelihood factor of a goal that has no place, or another one, for a confirmed thing. A
#: confirmed thing lies where some acceptable goal has it.
OTHER_GOAL = 0.5
#: The most areas of an object, and the most goals, in a note.
_MOST_AREAS, _MOST_GOALS = 8, 5


@dataclass(frozen=True, slots=True)
class Particle:
    """A goal, and the places of its unseen objects."""

    targets: Targets
    places: Targets


@dataclass(frozen=True)
class BeliefUpdate:
    """The effect of an observation on the belief.

    survived: the weight of the particles that agreed with it. contradicted: the reasons why others
    were removed, "mug is not in dishware_cabinet", the most weight first.
    """

    survived: float
    contradicted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Admitted:
    """How new hypotheses were handled. repaired, refused: counts by reason."""

    particles: int
    repaired: Mapping[str, int]
    refused: Mapping[str, int]


class BeliefTracker:
    """The belief of one episode. It may be empty until it is replenished."""

    def __init__(
        self, world: KitchenWorld, hypotheses: Iterable[Hypothesis] = (), seed: int = 0
    ) -> None:
        """seed: for drawing places that hypotheses leave open."""
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
        """The probabilities of areas for each object of some goal; a held object is at `HAND`.

        A particle may leave out an unseen object, so the sums may be below 1.
        """
        world, probabilities = self.world, dict[str, dict[str, float]]()
        for name in self.rows():
            at = HAND if name == world.held else world.located.get(name)
            if at is not None:
                probabilities[name] = {at: 1.0}
        seen = set(probabilities)
        for particle, weight in self.particles:
            for name, place in particle.places:
                if name not in seen:
                    at_places = probabilities.setdefault(name, {})
                    at_places[place] = at_places.get(place, 0.0) + weight
        return probabilities

    def goals(self) -> list[tuple[float, dict[str, str]]]:
        """The goals with their weights, likeliest first."""
        sums = self._goal_weights()
        ordered = sorted(sums, key=lambda targets: (-sums[targets], targets))
        return [(sums[targets], dict(targets)) for targets in ordered]

    def _goal_weights(self) -> dict[Targets, float]:
        sums: dict[Targets, float] = {}
        for particle, weight in self.particles:
            sums[particle.targets] = sums.get(particle.targets, 0.0) + weight
        return sums

    def reached(self) -> list[dict[str, str]]:
        """The goals that hold in what was seen."""
        located = self.world.located
        return [
            goal
            for _, goal in self.goals()
            if all(located.get(name) == area for name, area in goal.items())
        ]

    # --- observation -----------------------------------------------------------------------------

    def observe(self, percept: Percept, action: Move | None = None) -> BeliefUpdate:
        """Update by the percept after an action, and by the confirmed things."""
        self.world.update(percept)
        if self._belief is None:
            return BeliefUpdate(0.0)
        reasons: dict[str, float] = {}
        kept, weights = [], []
        for particle, weight in self.particles:
            reason = self._contradiction(particle)
            if reason is None:
                kept.append(self._without_seen(particle))
                weights.append(weight)
            else:
                reasons[reason] = reasons.get(reason, 0.0) + weight
        survived = min(1.0, math.fsum(weights))
        self._settle(kept, weights)
        if self.world.brief.rules.confirms_placements:
            names = {self.world.name(thing) for thing in percept.confirmed}
            survived *= self.confirm(names)
        return BeliefUpdate(survived, tuple(sorted(reasons, key=lambda each: -reasons[each])))

    def confirm(self, names: Collection[str]) -> float:
        """Update by the objects in view that lie where some acceptable goal has them.

        A goal with an object where it lies unconfirmed is removed. A goal with no place, or another
        one, for a newly confirmed object becomes less likely. Returns the weight of the particles
        that were not removed.
        """
        located = self.world.located
        pairs = {(name, located[name]) for name in names if name in located}
        new = pairs - self._confirmed
        self._confirmed |= new
        before = self.particles
        likelihoods = [self._confirmation(dict(p.targets), names, new) for p, _ in before]
        self._reweight(likelihoods)
        left = [weight for (_, weight), share in zip(before, likelihoods, strict=True) if share]
        return min(1.0, math.fsum(left))

    def refute(self, goal: Mapping[str, str]) -> float:
        """Remove a goal that was reached without success. Returns the weight left."""
        targets = sorted_targets(goal)
        self.refuted.add(targets)
        return self._reweight([float(each.targets != targets) for each, _ in self.particles])

    def prefer(self, weights: Mapping[Targets, float]) -> None:
        """Set the weights of goals; the relative weights of each goal's particles stay.

        weights: of goals; a goal without one keeps its own.
        """
        sums = self._goal_weights()
        self._reweight(
            [
                weights.get(each.targets, sums[each.targets]) / sums[each.targets]
                for each, _ in self.particles
            ]
        )

    def _confirmation(
        self, goal: Mapping[str, str], names: Collection[str], new: Collection[tuple[str, str]]
    ) -> float:
        """The likelihood that exactly these objects are confirmed."""
        located = self.world.located
        for name, area in goal.items():
            if located.get(name) == area and name not in names:
                return 0.0
        return OTHER_GOAL ** sum(goal.get(name) != area for name, area in new)

    def _contradiction(self, particle: Particle) -> str | None:
        """Why observations rule a particle out; None where they do not."""
        world = self.world
        for name, place in particle.places:
            if name == world.held:
                continue
            seen = world.located.get(name)
            area = world.areas.get(place)
            if (seen is not None and seen != place) or (
                seen is None and (area is None or area.is_known)
            ):
                return f"{name} is not in {place}"
        if particle.places and self._holds(dict(particle.targets), dict(particle.places)):
            return "what is wanted would be done"
        return None

    def _holds(self, targets: Mapping[str, str], places: Mapping[str, str]) -> bool:
        """Whether a goal holds, given places for its unseen objects."""
        lie = {**places, **self.world.located}
        lie.pop(self.world.held or "", None)
        return all(lie.get(name) == area for name, area in targets.items())

    def _without_seen(self, particle: Particle) -> Particle:
        """A particle with places for unseen objects only."""
        world = self.world
        unseen = tuple(
            (name, place)
            for name, place in particle.places
            if name not in world.located and name != world.held
        )
        return particle if len(unseen) == len(particle.places) else replace(particle, places=unseen)

    def _reweight(self, likelihoods: Sequence[float]) -> float:
        """Condition on an observation, given its likelihoods. Returns the weight left."""
        if self._belief is None:
            return 0.0
        particles, weights = self._belief.states, self._belief.weights
        products = [w * likelihood for w, likelihood in zip(weights, likelihoods, strict=True)]
        self._settle(particles, products)
        return min(1.0, math.fsum(products))

    def _settle(self, particles: Sequence[Particle], weights: Sequence[float]) -> None:
        """Normalise the weights, and merge equal particles."""
        if any(weights):
            self._belief = ParticleBelief(particles, weights).merged()
        else:
            self._belief = None

    # --- new hypotheses --------------------------------------------------------------------------

    def replenish(self, hypotheses: Iterable[Hypothesis], share: float = 0.5) -> Admitted:
        """Add hypotheses, each made consistent with observations, or refused.

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
        """A particle of a hypothesis, with its unseen objects at possible places."""
        world = self.world
        unknown = world.unknown()
        places: dict[str, str] = {}
        for name in dict.fromkeys([*each.targets, *each.places]):
            if name in world.located or name == world.held:
                if each.places.get(name, world.located.get(name)) != world.located.get(name):
                    repaired["has an object elsewhere than it was seen"] += 1
                continue
            place = each.places.get(name)
            if place in unknown:
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
            if unknown:
                places[name] = unknown[int(self._rng.random() * len(unknown))]
        return Particle(sorted_targets(each.targets), sorted_targets(places))

    # --- for the search --------------------------------------------------------------------------

    def rows(self) -> list[str]:
        """The objects of the array model: those of goals, and the held one."""
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


def likely_places(tracker: BeliefTracker) -> dict[str, dict[str, float]]:
    """The likeliest areas of each object of some goal, with their probabilities."""
    places = {}
    for name, at in sorted(tracker.objects().items()):
        best = sorted(at, key=lambda area: (-at[area], area))[:_MOST_AREAS]
        places[name] = {area: round(at[area], 3) for area in best}
    return places


def belief_note(
    before: Mapping[str, Mapping[str, float]],
    tracker: BeliefTracker,
    survived: float,
    *,
    replenished: bool,
) -> Note:
    """A note on the belief before and after an observation."""
    goals = [
        {"weight": round(weight, 3), "targets": goal}
        for weight, goal in tracker.goals()[:_MOST_GOALS]
    ]
    data = {
        "before": before,
        "after": likely_places(tracker),
        "goals": goals,
        "survived": round(survived, 3),
        "replenished": replenished,
    }
    text = f"{survived:.0%} of the belief agrees with what is seen"
    return Note("belief", f"{text}; replenished" if replenished else text, data)
