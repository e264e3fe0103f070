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

import peephole
from peephole import plugins
from peephole.adapters.libero.adapter import LiberoAdapter
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.models.answers import read_answer
from peephole.models.contract import Message, NoAnswer, Request
from peephole.observation_text.view import Visibility
from peephole.planners.contract import Act, Done, GiveUp, Internal
from peephole.planners.registry import load_planner
from peephole.planners.tru_pomdp.policy import ask_policy
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Kind, Node, Relation, State
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.actions import ARM_ONLY_VERBS, GAME_ONLY_VERBS, Action, Verb
from peephole.skills.embodiment import Embodiment

# --- the worlds of examples ----------------------------------------------------------------------

_DOORS = {"drawer", "wardrobe", "laundry hamper", "fridge", "shed", "garbage can", "cabinet"}
_DOORS |= {"desk drawer", "letter cabinet", "recycling bin", "bench drawer", "coat cabinet"}
_DOORS |= {"cupboard"}
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
    "garbage can in reach": {"kitchen": {"garbage can": [], "bench": ["newspaper"]}},
    "wardrobe in reach": {"hall": {"bench": ["scarf"], "open wardrobe": []}},
    "glass in reach": {
        "kitchen": {"floor": ["water glass"], "mat": ["recycling bin"], "cupboard": []}
    },
    "coats": {
        "hall": {"bench drawer": [], "coat cabinet": [], "coat shelf": [], "hall floor": ["scarf"]}
    },
}


def world(name: str, *, all_close: bool = False) -> SceneGraph:
    """A world of examples. all_close: the agent stands before all furniture."""
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
    for fixture in graph.nodes(Kind.FIXTURE) if all_close else ():
        graph.add_edge(1, Relation.CLOSE, fixture.id)
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
    walks: bool = True
    """Whether it is shown to bodies that go to things, or to those that do not."""


class Finished(Exception):
    """The example has no further reply."""


class Imitator:
    """A model that answers with the replies in the example of its prompt, one after the other."""

    name = "imitator"

    def __init__(self, example: Example) -> None:
        self.prompts: set[str] = set()
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
        self._take_in(request)
        return [read_answer(request, plan) for plan in self._example.plans]

    def _take_in(self, request: Request) -> None:
        self.prompts |= {str(message["content"]) for message in request.messages}

    def _reply(self, request: Request, purpose: str = "", **sampling: Any) -> Any:
        """The next reply of the example in the system prompt, read as any reply is."""
        example, system = self._example, str(request.messages[0]["content"])
        self._take_in(request)
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
_MONOLOGUE = r"^Robot thought: [^\n]*\nRobot action: [^\n]*"
#: Options of lookplangraph that trust the map.
_TRUSTS = {"augmentation": "none"}
_VERIFY = '{"chain_of_thought": [], "reasoning": "", "command": {"command_name": "verify_plan"}}'
_TREE = ["{0}\n{1}", "{0}\n{2}", "{0}\ngo to armchair 1", "{2}"]
_TREE_THOR = ["{0}\n{1}", "{0}\n{2}", "{0}\ngo to LaundryHamper (1)", "{2}"]
_STEPS = ("go to writing desk 1", "pick up newspaper", "go to bookshelf 1")
_STEPS_THOR = ("go to Dresser (1)", "pick up Scarf", "go to Wardrobe (1)")


def _examples() -> Iterator[Example]:
    yield from _walking()
    for example in _in_reach():
        yield example._replace(walks=False)


def _walking() -> Iterator[Example]:
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
    yield Example("inner_monologue", "scarf and shelf", reply=_MONOLOGUE)
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
    yield _policy("shed")
    yield from (_program("watering can", assertions) for assertions in (True, False))
    for name in ("llm_as_planner", "sayplan", "sayplan_lite"):
        yield Example(name, "garbage can", then={"search": _VERIFY})
    for scenes in ("prose", "json"):
        answer = r'\n\{"reason[^\n]*'
        first, second = rf"Two examples(.*?{answer})", rf"Two examples.*?{answer}(.*)"
        shown = {"graph": scenes}
        yield Example("lookplangraph", "open wardrobe", (), _REASON, first, options=shown)
        yield Example("lookplangraph", "scarf on a bench", (), _REASON, second, options=shown)
    yield _problem("glass")
    yield Example("reactree", "newspaper and pen", _HOUSE)
    yield Example("reactree", "jar in a cabinet", _THOR)


def _in_reach() -> Iterator[Example]:
    """For bodies that do not go to things: they act on all they see from where they are."""
    for name, dialect in (("react", "lookplangraph"), ("reflexion", "llm_state")):
        yield Example(name, "scarf and drawer", [*_HOUSE, dialect])
        yield Example(name, "letter", ["tru_pomdp"], part=_FIRST)
        yield Example(name, "coats", ["tru_pomdp"], part=_SECOND)
    yield Example("inner_monologue", "scarf and drawer", reply=_MONOLOGUE)
    yield Example("zsp", "scarf and drawer", _HOUSE, _LINE, r"\nPlan:\n(.*)")
    steps = ["open drawer 1", "pick up scarf", "put down scarf in drawer 1"]
    plans = ["\n".join(steps), "\n".join(steps[1:])]
    yield Example("tree_planner", "scarf and drawer", _HOUSE, plans=plans)
    yield _policy("shed")
    yield from (_program("watering can", assertions) for assertions in (True, False))
    for name in ("llm_as_planner", "sayplan", "sayplan_lite"):
        yield Example(name, "garbage can in reach", then={"search": _VERIFY})
    for shown in ({"graph": "prose"}, {"graph": "json"}, _TRUSTS):
        part = r"(?:An|Two) examples?(.*)"
        yield Example("lookplangraph", "wardrobe in reach", (), _REASON, part, options=shown)
    yield _problem("glass in reach")
    yield Example("reactree", "scarf and drawer", _HOUSE)


def _policy(place: str) -> Example:
    reply, part = r"^\d\. [^\n]*(?:\n\d\. [^\n]*)*", r"such as:\n(.*)"
    return Example("llm_state", place, (), reply, part, {"attention": "nothing"})


def _program(place: str, assertions: bool) -> Example:
    shown, then = {"assertions": assertions}, {"assertion": "False"}
    return Example("progprompt", place, (), r"^def .*", r"Example:(.*?)Rules:", then, options=shown)


def _problem(place: str) -> Example:
    return Example("llm_plus_p", place, reply=r"^\(define.*", part=r"The problem file:\n(.*)")


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


class _Body(NamedTuple):
    """A body as its adapter describes it. verbs: its actions."""

    limits: Embodiment
    verbs: frozenset[Verb]

    @property
    def walks(self) -> bool:
        return Verb.GO_TO in self.verbs


class _World(SymbolicAdapter):
    """The built-in world with another body."""

    def __init__(self, body: _Body) -> None:
        super().__init__()
        sight = Visibility.NEAR if body.walks else Visibility.ROOM
        self.spec = replace(
            SymbolicAdapter.spec, embodiment=body.limits, visibility=sight, actions=body.verbs
        )


def _bodies(dialect: str) -> dict[str, _Body]:
    """The bodies of the adapters that have a dialect, by what prompts say of them."""
    found = {}
    for name in plugins.names("adapter"):
        spec = plugins.load("adapter", name).spec
        if dialect not in spec.dialects and (spec.dialects or spec.actions & ARM_ONLY_VERBS):
            continue
        body = spec.embodiment
        limits = Embodiment(body.hands, body.needs_free_hand, approaches=body.approaches)
        known = f"{body.hands} hands, free for {len(body.needs_free_hand)}"
        known += f", {len(spec.actions)} verbs"
        verbs = spec.actions - GAME_ONLY_VERBS  # the built-in world is no game
        found[known + ", approaches" * body.approaches] = _Body(limits, verbs)
    return found


def _cases() -> Iterator[Any]:
    for example in _examples():
        planner = load_planner(example.planner)
        for dialect in example.dialects or planner.dialects:
            for name, body in _bodies(dialect).items():
                if body.walks is not example.walks:
                    continue
                case = f"{example.planner}-{dialect}-{example.world}-{name}"
                few_hands = body.limits.hands == 1 or not body.limits.needs_free_hand
                marks = () if few_hands else (pytest.mark.slow,)
                yield pytest.param(example, dialect, body, id=case, marks=marks)


_CASES = [*_cases()]


@pytest.mark.parametrize(("example", "dialect", "body"), _CASES)
def test_an_example_works_with_every_body_that_it_is_shown_to(
    example: Example, dialect: str, body: _Body, tmp_path: Path
) -> None:
    failed, steps, _ = _played(example, dialect, body, tmp_path)
    assert failed == [*example.fails]
    assert steps > 0


def _played(
    example: Example, dialect: str, body: _Body, tmp_path: Path
) -> tuple[list[Action | str], int, set[str]]:
    """The actions of an example that failed, the number of all, and the prompts that led there."""
    planner = load_planner(example.planner)
    assert planner.options is not None
    if planner.missing() is not None:
        pytest.skip(str(planner.missing()))
    path = tmp_path / "house.json"
    write_graph(world(example.world, all_close=not body.walks), path)
    task = Task("example", "", And(()), f"json:{path}", map=f"json:{path}")
    play = Environment(
        _World(body),
        task,
        plugins.load("dialect", dialect),
        rules=Rules(ends=Ends.PLANNER_DONE),
        grants=planner.grants,
    )
    percept = play.reset()
    model = Imitator(example)
    brief = replace(
        play.brief(),
        instruction="Do as in the example.",
        models={"planner": model},  # type: ignore[dict-item]
        options=planner.options(**example.options),
    )
    failed: list[Action | str] = []
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
    return failed, play.steps, model.prompts


def test_every_planner_of_a_model_is_played_in_each_dialect_or_has_no_example() -> None:
    played = {
        (example.planner, dialect, example.walks)
        for example in _examples()
        for dialect in example.dialects or load_planner(example.planner).dialects
    }
    planners = [load_planner(name) for name in plugins.names("planner")]
    known = {
        (planner.name, dialect, body.walks)
        for planner in planners
        if planner.models and planner.name not in NO_EXAMPLE
        for dialect in planner.dialects
        for body in _bodies(dialect).values()
    }
    assert known - played == {(*each, True) for each in WITHOUT_EXAMPLE}
    assert {planner.name for planner in planners} >= {*NO_EXAMPLE}


# --- bodies that do not go to things --------------------------------------------------------------


_GOING = re.compile(r"\b(?:go(?:es|ing)?[ _]to|went to|move\(|access)", re.IGNORECASE)
_WALKING = re.compile(r"walk", re.IGNORECASE)


def _spoken_of(text: str, body: Embodiment) -> list[str]:
    """The words of a prompt that speak of going to things."""
    patterns = (_GOING,) if body.approaches else (_GOING, _WALKING)
    return [match[0] for pattern in patterns for match in pattern.finditer(text)]


@pytest.mark.parametrize(
    ("example", "dialect", "body"), [case for case in _CASES if not case.values[0].walks]
)
def test_no_prompt_speaks_of_going_to_things_where_there_is_no_such_action(
    example: Example, dialect: str, body: _Body, tmp_path: Path
) -> None:
    _, _, prompts = _played(example, dialect, body, tmp_path)
    assert prompts
    assert {word for text in prompts for word in _spoken_of(text, body.limits)} == set()


@pytest.mark.parametrize(
    ("planner", "options"),
    [("chat_tools", {}), ("llm_mcts", {"simulations": 5}), ("tru_pomdp", {"action": "model"})],
)
def test_no_prompt_without_an_example_speaks_of_going_to_things_either(
    planner: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEPHOLE_LIBERO_PYTHON", "stand_in")
    run = peephole.run(
        planner, "libero:goal", tasks=1, model="scripted", options=options, out=tmp_path / "run"
    )
    recorded = "".join(path.read_text() for path in (run.folder / "episodes").iterdir())
    assert '"messages"' in recorded
    assert _spoken_of(recorded, LiberoAdapter.spec.embodiment) == []


def test_the_question_for_a_rollout_policy_speaks_of_walking_to_those_who_walk() -> None:
    asked: list[str] = []

    class Model:
        def read(self, messages: Sequence[Message], *args: Any, **more: Any) -> Any:
            asked.append(str(messages))
            raise NoAnswer("none")

    for walks in (True, False):
        ask_policy(Model(), 0, walks=walks)  # type: ignore[arg-type]
    assert [bool(_WALKING.search(text)) for text in asked] == [True, False]
