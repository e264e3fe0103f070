"""Instructions that leave open what the goal wants, each with a proof in words.

docs/howto/audit.md lists the rules. `one_of_several`: an object alike has the same category and
affordances, and is in every place around the wanted one that the instruction names; with it, the
goal would not hold already. `unnamed_kind`: what the goal only excludes need not be named.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from ..data_files import read_yaml
from ..scene_graph.goal_codec import goal_to_data
from ..scene_graph.goal_evaluation import satisfied
from ..scene_graph.goal_text import describe
from ..scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    Exists,
    ForAll,
    Goal,
    HasState,
    Not,
    Related,
    named_ids,
    with_ids,
)
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Kind
from ..scene_graph.task import Task

#: Synonyms of categories: the categories that a word may stand for.
_OTHER_WORDS: dict[str, list[str]] = read_yaml(Path(__file__).with_name("synonyms.yaml"))
#: How alike two words are, from 0 to 1, that one is taken for the other written wrongly.
_NEARLY = 0.8
#: The letters of a word at least that is also looked for within longer ones; only longer ones
#: are taken for misspelt.
_LONG = 4
#: Words of categories that name nothing by themselves.
_EMPTY_WORDS = frozenset({"of", "the", "a", "and", "for", "to"})


@dataclass(frozen=True)
class Ambiguity:
    """Why an instruction is ambiguous. rule: one of those above. proof: in words."""

    rule: str
    proof: str


def same_words(tasks: Sequence[Task]) -> dict[str, Ambiguity]:
    """The tasks that differ from another one only in their goal, by id."""
    alike: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        alike[" ".join(_words(task.instruction)), task.base_scene].append(task)
    found = {}
    for group in alike.values():
        # As text in which the order of parts does not matter.
        goals = {task.id: str(_sorted(goal_to_data(task.goal))) for task in group}
        for task in group:
            other = next((t for t in group if goals[t.id] != goals[task.id]), None)
            if other is not None:
                proof = (
                    f"the task {other.id} has the same instruction in the scene {task.base_scene}, "
                    f"and its goal is: {describe(other.goal, '#{}'.format)}"
                )
                found[task.id] = Ambiguity("same_words", proof)
    return found


def ambiguities(task: Task, graph: SceneGraph, name: Callable[[int], str]) -> Iterator[Ambiguity]:
    """The ambiguities of a task by itself. graph: the state that it begins in."""
    if task.candidates is not None:
        words = describe(task.candidates, name)
        yield Ambiguity("told_so", f"only some of the possible meanings count: {words}")
    for thing in sorted(_wanted_ids(task.goal)):
        others = _mistakable(task, graph, thing)
        if others:
            proof = (
                f"the goal wants {name(thing)} {_where(graph, thing, name)}; alike are "
                f"{', '.join(f'{name(i)} {_where(graph, i, name)}' for i in others)}"
            )
            yield Ambiguity("one_of_several", proof)
    for kinds in dict.fromkeys(_wanted_kinds(task.goal)):
        if not any(is_named(kind, task.instruction) for kind in kinds):
            words = " or ".join(sorted(kinds))
            yield Ambiguity("unnamed_kind", f"the goal needs: {words}; no word names it")


def is_named(kind: str, instruction: str) -> bool:
    """Whether a word of an instruction stands for a category, also as part of a longer word.

    Nearly equal words count too, since people make typing errors.
    """
    words = _words(instruction)
    whole = kind.replace(" ", "").replace("-", "")
    if len(whole) >= _LONG and whole in "".join(words):
        return True
    stems = {stem for word in words for stem in (word, word.removesuffix("s"))}
    if any(kind in _OTHER_WORDS.get(stem, ()) for stem in stems):
        return True
    own = [word for word in re.split(r"[\s-]+", kind) if word not in _EMPTY_WORDS]
    return any(
        part in stems
        or (len(part) >= _LONG and any(part in word for word in words))
        or (len(part) > _LONG and get_close_matches(part, words, cutoff=_NEARLY))
        for part in own
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9{}]+", text.lower().replace("'", ""))


def _sorted(data: object) -> object:
    if isinstance(data, dict):
        return sorted((key, str(_sorted(value))) for key, value in data.items())
    if isinstance(data, list):
        return sorted(str(_sorted(each)) for each in data)
    return data


# --- one of several ------------------------------------------------------------------------------


def _wanted_ids(goal: Goal) -> frozenset[int]:
    """The objects that a goal names one by one, not as one of a set."""
    match goal:
        case HasState() | Related():
            return named_ids(goal)
        case And(parts):
            return frozenset().union(*map(_wanted_ids, parts))
        case Not(Not(part)) | ForAll(_, _, part) | Exists(_, _, part) | AtLeast(_, _, _, part):
            return _wanted_ids(part)
    return frozenset()


def _mistakable(task: Task, graph: SceneGraph, thing: int) -> list[int]:
    """The objects that the instruction may mean instead of a wanted one that it does not name."""
    if f"{{{thing}}}" in task.instruction or thing not in graph:
        return []
    node = graph[thing]
    if node.kind not in (Kind.OBJECT, Kind.FIXTURE):
        return []
    wanted = named_ids(task.goal)
    named = _named_places(graph, thing, task.instruction)
    found = []
    for other in graph.nodes(node.kind):
        if other.id in wanted or other.category != node.category:
            continue
        if other.affordances != node.affordances:
            continue
        if not named <= _named_places(graph, other.id, task.instruction):
            continue
        if not satisfied(_with(task.goal, thing, other.id), graph):
            found.append(other.id)
    return found


def _with(goal: Goal, thing: int, other: int) -> Goal:
    """The goal with one object replaced by another."""
    return with_ids(goal, lambda node: other if node == thing else node)


def _named_places(graph: SceneGraph, thing: int, instruction: str) -> frozenset[str]:
    """The places around an object that an instruction names: categories, or with a number.

    "Meeting room 2" is the second one of its category.
    """
    room = graph.room_of(thing)
    around = {*graph.above(thing)} | ({room} if room is not None else set())
    said = instruction.lower().replace("'", "")
    found: set[str] = set()
    for place in around:
        kind = graph[place].category
        alike = [node.id for node in graph.nodes(graph[place].kind) if node.category == kind]
        names = (kind, f"{kind} {alike.index(place) + 1}")
        found.update(name for name in names if re.search(rf"\b{re.escape(name)}(?!\w)", said))
    return frozenset(found)


def _where(graph: SceneGraph, thing: int, name: Callable[[int], str]) -> str:
    room = graph.room_of(thing)
    return "somewhere" if room is None else f"in {name(room)}"


# --- unnamed kinds -------------------------------------------------------------------------------


def _wanted_kinds(goal: Goal) -> Iterator[frozenset[str]]:
    """The categories of which an object has to be or do something; each set is one alternative."""
    match goal:
        case And(parts):
            for part in parts:
                yield from _wanted_kinds(part)
        case Not(Not(part)):
            yield from _wanted_kinds(part)
        case Exists(_, domain, body) | AtLeast(_, _, domain, body) | ForAll(_, domain, body):
            if kinds := _kinds(domain):
                yield kinds
            yield from _wanted_kinds(body)


def _kinds(domain: Domain) -> frozenset[str]:
    return (domain.categories or frozenset()) | domain.also if domain.categories else frozenset()
