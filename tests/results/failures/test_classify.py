"""Why episodes fail: the labelled failures of the benchmark, and where their classes are told.

A few of each class; `benchmarks/failure_classes.py` plays all sixty.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from peephole.adapters.virtualhome import package
from peephole.episodes.events import Started
from peephole.episodes.recording import read_events
from peephole.results.failures.classify import Diagnosis, FailureKind, diagnose, speaks_of
from peephole.scene_graph.goal_codec import goal_from_data
from peephole.skills.outcomes import Failure, Outcome, Reason

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "failures.md"


@pytest.fixture(scope="module")
def cases() -> Iterator[ModuleType]:
    if package.missing() is not None:
        pytest.skip(str(package.missing()))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield importlib.import_module("injected_failures")


@pytest.fixture(scope="module")
def recordings(cases, tmp_path_factory):
    """The first labelled episode of every class, by name."""
    folder = tmp_path_factory.mktemp("failures")
    of_class = {case.label: case for case in [*cases.injected_failures()][::-1]}
    found = {}
    for label, case in of_class.items():
        path = folder / f"{case.name}.jsonl"
        case.play(path)
        found[case.name] = (label, case.task, read_events(path))
    return found


def test_there_are_sixty_of_sixteen_classes_and_each_number_once(cases):
    labelled = [(case.label, case.name) for case in cases.injected_failures()]
    assert len(labelled) == len({name for _, name in labelled}) == 60
    assert len({label for label, _ in labelled}) == 16


def test_the_classes_are_those_of_their_labels(recordings):
    found = {name: diagnose(events).kind for name, (_, _, events) in recordings.items()}
    assert found == {name: label for name, (label, _, _) in recordings.items()}


def test_the_page_defines_every_class():
    defined = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(), re.MULTILINE)
    assert defined == [str(kind) for kind in FailureKind]


def test_the_recording_tells_what_was_asked_for(recordings):
    for _, task, events in recordings.values():
        started = next(event for event in events if isinstance(event, Started))
        assert goal_from_data(started.goal) == task.goal


def test_a_deciding_step_is_one_of_the_episode(recordings):
    for label, _, events in recordings.values():
        why = diagnose(events)
        assert 0 <= why.step <= events[-1].result.steps, label


def test_a_confusion_is_decided_where_the_wrong_thing_is_put_down(recordings):
    _, task, events = recordings["execution_confusion-0"]
    why = diagnose(events)
    (step,) = [e for e in events if e.event == "stepped" and e.step == why.step]
    assert step.wording.startswith("put down ")
    assert not any(speaks_of(task.instruction, word) for word in step.wording.split()[2:3])


def test_success_and_an_episode_under_way_have_no_class(recordings):
    _, _, events = recordings["search_incomplete-0"]
    assert diagnose([]) is None
    assert diagnose(events[:-1]) is None
    won = replace(events[-1], result=replace(events[-1].result, success=True))
    assert diagnose([*events[:-1], won]) is None


def test_a_goal_that_holds_after_an_infeasible_action_is_decided_by_that(recordings):
    _, _, events = recordings["execution_confusion-0"]
    held = replace(events[-1].result, progress=1.0, infeasible=1)
    failed = Failure(Reason.NOT_OPENABLE)
    steps = [e for e in events if e.event == "stepped"]
    events = [replace(e, outcome=Outcome(failed)) if e is steps[1] else e for e in events[:-1]] + [
        replace(events[-1], result=held)
    ]
    assert diagnose(events) == Diagnosis(FailureKind.EXECUTION_INFEASIBLE, steps[1].step)


def test_recordings_of_before_have_no_class_that_needs_the_goal(recordings):
    _, _, events = recordings["search_incomplete-0"]
    older = [replace(e, goal=None) if isinstance(e, Started) else e for e in events]
    assert diagnose(older).kind is FailureKind.OTHER


@pytest.mark.parametrize(
    ("text", "category", "expected"),
    [
        ("Put two knives on the table.", "knife", True),
        ("Put two loaves of bread there.", "bread", True),
        ("Pineapples are sweet.", "apple", False),
        ("bring a drinking glass", "glass", True),
        ("bring a glass", "drinking glass", False),
        ("two cherries", "cherry", True),
        ("three boxes", "box", True),
    ],
)
def test_a_text_speaks_of_things_in_the_singular_and_the_plural(text, category, expected):
    assert speaks_of(text, category) is expected
