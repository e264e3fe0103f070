"""The tasks of injected failures, and what they ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from peephole.adapters.scenes import load_scene
from peephole.scene_graph.goals import And, AtLeast, Domain, EventOccurred, Exists, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Kind, Node, Relation
from peephole.scene_graph.task import Task
from peephole.skills.actions import Verb
from peephole.suites.registry import load_suite

#: The steps of an episode.
STEPS = 60
_HOUSES = range(4)
_TABLE = "table"


@dataclass(frozen=True)
class WahGoal:
    """What a task of `wah` asks for: so many of each category at one place of a category."""

    relation: Relation
    counts: tuple[tuple[str, int], ...]
    place: str

    @property
    def goal(self) -> Exists:
        parts = [
            AtLeast(count, "thing", of(category), Related("thing", self.relation, "place"))
            for category, count in self.counts
        ]
        return Exists("place", of(self.place), And(tuple(parts)))

    def without(self, number: int) -> WahGoal:
        """All but what is asked for in one place of the list."""
        kept = tuple(c for i, c in enumerate(self.counts) if i != number % len(self.counts))
        return replace(self, counts=kept)

    def with_another(self, number: int, category: str) -> WahGoal:
        """One category in place of another."""
        counts = list(self.counts)
        counts[number % len(counts)] = (category, 1)
        return replace(self, counts=tuple(counts))


def of(category: str) -> Domain:
    return Domain(frozenset({category}))


def asked_by(task: Task) -> WahGoal:
    """Read a task's goal again."""
    goal = task.goal
    assert isinstance(goal, Exists)
    assert isinstance(goal.body, And)
    assert goal.domain.categories
    (place,) = goal.domain.categories
    counts, relation = [], Relation.ON
    for part in goal.body.parts:
        if isinstance(part, AtLeast) and isinstance(part.body, Related):
            assert part.domain.categories
            (category,) = part.domain.categories
            counts.append((category, part.count))
            relation = part.body.relation
    return WahGoal(relation, tuple(counts), place)


def tasks(first: int = 0) -> list[Task]:
    """Four tasks without a switch, each in another generated house."""
    found: dict[str, Task] = {}
    for task in load_suite("wah:train").tasks[first:]:
        house = task.scene.split(";")[0]
        if not task.id.startswith("put_dishwasher") and house not in found:
            found[house] = task
        if len(found) == len(_HOUSES):
            break
    return list(found.values())


_VAGUE = (
    "Give me something to drink.",
    "Bring me a snack, you know where.",
    "Get two things for the guests ready.",
    "Prepare everything as always.",
)


def vague(task: Task, number: int) -> Task:
    return replace(task, instruction=_VAGUE[number])


def things(graph: SceneGraph, category: str) -> list[Node]:
    return [node for node in graph.nodes() if node.category == category]


def hidden_choice(task: Task, number: int) -> tuple[Task, Node, Node]:
    """A task about one of two alike, which is found out by looking at it; and the two."""
    graph = load_scene(task.scene)
    pairs = [
        (one, other)
        for one in graph.nodes(Kind.OBJECT)
        for other in things(graph, one.category)
        if one.id < other.id
        and Affordance.GRASPABLE in one.affordances
        and not graph.contents(one.id)
        and not graph.contents(other.id)
        and graph.closed_around(one.id) is None
        and graph.closed_around(other.id) is None
    ]
    right, wrong = pairs[number]
    table = next(n.id for n in graph.nodes(Kind.FIXTURE) if n.category in ("desk", "sofa", _TABLE))
    made = replace(
        task,
        id=f"hidden/{task.id.replace('/', '-')}",
        instruction=f"Put the {right.category} that is marked on the {graph[table].category}.",
        goal=Related(right.id, Relation.ON, table),
        required_evidence=EventOccurred((str(Verb.LOOK),), (right.id,)),
    )
    return made, right, wrong
