"""Options of a run: the planner's own, its models by role, images, and what does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

#: Ends at once, and says what it was given.
TALKER = """
from pydantic import BaseModel, Field

from peephole.planners.contract import Brief, Decisions, Done, Percept, Planner


class Options(BaseModel):
    rounds: int = Field(3, ge=1, description="how often it speaks")
    voice: str = "low"


def plan(brief: Brief, percept: Percept) -> Decisions:
    yield Done(f"{brief.options.rounds} {brief.options.voice}")


PLANNER = Planner("talker", "speaks", plan, options=Options)
ASKER = Planner("asker", "asks", plan, options=Options, models=("planner", "vision"))
"""
#: Thinks by itself, for a while.
SLEEPER = """
import time

from peephole.planners.contract import Done, Planner, Think


def plan(brief, percept):
    time.sleep(0.3)
    yield Think("At last.")
    yield Done()


PLANNER = Planner("sleeper", "sleeps", plan)
"""
RUN = ("run", "--suite", "houses", "--tasks", "1", "--out", "run")
TALK = (*RUN, "--planner", "talker.py")
ASK = (*RUN, "--planner", "talker.py:ASKER")

#: An adapter that cannot tell whether anything was achieved.
BLIND = """
from dataclasses import replace

from peephole.adapters.symbolic import SymbolicAdapter


class Adapter(SymbolicAdapter):
    spec = replace(SymbolicAdapter.spec, name="strange", capabilities=frozenset())
"""


@pytest.fixture(autouse=True)
def talker(tmp_path: Path) -> None:
    (tmp_path / "talker.py").write_text(TALKER)
    (tmp_path / "replies").write_text('"Hello."\n')


def config(tmp_path: Path) -> dict[str, object]:
    stored = json.loads((tmp_path / "run" / "run.json").read_text())["config"]
    assert isinstance(stored, dict)
    return stored


@pytest.mark.parametrize("workers", ["1", "2"])
def test_another_budget_of_planning_time_can_be_given(tmp_path, peephole, workers):
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    play = ("run", "--suite", "houses", "--tasks", "1", "--planner", "sleeper.py", "--out", "run")
    done = peephole(*play, "--planning-time", "0.1", "--workers", workers)
    assert done.returncode == 0, done.stderr
    assert "no planning time was left (0.1 s" in peephole("show", "run", "1").stdout
    again = peephole("run", "--resume", "--out", "run", "--planning-time", "9")
    assert (again.returncode, len(again.stderr.splitlines())) == (2, 1)
    assert "another --planning-time" in again.stderr


def test_options_of_the_planner_are_set_stored_shown_and_kept(tmp_path, peephole):
    done = peephole(*TALK, "--set", "rounds=5", "--set", " voice = a=b ", "--json")
    assert done.returncode == 0, done.stderr
    assert config(tmp_path)["options"] == {"rounds": "5", "voice": "a=b"}
    assert "5 a=b" in peephole("show", "run", "1").stdout
    assert "rounds=5" in peephole("show", "run", COLUMNS="120").stdout
    resume = ("run", "--resume", "--out", "run")
    other = peephole(*resume, "--set", "rounds=6")
    assert (other.returncode, len(other.stderr.splitlines())) == (2, 1)
    assert "run was run with --set rounds=5" in other.stderr
    same = peephole(*resume, "--set", "rounds=5", "--json")
    assert same.returncode == 0, same.stderr


def test_models_are_given_by_role(tmp_path, peephole):
    done = peephole(
        *ASK, "--model", "replies:replies", "--model", "vision=replies:./replies", "--json"
    )
    assert done.returncode == 0, done.stderr
    models = config(tmp_path)["models"]
    assert {role: model["name"] for role, model in models.items()} == {
        "planner": "replies:replies",
        "vision": "replies:./replies",
    }


def test_a_role_without_a_model_of_its_own_takes_the_planners(tmp_path, peephole):
    (tmp_path / "a=b").write_text('"Hello."\n')
    done = peephole(*ASK, "--model", "replies:a=b", "--json")  # what is before = is no word
    assert done.returncode == 0, done.stderr
    models = config(tmp_path)["models"]
    assert {model["name"] for model in models.values()} == {"replies:a=b"}
    assert models.keys() == {"planner", "vision"}


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ([*TALK, "--set", "rounds"], 2, "--set rounds is malformed; write it as --set KEY=VALUE."),
        ([*TALK, "--set", "=5"], 2, "--set =5 is malformed"),
        ([*TALK, "--set", "voice=a", "--set", "voice=b"], 2, "--set gives two values for voice"),
        ([*TALK, "--set", "rouns=5"], 2, "rouns"),
        ([*TALK, "--set", "rounds=0"], 2, "rounds of talker cannot be '0'"),
        ([*RUN, "--planner", "random", "--set", "rounds=5"], 2, "random has no option 'rounds'"),
        ([*TALK, "--set", ""], 2, "--set has no value; give one"),
        ([*ASK, "--model", ""], 2, "--model has no value; give one"),
        ([*ASK, "--model", "planner="], 2, "--model planner= has no name; write it as"),
        ([*TALK, "--data="], 2, "--data has no value; give one"),
        ([*TALK, "--planning-time", "inf"], 2, "--planning-time inf is not a finite number"),
        ([*TALK, "--out"], 2, "'--out' requires an argument; see `peephole run --help`"),
        ([*TALK, "--sett", "rounds=5"], 2, "No such option: --sett"),
        ([*TALK, "--model", "replies:replies"], 2, "The planner talker asks no model"),
        ([*ASK, "--model", "vision=replies:replies"], 2, "'planner': give --model planner=NAME"),
        ([*ASK, "--model", "builder=x", "--model", "x"], 2, "'builder'. Choose one of: planner"),
        ([*ASK, "--model", "x", "--model", "planner=y"], 2, "two models for the role 'planner'"),
        ([*ASK], 2, "The planner asker asks a language model: give --model NAME"),
        ([*TALK, "--adapter", "strange"], 1, "Nothing can score this run: the adapter strange"),
        ([*TALK, "--dialect", "alfworld"], 2, "talker does not speak the dialect alfworld"),
        ([*TALK, "--json", "--watch"], 2, "--watch and --json exclude each other"),
    ],
)
def test_what_does_not_fit_is_one_sentence_before_the_run_starts(
    tmp_path, peephole, package, arguments, code, sentence
):
    package(BLIND, {"adapters": "Adapter"})
    done = peephole(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_run_that_nothing_scored_has_failed(peephole, package):
    package(
        BLIND.replace("frozenset()", "SymbolicAdapter.spec.capabilities")
        + "\n\n    def attempt(self, action, variation):\n"
        "        from peephole.skills.executor import SimulatorDied\n\n"
        "        raise SimulatorDied('it is gone')\n",
        {"adapters": "Adapter"},
    )
    done = peephole(*RUN, "--planner", "random", "--adapter", "strange", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["episodes"] == 1
    assert "No episode could be scored; see why with: peephole show run" in done.stderr


def test_options_are_told_by_planners(peephole, package):
    package(TALKER, {"planners": "ASKER"})
    (row,) = [
        row for row in json.loads(peephole("planners", "--json").stdout) if row["name"] == "strange"
    ]
    assert row["models"] == ["planner", "vision"]
    assert row["options"] == [
        {"name": "rounds", "type": "int", "default": "3", "description": "how often it speaks"},
        {"name": "voice", "type": "str", "default": "low", "description": ""},
    ]
    text = peephole("planners", "strange").stdout
    assert "asks models: planner, vision" in text
    assert "--set rounds=3 (int): how often it speaks" in text


@pytest.mark.parametrize("columns", ["60", "100"])
def test_help_tells_options_in_panels_with_an_example(peephole, columns):
    text = peephole("run", "--help", COLUMNS=columns).stdout
    for panel in ("What is run", "The planner's language model", "How it runs and is recorded"):
        assert f"─ {panel} ─" in text
    for option in ("--suite", "--set", "--model", "--images", "--resume"):
        assert f" {option} " in text
    assert "…" not in text
    assert "\n peephole run --suite" in text.split("Examples:")[1]
    commands = peephole("--help", COLUMNS=columns).stdout
    assert "─ What there is ─" in commands
    assert "─ Runs ─" in commands
    assert "\n peephole run --suite" in commands.split("Examples:")[1]
