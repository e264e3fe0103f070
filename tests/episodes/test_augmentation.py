"""Scores of what detectors found, and images that are recorded and fed again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.augmentation import AugmentationScore, Matches, score, total
from peephole.episodes.events import Decided, ImageTaken
from peephole.episodes.recording import episode_files, read_episode, without_times
from peephole.episodes.result import EpisodeResult
from peephole.errors import PeepholeError
from peephole.models.events import ModelReplied
from peephole.observation_text.view import View, Visibility, visible
from peephole.planners.contract import Act, Brief, Decisions, Done, Grant, Note, Percept, Planner
from peephole.planners.kits.detectors.choice import ViewDetector
from peephole.planners.kits.detectors.from_model import ModelDetector
from peephole.results.metrics import summarize
from peephole.scene_graph.node import Edge, Kind, Node, Relation
from peephole.skills.actions import go_to

from ..table_room import ME, ROOM, TABLE, table_room

BOWL = 4
APPLES = (5, 6, 7)


@pytest.fixture
def view() -> View:
    """At a table with a bowl, in it two apples, and one apple beside it."""
    graph = table_room(
        [
            Node(BOWL, "bowl", Kind.OBJECT, BOWL),
            *(Node(apple, "apple", Kind.OBJECT, apple) for apple in APPLES),
        ],
        [
            Edge(BOWL, Relation.ON, TABLE),
            Edge(5, Relation.INSIDE, BOWL),
            Edge(6, Relation.INSIDE, BOWL),
            Edge(7, Relation.ON, TABLE),
        ],
    )
    return visible(graph, Visibility.NEAR)


def note(nodes: dict[int, str], edges: list[tuple[int, str, int]], **more: Any) -> Note:
    told = {
        "place": TABLE,
        "nodes": [{"id": i, "category": category} for i, category in nodes.items()],
        "edges": [{"source": s, "relation": r, "target": t} for s, r, t in edges],
        **more,
    }
    return Note("memory", "", {"augmented": told})


def test_what_is_right_in_all_is_exact_whichever_apple_is_which(view: View) -> None:
    nodes = {20: "apple", 21: "apple", 22: "apple", BOWL: "bowl"}
    edges = [(BOWL, "on", TABLE), (20, "on", TABLE), (21, "inside", BOWL), (22, "inside", BOWL)]
    found = score(note(nodes, edges), view)
    assert found == AugmentationScore(1, 0, Matches(4), Matches(4), 1, 0, {})
    names = {i: f"thing {i}" for i in (ROOM, ME, TABLE, BOWL, *APPLES)}
    own = ViewDetector().detect(TABLE, Percept("", view, names, 0), {}).note()
    assert score(own, view) == found


def test_missed_invented_and_misplaced_things_are_counted_by_hand(view: View) -> None:
    nodes = {5: "apple", 7: "apple", BOWL: "bowl", 30: "globe"}
    edges = [(BOWL, "on", TABLE), (5, "on", TABLE), (7, "on", TABLE), (30, "on", TABLE)]
    found = score(note(nodes, edges, dropped={"relation": 2}), view)
    assert found is not None
    assert found.nodes == Matches(right=3, wrong=1, missed=1)
    assert found.edges == Matches(right=2, wrong=2, missed=2)
    assert found.nodes.f1 == pytest.approx(6 / 8)
    assert found.edges.f1 == pytest.approx(4 / 8)
    assert (found.exact, found.unusable) == (0, {"relation": 2})


def test_a_look_without_an_image_misses_everything(view: View) -> None:
    found = score(note({}, [], problem="There is no image.", dropped={"no_image": 1}), view)
    assert found is not None
    assert (found.failed, found.exact, found.nodes) == (1, 0, Matches(missed=4))


@pytest.mark.parametrize(
    "data", [{}, {"augmented": 3}, {"augmented": {"place": "x", "nodes": [], "edges": []}}]
)
def test_notes_of_another_form_have_no_score(view: View, data: dict[str, Any]) -> None:
    assert score(Note("memory", "", data), view) is None


def test_figures_of_a_run_are_those_of_all_its_looks() -> None:
    one = AugmentationScore(2, 1, Matches(3, 1, 0), Matches(2, 0, 1), 0)
    other = AugmentationScore(1, 0, Matches(4, 0, 0), Matches(4, 0, 0), 1)
    results = [result("a", one), result("b", other), result("c", None)]
    figures = summarize(results)
    assert figures["node_f1"].mean == pytest.approx(2 * 7 / (2 * 7 + 1))
    assert figures["edge_f1"].mean == pytest.approx(2 * 6 / (2 * 6 + 1))
    assert figures["exact_looks"].mean == pytest.approx(1 / 2)
    assert figures["looks"].mean == pytest.approx(1.5)
    assert figures["node_f1"].low <= figures["node_f1"].mean <= figures["node_f1"].high
    assert "node_f1" not in summarize([result("c", None)])
    assert total([None]) is None


def result(task: str, found: AugmentationScore | None) -> EpisodeResult:
    return EpisodeResult(task, True, 1.0, "done", 1, 1, 0.0, 0.0, augmentation=found)


# --- images in recordings ---------------------------------------------------------------------


class Flickering(SymbolicAdapter):
    """A world whose camera never gives the same picture twice, though one that reads the same."""

    taken = 0

    def image(self) -> Any:
        image = super().image()
        type(self).taken += 1
        assert image is not None
        image[-1, -1] = np.frombuffer(type(self).taken.to_bytes(3, "big"), np.uint8)
        return image


@pytest.fixture
def flickering(monkeypatch: pytest.MonkeyPatch) -> type[Flickering]:
    Flickering.taken = 0
    monkeypatch.setattr(
        "peephole.episodes.resolve.connect", lambda name, isolated=False: Flickering()
    )
    return Flickering


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Look at each piece of furniture of the first room."""
    detector = ModelDetector(brief.models["vision"])
    for place in [node.id for node in percept.view.graph.nodes(Kind.FIXTURE)][:4]:
        percept = yield Act(go_to(place))
        percept.image()
        detection = detector.detect(place, percept, {place: percept.names[place]})
        yield detection.note()
    yield Done()


LOOKER = Planner(
    "looker", "looks at furniture", plan, frozenset({Grant.IMAGES}), models=("vision",)
)


def played(folder: Path, model: str = "scripted_detector:missed=0.3") -> Path:
    peephole.run(LOOKER, "houses", tasks=1, adapter="symbolic", model={"vision": model}, out=folder)
    return folder


def events(folder: Path) -> list[Any]:
    (path,) = episode_files(folder)
    return list(read_episode(path))


def test_images_are_files_and_recordings_name_them(tmp_path: Path) -> None:
    folder = played(tmp_path / "run")
    (path,) = episode_files(folder)
    assert b"base64" not in path.read_bytes()
    taken = [event.image for event in events(folder) if isinstance(event, ImageTaken)]
    assert len(taken) == 4  # an image of the present moment is taken once
    asked = [e for e in events(folder) if isinstance(e, ModelReplied) and e.request is not None]
    shown = [
        part["image_url"]["url"]
        for event in asked
        for message in event.request.messages
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]
    assert shown == [f"images/{name}" for name in taken]
    assert {path.name for path in (folder / "images").iterdir()} == set(taken)


def test_looks_are_scored_and_summed_in_the_recording(tmp_path: Path) -> None:
    folder = played(tmp_path / "run")
    scores = [e.augmentation for e in events(folder) if isinstance(e, Decided) and e.augmentation]
    assert len(scores) == 4
    assert events(folder)[-1].result.augmentation == total(scores)
    perfect = played(tmp_path / "perfect", "scripted_detector")
    whole = events(perfect)[-1].result.augmentation
    assert whole.nodes.f1 == whole.edges.f1 == 1.0
    assert whole.nodes.right > 0


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.95])
def test_a_continued_episode_is_shown_the_images_of_then(
    tmp_path: Path, flickering: type[Flickering], share: float
) -> None:
    whole = played(tmp_path / "whole")
    cut = tmp_path / "cut"
    shutil.copytree(whole, cut)
    (path,) = episode_files(cut)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    kept = [e.image for e in read_episode(path) if isinstance(e, ImageTaken)]
    taken = flickering.taken
    peephole.resume(cut, planner=LOOKER)
    then = [e.image for e in events(whole) if isinstance(e, ImageTaken)]
    now = [e.image for e in events(cut) if isinstance(e, ImageTaken)]
    assert now[: len(kept)] == then[: len(kept)]
    assert flickering.taken - taken == 4 - len(kept)
    scores = [e.augmentation for e in events(cut) if isinstance(e, Decided) and e.augmentation]
    assert len(scores) == 4


def test_a_run_is_played_again_without_models_from_the_images_of_then(
    tmp_path: Path, flickering: type[Flickering]
) -> None:
    from peephole.episodes.reply_replay import replay_config
    from peephole.episodes.resolve import resolve
    from peephole.episodes.runner import play, start_run

    whole = played(tmp_path / "whole")
    again = tmp_path / "again"
    run = resolve(replay_config(whole), planner=LOOKER)
    start_run(run, again)
    taken = flickering.taken
    assert len(list(play(run, again))) == 1
    assert flickering.taken == taken
    (then,), (now,) = episode_files(whole), episode_files(again)
    assert then.read_bytes() == now.read_bytes()
    assert {p.name for p in (again / "images").iterdir()} == {
        p.name for p in (whole / "images").iterdir()
    }


def test_a_recorded_image_that_is_gone_is_told_with_its_file(tmp_path: Path) -> None:
    folder = played(tmp_path / "run")
    (path,) = episode_files(folder)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    first = next(e.image for e in read_episode(path) if isinstance(e, ImageTaken))
    (folder / "images" / first).unlink()
    with pytest.raises(PeepholeError, match=f"{first} of the recording cannot be read"):
        peephole.resume(folder, planner=LOOKER)


def test_a_camera_without_an_image_is_recorded_as_such(tmp_path: Path) -> None:
    class Blind(SymbolicAdapter):
        def image(self) -> Any:
            return None

    from peephole.episodes import resolve

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resolve, "connect", lambda name, isolated=False: Blind())
        folder = played(tmp_path / "run")
    found = events(folder)
    assert [e.image for e in found if isinstance(e, ImageTaken)] == [""] * 4
    summed = found[-1].result.augmentation
    assert (summed.failed, summed.unusable) == (4, {"no_image": 4})
    assert not [e for e in found if isinstance(e, ModelReplied)]


def test_json_figures_have_the_scores(tmp_path: Path) -> None:
    from peephole.results.tables.rows import episodes_csv, run_document

    folder = played(tmp_path / "run")
    document = run_document(folder)
    json.dumps(document)
    assert {"node_f1", "edge_f1", "exact_looks", "looks"} <= document["results"].keys()
    assert document["rows"][0]["augmentation"]["looks"] == 4
    assert "augmentation" in episodes_csv(folder).splitlines()[0]


def test_the_same_run_gives_the_same_recording(tmp_path: Path) -> None:
    one, other = played(tmp_path / "one"), played(tmp_path / "other")
    assert without_times(events(one)) == without_times(events(other))
