"""Pictures of looks: beside the page, at the step that they led to, and named by `show`."""

from __future__ import annotations

import re
import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import peephole
from peephole.episodes.events import ImageTaken
from peephole.episodes.recording import episode_files, read_events
from peephole.models.images import png_bytes
from peephole.results.pictures import PicturesReader
from peephole.results.report.page import write_report
from peephole.results.show.episode_view import episode_view

from ...opened_page import OpenedPage

pytest.importorskip("PIL")


def played(folder: Path, **options: Any) -> Path:
    peephole.run(
        "react",
        "houses",
        tasks=1,
        options={"augmentation": "vision", **options},
        model={"planner": "scripted", "vision": "scripted_detector"},
        out=folder,
    )
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("looks") / "run")


def taken(run: Path) -> list[str]:
    (path,) = episode_files(run)
    return [e.image for e in read_events(path) if isinstance(e, ImageTaken)]


def items(step: dict[str, Any]) -> list[dict[str, Any]]:
    return [item for item in step.get("before", []) if item["kind"] == "picture"]


def shown(page: Path) -> list[str]:
    """The addresses of what was looked at, in order; "" for files that are gone."""
    data = OpenedPage(page).episode("run1/1")
    looked_at = [item for step in data["steps"] for item in items(step)]
    return [item["source"] for item in looked_at]


def test_the_page_shows_what_was_looked_at_from_files_beside_it(run: Path, tmp_path: Path) -> None:
    page = tmp_path / "pages" / "report.html"
    write_report([run], page)
    assert shown(page) == [f"report_images/{name}" for name in taken(run)]
    for source in shown(page):
        original = run / "images" / Path(source).name
        assert (page.parent / source).read_bytes() == original.read_bytes()


def test_a_picture_stands_before_the_step_that_followed(run: Path, tmp_path: Path) -> None:
    write_report([run], tmp_path / "report.html")
    steps = OpenedPage(tmp_path / "report.html").episode("run1/1")["steps"]
    (path,) = episode_files(run)
    (look,) = [e for e in read_events(path) if isinstance(e, ImageTaken)][1:2]
    assert look.image in [item["text"] for item in items(steps[look.step])]


def test_a_picture_of_one_s_own_folder_is_shown_too(tmp_path: Path) -> None:
    folder = tmp_path / "photographs"
    folder.mkdir()
    (folder / "kitchen.png").write_bytes(png_bytes(np.full((8, 8, 3), 7, np.uint8)))
    run = played(tmp_path / "run", images=str(folder))
    assert taken(run) == []
    write_report([run], tmp_path / "report.html")
    (source,) = set(shown(tmp_path / "report.html"))
    assert (tmp_path / source).is_file()


def test_a_file_that_is_gone_is_told(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    first, *others = dict.fromkeys(taken(copy))
    (copy / "images" / first).unlink()
    write_report([copy], tmp_path / "report.html")
    sources = shown(tmp_path / "report.html")
    assert {Path(source).name for source in sources if source} == {*others}
    assert sources.count("") == taken(copy).count(first)


def test_what_the_camera_saw_after_a_step_is_shown_with_it(tmp_path: Path) -> None:
    peephole.run("explore", "houses", tasks=1, images=True, out=tmp_path / "run")
    write_report([tmp_path / "run"], tmp_path / "report.html")
    data = OpenedPage(tmp_path / "report.html").episode("run1/1")
    pictures = [step["image"] for step in [data, *data["steps"]]]
    assert all((tmp_path / picture["source"]).is_file() for picture in pictures)
    assert len({picture["name"] for picture in pictures}) > 1
    assert [item for step in data["steps"] for item in items(step)] == [], "each is shown once"


def test_show_names_the_file_of_each_look(run: Path) -> None:
    console = Console(width=200, record=True, file=StringIO())
    console.print(episode_view(run, "1"))
    named = re.findall(r"\(picture: images/(\S+)\)", console.export_text())
    assert named == taken(run)


@pytest.mark.parametrize("name", ["", "../secret.png", "/etc/passwd", "a" * 32 + ".svg"])
def test_what_is_no_picture_s_name_is_left_alone(name: str) -> None:
    assert PicturesReader().new_in(ImageTaken(image=name, step=0)) == []
