"""`peephole check` from the command line."""

from __future__ import annotations

import json

import pytest

from peephole import plugins
from peephole.checks.any_adapter import ASSUMPTIONS
from peephole.checks.subject import checks_for


def test_it_writes_a_page_and_a_document(peephole, tmp_path):
    out = tmp_path / "checked"
    done = peephole("check", "symbolic", "--suite", "office", "--only", "hands", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "holds (engine itself): The agent never holds more" in done.stdout
    assert "Answered by engine itself (symbolic)" in done.stdout
    document = json.loads((out / "check.json").read_text())
    assert document["counts"]["differs"] == 0
    assert not document["stand_in"]
    assert str(tmp_path) not in (out / "check.html").read_text()


def test_json_is_one_document(peephole):
    only = ("--only", "spec_is_whole", "--only", "facts_are_data")
    done = peephole("check", "omnigibson", *only, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["stand_in"]
    assert all(each["answered_by"].startswith("stand-in") for each in document["findings"])
    assert "[1/2] holds" in done.stderr


def test_what_differs_fails_the_command(peephole, package):
    package(
        """
from dataclasses import replace
from peephole.adapters.symbolic import SymbolicAdapter


class Odd(SymbolicAdapter):
    spec = replace(SymbolicAdapter.spec, name="strange")

    def resume(self, task, seed):
        print("resumed")
""",
        {"adapters": "Odd"},
    )
    only = ("--only", "resume_is_for_real_rooms", "--suite", "office")
    done = peephole("check", "strange", *only, "--json")
    assert done.returncode == 1, done.stderr
    (found,) = json.loads(done.stdout)["findings"]
    assert (found["verdict"], found["answer"]) == ("differs", "it continued")


def test_names_of_checks_are_unique():
    for adapter in plugins.names("check"):
        names = [each.name for each in checks_for(adapter).assumptions]
        assert len(names) == len(set(names)), adapter


def test_a_check_with_the_name_of_another_is_refused(peephole, package):
    package(
        """
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.checks.assumption import Checks, Topic


class Greenhouse(SymbolicAdapter):
    pass


CHECKS = Checks("greenhouse", "greenhouse:1")


@CHECKS.assume(Topic.RESTART, "A reset empties the pots.", source="the manual")
def reset_undoes(bench):
    return ""
""",
        {"adapters": "Greenhouse", "checks": "CHECKS"},
    )
    done = peephole("check", "strange", "--list")
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1), done.stderr
    assert "is called reset_undoes, as one of every adapter is; rename it" in done.stderr


def test_the_list_needs_no_engine(peephole, monkeypatch):
    monkeypatch.setenv("PEEPHOLE_UNITY_URL", "http://127.0.0.1:9")
    done = peephole("check", "virtualhome_unity", "--list", "--json")
    listed = json.loads(done.stdout)
    assert len(listed) >= 35 + len(ASSUMPTIONS)
    assert all(each["source"] and each["claim"].endswith(".") for each in listed)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nowhere",), 2, "There is no adapter 'nowhere'"),
        (("symbolic", "--only", "hand"), 2, "There is no check 'hand'. Did you mean hands"),
        (("isaacgym",), 3, "PEEPHOLE_ISAACGYM_PYTHON is not set"),
        (("symbolic", "--suite", "none"), 2, "There is no suite 'none'"),
    ],
)
def test_mistakes_are_one_sentence(peephole, monkeypatch, arguments, code, said):
    monkeypatch.delenv("PEEPHOLE_ISAACGYM_PYTHON", raising=False)
    done = peephole("check", *arguments)
    assert (done.returncode, len(done.stderr.splitlines())) == (code, 1), done.stderr
    assert said in done.stderr
