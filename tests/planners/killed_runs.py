"""Runs that are killed with signal 9 at set points and resumed, and their questions."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import peephole
from peephole.episodes.instruction_table import instruction_table, places_table
from peephole.stand_ins.scripted.asked import Chances, Guesses
from peephole.stand_ins.scripted.faults import ReplyFaults
from peephole.stand_ins.scripted.model import ScriptedModel
from peephole.stand_ins.scripted.table import to_table
from peephole.stand_ins.server import ChatReply, ChatRequest, serving

Event = dict[str, Any]
_PATIENCE_S = 300
#: The command line, with a user's endpoint that is a stand-in: it receives the data of questions,
#: as a stand-in that the run serves by itself.
_WITH_ASIDE = """
from dataclasses import replace
from peephole.cli.main import app
from peephole.models import serving
plain = serving.endpoint_from_environment
serving.endpoint_from_environment = lambda name: replace(plain(name), reads_aside=True)
app()
"""


class CountingModel:
    """The stand-in `scripted` for some tasks of a suite, with a count of its questions.

    From the request `blocks_at` on it does not answer, until `blocks_at` changes.
    """

    def __init__(self, suite: str, tasks: list[str], chances: Chances) -> None:
        found, truths = [], {}
        for task in tasks:
            with peephole.make(suite, task=task) as environment:
                environment.reset()
                found.append(environment.task)
                truths[task] = environment.adapter.graph()
        places = places_table(found, lambda task: truths[task.id])
        self._scripted = ScriptedModel(
            to_table(instruction_table(found, lambda task: truths[task.id])),
            ReplyFaults({}, 0),
            Guesses(chances, {" ".join(text.lower().split()): at for text, at in places.items()}),
        )
        self._lock = threading.Lock()
        self._block(None)

    def _block(self, at: int | None) -> None:
        self.blocks_at, self.asked, self.answered = at, 0, 0
        self._gone = threading.Event()

    @contextmanager
    def blocking(self, at: int | None) -> Iterator[None]:
        """Restart the count, and block from a request on, while the context is open."""
        with self._lock:
            self._block(at)
        try:
            yield
        finally:
            self._gone.set()

    @property
    def is_blocked(self) -> bool:
        return self.blocks_at is not None and self.asked >= self.blocks_at

    def reply(self, request: ChatRequest) -> ChatReply:
        with self._lock:
            self.asked += 1
            gone = self._gone if self.is_blocked else None
            self.answered += gone is None
        if gone is not None:
            gone.wait(_PATIENCE_S)
        return self._scripted.reply(request)


@dataclass
class KilledRun:
    """A run that is killed and resumed."""

    folder: Path
    """The folder of the run."""
    options: tuple[str, ...]
    """The options of `peephole run`."""
    model: CountingModel | None = None
    """The model that it asks, if any."""
    kills: int = 0
    """How often it was killed."""
    _kept: list[str] = field(default_factory=list)
    """The recorded lines so far."""

    def play(self, *, lines: int | None = None, request: int | None = None) -> bool:
        """Start or resume the run; kill it, or let it end; whether it was killed.

        It is killed after `lines` more recorded lines, or when it waits for the answer to the
        model request `request`. All recorded lines have to survive, and all answers but those to
        open questions.
        """
        before = Counter(_keys(self.folder))
        if self.model is None:
            killed = self._play(lines, request)
        else:
            with serving("stand-in", self.model.reply) as url, self.model.blocking(request):
                killed = self._play(lines, request, url)
        assert not self._voided(), "its outcome differs from the recording"
        self._check_kept()
        after = Counter(_keys(self.folder))
        assert not before - after, "replies that were recorded are gone"
        assert max(after.values(), default=1) == 1, "a question was recorded twice"
        if self.model is not None and not (killed and request is None):
            assert self.model.answered == after.total() - before.total(), "asked again"
        self.kills += killed
        return killed

    def _play(self, lines: int | None, request: int | None, url: str = "") -> bool:
        begun = (self.folder / "run.json").exists()
        options = ("--resume",) if begun else self.options
        total = len(_lines(self.folder)) + (lines or 0)
        replies = len(_keys(self.folder))
        process = subprocess.Popen(
            [sys.executable, "-c", _WITH_ASIDE, "run", *options, "--out", str(self.folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"},
        )
        deadline = time.monotonic() + _PATIENCE_S
        while process.poll() is None:
            assert time.monotonic() < deadline
            due = lines is not None and len(_lines(self.folder)) >= total
            if self.model is not None and request is not None and self.model.is_blocked:
                due = len(_keys(self.folder)) == replies + self.model.answered
            if due:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                return True
            time.sleep(0.005)
        output, _ = process.communicate()
        assert process.returncode == 0, output.decode()
        return False

    def _check_kept(self) -> None:
        """Check that complete lines have stayed, in the same order."""
        now = _lines(self.folder)
        in_files: dict[str, list[str]] = {}
        for line in now:
            in_files.setdefault(line.partition("\t")[0], []).append(line)
        then: dict[str, list[str]] = {}
        for line in self._kept:
            then.setdefault(line.partition("\t")[0], []).append(line)
        for name, old in then.items():
            assert in_files[name][: len(old)] == old, f"{name} was changed"
        self._kept = now

    def events(self) -> list[Event]:
        """All that is recorded of the episodes, in order."""
        return [event for _, event in _events(self.folder) if event["event"] != "model_replied"]

    def check(self, episodes: int) -> None:
        """Check that every episode ended, and that none was started in vain."""
        assert not self._voided()
        ended = [event["result"] for event in self.events() if event["event"] == "ended"]
        assert len(ended) == episodes
        assert all(result["voided"] == 0 for result in ended)

    def _voided(self) -> list[str]:
        """Why starts of episodes were void, such as a difference from the recording."""
        return [event["reason"] for event in self.events() if event["event"] == "voided"]

    def simulations(self) -> list[int]:
        """Of every search that is recorded."""
        return [
            int(event["decision"]["data"]["simulations"])
            for event in self.events()
            if event["event"] == "decided" and event["decision"].get("name") == "search"
        ]

    def actions(self) -> list[Any]:
        """Of every step that is recorded."""
        return [event["action"] for event in self.events() if event["event"] == "stepped"]


def _lines(folder: Path) -> list[str]:
    """The whole lines of all recordings, after the name of their file and a tabulator."""
    found: list[str] = []
    for path in [folder / "prepared.jsonl", *sorted(folder.glob("episodes/*.jsonl"))]:
        if path.exists():
            text = path.read_text(encoding="utf-8", errors="replace").rpartition("\n")[0]
            found += [f"{path.name}\t{line}" for line in text.splitlines() if line]
    return found


def _events(folder: Path) -> list[tuple[str, Event]]:
    pairs = [line.partition("\t") for line in _lines(folder)]
    events = [(name, json.loads(line)) for name, _, line in pairs]
    return [(name, event) for name, event in events if "event" in event]


def _keys(folder: Path) -> list[tuple[str, int, int]]:
    """The replies that are recorded: file, call and attempt."""
    return [
        (name, event["call"], event["attempt"])
        for name, event in _events(folder)
        if event["event"] == "model_replied"
    ]
