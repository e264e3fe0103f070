"""The command line's options on models as their user meets them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..commands import command

RUN = ("run", "--suite", "robothow", "--planner", "react", "--adapter", "symbolic")


def peephole(
    *arguments: str, url: str = "", key: str = "", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    asked = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": key, "COLUMNS": "200"}
    return command(*arguments, cwd=cwd, environment=kept | asked)


def test_a_run_with_a_model_is_played_counted_and_shown(tmp_path: Path, endpoint: Any) -> None:
    run = str(tmp_path / "run")
    options = ("--model", "stand-in", "--price-in", "3", "--price-out", "15")
    done = peephole(
        *(*RUN, "--tasks", "2", "--json", "--out", run, *options), url=endpoint.url, key="sk-secret"
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["results"]
    # once for the run `react` asked whether the server holds replies to schemas
    assert figures["calls"]["mean"] * 2 + 1 == len(endpoint.requests)
    assert figures["tokens"]["mean"] > 0
    assert figures["usd"]["mean"] > 0
    stored = json.loads((tmp_path / "run" / "run.json").read_text())["config"]["models"]["planner"]
    assert stored["name"] == "stand-in"
    assert endpoint.url.startswith(f"http://{stored['host']}")
    assert (stored["temperature"], stored["price_in"]) == (0.0, 3.0)
    recorded = b"".join(path.read_bytes() for path in tmp_path.rglob("*.json*"))
    assert b"sk-secret" not in recorded
    shown = peephole("show", run, "1").stdout
    assert "(I see.)" in shown
    assert "tokens in" in shown
    assert "TPA" in peephole("show", run).stdout


def test_workers_share_one_budget_and_a_run_goes_on_with_more(
    tmp_path: Path, endpoint: Any
) -> None:
    run = str(tmp_path / "run")
    options = ("--model", "stand-in", "--model-tokens", "9000", "--workers", "2")
    endpoint.pick = lambda body, menu: "wait" if "wait" in menu else menu[0]
    done = peephole(*RUN, "--tasks", "4", "--out", run, *options, url=endpoint.url)
    assert done.returncode == 1
    sentence = done.stderr.strip().splitlines()[-1]
    assert "budget of 9000 tokens is used up" in sentence
    assert sentence.endswith(f"then continue with: peephole run --resume --out {run}")
    assert len(endpoint.requests) < 20
    endpoint.pick = lambda body, menu: "done"
    more = ("--resume", "--out", run, "--model-tokens", "10000000", "--json")
    done = peephole("run", *more, url=endpoint.url)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["episodes"] == 4


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("401", "does not accept the key in OPENAI_API_KEY"),
        ("404", "has no model stand-in"),
        ("bad", "refuses a request"),
    ],
)
def test_an_endpoint_that_refuses_gets_one_sentence(
    tmp_path: Path, endpoint: Any, fault: str, sentence: str
) -> None:
    endpoint.always = lambda body: fault
    done = peephole(
        *(*RUN, "--tasks", "1", "--json", "--out", str(tmp_path / "run"), "--model", "stand-in"),
        url=endpoint.url,
    )
    assert done.returncode in (1, 3)
    *notes, last = done.stderr.splitlines()
    assert sentence in last
    assert all(note.startswith("peephole: robothow: 338 tasks; ") for note in notes)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ([], 2, "The planner react asks a language model: give --model NAME"),
        (["--model", "gpt"], 3, "set OPENAI_API_KEY, or OPENAI_BASE_URL"),
        (["--model", "local:nowhere.gguf"], 2, "There is no model file"),
        (["--temperature", "1"], 2, "--temperature needs a model; add --model"),
        (["--reply-tokens", "9"], 2, "--reply-tokens needs a model; add --model"),
        (["--model", "local", "--model-money", "1"], 2, "--price-in and --price-out"),
        (["--model", "local", "--planner", "random"], 2, "asks no model"),
    ],
)
def test_bad_usage_gets_one_sentence(
    tmp_path: Path, arguments: list[str], code: int, sentence: str
) -> None:
    done = peephole(*RUN, *arguments, cwd=tmp_path)
    assert done.returncode == code
    *notes, last = done.stderr.splitlines()
    assert sentence in last
    assert all(note.startswith("peephole: robothow: 338 tasks; ") for note in notes)
    assert done.stdout == ""


def test_a_resumed_run_keeps_its_model(tmp_path: Path, endpoint: Any) -> None:
    run = str(tmp_path / "run")
    endpoint.pick = lambda body, menu: "done"
    options = ("--tasks", "1", "--out", run, "--model", "stand-in", "--temperature", "0.5")
    assert peephole(*RUN, *options, url=endpoint.url).returncode == 0
    other = peephole("run", "--resume", "--out", run, "--model", "other", url=endpoint.url)
    assert (other.returncode, len(other.stderr.splitlines())) == (2, 1)
    assert "was run with --model stand-in" in other.stderr
    hotter = peephole("run", "--resume", "--out", run, "--temperature", "1", url=endpoint.url)
    assert "was run with --temperature 0.5" in hotter.stderr


def test_what_was_served_and_how_it_was_asked_is_shown(tmp_path: Path, endpoint: Any) -> None:
    run, page = str(tmp_path / "run"), tmp_path / "page.html"
    endpoint.pick = lambda body, menu: "done"
    endpoint.always = lambda body: "no_temperature" if "temperature" in body else "no_usage"
    options = ("--tasks", "1", "--out", run, "--model", "stand-in", "--model-tokens", "9000")
    done = peephole(*RUN, *options, url=endpoint.url)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("does not report the tokens") == 1
    assert peephole("report", run, "--out", str(page)).returncode == 0
    for shown in (
        peephole("show", run).stdout,
        peephole("show", run, "1").stdout,
        page.read_text(),
    ):
        assert "served as stand-in-2026 (fp_1)" in shown
        assert "changed: no temperature" in shown
        assert "reported no tokens" in shown


SERVED = """
import os
from contextlib import nullcontext
from peephole.models.served_model import ModelEndpoint, ServedModel
MODEL = ServedModel(
    "strange", "of a test", lambda options: nullcontext(ModelEndpoint(os.environ["SERVED"], "m"))
)
"""


def test_a_model_that_runs_here_is_said_to_start(
    tmp_path: Path, endpoint: Any, package: Callable[..., Path]
) -> None:
    package(SERVED, {"models": "MODEL"})
    endpoint.pick = lambda body, menu: "done"
    done = command(
        *(*RUN, "--model", "strange", "--tasks", "1"),
        cwd=tmp_path,
        environment={**os.environ, "PYTHONPATH": str(tmp_path), "SERVED": endpoint.url},
    )
    assert done.returncode == 0, done.stderr
    starting, ready = done.stdout.splitlines()[:2]
    assert starting == "Starting the model strange …"
    assert re.fullmatch(r"The model is ready after \d+\.\d s\.", ready)


@pytest.mark.parametrize("option", ["--model-threads", "--model-context"])
def test_what_is_for_models_that_run_here_is_refused_for_others(
    tmp_path: Path, endpoint: Any, option: str
) -> None:
    done = peephole(*RUN, "--model", "m", option, "4096", url=endpoint.url, cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert f"{option} is for models that run on this machine" in done.stderr


def test_a_run_that_goes_on_with_another_endpoint_says_so(tmp_path: Path, endpoint: Any) -> None:
    run = str(tmp_path / "run")
    endpoint.faults.append("quota")
    options = ("--tasks", "1", "--out", run, "--model", "stand-in", "--reasoning-effort", "low")
    assert "add credit" in peephole(*RUN, *options, url=endpoint.url).stderr
    endpoint.pick = lambda body, menu: "done"
    other = endpoint.url.replace("127.0.0.1", "localhost")
    resumed = ("run", "--resume", "--out", run, "--model-patience", "5")
    done = peephole(*resumed, url=other)
    assert done.returncode == 0, done.stderr
    before, now = (url.split("/")[2] for url in (endpoint.url, other))
    assert f"began with the endpoint {before} and continues with {now}" in done.stdout
    assert endpoint.requests[-1]["reasoning_effort"] == "low"


def test_a_missing_package_names_the_command_that_installs_it(tmp_path: Path) -> None:
    """An interpreter without xllamacpp, as after a plain installation."""
    hide = (
        "import importlib.util, runpy, sys\n"
        "real = importlib.util.find_spec\n"
        "def find_spec(name, package=None):\n"
        "    return None if name == 'xllamacpp' else real(name, package)\n"
        "importlib.util.find_spec = find_spec\n"
        f"sys.argv = ['peephole', *{list(RUN)!r}, '--model', 'local']\n"
        "runpy.run_module('peephole', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", hide], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 3
    assert " -m pip install 'xllamacpp>=" in done.stderr
    assert len(done.stderr.splitlines()) == 1
