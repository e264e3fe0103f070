"""`react` that perceives movable things only as a detector finds them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peephole
from peephole.adapters.registry import connect
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes import resolve
from peephole.episodes.events import Decided, Stepped
from peephole.episodes.recording import episode_files, read_episode
from peephole.errors import BadInput
from peephole.models.contract import AUGMENTATION
from peephole.models.events import ModelReplied
from peephole.models.images import png_bytes
from peephole.planners.contract import Note
from peephole.scene_graph.node import Kind
from peephole.suites.registry import load_suite

SUITE = "houses"


def played(folder: Path, detector: str, tasks: int = 1, **options: Any) -> list[Any]:
    """The events of the last episode of a run with a stand-in as the planner's model."""
    options = {"augmentation": "vision", **options}
    models = {"planner": "scripted"}
    if options["augmentation"] == "vision":
        models["vision"] = detector
    peephole.run("react", SUITE, tasks=tasks, options=options, model=models, out=folder)
    *_, path = episode_files(folder)
    return list(read_episode(path))


def sent(events: list[Any]) -> str:
    """The messages and schemas that the planner's model received."""
    asked = [e for e in events if isinstance(e, ModelReplied) and e.role == "planner" and e.request]
    return json.dumps([[e.request.messages, e.schema] for e in asked])


def heard(events: list[Any]) -> str:
    """The messages alone."""
    return json.dumps([messages for messages, _ in json.loads(sent(events))])


def notes(events: list[Any]) -> list[Any]:
    return [
        e.decision.data["augmented"]
        for e in events
        if isinstance(e, Decided) and isinstance(e.decision, Note)
    ]


def movable_categories() -> set[str]:
    """The categories of things, without furniture and rooms."""
    suite = load_suite(SUITE)
    adapter = connect(suite.adapter)
    task = next(iter(suite.tasks))
    adapter.reset(task, 0)
    graph = adapter.graph()
    assert graph is not None
    fixed = {n.category for n in graph.nodes() if n.kind is not Kind.OBJECT}
    adapter.close()
    return {n.category for n in graph.nodes(Kind.OBJECT)} - fixed


def test_what_the_detector_misses_is_in_no_word_to_the_planner(tmp_path: Path) -> None:
    events = played(tmp_path / "blind", "scripted_detector:missed=1")
    assert len([e for e in events if isinstance(e, Stepped)]) > 10
    seen = " ".join(e.observation for e in events if isinstance(e, Stepped))
    text = sent(events)
    instruction = events[0].instruction
    example = "newspaper pen scarf"  # of the prompt
    passed = {
        category
        for category in movable_categories()
        if re.search(rf"\b{category}\b", seen) and category not in f"{instruction} {example}"
    }
    assert len(passed) > 5  # that the agent has walked past
    assert {category for category in passed if re.search(rf"\b{category} ?\(?\d", text)} == set()


def test_what_the_detector_invents_can_be_tried_and_fails(tmp_path: Path) -> None:
    events = played(tmp_path / "run", "scripted_detector:invented=1", menu="full")
    invented = {"telescope", "gramophone", "sundial", "anvil", "accordion", "trombone", "globe"}
    text = sent(events)
    assert {name for name in invented if f"pick up {name} 1" in text}


#: States in brackets, and numbers.
_MARKS = re.compile(r" \[[a-z, ]+\]|\d+")


def test_with_a_perfect_detector_the_planner_reads_the_same_and_does_the_same(
    tmp_path: Path,
) -> None:
    alone, view, vision = (
        played(tmp_path / name, "scripted_detector", augmentation=name, menu="none")
        for name in ("none", "view", "vision")
    )
    done = [
        [e.action for e in events if isinstance(e, Stepped)] for events in (alone, view, vision)
    ]
    assert len(done[0]) > 3
    assert done[0] == done[1] == done[2]
    assert sent(alone) == sent(view)
    # A look does not tell that a thing is dirty, and finds things in another order.
    assert _MARKS.sub("", heard(view)) == _MARKS.sub("", heard(vision))
    assert {note["source"] for note in notes(view)} == {"view"}
    assert {note["source"] for note in notes(vision)} == {"vision"}
    assert notes(alone) == []


@pytest.mark.slow
def test_tokens_of_looks_are_no_planning(tmp_path: Path) -> None:
    events = played(tmp_path / "run", "scripted_detector")
    result = events[-1].result
    asked = [e for e in events if isinstance(e, ModelReplied)]
    assert {e.purpose for e in asked if e.role == "vision"} == {AUGMENTATION}
    planning = sum(e.usage.tokens for e in asked if e.role == "planner")
    assert result.planning_tokens == planning < result.tokens
    assert result.augmentation.nodes.f1 == 1.0


def test_earlier_finds_are_unknown_to_the_detector(tmp_path: Path) -> None:
    events = played(tmp_path / "run", "scripted_detector")
    asked = [e for e in events if isinstance(e, ModelReplied) and e.role == "vision"]
    assert "use it for the thing" not in str([e.request for e in asked])
    assert "Known names" not in str([e.request for e in asked])


def test_an_image_that_is_none_is_reported_and_the_planner_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Blind(SymbolicAdapter):
        def image(self) -> Any:
            return None

    monkeypatch.setattr(resolve, "connect", lambda name, isolated=False: Blind())
    events = played(tmp_path / "run", "scripted_detector")
    assert re.search(
        r"The camera gave no image of [a-z ]+ 1; what is there is not known\.", sent(events)
    )
    assert len([e for e in events if isinstance(e, Stepped)]) > 3
    found = events[-1].result.augmentation
    assert found.failed == found.looks > 3


def test_images_of_ones_own_take_the_place_of_the_camera(tmp_path: Path) -> None:
    folder = tmp_path / "photographs"
    folder.mkdir()
    (folder / "kitchen.png").write_bytes(png_bytes(np.full((8, 8, 3), 7, np.uint8)))
    events = played(tmp_path / "run", "scripted_detector", images=str(folder))
    problems = {note["problem"] for note in notes(events)}
    assert "" in problems  # of the kitchen
    assert any("There is no image of" in problem for problem in problems)
    grants = json.loads((tmp_path / "run" / "run.json").read_text())["grants"]
    assert "images" not in grants


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no folder"):
        played(tmp_path / "run", "scripted_detector", images=str(tmp_path / "nowhere"))


def test_a_model_that_is_asked_for_no_role_is_refused() -> None:
    with pytest.raises(BadInput, match="vision"):
        peephole.run("react", SUITE, tasks=1, model={"planner": "scripted", "vision": "scripted"})
