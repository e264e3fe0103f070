"""The real packages of trackers, where they are installed: what a run leaves in each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import peephole
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner
from peephole.scene_graph.rules import Budgets
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite


def look(brief: Brief, percept: Percept) -> Decisions:
    yield Act("look around")


LOOK = Planner("look", "looks around", look)


@pytest.fixture
def suite(task: Task) -> Suite:
    tasks = (task, Task("second", task.instruction, task.goal, task.scene))
    return Suite("apples", "two tasks", tasks, "symbolic", budgets=Budgets(steps=2))


def test_tensorboard_has_numbers_tables_plots_and_films(tmp_path, suite):
    pytest.importorskip("tensorboardX")
    from tensorboardX.proto.event_pb2 import Event

    run = tmp_path / "run"
    peephole.run(LOOK, suite, tasks=1, out=run, log=f"tensorboard={tmp_path / 'board'}")
    has_film = film_of(run)
    peephole.resume(
        run, tasks=2, planner=LOOK, suite=suite, log=f"tensorboard={tmp_path / 'board'}"
    )
    files = sorted((tmp_path / "board" / "run").iterdir(), key=lambda file: file.stat().st_mtime_ns)
    assert len(files) == 2
    found: dict[tuple[str, int], object] = {}
    for record in records(files[-1]):
        event = Event.FromString(record)
        for value in event.summary.value:
            found[value.tag, event.step] = value
    assert found["episode/steps", 2].simple_value == 1
    assert ("run/gsr", 1) in found
    assert found["figures/gsr", 0].simple_value == 0
    assert b"| second |" in found["episodes/text_summary", 0].tensor.string_val[0]
    assert b"made_with.packages.numpy" in found["settings/text_summary", 0].tensor.string_val[0]
    if has_film:
        picture = found["films/0001-first", 0].image
        assert picture.encoded_image_string.startswith(b"GIF89a")
        assert (picture.width, picture.height) == (480, 320)


def records(file: Path) -> Iterator[bytes]:
    """The records of a file in TensorFlow's format, without their checksums."""
    content = file.read_bytes()
    while content:
        length = int.from_bytes(content[:8], "little")
        yield content[12 : 12 + length]
        content = content[16 + length :]


def film_of(run: Path) -> bool:
    """Write a film into a run's folder; False without the packages for films."""
    from peephole.adapters.film import Film

    np = pytest.importorskip("numpy")
    try:
        (run / "films").mkdir()
        with Film(run / "films" / "0001-first.mp4", 4.0) as film:
            for shade in range(0, 250, 50):
                film.add(np.full((64, 96, 3), shade, dtype=np.uint8))
    except ImportError:
        return False
    return True


@pytest.mark.slow
def test_wandb_has_the_run_offline(tmp_path, suite, monkeypatch):
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    peephole.run(LOOK, suite, out=tmp_path / "run", log="wandb=kitchen")
    film_of(tmp_path / "run")
    peephole.log_run(tmp_path / "run", "wandb=kitchen")
    folders = sorted((tmp_path / "wandb").glob("offline-run-*"))
    assert len({folder.name.rsplit("-", 1)[1] for folder in folders}) == 1
    (table,) = folders[-1].glob("files/media/table/*.json")
    columns = json.loads(table.read_text())["columns"]
    assert {"task", "success", "failure_class"} <= set(columns)
    assert list(folders[-1].glob("files/media/videos/films/*.mp4"))


@pytest.mark.slow
def test_wandb_without_a_key_is_one_sentence(tmp_path):
    pytest.importorskip("wandb")
    here = {name: value for name, value in os.environ.items() if not name.startswith("WANDB_")}
    play = ("run", "--suite", "houses", "--planner", "random", "--tasks", "1", "--log", "wandb")
    done = subprocess.run(
        [sys.executable, "-m", "peephole", *play, "--out", "run"],
        cwd=tmp_path,
        env={**here, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("peephole: --log wandb cannot start (")
    assert done.stderr.endswith("set WANDB_API_KEY, or WANDB_MODE=offline to log into a folder.\n")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_mlflow_has_one_run_that_goes_on(tmp_path, suite, monkeypatch):
    pytest.importorskip("mlflow")
    from mlflow.tracking import MlflowClient

    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"file:{tmp_path / 'store'}")
    run = tmp_path / "run"
    peephole.run(LOOK, suite, tasks=1, out=run, log="mlflow=kitchen")
    film_of(run)
    peephole.resume(run, tasks=2, planner=LOOK, suite=suite, log="mlflow=kitchen")
    client = MlflowClient()
    experiment = client.get_experiment_by_name("kitchen")
    (found,) = client.search_runs([experiment.experiment_id])
    assert found.info.status == "FINISHED"
    assert found.data.params["planner"] == "look"
    assert found.data.tags["tasks"] == "2"
    history = client.get_metric_history(found.info.run_id, "episode/steps")
    assert [metric.step for metric in history] == [1, 2]
    assert found.data.metrics["figures/gsr"] == 0.0
    names = {file.path for file in client.list_artifacts(found.info.run_id)}
    assert {"episodes.csv", "run.json", "films"} <= names
