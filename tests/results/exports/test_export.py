"""What cannot be exported is refused in one sentence, and leaves nothing behind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from peephole.episodes.recording import episode_files
from peephole.errors import BadInput, Missing, PeepholeError
from peephole.installed import requirements_of
from peephole.results.exports import export as exporting
from peephole.results.exports.export import FORMATS, Wanted, export
from peephole.results.report.page import write_report


@pytest.mark.parametrize(
    ("to", "wanted", "told"),
    [
        ("parket", Wanted(), "no export 'parket'. Did you mean parquet"),
        ("chat", Wanted(each="line"), "--each is 'line'; give reply or episode"),
        ("chat", Wanted("most"), "--episodes is 'most'; give all or successful"),
        ("chat", Wanted(each="reply"), "no replies of a language model; give --each episode"),
        ("parquet", Wanted(each="reply"), "--each belongs to --to chat"),
        ("parquet", Wanted(first_replies=2), "--first-replies belongs to --to chat"),
        ("chat", Wanted(each="episode", first_replies=2), "--first-replies belongs to --to chat"),
        ("instructions", Wanted("all"), "exports successful episodes only"),
        ("instructions", Wanted(), "export a run of llm_pop instead"),
    ],
)
def test_what_makes_no_sense_is_refused(
    explored: Path, tmp_path: Path, to: str, wanted: Wanted, told: str
) -> None:
    with pytest.raises(BadInput, match=told):
        export(explored, to, tmp_path / "out", wanted)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_library_is_told_with_its_command(
    explored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "find_spec", lambda name: None)
    for to, form in FORMATS.items():
        if form.libraries:
            with pytest.raises(Missing, match=r"; install it with: .*pip install") as caught:
                export(explored, to, tmp_path / "out")
            assert all(name in str(caught.value) for name in requirements_of(form.extra))


def test_what_exists_is_kept(explored: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(BadInput, match="exists already; remove it"):
        export(explored, "chat", tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_told(explored: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        export(explored, "chat", tmp_path / "file" / "out")


@pytest.mark.parametrize("to", ["chat", "parquet"])
@pytest.mark.parametrize("lines", [3, 0])
def test_a_run_that_has_not_ended_is_refused(
    explored: Path, tmp_path: Path, to: str, lines: int
) -> None:
    run = shutil.copytree(explored, tmp_path / "run")
    path = [*episode_files(run)][1]
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))
    with pytest.raises(BadInput, match=r"Episode 2 of .*finish the run first: .*--resume"):
        export(run, to, tmp_path / "out")
    assert list(tmp_path.iterdir()) == [run]


def test_a_damaged_recording_is_refused(explored: Path, tmp_path: Path) -> None:
    run = shutil.copytree(explored, tmp_path / "run")
    path = next(episode_files(run))
    path.write_bytes(path.read_bytes().replace(b'"event":"decided"', b'"event":"dreamt"', 1))
    with pytest.raises(BadInput, match=f"{path.name}, line .* is no event"):
        export(run, "parquet", tmp_path / "out")


def test_an_image_that_is_gone_is_named(explored: Path, tmp_path: Path) -> None:
    run = shutil.copytree(explored, tmp_path / "run")
    image = next((run / "images").iterdir())
    image.unlink()
    with pytest.raises(PeepholeError, match=f"{image.name} of the recording cannot be read"):
        export(run, "parquet", tmp_path / "out")
    assert list(tmp_path.iterdir()) == [run]


@pytest.mark.parametrize("name", ["../../planted.txt", "/etc/hostname", "link"])
def test_no_image_name_leads_out_of_the_run(explored: Path, tmp_path: Path, name: str) -> None:
    run = shutil.copytree(explored, tmp_path / "run")
    planted = tmp_path / "planted.txt"
    planted.write_text("of somebody else")
    image = next((run / "images").iterdir())
    if name == "link":
        image.unlink()
        image.symlink_to(planted)
        name = image.name
    for path in episode_files(run):
        path.write_bytes(path.read_bytes().replace(image.name.encode(), name.encode()))
    reason = "is a link" if name == image.name else "which no recording of Peephole does"
    for form in ("parquet", "mcap", "lerobot"):
        with pytest.raises(BadInput, match=reason):
            export(run, form, tmp_path / "out" / form)
    assert planted.read_text() == "of somebody else"
    assert not list((tmp_path / "out").iterdir())
    write_report([run], tmp_path / "page" / "report.html")
    assert "of somebody else" not in str(
        [path.read_bytes() for path in (tmp_path / "page").rglob("*") if path.is_file()]
    )


def test_a_run_without_success_gives_nothing_to_learn_from(failed: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"reached its goal .* or give --episodes all"):
        export(failed, "chat", tmp_path / "out")
