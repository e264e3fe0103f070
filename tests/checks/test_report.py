"""The report of a study: its page and its document, in which nothing tells of the machine."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from peephole.checks.assumption import Assumption, Finding, Topic, Verdict
from peephole.checks.report.document import document_of, without_places
from peephole.checks.report.page import page_of
from peephole.checks.study import Study


def finding(verdict: Verdict, answer: str) -> Finding:
    about = Assumption(
        f"it_{verdict}", Topic.HANDS, "It has <two> hands.", "a page", lambda bench: ""
    )
    return Finding(about, verdict, answer, ("pick_up 3 → success (0.10 s)",), 0.1)


FINDINGS = tuple(finding(verdict, f"the answer {verdict}") for verdict in Verdict)


@pytest.mark.parametrize(
    ("facts", "answered"),
    [
        (
            {"simulator": "Unity", "stand_in": "a stand-in of Unity"},
            "stand-in of Unity",
        ),
        ({"simulator": "a person", "stand_in": "rules"}, "stand-in: rules"),
        ({"simulator": "Unity 2.3"}, "engine itself (Unity 2.3)"),
        ({}, "nothing"),
    ],
)
def test_every_line_says_what_answered(facts: dict[str, str], answered: str) -> None:
    document = document_of(Study("house", facts, FINDINGS, 1.0))
    assert [each["answered_by"] for each in document["findings"]] == [answered] * 3
    assert document["counts"] == {"holds": 1, "differs": 1, "cannot_tell": 1}
    page = page_of(document)
    assert page.count(f"{answered} answered:") == 3
    assert "It has &lt;two&gt; hands." in page
    assert page.index("the answer differs") < page.index("the answer holds")
    assert ("says nothing about the real engine" in page) == bool(facts.get("stand_in"))


def test_nothing_tells_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", "key-4711")
    monkeypatch.setattr(Path, "home", lambda: Path("/home/adalovelace"))
    monkeypatch.setattr(socket, "gethostname", lambda: "labbox17")
    facts = {
        "simulator": "Unity",
        "started": "/home/adalovelace/bin/linux_exec.x86_64",
        "at": ["http://10.1.2.3:8080", "http://127.0.0.1:8080"],
        "folder": Path("/opt/engines/unity"),
    }
    answer = (
        r"KeyError in C:\Users\adalovelace\sim\run.py, line 3; key-4711 on labbox17; "
        "adapters/contract.py: reset; 1/2; </b>"
    )
    text = json.dumps(
        document_of(Study("house", facts, (finding(Verdict.DIFFERS, answer),))), ensure_ascii=False
    )
    for private in ("adalovelace", "labbox17", "10.1.2.3", "key-4711", "/opt/", "/home/"):
        assert private not in text, text
    assert "…/linux_exec.x86_64" in text
    assert "…/run.py, line 3" in text
    assert "http://127.0.0.1:8080" in text
    assert "adapters/contract.py: reset; 1/2; </b>" in text


@pytest.mark.parametrize(
    ("home", "text", "left"),
    [
        ("/home/ada lovelace", "no /home/ada lovelace/sims/a/run.py", "no …/run.py"),
        ("/home/ada", "in /home/ada and /home/adam/x", "in ~ and …/x"),
        ("/", "at /opt/engines/unity", "at …/unity"),
    ],
)
def test_the_users_folder_is_not_told(
    monkeypatch: pytest.MonkeyPatch, home: str, text: str, left: str
) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path(home))
    assert without_places(text) == left


def test_script_lines_stay_as_they_are() -> None:
    line = "<char0> [walk] <fridge> (104) → success: {'0': {'message': 'Success'}} (0.10 s)"
    assert without_places(line) == line
