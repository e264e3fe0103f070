"""The planner `mcp`: an agent program of the user plays through an MCP server.

    peephole run --suite houses --planner "mcp:my-agent --mcp-config {config}"

For each episode the program is started in an empty folder of its own, with the address of a server
whose tools are those of the episode's seat. It ends with its episode.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from ...baton import waiting
from ...data_files import private_folder
from ...errors import BadInput, Missing
from ..contract import (
    Brief,
    Decision,
    Decisions,
    EpisodeOver,
    GiveUp,
    Note,
    Percept,
    Planner,
    Preparation,
)
from ..kits.prompting.templates import Templates
from . import mcp_server
from .planner import DIALECTS
from .planner import Options as SeatOptions
from .program import Ended, Program, filled, isolation, without_secrets
from .seat import Seat, SeatLimits

_PROMPTS = Templates(__file__)
#: The folders of this package in which the worlds and goals of suites are.
_WORLDS = tuple(Path(__file__).resolve().parents[2] / name for name in ("adapters", "suites"))
#: The command of an MCP server on the standard streams.
_BRIDGE = shlex.join([sys.executable, "-I", "-S", str(Path(__file__).with_name("bridge.py"))])
#: Seconds in which a program may end by itself once its episode is over.
_ENDING_S = 10.0
#: The note on the program at the end of an episode.
NOTE = "program"
NOT_ISOLATED = (
    "Nothing here keeps the agent program out of this run's folder and of the suites' goals: this "
    "system has no user namespaces. Run it in a container where that matters."
)


def _runnable(command: str) -> str:
    """A command whose files have absolute paths, since it runs in another folder."""
    try:
        parts = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"it is no command line ({error})") from None
    whole = []
    for number, part in enumerate(parts):
        is_file = ("/" in part or number) and part and Path(part).expanduser().is_file()
        whole.append(str(Path(part).expanduser().absolute()) if is_file else part)
    return shlex.join(whole)


def _absolute(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Paths that name the same files when the run is continued in another folder."""
    return tuple(path.expanduser().absolute() for path in paths)


class Options(SeatOptions):
    """Options of `mcp`."""

    command: Annotated[str, AfterValidator(_runnable)] = Field(
        "",
        description="the agent program's command; {config} is a file with the MCP server's "
        "configuration, {url} its address, {stdio} the command of one on standard streams, "
        "{folder} the program's folder, {prompt} the task, else on standard input",
    )
    seconds: float | None = Field(
        None,
        gt=0,
        description="seconds of an episode that the program has, at most --planning-time; none: "
        "that",
    )
    hide: Annotated[tuple[Path, ...], AfterValidator(_absolute)] = Field(
        (), description="further files and folders that the program must not see, such as of tasks"
    )


def prepare(preparation: Preparation) -> Mapping[str, Any]:
    """Check once a run that the program can be started. Raises BadInput."""
    options = preparation.options
    assert isinstance(options, Options)
    parts = shlex.split(options.command)
    if not parts:
        raise BadInput('The planner mcp starts a program of yours; give --planner "mcp:COMMAND".')
    if shutil.which(parts[0]) is None:
        raise BadInput(f"There is no program {parts[0]} to start; correct --planner mcp:COMMAND.")
    for path in options.hide:
        if not path.exists():
            raise BadInput(f"There is no {path} to hide from the program; correct --set hide.")
    return {}


def facts(options: BaseModel | None) -> Mapping[str, Any]:
    """What run.json says of the program's surroundings."""
    mode = isolation()
    return {"isolated": bool(mode), **({} if mode else {"note": NOT_ISOLATED})}


def missing() -> str | None:
    """What is not installed."""
    try:
        mcp_server.check_installed()
    except Missing as lack:
        why: str = lack.args[0]  # a `Lack`, which installing together needs
        return why
    return None


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Repeat what is recorded, then start the program and let it decide."""
    for number, decision in enumerate(brief.recorded, start=1):
        try:
            percept = yield decision
        except EpisodeOver:
            for note in brief.recorded[number:]:
                yield note
            return
    options = brief.options_of(Options)
    if options.seconds is not None:
        seconds = min(options.seconds, brief.budgets.planning_s)
        brief = replace(brief, budgets=replace(brief.budgets, planning_s=seconds))
    seat = Seat(SeatLimits(options.silence_s, options.calls))
    turns = seat.plan(replace(brief, recorded=()), percept)
    with _Playing(brief, options, seat) as playing:
        decision = next(turns)
        while True:
            try:
                percept = yield decision
            except EpisodeOver as over:
                with suppress(EpisodeOver):
                    turns.throw(over)
                lost = isinstance(decision, GiveUp) and not seat.calls["give_up"]
                yield playing.last_words(0.0 if lost else _ENDING_S)
                return
            decision = turns.send(percept)


def _agents_folder() -> Path:
    """The folder of all programs' folders, whose configurations have the tokens of episodes."""
    folder = Path(tempfile.gettempdir()) / f"peephole-agents-{os.getuid()}"
    return private_folder(folder, "TMPDIR")


class _Playing:
    """The program of one episode with its server and its folder."""

    def __init__(self, brief: Brief, options: Options, seat: Seat) -> None:
        self._brief = brief
        self._options = options
        self._seat = seat
        self._began = time.monotonic()

    def __enter__(self) -> _Playing:
        self._held = self._start()
        with waiting():
            self._held.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._seat.close()
        with waiting():
            self._held.__exit__(None, None, None)

    @contextmanager
    def _start(self) -> Iterator[None]:
        agents = _agents_folder()
        with (
            tempfile.TemporaryDirectory(dir=agents, ignore_cleanup_errors=True) as at,
            mcp_server.HttpServer(self._seat) as server,
        ):
            folder = Path(at)
            self._server = server
            config = folder / "mcp.json"
            config.touch(mode=0o600)
            config.write_text(json.dumps(server.config, indent=2))
            prompt = _PROMPTS.render("program", instruction=self._brief.instruction)
            given = shlex.split(self._options.command)
            values = {
                "config": config,
                "url": server.url,
                "stdio": _BRIDGE,
                "folder": folder,
                "prompt": prompt,
            }
            self._mode = isolation()
            hide = (agents, *self._brief.hidden, *_WORLDS, *self._options.hide)
            self._program = Program(
                filled(given, values),
                folder=folder,
                hide=[each.resolve() for each in hide if each.exists()],
                mode=self._mode,
                text="" if any("{prompt}" in part for part in given) else prompt,
                environment={
                    "PEEPHOLE_MCP_URL": server.url,
                    "PEEPHOLE_MCP_TOKEN": server.token,
                    "PEEPHOLE_MCP_CONFIG": str(config),
                    "TMPDIR": at,
                    "PWD": at,
                },
                on_end=self._left,
            )
            try:
                yield
            finally:
                self._program.end()

    def _left(self, ended: Ended) -> None:
        last = (self._output().strip().splitlines() or [""])[-1][:200]
        said = f', after "{last}"' if last and (ended.error or ended.status) else ""
        self._seat.leave(f"The agent program {ended.text}{said}.")

    def _output(self) -> str:
        return without_secrets(self._program.output.text, self._server.token)

    def last_words(self, within_s: float) -> Decision:
        """What the program printed and how it ended. within_s: it may end by itself until then."""
        with waiting():
            self._program.wait(within_s)
            self._program.end()
        ended = self._program.ended or Ended(None)
        return Note(
            NOTE,
            f"The agent program {ended.text}.",
            {
                "output": self._output(),
                "status": ended.status,
                "seconds": round(time.monotonic() - self._began, 3),
                "calls": dict(self._seat.calls),
                "isolated": bool(self._mode),
            },
        )


PLANNER = Planner(
    name="mcp",
    summary="an agent program of yours that plays over MCP: --planner mcp:COMMAND",
    plan=plan,
    dialects=DIALECTS,
    options=Options,
    prepare=prepare,
    facts=facts,
    missing=missing,
    argument="command",
)
