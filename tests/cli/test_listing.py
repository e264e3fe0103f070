"""Lists at any width, with plugins that fail in every way."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from peephole import plugins
from peephole.errors import BadInput, Missing

#: One thing that fails when it is used, for a plugin of every kind.
BROKEN = """
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.observation_text.dialect import Dialect
from peephole.planners.contract import Planner
from peephole.suites.contract import LazyTasks, Suite
from peephole.models.served_model import ServedModel


def fail(*_):
    raise KeyError("the reason")


class Adapter(SymbolicAdapter):
    missing = classmethod(fail)


def suite(data):
    return Suite("strange", "a suite", LazyTasks(fail(), iter(())), "symbolic")


class Leaving(Suite):
    tasks = property(lambda self: 1 / 0)


def one_by_one(data):
    return Suite("strange", "a suite", LazyTasks(2, (fail() for _ in "ab")), "symbolic")


class Mute(Dialect):
    def supports(self, actions):
        fail()

    name = start = observe = options = parse = word = None


Mute.__abstractmethods__ = frozenset()
MUTE = Mute()
SPEAKER = Planner("strange", "a planner", fail, dialects=("strange",))


def leaving(data):
    suite = object.__new__(Leaving)
    object.__setattr__(suite, "summary", "a suite")
    return suite


PLANNER = Planner("strange", "a planner", fail, missing=fail)
NUMBER = Planner("strange", "a planner", fail, missing=7)
NO_PLANNER = Planner
NO_MODEL = ServedModel
UNCHECKED = ServedModel("strange", "a model", fail, check=fail)
"""


#: By group, the broken parts and their sentences.
BROKEN_PLUGINS = {
    "adapters": {
        "Adapter": "is broken (KeyError: 'the reason'",
        "BROKEN": "has no attribute 'BROKEN'",
    },
    "planners": {
        "PLANNER": "is broken (KeyError: 'the reason', in ",
        "NUMBER": "is broken (TypeError: ",
        "NO_PLANNER": "is no planner",
    },
    "models": {
        "NO_MODEL": "is no model",
        "UNCHECKED": "is broken (KeyError: 'the reason', in ",
    },
    "suites": {
        "suite": "is broken (KeyError: 'the reason', in ",
        "leaving": "is broken (ZeroDivisionError: ",
        "PLANNER": "is broken (TypeError: 'Planner' object is not callable",
        "Adapter": "is broken (TypeError: ",
        "print": "cannot be loaded",
    },
}


@pytest.mark.parametrize("group", BROKEN_PLUGINS)
def test_a_broken_plugin_is_a_line(peephole, package, group):
    broken = BROKEN_PLUGINS[group]
    package(BROKEN, {group: list(broken)})
    listed = peephole(group)
    assert (listed.returncode, listed.stderr) == (0, "")
    entries = {
        line.split()[0]: line for line in listed.stdout.splitlines() if line.startswith("strange_")
    }
    rows = {row["name"]: row for row in json.loads(peephole(group, "--json").stdout)}
    for named, sentence in broken.items():
        assert "NOT READY" in entries[f"strange_{named}"]
        assert sentence in rows[f"strange_{named}"]["missing"]
        assert sentence in listed.stdout


@pytest.mark.parametrize("code", ["raise KeyError('the reason')", "import sys; sys.exit(5)"])
@pytest.mark.parametrize("group", ["adapters", "models", "planners", "suites"])
def test_so_is_one_that_fails_when_it_is_imported(peephole, package, group, code):
    package(code, {group: "THING"})
    listed = peephole(group)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "The " + group[:-1] + " 'strange' (strange:THING) cannot be loaded (" in listed.stdout
    assert "strange.py, line 1" in listed.stdout


def test_a_broken_suite_is_one_sentence_to_tasks_and_run(peephole, package):
    package(BROKEN, {"suites": "suite"})
    for arguments in (["tasks", "strange"], ["run", "--suite", "strange", "--planner", "random"]):
        done = peephole(*arguments)
        assert (done.returncode, done.stdout) == (3, "")
        assert "The suite 'strange' is broken (KeyError: 'the reason', in " in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("entry_points", "options", "sentence"),
    [
        ({"planners": "PLANNER"}, ("houses", "strange"), "The planner 'strange' is broken"),
        ({"suites": "one_by_one"}, ("strange", "random"), "The suite 'strange' is broken"),
        (
            {"dialects": "MUTE", "planners": "SPEAKER"},
            ("houses", "strange"),
            "The dialect 'strange' is broken",
        ),
    ],
)
def test_what_breaks_once_a_run_asks_it_is_one_sentence(
    peephole, package, entry_points, options, sentence
):
    package(BROKEN, entry_points)
    suite, planner = options
    done = peephole("run", "--suite", suite, "--planner", planner, "--tasks", "1")
    assert (done.returncode, done.stdout) == (3, "")
    assert f"{sentence} (KeyError: 'the reason', in " in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_strangers_broken_dialect_is_no_hindrance_to_others(peephole, package):
    package(BROKEN, {"dialects": "MUTE"})
    done = peephole("run", "--suite", "houses", "--planner", "explore", "--adapter", "mujoco")
    assert (done.returncode, done.stdout) == (2, "")
    assert "which speaks blocks" in done.stderr


def test_tasks_are_listed_with_their_instructions(peephole):
    lines = peephole("tasks", "robothow").stdout.splitlines()
    assert len(lines) == 338
    assert any("turn_on_light/11_1" in line and "make sure that #1000 is" in line for line in lines)


SHORT = """
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.suites.contract import Suite
from peephole.suites.registry import load_suite


def suite(data):
    return Suite(
        "strange",
        "a suite",
        load_suite("houses").tasks[:3],
        "symbolic",
        skipped={"no stairs: a, b": 2},
        notes=("4 things are elsewhere",),
    )
"""


def test_what_a_suite_leaves_out_is_told_before_its_tasks_are(peephole, package):
    package(SHORT, {"suites": "suite"})
    lines_of = ["3 tasks", "left out: 2 (no stairs: a, b)", "4 things are elsewhere"]
    lines = [f"peephole: strange: {'; '.join(lines_of)}"]
    listed = peephole("tasks", "strange", "--json")
    assert listed.stderr.splitlines() == lines
    assert len(json.loads(listed.stdout)) == 3
    run = ("run", "--suite", "strange", "--planner", "expert", "--tasks", "1", "--json")
    played = peephole(*run)
    assert played.returncode == 0, played.stderr
    assert played.stderr.splitlines()[:1] == lines
    assert all(line in peephole("suites").stdout for line in lines_of[1:])


def test_planners_tell_what_they_are_granted_and_ask(peephole):
    rows = {row["name"]: row for row in json.loads(peephole("planners", "--json").stdout)}
    assert rows["react"]["models"] == ["planner"]
    assert rows["expert"]["dialects"][0] == "reactree_plain"
    assert "asks models: planner (give --model NAME)" in peephole("planners", "react").stdout
    expert = peephole("planners", "expert").stdout
    assert "asks no model" in expert
    assert "granted: view, goal, truth" in expert


def test_planners_are_listed_in_two_lines_at_most_and_one_is_shown_whole(peephole, tmp_path):
    rows = json.loads(peephole("planners", "--json").stdout)
    short = peephole("planners", COLUMNS="100").stdout.splitlines()
    assert len(short) <= 2 * len(rows) + 2
    react = next(row for row in rows if row["name"] == "react")
    whole = peephole("planners", "react").stdout
    for option in react["options"]:
        assert f"--set {option['name']}={option['default']}" in whole
        assert option["description"] in whole
    assert json.loads(peephole("planners", "react", "--json").stdout) == react
    assert "Did you mean react" in peephole("planners", "reakt").stderr
    own = tmp_path / "own.py"
    own.write_text(PLAYED.replace("SEER =", "PLANNER ="))
    assert "a planner" in peephole("planners", str(own)).stdout


def test_what_was_added_after_the_installation_is_told(tmp_path, monkeypatch):
    known = {each.name: each for each in entry_points(group="peephole.planners")}
    known.pop("react")
    monkeypatch.setattr(plugins, "_entries", lambda kind: known)
    with pytest.raises(Missing, match=r"'react' was added .*; install it again with: .* -e "):
        plugins.load("planner", "react")
    with pytest.raises(BadInput, match="There is no planner 'reakt'"):
        plugins.load("planner", "reakt")


#: A planner that sees images, and a suite that is made from what another has counted.
PLAYED = """
from peephole.planners.contract import Grant, Planner
from peephole.suites.contract import Suite


def plan(brief, percept):
    yield


def suite(data):
    return Suite("strange", "a suite", (), "symbolic", sources=frozenset({"counted"}))


class Bare:
    adapter = property(lambda self: 1 / 0)


def bare(data):
    made = object.__new__(type("Leaving", (Bare, Suite), {}))
    return made


SEER = Planner("strange", "a planner", plan, frozenset({Grant.IMAGES}), dialects=("blocks",))
COUNTER = Planner("strange", "a planner", plan, sources=frozenset({"counted"}))
"""


def played(peephole) -> dict[str, dict[str, list[str]]]:
    listed = peephole("planners", "--json")
    assert (listed.returncode, listed.stderr) == (0, "")
    return {row["name"]: row for row in json.loads(listed.stdout)}


def test_planners_tell_which_suites_and_adapters_each_can_play(peephole):
    rows = played(peephole)
    assert {"houses", "blocks", "robothow"} <= set(rows["random"]["suites"])
    assert rows["llm_pop"]["adapters"] == ["isaacgym", "mujoco", "symbolic_blocks"]
    assert "houses" in rows["explore"]["suites"]
    assert "blocks" not in rows["explore"]["suites"]
    text = peephole("planners", "llm_pop").stdout
    assert "adapters: isaacgym, mujoco, symbolic_blocks" in text
    assert f"suites: {', '.join(rows['llm_pop']['suites'])}" in text


def test_what_planners_can_play_follows_from_what_is_declared(peephole, package):
    package(PLAYED, {"planners": "SEER", "suites": "suite"})
    rows = played(peephole)
    assert "isaacgym" not in rows["strange"]["adapters"], "it gives no images"
    assert "symbolic" not in rows["strange"]["adapters"], "its dialect is another"
    assert "mujoco" in rows["strange"]["adapters"]
    assert "strange" in rows["random"]["suites"]


def test_nor_can_they_play_what_they_have_counted(peephole, package):
    package(PLAYED, {"planners": "COUNTER", "suites": "suite"})
    rows = played(peephole)
    assert "symbolic" in rows["strange"]["adapters"]
    assert "houses" in rows["strange"]["suites"]
    assert "strange" not in rows["strange"]["suites"]


def test_a_broken_suite_hides_no_other_from_planners(peephole, package):
    package(PLAYED, {"suites": "bare"})
    assert "houses" in played(peephole)["random"]["suites"]


def test_models_tell_which_are_stand_ins(peephole):
    rows = {row["name"]: row for row in json.loads(peephole("models", "--json").stdout)}
    assert {name: row["stand_in"] for name, row in rows.items()} == {
        "local": False,
        "replies": True,
        "scripted": True,
        "scripted_detector": True,
        "trained": False,
    }
    assert rows["replies"]["ready"], "what it lacks is an argument"
    assert peephole("models").stdout.count("a stand-in, not a language model") == 3


@pytest.mark.parametrize("command", [["suites"], ["tasks", "strange"]])
def test_json_is_alone_on_stdout_whatever_a_plugin_prints(peephole, package, command):
    package("print('Hello')\n" + BROKEN, {"suites": "suite"})
    done = peephole(*command, "--json")
    assert "Hello" in done.stderr
    assert done.stdout == "" or json.loads(done.stdout)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["adapters"], marks=pytest.mark.slow),
        ["models"],
        ["planners"],
        pytest.param(["suites"], marks=pytest.mark.slow),
        ["tasks", "wah"],
    ],
)
def test_entries_fold_and_lose_nothing(peephole, command):
    whole = peephole(*command).stdout
    for columns in (60, 80):
        folded = peephole(*command, COLUMNS=str(columns)).stdout
        assert folded.split() == whole.split()
        lines = folded.splitlines()
        assert all(len(line) <= columns or len(line.split()) <= 2 for line in lines)
    if command != ["adapters"]:
        assert on_a_terminal(command, 60).split() == whole.split()


def on_a_terminal(command: list[str], columns: int) -> str:
    """The output of a command on a terminal with `columns` columns."""
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "peephole", *command],
        stdout=its,
        stdin=its,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "dumb"},
    )
    os.close(its)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert process.wait() == 0
    return b"".join(parts).decode()


@pytest.mark.slow
def test_tables_of_results_cut_no_number(peephole):
    for planner in ("expert", "random"):
        done = peephole(
            *("run", "--suite", "houses", "--planner", planner, "--tasks", "2"),
            *("--out", planner, "--json"),
        )
        assert done.returncode == 0, done.stderr
    for runs in (["expert"], ["expert", "random"]):
        wide = peephole("show", *runs, COLUMNS="200").stdout
        numbers = {word.strip(",") for word in wide.split() if any(map(str.isdigit, word))}
        for columns in ("40", "60", "80"):
            narrow = peephole("show", *runs, COLUMNS=columns).stdout
            assert "…" not in narrow
            assert numbers <= {word.strip(",") for word in narrow.split()}


def test_a_suite_is_described_with_what_it_is_played_with(peephole):
    shown = peephole("suites", "robothow")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("robothow  338 tasks in virtualhome. ")
    page = json.loads(peephole("suites", "robothow", "--json").stdout)
    assert {"symbolic", "virtualhome"} <= set(page["adapters"].split(", "))
    assert "compact" in page["dialects"].split(", ")
    assert "alfworld" not in page["adapters"]
    assert page["budgets"].startswith("200 steps, ")
    assert page["data"].startswith("takes no --data, because its tasks come from the package ")
    unknown = peephole("suites", "robotho")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "Did you mean robothow" in unknown.stderr
