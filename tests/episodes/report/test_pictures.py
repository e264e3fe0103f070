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
from peephole.episodes.pictures import PicturesReader
from peephole.episodes.recording import episode_files, read_events
from peephole.episodes.report.page import write_report
from peephole.episodes.show import episode_view
from peephole.planners.llm.images import png_bytes

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


def shown(page: Path) -> list[str]:
    return re.findall(r'<img src="([^"]+)"', page.read_text(encoding="utf-8"))


def test_the_page_shows_what_was_looked_at_from_files_beside_it(run: Path, tmp_path: Path) -> None:
    page = tmp_path / "pages" / "report.html"
    write_report([run], page)
    assert shown(page) == [f"report_images/{name}" for name in taken(run)]
    for source in shown(page):
        original = run / "images" / Path(source).name
        assert (page.parent / source).read_bytes() == original.read_bytes()


def test_a_picture_stands_before_the_step_that_followed(run: Path, tmp_path: Path) -> None:
    write_report([run], tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    (path,) = episode_files(run)
    (look,) = [e for e in read_events(path) if isinstance(e, ImageTaken)][1:2]
    before, after = (text.index(f'id="run1-1-{step}"') for step in (look.step + 1, look.step + 2))
    assert before < text.index(f'src="report_images/{look.image}"') < after


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
    assert {Path(source).name for source in shown(tmp_path / "report.html")} == {*others}
    told = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"images/{first} is no longer in the run" in told


def test_show_names_the_file_of_each_look(run: Path) -> None:
    console = Console(width=200, record=True, file=StringIO())
    console.print(episode_view(run, "1"))
    named = re.findall(r"\(picture: images/(\S+)\)", console.export_text())
    assert named == taken(run)


@pytest.mark.parametrize("name", ["", "../secret.png", "/etc/passwd", "a" * 32 + ".svg"])
def test_what_is_no_picture_s_name_is_left_alone(name: str) -> None:
    assert PicturesReader().new_in(ImageTaken(image=name, step=0)) == []
