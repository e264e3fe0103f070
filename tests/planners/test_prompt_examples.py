"""The examples in prompts work: each is played by its planner, with every body that it is shown to.

The model answers with the replies of the example in the prompt that it is asked with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from peephole import plugins
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.models.answers import read_answer
from peephole.models.contract import Message, Request
from peephole.observation_text.view import Visibility
from peephole.planners.contract import Act, Done, GiveUp, Internal
from peephole.planners.registry import load_planner
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Kind, Node, Relation, State
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.embodiment import Embodiment

# --- the worlds of examples ----------------------------------------------------------------------

_DOORS = {"drawer", "wardrobe", "laundry hamper", "fridge", "shed", "garbage can", "cabinet"}
_DOORS |= {"desk drawer", "letter cabinet", "recycling bin", "bench drawer", "coat cabinet"}
#: The rooms of each world: their furniture, with what lies there. The agent is in the first room.
WORLDS = {
    "newspaper to armchair": {
        "hall": {"shoe rack": []},
        "study": {"armchair": [], "writing desk": ["newspaper", "pen"]},
    },
    "one newspaper": {
        "hall": {"bench": ["scarf"], "shoe rack": []},
        "study": {"armchair": [], "writing desk": ["newspaper", "pen"], "writing desk 2": []},
    },
    "from the study": {
        "study": {"armchair": [], "bookshelf": ["newspaper"], "writing desk": ["pen"]},
        "hall": {},
    },
    "newspaper and pen": {
        "hall": {"armchair": [], "wardrobe": []},
        "study": {"writing desk": ["newspaper", "pen"]},
    },
    "scarf and drawer": {"hall": {"bench": ["scarf"], "drawer": []}},
    "scarf and glove": {"hall": {"bench": ["glove", "scarf"], "drawer": []}},
    "scarf and shelf": {"hall": {"bench": ["scarf"], "bookshelf": [], "shelf": []}},
    "hamper": {"bedroom": {"wardrobe": [], "laundry hamper": [], "dresser": ["scarf", "comb"]}},
    "numbered hamper": {
        "bedroom": {"laundry hamper": [], "dresser": ["scarf", "comb"], "dresser 2": []}
    },
    "jar": {"pantry": {"shelf": ["jar"], "fridge": []}},
    "jar in a cabinet": {
        "pantry": {"shelf": [], "fridge": [], "counter top": [], "cabinet": ["jar"]}
    },
    "shed": {"garage": {"shed": ["watering can"], "shelf": [], "lamp": []}},
    "watering can": {"garage": {"shed": [], "shelf": ["watering can"], "lamp": []}},
    "scarf unseen": {"bedroom": {"wardrobe": ["scarf"], "laundry hamper": [], "dresser": ["comb"]}},
    "open wardrobe": {"bedroom": {"open wardrobe": ["scarf"]}, "hall": {}},
    "scarf on a bench": {"hall": {"bench": ["scarf"]}, "bedroom": {}},
    "glass": {
        "garden": {"lawn": ["recycling bin"], "shed": []},
        "kitchen": {"floor": ["water glass"]},
    },
    "garbage can": {"kitchen": {"garbage can": []}, "hall": {"bench": ["newspaper"]}},
    "letter": {
        "kitchen": {
            "desk drawer": ["fountain pen"],
            "letter cabinet": [],
            "human hand": [],
            "reading table": ["lamp"],
        }
    },
    "coats": {
        "hall": {"bench drawer": [], "coat cabinet": [], "coat shelf": [], "hall floor": ["scarf"]}
    },
}


def world(name: str) -> SceneGraph:
    graph = SceneGraph([Node(1, "character", Kind.AGENT, 1)])

    def add(category: str, kind: Kind, place: int | None, relation: Relation) -> int:
        number = len(graph) + 1
        is_open = category.startswith("open ")
        category = category.removeprefix("open ")
        door = category in _DOORS
        fixed = {Affordance.CONTAINER, Affordance.OPENABLE} if door else {Affordance.SURFACE}
        object_can = {Affordance.GRASPABLE} | (fixed if door else set())
        can = {Kind.ROOM: set(), Kind.OBJECT: object_can}.get(kind, fixed)
        can = can | {Affordance.SWITCHABLE} if category == "lamp" else can
        states = {State.OFF} if category == "lamp" else set()
        states = {State.OPEN if is_open else State.CLOSED} if door else states
        graph.add_node(Node(number, category, kind, number, states, can))
        if place is not None:
            graph.add_edge(number, relation, place)
        return number

    for category, furniture in WORLDS[name].items():
        room = add(category, Kind.ROOM, None, Relation.INSIDE)
        for named, things in furniture.items():
            kind = re.sub(r" \d+$|^open ", "", named)
            place = add(re.sub(r" \d+$", "", named), Kind.FIXTURE, room, Relation.INSIDE)
            for thing in things:
                add(thing, Kind.OBJECT, place, Relation.INSIDE if kind in _DOORS else Relation.ON)
    graph.add_edge(1, Relation.INSIDE, graph.room_ids[0])
    return graph


# --- the replies of examples ---------------------------------------------------------------------


class Example(NamedTuple):
    """An example in a planner's prompt."""

    planner: str
    world: str
    """Where it is played, in `WORLDS`."""
    dialects: Sequence[str] = ()
    """The dialects whose prompt has it; none for all."""
    reply: str = r"^\{.*?\}$"
    """A pattern of a reply in it."""
    part: str = r"Example\b(.*)"
    """A pattern of the part of the prompt that has it."""
    then: Mapping[str, str] = {}
    """The reply to questions of a purpose whose prompt has no example."""
    plans: Sequence[str] = ()
    """The plans that are sampled before."""
    fails: Sequence[str] = ()
    """The actions that are shown to fail."""
    options: Mapping[str, Any] = {}
    """The options with which it is shown."""


class Finished(Exception):
    """The example has no further reply."""


class Imitator:
    """A model that answers with the replies in the example of its prompt, one after the other."""

    name = "imitator"

    def __init__(self, example: Example) -> None:
        self._example = example
        self._left: dict[str, Iterator[str]] = {}

    def enforces_schema(self) -> bool:
        return True

    def choose(self, messages: Sequence[Message], permitted: Sequence[str], **sampling: Any) -> Any:
        return self._reply(Request(messages, permitted=permitted), **sampling)

    def answer(self, messages: Any, shape: Any, choices: Any = None, **sampling: Any) -> Any:
        return self._reply(Request(messages, shape=shape, choices=choices or {}), **sampling)

    def read(self, messages: Any, parse: Any, **sampling: Any) -> Any:
        return self._reply(Request(messages, parse=parse), **sampling)

    def complete(self, messages: Any, **sampling: Any) -> Any:
        return self._reply(Request(messages), **sampling)

    def samples(self, request: Request, n: int) -> list[Any]:
        if not self._example.plans:
            return [self._reply(request)]
        return [read_answer(request, plan) for plan in self._example.plans]

    def _reply(self, request: Request, purpose: str = "", **sampling: Any) -> Any:
        """The next reply of the example in the system prompt, read as any reply is."""
        example, system = self._example, str(request.messages[0]["content"])
        if system not in self._left:
            part = re.search(example.part, system, re.DOTALL)
            found = re.findall(example.reply, part[1].strip(), re.M | re.S) if part else []
            missing = not found and purpose not in example.then
            assert not missing or self._left, f"there is no such example in: {system}"
            self._left[system] = iter(found)
        reply = next(self._left[system], example.then.get(purpose))
        if reply is None:
            raise Finished
        return read_answer(request, reply)


_FIRST, _SECOND = (rf"Example {number}\n(.*?)(?:\n\nExample|\Z)" for number in (1, 2))
_PLAN_1, _PLAN_2 = (part.replace(r"\n(", r"\n.*?\nPlan:\n(", 1) for part in (_FIRST, _SECOND))
_HOUSE = ("reactree", "reactree_plain")
_THOR = ("reactree_thor", "reactree_thor_plain")
_LINE, _REASON = r"^.+?$", r"^\{\"reason.*?\}$"
_VERIFY = '{"chain_of_thought": [], "reasoning": "", "command": {"command_name": "verify_plan"}}'
_TREE = ["{0}\n{1}", "{0}\n{2}", "{0}\ngo to armchair 1", "{2}"]
_TREE_THOR = ["{0}\n{1}", "{0}\n{2}", "{0}\ngo to LaundryHamper (1)", "{2}"]
_STEPS = ("go to writing desk 1", "pick up newspaper", "go to bookshelf 1")
_STEPS_THOR = ("go to Dresser (1)", "pick up Scarf", "go to Wardrobe (1)")


def _examples() -> Iterator[Example]:
    for name in ("react", "reflexion"):
        yield Example(name, "newspaper to armchair", _HOUSE, part=_FIRST)
        yield Example(name, "scarf and drawer", _HOUSE, part=_SECOND)
        yield Example(name, "hamper", _THOR, part=_FIRST)
        yield Example(name, "jar", _THOR, part=_SECOND)
        yield Example(name, "numbered hamper", ["alfworld"])
        yield Example(name, "letter", ["tru_pomdp"], part=_FIRST)
        yield Example(name, "coats", ["tru_pomdp"], part=_SECOND)
    yield Example("react", "scarf and drawer", ["lookplangraph"])
    yield Example("reflexion", "scarf and shelf", ["llm_state"])
    yield Example(
        "inner_monologue", "scarf and shelf", reply=r"^Robot thought: [^\n]*\nRobot action: [^\n]*"
    )
    yield Example("zsp", "one newspaper", _HOUSE, _LINE, _PLAN_1)
    yield Example("zsp", "scarf and glove", _HOUSE, _LINE, _PLAN_2)
    yield Example("zsp", "hamper", _THOR, _LINE, _PLAN_1)
    yield Example("zsp", "jar", _THOR, _LINE, _PLAN_2)
    plans, thor_plans = (
        [plan.format(*steps) for plan in plans]
        for plans, steps in ((_TREE, _STEPS), (_TREE_THOR, _STEPS_THOR))
    )
    failed, thor_failed = ["pick up newspaper 1"], ["pick up Scarf (1)"]
    yield Example("tree_planner", "from the study", _HOUSE, plans=plans, fails=failed)
    yield Example("tree_planner", "scarf unseen", _THOR, plans=thor_plans, fails=thor_failed)
    yield Example(
        "llm_state",
        "shed",
        reply=r"^\d\. [^\n]*(?:\n\d\. [^\n]*)*",
        part=r"such as:\n(.*)",
        then={"attention": "nothing"},
    )
    for assertions in (True, False):
        yield Example(
            "progprompt",
            "watering can",
            reply=r"^def .*",
            part=r"Example:(.*?)Rules:",
            then={"assertion": "False"},
            options={"assertions": assertions},
        )
    for name in ("llm_as_planner", "sayplan", "sayplan_lite"):
        yield Example(name, "garbage can", then={"search": _VERIFY})
    for scenes in ("prose", "json"):
        answer = r'\n\{"reason[^\n]*'
        first, second = rf"Two examples(.*?{answer})", rf"Two examples.*?{answer}(.*)"
        shown = {"graph": scenes}
        yield Example("lookplangraph", "open wardrobe", (), _REASON, first, options=shown)
        yield Example("lookplangraph", "scarf on a bench", (), _REASON, second, options=shown)
    yield Example("llm_plus_p", "glass", reply=r"^\(define.*", part=r"The problem file:\n(.*)")
    yield Example("reactree", "newspaper and pen", _HOUSE)
    yield Example("reactree", "jar in a cabinet", _THOR)


#: Planners of models whose prompts have no example of acting, and why.
NO_EXAMPLE = {
    "chat_tools": "no examples: its tools have schemas",
    "tru_pomdp": "only hypotheses of another kitchen",
    "llm_mcts": "only hypotheses of another kitchen",
    "llm_pop": "only the form, with words in its place",
}


#: The prompt of `react` for small models has no example.
WITHOUT_EXAMPLE = {("react", "compact")}


# --- playing them --------------------------------------------------------------------------------


class _World(SymbolicAdapter):
    """The built-in world with another body."""

    def __init__(self, body: Embodiment) -> None:
        super().__init__()
        sight = Visibility.ROOM if body.approaches else Visibility.NEAR
        self.spec = replace(SymbolicAdapter.spec, embodiment=body, visibility=sight)


def _bodies(dialect: str) -> dict[str, Embodiment]:
    """The bodies of the adapters that have a dialect, by what prompts say of them."""
    found = {}
    for name in plugins.names("adapter"):
        spec = plugins.load("adapter", name).spec
        approaches = dialect == "tru_pomdp" and spec.embodiment.approaches
        body = Embodiment(
            spec.embodiment.hands, spec.embodiment.needs_free_hand, approaches=approaches
        )
        if dialect in spec.dialects or not spec.dialects:
            name = f"{body.hands} hands, free for {len(body.needs_free_hand)}"
            found[name + ", approaches" * approaches] = body
    return found


def _cases() -> Iterator[Any]:
    for example in _examples():
        planner = load_planner(example.planner)
        for dialect in example.dialects or planner.dialects:
            for name, body in _bodies(dialect).items():
                case = f"{example.planner}-{dialect}-{example.world}-{name}"
                few_hands = body.hands == 1 or not body.needs_free_hand
                marks = () if few_hands else (pytest.mark.slow,)
                yield pytest.param(example, dialect, body, id=case, marks=marks)


@pytest.mark.parametrize(("example", "dialect", "body"), [*_cases()])
def test_an_example_works_with_every_body_that_it_is_shown_to(
    example: Example, dialect: str, body: Embodiment, tmp_path: Path
) -> None:
    planner = load_planner(example.planner)
    assert planner.options is not None
    if planner.missing() is not None:
        pytest.skip(str(planner.missing()))
    path = tmp_path / "house.json"
    write_graph(world(example.world), path)
    task = Task("example", "", And(()), f"json:{path}", map=f"json:{path}")
    play = Environment(
        _World(body),
        task,
        plugins.load("dialect", dialect),
        rules=Rules(ends=Ends.PLANNER_DONE),
        grants=planner.grants,
    )
    percept = play.reset()
    brief = replace(
        play.brief(),
        instruction="Do as in the example.",
        models={"planner": Imitator(example)},  # type: ignore[dict-item]
        options=planner.options(**example.options),
    )
    failed = []
    turns = planner.plan(brief, percept)
    try:
        decision = next(turns)
        while not isinstance(decision, Done):
            assert not isinstance(decision, GiveUp), decision
            assert not (isinstance(decision, Internal) and "refused" in decision.data), decision
            if isinstance(decision, Act):
                percept = play.step(decision.action)
                assert percept.refused is None, percept.refused
                failed += [] if percept.succeeded else [decision.action]
            decision = turns.send(percept)
    except Finished:
        pass
    assert failed == [*example.fails]
    assert play.steps > 0


def test_every_planner_of_a_model_is_played_in_each_dialect_or_has_no_example() -> None:
    played = {
        (example.planner, dialect)
        for example in _examples()
        for dialect in example.dialects or load_planner(example.planner).dialects
    }
    planners = [load_planner(name) for name in plugins.names("planner")]
    known = {
        (planner.name, dialect)
        for planner in planners
        if planner.models and planner.name not in NO_EXAMPLE
        for dialect in planner.dialects
    }
    assert known - played == WITHOUT_EXAMPLE
    assert {planner.name for planner in planners} >= {*NO_EXAMPLE}
