"""A photo of the person is what a planner's vision model looks at."""

from __future__ import annotations

from pathlib import Path

import pytest

import peephole
from peephole.adapters.drawn import draw
from peephole.adapters.operator import settings
from peephole.adapters.operator.page.photo import Photo
from peephole.adapters.operator.questions import Answer, Look, Question, Seen
from peephole.adapters.operator.stand_in.person import RulePerson
from peephole.episodes.events import Decided
from peephole.episodes.recording import episode_files, read_episode
from peephole.models.images import png_bytes
from peephole.observation_text.view import Visibility, visible
from peephole.planners.contract import Note

LAB = Path(__file__).parents[2] / "lab.yaml"


class Photographer(RulePerson):
    """A person by rules who adds a photo: a drawn picture, which the stand-in detector can read."""

    def ask(self, question: Question) -> Answer:
        answer = super().ask(question)
        if isinstance(question, Look):
            assert isinstance(answer, Seen)
            picture = draw(visible(self._graph, Visibility.ROOM))
            photo = Photo.read(png_bytes(picture))
            answer = answer.model_copy(update={"photo": photo.content})
        return answer


def test_a_detector_finds_things_in_the_persons_photos(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "open_desk", lambda: Photographer(LAB))
    (result,) = peephole.run(
        "react",
        "room",
        data=LAB,
        adapter="operator",
        tasks="apple_to_table",
        options={"augmentation": "vision"},
        model={"planner": "scripted", "vision": "scripted_detector"},
        out=tmp_path,
    ).results
    assert result.success
    (path,) = episode_files(tmp_path)
    found = [
        {node["name"] for node in event.decision.data["augmented"]["nodes"]}
        for event in read_episode(path)
        if isinstance(event, Decided) and isinstance(event.decision, Note)
    ]
    assert {"apple 1", "milk 1"} in found
    assert list((tmp_path / "images").iterdir())
