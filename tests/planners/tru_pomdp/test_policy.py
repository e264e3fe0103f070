"""Rollout policies that a model writes: refusals, and equal results when compiled."""

from __future__ import annotations

import random

import numba
import numpy as np
import pytest

from peephole.planners.contract import Preparation
from peephole.planners.kits.belief.search import kitchen_kernels
from peephole.planners.kits.belief.search.compiled.despot import CompiledDespot
from peephole.planners.kits.belief.search.kitchen import (
    NULL,
    Arrangement,
    Kitchen,
    random_legal,
)
from peephole.planners.kits.belief.search.particles import ParticleBelief
from peephole.planners.kits.belief.search.protocol import DespotOptions, Limits
from peephole.planners.kits.programs.program import BadProgram
from peephole.planners.tru_pomdp.planner import PLANNER
from peephole.planners.tru_pomdp.policy import RandomPolicy, WrittenPolicy, ask_policy, why_rejected
from peephole.scene_graph.rules import Rules
from peephole.skills.embodiment import Embodiment
from peephole.stand_ins.scripted.answers.kitchens import POLICY

from ..kits.belief.search.plain_despot import Despot
from ..kits.belief.search.plain_kitchen import PlainKitchen
from .knowing_model import knows

GOOD = '''
def next_action():
    """Bring the nearest object."""
    held = held_object()
    if held != -1:
        target = -1
        for i in range(goal_count()):
            if goal_object(i) == held:
                target = goal_area(i)
        if target == -1:
            target = nearest_open_area()
        if target == -1:
            return nothing()
        return place(target) if is_open(target) else open_area(target)
    best = -1
    shortest = float(1000)
    i = 0
    while i < goal_count():
        thing = goal_object(i)
        area = area_of(thing)
        if area != goal_area(i) and way(area) < shortest:
            best = thing
            shortest = way(area)
        i += 1
    if best == -1:
        return nothing()
    if not is_open(area_of(best)):
        return open_area(area_of(best))
    return pick(best)
'''


def test_a_good_policy_is_accepted():
    assert why_rejected(GOOD) is None


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def other():\n    return nothing()", "one function next_action()"),
        ("x = 1\ndef next_action():\n    return nothing()", "one function next_action()"),
        ("def next_action(state):\n    return nothing()", "takes no arguments"),
        ("def next_action():\n    return [1]", "no list here"),
        ("def next_action():\n    return 1 / 0", "only +, - and *"),
        ("def next_action():\n    return open('file')", "no function 'open'"),
        ("def next_action():\n    return ().__class__", "no attributes"),
        ("def next_action():\n    import os\n    return nothing()", "nothing can be imported"),
        (
            "def next_action():\n    for x in range(3):\n        for y in [x]:\n            pass",
            "range",
        ),
        ("def next_action():\n    return len(range(3))", "range is for loops alone"),
        (
            "def next_action():\n    for i in range(0, 9, goal_count() - 5):\n        pass",
            "the step of range",
        ),
        ("def next_action():\n    for i in range(9, 0, -0):\n        pass", "the step of range"),
        ("def next_action():\n    while True:\n        pass", "loop without end"),
        ("def next_action():\n    if goal_count() > 1:\n        return missing", "missing"),
        ("def next_action():\n    return nothing()", "wins 0 on average"),
        ("def next_action():\n    return nothing()", "There it did: nothing(), nothing(), "),
        ("def next_action():\n    return place(0)", "There it did: place(0), place(0), "),
        ("def next_action():\n    return place(0)", " and wanted in area "),
        ("def next_action(:", "not Python"),
        ("def next_action():\n    return int()", "'int' takes 1 argument here, not 0"),
        ("def next_action():\n    return float()", "'float' takes 1 argument here, not 0"),
        ("def next_action():\n    return min(1)", "'min' takes 2 to 20 arguments here, not 1"),
        ("def next_action():\n    return nothing()\n    break", "a break stands only in a loop"),
        ("def next_action():\n    if 0:\n        continue", "a continue stands only in a loop"),
        (
            "def next_action():\n    for i in range(0, 5, not 5):\n        pass",
            "the step of range",
        ),
        ("def next_action():\n    for i in range(0, 5, True):\n        pass", "the step of range"),
        (f"def next_action():\n    return nothing()  # {'x' * 9000}", "longer than 8000"),
    ],
)
def test_a_rejected_policy_gets_the_reason(source, told):
    assert told in str(why_rejected(source))


#: Statements and values of policies, within the language and beyond it.
_STATEMENTS = (
    "x = {}",
    "x += {}",
    "if {}:\n    x = {}",
    "while {}:\n    x = {}",
    "while x < {}:\n    x += 1\n    break",
    "for i in range({}):\n    x = {}",
    "for i in range(0, {}, 2):\n    continue",
    "for i in range(9, {}, -1):\n    x = i",
    "return {}",
    "pass",
    "break",
    "continue",
    "return",
    "def f():\n    return {}",
    "x, y = {}, {}",
)
_VALUES = (
    *("x", "0", "3", "-1", "2.5", "True", "goal_count()", "held_object()", "nothing()"),
    *("min({}, {})", "max({})", "abs({})", "int({})", "float({})", "int()", "float()", "min()"),
    *("area_of({})", "way({})", "is_open({})", "pick({})", "place({})", "open_area({})"),
    *("({} + {})", "({} * {})", "({} - {})", "not {}", "-{}", "({} if {} else {})"),
    *("({} < {})", "({} and {})", "({} == {} != {})", "10 ** 9", "{} / {}", "[{}]", "range({})"),
    *("1e15 * 1e15 * {}", "way", "x.y", "'a'", "None", "nearest_open_area()"),
)


def _random_policy(rng: random.Random) -> str:
    def filled(form: str, depth: int) -> str:
        while "{}" in form:
            within = _VALUES if depth else ("x", "1", "goal_count()")
            form = form.replace("{}", filled(rng.choice(within), depth - 1), 1)
        return form

    lines = "\n".join(filled(rng.choice(_STATEMENTS), 2) for _ in range(rng.randrange(1, 5)))
    indented = "".join(f"    {line}\n" for line in lines.split("\n"))
    return f"def next_action():\n    x = 0\n{indented}    return pick(x)\n"


@pytest.mark.parametrize(
    "compiled", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["read", "compiled"]
)
def test_an_accepted_policy_can_be_compiled(compiled):
    accepted, refused = 0, []
    for seed in range(250):
        source = _random_policy(random.Random(seed))
        try:
            policy = WrittenPolicy(source)
        except BadProgram as error:
            refused += error.complaints
            continue
        accepted += 1
        kernels = policy.kernels(kitchen_kernels)
        if compiled:
            assert 0 <= _rolled_out(kernels) <= 14, source
    assert accepted > 25
    assert all(each.endswith(".") for each in refused)


def _rolled_out(kernels):
    """The action of a compiled policy in a small kitchen."""
    kitchen = Kitchen(
        standing=range(5),
        travel=[[abs(a - b) for a in range(5)] for b in range(5)],
        objects=4,
        goals=[{0: 1, 2: 3}],
    )
    model, rollout = kitchen.compiled(), kernels.rollout
    states = model.rows([Arrangement((0, 1, 2, 3), 0b101, 0, 0)])
    act = numba.njit(lambda data, states, rows: rollout(data, states, rows, 0, 1, 0))
    return act(model.data, states, np.zeros(1, np.int64))


def test_a_policy_that_cannot_be_compiled_is_replaced_with_the_reason(monkeypatch):
    def make_ready(solver, policy=None):
        if policy is not None:
            raise SyntaxError("'break' outside loop")

    monkeypatch.setattr("peephole.planners.tru_pomdp.planner.make_ready", make_ready)
    models = {"planner": Model(GOOD)}
    given = Preparation(
        "kitchens",
        "tru_pomdp",
        frozenset(),
        Embodiment(),
        Rules(),
        0,
        models=models,
        options=PLANNER.options(),
    )
    prepared = PLANNER.prepare(given)
    assert prepared == {"policy": None, "reason": "it cannot be compiled (SyntaxError)"}


class Model:
    """Gives listed replies; after an unusable one it gives the next."""

    name = "listed"

    def __init__(self, *replies):
        self.replies, self.reasons = list(replies), []

    def read(self, messages, parse, **sampling):
        from peephole.models.contract import NoAnswer, Unusable

        while self.replies:
            try:
                return parse(self.replies.pop(0))
            except Unusable as error:
                self.reasons.append(str(error))
        raise NoAnswer(self.reasons[-1])


def test_it_is_asked_again_with_the_reason():
    model = Model("def next_action():\n    return nothing()", f"So be it:\n```python\n{GOOD}```")
    source, _ = ask_policy(model, 0)
    assert source == GOOD.strip()
    assert "doing nothing 0" in model.reasons[0]


def test_the_built_in_policy_takes_its_place_with_the_reason():
    source, reason = ask_policy(Model("I cannot."), 0)
    assert source is None
    assert "not Python" in reason


ODD = """
def next_action():
    total = 0
    flag = True
    for i in range(-3, goal_count() + 3, 2):
        if i == 2:
            continue
        total += goal_object(i) * 2 - (1 if is_open(goal_area(i)) else area_of(total))
        flag = not flag or total > 3
        if abs(total) > 40:
            break
    while total > 12:
        total -= 5
    if flag and held_object() < 0:
        return pick(max(total, min(3, 2.9)))
    if way(total) <= way(nearest_open_area()):
        return place(total)
    return open_area(int(total * 1.5))
"""


class InterpretedPolicy(PlainKitchen):
    """A kitchen whose rollout policy is interpreted; a failed program does nothing."""

    def rollout(self, states, rng):
        if isinstance(self.policy, RandomPolicy):
            return random_legal(self, states[0], rng.random())
        try:
            return self.policy.run(self, states[0])
        except BadProgram:
            return self.number(NULL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy",
    [WrittenPolicy(POLICY), WrittenPolicy(GOOD), WrittenPolicy(ODD), RandomPolicy()],
    ids=["scripted", "good", "odd", "random"],
)
def test_compiling_changes_nothing(policy):
    rng = random.Random(1)
    options = DespotOptions(scenarios=6, depth=6, rollout=6)
    kitchen = InterpretedPolicy(
        policy=policy,
        standing=[0, 1, 1, 2, 3, 4],
        travel=[[3 * abs(a - b) for a in range(5)] for b in range(5)],
        objects=4,
        goals=[{0: 1, 2: 3}, {1: 2}, {3: 0, 1: 5}],
    )
    fast = CompiledDespot(kitchen.compiled(), options)
    for seed in range(30):
        states = [
            Arrangement(tuple(rng.randrange(6) for _ in range(4)), 0b101001, rng.randrange(5), goal)
            for goal in range(3)
        ]
        belief = ParticleBelief(states, [3, 2, 1])
        ours = Despot(kitchen, options).search(belief, seed, Limits(simulations=12))
        theirs = fast.search(belief, seed, Limits(simulations=12))
        assert (ours.action, ours.nodes) == (theirs.action, theirs.nodes)
        assert ours.value == pytest.approx(theirs.value)


@pytest.mark.slow
def test_a_note_names_the_policy_of_rollouts(play):
    policy = {"policy": POLICY, "reason": ""}
    played, _, _ = play(PLANNER, knows, prepared=policy, steps=1)
    assert played.notes("policy")[0].data == {"source": POLICY}
    nothing = {"policy": None, "reason": "It loops."}
    played, _, _ = play(PLANNER, knows, prepared=nothing, steps=1)
    assert "built-in policy, not the model's: It loops." in played.notes("policy")[0].text
    assert played.notes("policy")[0].data["corrected"]  # results count it
