"""`--planner FILE.py:NAME`: planners that are no plugin."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from peephole.planners.registry import load_planner

#: Waits a few times, in the words of a file beside it.
VISITOR = '''
import sys
from dataclasses import dataclass

from sayings import LAST_WORDS

from peephole.planners.contract import Brief, Decisions, Done, Percept, Planner


@dataclass(frozen=True)
class Idea:
    """Annotations that are text need the module's name to be known."""

    words: "str"


def plan(brief: Brief, percept: Percept) -> Decisions:
    yield Done(Idea(LAST_WORDS).words)


PLANNER = Planner("visitor", "says goodbye", plan, dialects=("reactree",))
OTHER = Planner("other", "says goodbye too", plan, dialects=("reactree",))
NUMBER = 7
'''
RUN = ("run", "--suite", "houses", "--tasks", "2")


@pytest.fixture
def visitor(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "sayings.py").write_text("LAST_WORDS = 'Nothing to do.'\n")
    (folder / "visitor.py").write_text(VISITOR)
    return folder / "visitor.py"


@pytest.mark.parametrize(
    ("reference", "label"),
    [("mine/visitor.py", "visitor.py"), ("mine/visitor.py:OTHER", "visitor.py:OTHER")],
)
def test_a_planner_in_a_file_is_run_shown_and_continued(
    tmp_path, peephole, visitor, reference, label
):
    run = str(tmp_path / "run")
    done = peephole(*RUN, "--planner", reference, "--out", run, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["episodes"] == 2
    stored = json.loads((tmp_path / "run" / "run.json").read_text())["config"]["planner"]
    assert stored == f"{visitor}:{'OTHER' if 'OTHER' in reference else 'PLANNER'}"
    assert f"{label} on houses" in peephole("show", run, COLUMNS="120").stdout
    for path in (tmp_path / "run" / "episodes").iterdir():
        path.unlink()
    again = peephole("run", "--resume", "--out", run, "--planner", reference, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["episodes"] == 2


def test_every_worker_loads_it_and_what_it_prints_is_not_in_the_document(
    tmp_path, peephole, visitor
):
    visitor.write_text(visitor.read_text() + "\nprint('Hello')\n")
    done = peephole(*RUN, "--planner", "mine/visitor.py", "--workers", "2", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["episodes"] == 2
    assert done.stderr.count("Hello") == 3
    assert len(list((tmp_path / "runs").glob("houses-visitor-*"))) == 1


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("mine/nowhere.py", "There is no file {tmp}/mine/nowhere.py to take a planner from"),
        ("mine", "There is no planner 'mine'."),
        ("mine/visitor.py:LAST", "visitor.py has no LAST; it has: PLANNER, OTHER."),
        ("mine/visitor.py:NUMBER", "has NUMBER, which is no peephole.planners.contract.Planner"),
        ("mine/sayings.py", "sayings.py has no PLANNER, and no planner of another name"),
        ("mine/broken.py", "ModuleNotFoundError: No module named 'nothing_of_that_name', in "),
        ("mine/broken.py", "mine/helper.py, line 2); correct it."),
        ("mine/garbled.py", "invalid syntax (garbled.py, line 3)"),
        ("mine/leaving.py", "leaving.py cannot be imported (SystemExit: 3, in "),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(
    tmp_path, peephole, visitor, reference, sentence
):
    (tmp_path / "mine" / "broken.py").write_text("import helper\n")
    (tmp_path / "mine" / "helper.py").write_text("\nimport nothing_of_that_name\n")
    (tmp_path / "mine" / "garbled.py").write_text("a = 1\n\nb = = 2\n")
    (tmp_path / "mine" / "leaving.py").write_text("import sys\nsys.exit(3)\n")
    done = peephole(*RUN, "--planner", reference)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence.format(tmp=tmp_path) in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_file_that_only_a_recording_names_is_imported_when_it_is_named(
    tmp_path, peephole, visitor
):
    run = tmp_path / "run"
    mine = {"XDG_CACHE_HOME": str(tmp_path / "mine_cache")}
    other = {"XDG_CACHE_HOME": str(tmp_path / "other_cache")}
    assert peephole(*RUN, "--planner", str(visitor), "--out", str(run), **mine).returncode == 0
    next((run / "episodes").iterdir()).unlink()

    imported = tmp_path / "imported"
    visitor.write_text(f"open({str(imported)!r}, 'w').close()\n{VISITOR}")
    refused = peephole("run", "--resume", "--out", run, **other)
    assert refused.returncode == 2
    assert f"read it first, then name it: --planner {visitor}:PLANNER" in refused.stderr
    assert peephole("replay", run, **other).returncode == 0
    assert not imported.exists()

    named = ("run", "--resume", "--out", run, "--planner", visitor)
    assert peephole(*named, **other).returncode == 0
    assert peephole("run", "--resume", "--out", run, **mine).returncode == 0


def test_threads_that_a_planner_leaves_do_not_keep_the_command(tmp_path, peephole, visitor):
    threads = "import threading, time\n" + "".join(
        ["for _ in range(200): threading.Thread(target=time.sleep, args=(60,)).start()\n"]
    )
    visitor.write_text(threads + VISITOR)
    began = time.monotonic()
    done = peephole(*RUN, "--planner", str(visitor), "--out", str(tmp_path / "run"))
    assert done.returncode == 0
    assert "200 threads are still running" in done.stderr
    assert time.monotonic() - began < 50


def test_a_file_may_begin_with_a_byte_order_mark(visitor):
    visitor.write_text("\ufeff" + VISITOR, encoding="utf-8")
    assert load_planner(str(visitor)).name == "visitor"
