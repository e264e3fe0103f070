"""Rollout policies that a language model writes once a run, with their check and trial.

After Tru-POMDP, section 4.3 and appendix A.2: the prompt describes the domain, not a particular
kitchen. A policy is rejected, with the reason, if it is outside the language, fails, loops, or
earns no more than random actions or no action.
"""

from __future__ import annotations

import random
from functools import cache, partial
from statistics import mean
from types import ModuleType
from typing import Any, NamedTuple

from ...models.contract import LONG_ANSWER, Model, NoAnswer, Unusable
from ..kits.belief.search.kitchen import NULL, OPEN, PICK, PLACE, Arrangement, Kitchen, random_legal
from ..kits.programs.program import BadProgram
from ..kits.programs.run import run_alone
from ..kits.prompting.conversation import prompt
from ..kits.prompting.templates import Templates
from .policy_language import ENTRY, checked, program_of

PROMPTS = Templates(__file__)
PURPOSE = "rollout policy"
#: The kitchens in which policies are tried, and the steps in each.
TRIALS, STEPS = 30, 25
#: Actions shown of one of them if a policy is rejected.
SHOWN = 6


def ask_policy(model: Model, seed: int, *, walks: bool = True) -> tuple[str | None, str]:
    """Ask for a policy, and again with the reason if it is rejected.

    walks: whether the robot walks, by itself or by an action.
    Returns the program, or None and why the built-in policy replaces it.
    """

    def read(reply: str) -> str:
        source = program_of(reply)
        rejected = why_rejected(source, seed)
        if rejected is not None:
            raise Unusable(rejected, PURPOSE)
        return source

    messages = prompt(PROMPTS.render("policy_system"), PROMPTS.render("policy", walks=walks))
    about = partial(dict[str, object], kind="kitchen_policy")
    try:
        source = model.read(messages, read, purpose=PURPOSE, needs=LONG_ANSWER, about=about)
        return source, ""
    except NoAnswer as error:
        return None, str(error)


def why_rejected(source: str, seed: int = 0) -> str | None:
    """A sentence on what is wrong with a policy, None where it can be used."""
    try:
        policy = WrittenPolicy(source)
        tried = [_tried(seed, number, policy) for number in range(TRIALS)]
    except BadProgram as error:
        return " ".join(error.complaints[:5])
    won = mean(each.won for each in tried)
    random_wins = mean(_tried(seed, number).won for number in range(TRIALS))
    if won <= max(random_wins, 0.0):
        worst = min(range(TRIALS), key=lambda number: tried[number].won)
        return (
            f"In {TRIALS} kitchens the program wins {won:.0f} on average; random actions win "
            f"{random_wins:.0f} and doing nothing 0. It has to win more than both. "
            f"{_beginning(*_trial(seed, worst), tried[worst])}"
        )
    return None


class WrittenPolicy:
    """A policy run over its syntax tree."""

    def __init__(self, source: str) -> None:
        """Raises BadProgram."""
        self.source = source
        self._scene = StateFunctions()
        self._program = checked(source, lambda name: getattr(self._scene, name))

    def kernels(self, kernels: ModuleType) -> ModuleType:
        """The kernels of kitchens with this policy compiled."""
        from .policy_kernel import written_kernels

        return written_kernels(kernels, self.source)

    def run(self, kitchen: Kitchen, state: Arrangement) -> int:
        """Its action in a state. Raises BadProgram if it fails or exceeds its limits."""
        self._scene.kitchen, self._scene.state = kitchen, state
        chosen = run_alone(self._program, ENTRY)
        nothing = kitchen.number(NULL)
        if not isinstance(chosen, int | float):
            return nothing
        number = int(chosen)
        return number if 0 <= number <= nothing else nothing


class RandomPolicy:
    """Random legal actions."""

    def kernels(self, kernels: ModuleType) -> ModuleType:
        """The kernels of kitchens with this policy compiled."""
        from .policy_kernel import random_kernels

        return random_kernels(kernels)


class StateFunctions:
    """The functions of the language, on a state."""

    kitchen: Kitchen
    state: Arrangement

    def goal_count(self) -> int:
        return len(self._goal())

    def goal_object(self, number: float) -> int:
        goal = list(self._goal())
        return goal[int(number)] if 0 <= number < len(goal) else -1

    def goal_area(self, number: float) -> int:
        return self._goal().get(self.goal_object(number), -1)

    def area_of(self, thing: float) -> int:
        kitchen = self.kitchen
        area = self.state.places[int(thing)] if 0 <= thing < kitchen.objects else -1
        return area if area < kitchen.areas else -1

    def held_object(self) -> int:
        return self.kitchen.held(self.state)

    def is_open(self, area: float) -> int:
        return self.state.opened >> int(area) & 1 if self._is_area(area) else -1

    def way(self, area: float) -> float:
        if not self._is_area(area):
            return -1
        kitchen = self.kitchen
        return float(kitchen.travel[self.state.robot, kitchen.standing[int(area)]])

    def nearest_open_area(self) -> int:
        areas = [area for area in range(self.kitchen.areas) if self.is_open(area)]
        return min(areas, key=self.way, default=-1)

    def open_area(self, area: float) -> int:
        return self._number(OPEN, area, self.kitchen.areas)

    def place(self, area: float) -> int:
        return self._number(PLACE, area, self.kitchen.areas)

    def pick(self, thing: float) -> int:
        return self._number(PICK, thing, self.kitchen.objects)

    def nothing(self) -> int:
        return self.kitchen.number(NULL)

    def _goal(self) -> dict[int, int]:
        return self.kitchen.goals[self.state.goal]

    def _is_area(self, area: float) -> bool:
        return 0 <= area < self.kitchen.areas

    def _number(self, verb: str, which: float, count: int) -> int:
        return self.kitchen.number(verb, int(which)) if 0 <= which < count else self.nothing()


# --- trying out -----------------------------------------------------------------------------------


class _Tried(NamedTuple):
    """A trial of a policy in a kitchen: its return, and the numbers of its actions."""

    won: float
    actions: list[int]


def _tried(seed: int, number: int, policy: WrittenPolicy | None = None) -> _Tried:
    """Play one of the kitchens in which policies are tried. policy: None for random actions."""
    kitchen, state = _trial(seed, number)
    rng = random.Random(f"{seed}:{number}:actions")
    won, weight = 0.0, 1.0
    actions = []
    for _ in range(STEPS):
        if policy is None:
            actions.append(random_legal(kitchen, state, rng.random()))
        else:
            actions.append(policy.run(kitchen, state))
        step: Any = kitchen.step(state, actions[-1])
        state, weight = step.state, weight * kitchen.discount
        won += weight * step.reward
        if step.done:
            break
    return _Tried(won, actions)


def _beginning(kitchen: Kitchen, state: Arrangement, tried: _Tried) -> str:
    """The beginning of an episode, in the words of the question."""
    goal = kitchen.goals[state.goal]
    lie = [
        f"object {thing} is in area {state.places[thing]}"
        f"{'' if state.opened >> state.places[thing] & 1 else ' (closed)'} and wanted in area "
        f"{wanted}{'' if state.opened >> wanted & 1 else ' (closed)'}"
        for thing, wanted in goal.items()
    ]
    did = ", ".join(_worded(kitchen, action) for action in tried.actions[:SHOWN])
    return f"In one of them {'; '.join(lie)}; no object is in hand. There it did: {did} …"


def _worded(kitchen: Kitchen, number: int) -> str:
    """An action as the program gives it."""
    verb, which = kitchen.action(number)
    called = {OPEN: "open_area", PLACE: "place", PICK: "pick"}
    return f"{called[verb]}({which})" if verb in called else "nothing()"


@cache
def _trial(seed: int, number: int) -> tuple[Kitchen, Arrangement]:
    """A kitchen of 6 to 14 areas, half of them closed, with a goal of one to three objects."""
    rng = random.Random(f"{seed}:{number}")
    areas, objects = rng.randint(6, 14), 6
    lines = [rng.randint(0, 20) for _ in range(areas)]
    goal = {thing: rng.randrange(areas) for thing in rng.sample(range(objects), rng.randint(1, 3))}
    kitchen = Kitchen(
        standing=range(areas),
        travel=[[abs(one - other) for other in lines] for one in lines],
        objects=objects,
        goals=[goal],
    )
    places = tuple(
        rng.choice([area for area in range(areas) if area != goal.get(thing)])
        for thing in range(objects)
    )
    opened = sum(1 << area for area in range(areas) if rng.random() < 0.5)
    return kitchen, Arrangement(places, opened, rng.randrange(areas), 0)
