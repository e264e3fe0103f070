"""`peephole plan-study` from the command line to the files that it writes."""

from __future__ import annotations

import csv
import json
import re

import pytest


def test_it_says_how_many_tasks_and_on_what_that_rests(peephole):
    done = peephole("plan-study", "--difference", "0.4", "--pairs-correlation", "0.3")
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    assert "0.9 and 0.5 with a probability of 80% takes 19 tasks" in first
    assert "38 episodes (exact McNemar test, alpha 0.05)" in first
    mean, most = (float(number) for number in re.findall(r"(\d+) (?:tasks on|at most)", second))
    assert mean < 19 < most
    # Correlated by 0.3: both solve 0.9 * 0.5 + 0.3 * sqrt(0.9 * 0.1 * 0.5 * 0.5) of the tasks.
    assert "only the better planner solves 40.5% of them, only the other 0.5%" in third


def test_the_same_as_one_json_document(peephole):
    data = json.loads(peephole("plan-study", "--difference", "0.4", "--json").stdout)
    assert data["files"] == []
    assert data["episodes"] == 2 * data["tasks"]
    assert data["only_better"] - data["only_worse"] == pytest.approx(0.4)
    assert data["sequential_mean"] < data["tasks"] < data["sequential_most"]


@pytest.mark.parametrize(("correlation", "saved"), [("1", 0), ("0", 2 / 3)])
def test_repeats_save_tasks_as_far_as_they_tell_something_new(peephole, correlation, saved):
    ask = ("plan-study", "--difference", "0.4", "--json")
    once = json.loads(peephole(*ask).stdout)
    thrice = json.loads(
        peephole(*ask, "--repeats", "3", "--repeats-correlation", correlation).stdout
    )
    assert thrice["tasks"] == pytest.approx((1 - saved) * once["tasks"], abs=1)
    assert thrice["episodes"] == 6 * thrice["tasks"]


def test_a_study_is_written_blinded_with_its_key_beside_it(peephole, tmp_path):
    ask = (
        "plan-study",
        "--difference",
        "0.4",
        "--suite",
        "robothow",
        "--planners",
        "react,explore",
    )
    done = peephole(*ask, "--seed", "7", "--out", "order.csv", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["files"] == ["order.csv", "order.key.csv"]
    order = rows(tmp_path / "order.csv")
    key = {row["code"]: row["planner"] for row in rows(tmp_path / "order.key.csv")}
    assert len(order) == data["episodes"] == len(key)
    assert "react" not in (tmp_path / "order.csv").read_text()
    tasks = {row["task"] for row in order}
    assert len(tasks) == data["tasks"]
    listed = {task["id"] for task in json.loads(peephole("tasks", "robothow", "--json").stdout)}
    assert tasks < listed
    for pair in zip(order[::2], order[1::2], strict=True):  # a task's episodes follow each other
        assert pair[0]["task"] == pair[1]["task"]
        assert {key[row["code"]] for row in pair} == {"react", "explore"}
    first = [key[row["code"]] for row in order[::2]]
    assert 0 < first.count("react") < len(first)

    refused = peephole(*ask, "--seed", "7", "--out", "order.csv")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "exists already" in refused.stderr
    again = peephole(*ask, "--seed", "7", "--out", "again.csv")
    assert again.returncode == 0
    assert rows(tmp_path / "again.csv") == order
    assert "open the key at the end" in again.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--difference", "0.6"), "so that both lie between 0 and 1"),
        (("--difference", "0.2", "--power", "1"), "--power is from 0.5 to below 1"),
        (("--difference", "0.2", "--pairs-correlation", "0.99"), "--pairs-correlation is from"),
        (("--difference", "0.0001"), "needs more than 20000 tasks"),
        (
            ("--difference", "0.3", "--suite", "office", "--out", "order.csv"),
            "office has 29 tasks, and 46 are needed",
        ),
        (("--difference", "0.4", "--planners", "A", "--out", "order.csv"), "at least two planners"),
        (("--difference", "0.4", "--out", "no/such/order.csv"), "cannot be written"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_a_sentence(peephole, tmp_path, arguments, sentence):
    done = peephole("plan-study", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.glob("*.csv"))


def rows(path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
