"""Suites whose tasks are made when they are needed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest

from peephole.episodes.resolve import select_tasks
from peephole.errors import PeepholeError
from peephole.scene_graph.goals import HasState
from peephole.scene_graph.node import State
from peephole.scene_graph.task import Task
from peephole.suites.contract import LazyTasks, Suite, in_turns
from peephole.suites.registry import load_suite, suite_names


def task(name: str) -> Task:
    return Task(name, name, HasState(1, State.ON), "house:1")


def suite_of(number: int, made: list[str]) -> Suite:
    """A suite that writes down which tasks it had to make."""

    def tasks() -> Iterator[Task]:
        for i in range(number):
            made.append(f"t{i}")
            yield task(f"t{i}")

    return Suite("drawn", "", LazyTasks(number, tasks()), "symbolic")


def test_counting_tasks_makes_none_and_the_first_few_make_no_more() -> None:
    made: list[str] = []
    suite = suite_of(9, made)
    assert len(suite.tasks) == 9
    assert made == []
    assert select_tasks(suite, "2-3") == ("t1", "t2")
    assert select_tasks(suite, "3") == ("t0", "t1", "t2")
    assert made == ["t0", "t1", "t2"]
    assert suite.tasks[1].id == "t1"
    assert len(made) == 3
    assert select_tasks(suite, "") == tuple(f"t{i}" for i in range(9))


def test_drawn_tasks_are_a_sequence_like_any_other() -> None:
    made: list[str] = []
    drawn, plain = suite_of(7, made).tasks, [task(f"t{i}") for i in range(7)]
    for part in (slice(2, 5), slice(None, None, 3), slice(-2, None), slice(4, 4), slice(0, 99)):
        assert list(drawn[part]) == plain[part]
    assert drawn[-1] == plain[-1]
    assert list(drawn) == plain
    assert len(made) == 7  # each was made once
    with pytest.raises(IndexError):
        drawn[7]


def test_groups_take_turns() -> None:
    groups = [[task(f"{group}{i}") for i in range(5)] for group in "abc"]
    first = [found.id for found in in_turns(groups, 2)]
    assert first == ["a0", "b0", "c0", "a1", "b1", "c1"]


def test_a_suite_that_cannot_make_what_it_promised_says_so() -> None:
    with pytest.raises(RuntimeError, match="only 1 of 3"):
        list(LazyTasks(3, iter([task("t")])))


#: A digest of the ids, scenes, instructions and labels of all tasks of a suite that takes no data.
DRAWN = {
    "alfworld": "a4c8de79085573e8",
    "behavior": "797ed0803aaddf63",
    "behavior:dynamic": "2912411b997a3b31",
    "blocks": "1499fe879de95163",
    "blocks:generated": "6fb545878f5a88d9",
    "blocks:more": "87ab280cd5479cf5",
    "blocks:noisy": "366d9123ea8e958f",
    "blocks:offset": "13ee06f805e9f3bc",
    "blocks:real": "732d2ee9e10f5a36",
    "grasif": "5ee7c2616de2c32c",
    "grasif:behavior": "d5ad763413a7bde7",
    "grasif:virtualhome": "5ffefb47286582dd",
    "household": "a5a64cdf952330ab",
    "household:generated": "6901b0ad4771415b",
    "household:lived_in": "b2764678f446d881",
    "houses": "e2efae8db08f0182",
    "houses:generated": "56eddc0b8097f1dd",
    "houses:lived_in": "3504ca12a20231b9",
    "ithor": "9806dc30f30fbb7d",
    "ithor:generated": "1c071accafd9ea1b",
    "ithor:unseen": "92f0aeb544204fd8",
    "kitchens": "00646d619a3ca860",
    "kitchens_ambiguous": "e71f8bb6bf0c9314",
    "kitchens_ambiguous:easy": "93a4764a743ce827",
    "kitchens_ambiguous:hard": "c12873ff64434828",
    "kitchens_ambiguous:medium": "83b9d18678221931",
    "kitchens_kept": "4eaee8ed93bca72a",
    "kitchens_kept:easy": "4fa6fea311875f8a",
    "kitchens_kept:hard": "5ce78d1d724d796d",
    "kitchens_kept:medium": "409047bc40899c5f",
    "kitchens:easy": "144c6430ac9c9dd6",
    "kitchens:hard": "16acc1b47eff8447",
    "kitchens:medium": "fca576f12f0b8340",
    "kitchen_physics": "9b9b97a21160d298",
    "office": "75711d2eaa6bf821",
    "office:real": "48ebc45a827b7f83",
    "robothow": "b8d3c366a4cabf6c",
    "robothow:manipulation": "ea7834dbb0424a30",
    "vh_dynamic": "fd64aa1179f0c3d7",
    "vh_dynamic:lived_in": "7d883b04e501cb62",
    "wah": "f29d336c4c112a2f",
    "wah:generated": "9005870d59b4f767",
    "wah:lived_in": "8e226c681c39fdfe",
    "wah:small": "ead3a04e66e770ac",
    "wah:train": "8861f03284f8ad43",
}


#: Suites that take seconds to make. The tasks of `grasif` are those of its two variants.
LARGE = ("grasif", "household:generated", "houses:generated", "wah:generated", "wah:small")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name
        for name in suite_names()
    ],
)
def test_every_suite_has_as_many_tasks_as_it_says_and_always_the_same(name: str) -> None:
    """Results are compared over machines and years: tasks change on purpose only."""
    try:
        tasks = load_suite(name).tasks
    except PeepholeError as error:
        pytest.skip(str(error))
    assert len({each.id for each in tasks}) == len(tasks)
    drawn = "\n".join(
        "\t".join([each.id, each.scene, each.instruction, *sorted(map(str, each.labels.items()))])
        for each in tasks
    )
    assert hashlib.sha256(drawn.encode()).hexdigest()[:16] == DRAWN[name]
