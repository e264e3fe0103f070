"""`peephole run --config FILE`, and runs that grow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peephole.cli.options import ModelOptions, RecordingOptions, TaskOptions
from peephole.cli.settings import with_settings
from peephole.errors import BadInput

WHOLE = """
suite: houses
planner: react
options: {menu: full, repeats: 3, memory: null}
model: {model: NAME, roles: {vision: OTHER}, temperature: 0.5, price_in: 2}
budget: {tokens: 1000, money: 1.5}
adapter: symbolic
dialect: reactree
data: here
tasks: [a/1, b/2]
seed: 4
repeats: 2
planning_time: 9
faults: rates.json
approve: person
model_threads: 2
model_context: 4096
model_timeout: 5
model_patience: 6
reply_cache: replies
workers: 3
engine: processes
images: true
isolate: true
out: runs/x
log: wandb
"""


def filled(tmp_path: Path, text: str, *groups: object) -> tuple[object, ...]:
    (tmp_path / "run.yaml").write_text(text)
    what = TaskOptions(config=tmp_path / "run.yaml")
    given = {type(group): group for group in (what, ModelOptions(), RecordingOptions(), *groups)}
    return with_settings(*given.values())


def test_a_file_sets_every_option(tmp_path):
    what, asks, recording = filled(tmp_path, WHOLE)
    assert what.set_options == {"menu": "full", "repeats": "3", "memory": "none"}
    assert (what.suite, what.tasks, what.seed, what.repeats) == ("houses", "a/1,b/2", 4, 2)
    assert asks.by_role() == {"planner": "NAME", "vision": "OTHER"}
    assert asks.asked()["--model-money"] == 1.5
    unset = [
        name
        for group in (what, asks, recording)
        for name, value in vars(group).items()
        if value == getattr(type(group)(), name)
    ]
    # What no file has: another file, another way to play, and how the command prints.
    assert unset == [
        *("grid", "stop_when", "replay_replies", "reply_tokens", "reasoning_effort"),
        *("reasoning_tokens", "price_out", "price_cached", "resume", "watch", "as_json"),
    ]


def test_options_of_the_command_come_first(tmp_path):
    own = TaskOptions(config=tmp_path / "run.yaml", seed=9, set_=["menu=none"], tasks="3")
    what, _, recording = filled(tmp_path, WHOLE, own, RecordingOptions(workers=8))
    assert (what.seed, what.tasks, recording.workers) == (9, "3", 8)
    assert what.set_options == {"menu": "none", "repeats": "3", "memory": "none"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("suit: houses", "There is no field 'suit'. Did you mean suite"),
        ("model: {model: x, temprature: 1}", "There is no field 'temprature' in 'model'; correct"),
        ("seed: 1\nsuite: houses\nseed: 2", "is not YAML ('seed' is there twice); correct it."),
        ("seed: x", "'seed' is wrong"),
        ("workers: 0", "'workers' is wrong"),
        ("model: {temperature: 1}", "'model.model' is wrong"),
        ("seed: [", "is not YAML"),
        ("", "has no fields; write each as NAME: VALUE."),
        ("- suite: houses", "has no fields; write each as NAME: VALUE."),
    ],
)
def test_a_mistake_in_the_file_is_one_sentence(tmp_path, text, problem):
    with pytest.raises(BadInput) as error:
        filled(tmp_path, text)
    assert problem in str(error.value)
    assert str(error.value).startswith(f"The file of settings {tmp_path / 'run.yaml'}")


def test_an_unknown_engine_of_the_file_is_one_sentence(tmp_path):
    with pytest.raises(BadInput, match=r"There is no engine 'rays'\. Did you mean ray"):
        filled(tmp_path, "engine: rays")


def test_a_run_of_a_file_is_resumed_and_grows(tmp_path, peephole):
    text = "suite: houses\nplanner: explore\ntasks: 1\nseed: 3\nout: run\n"
    (tmp_path / "run.yaml").write_text(text)
    done = peephole("run", "--config", "run.yaml", "--json")
    assert (done.returncode, json.loads(done.stdout)["episodes"]) == (0, 1)
    again = peephole("run", "--config", "run.yaml", "--resume", "--tasks", "2", "--json")
    assert (again.returncode, json.loads(again.stdout)["episodes"]) == (0, 2)
    stored = json.loads((tmp_path / "run" / "run.json").read_text())["config"]
    assert (stored["extended"], stored["seed"]) == ([1], 3)
    smaller = peephole("run", "--config", "run.yaml", "--resume")
    assert (smaller.returncode, len(smaller.stderr.splitlines())) == (2, 1)
    assert "and a run only grows; leave --tasks out, or give 2 or more." in smaller.stderr
    both = peephole("run", "--config", "run.yaml", "--grid", "llm_state_table1", "--out", "x")
    assert (both.returncode, len(both.stderr.splitlines())) == (2, 1)
