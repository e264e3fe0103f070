"""The options of commands in which an agent outside Peephole plays one episode."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BadInput, PeepholeError
from .completion import registered, suites
from .options import ADAPTER, DATA, set_values

if TYPE_CHECKING:
    from ..episodes.resolve import Run
    from ..planners.external.seat import Seat

_what = partial(typer.Option, rich_help_panel="What is played")
_recording = partial(typer.Option, rich_help_panel="How it is recorded")


@dataclasses.dataclass(frozen=True)
class SeatOptions:
    """One episode for an agent outside Peephole."""

    suite: Annotated[str, _what(metavar="NAME", autocompletion=suites)] = ""
    """Suite that has the task; see `peephole suites`."""
    task: Annotated[str, _what(metavar="N|ID")] = ""
    """The task: its number in the suite, or its id. By default the first."""
    adapter: Annotated[str, _what(**ADAPTER)] = ""
    dialect: Annotated[str, _what(metavar="NAME", autocompletion=registered("dialect"))] = ""
    """How observations and actions are written as text. By default the suite's own."""
    data: Annotated[Path | None, _what(metavar="PATH", help=DATA)] = None
    seed: Annotated[int, _what(metavar="K")] = 0
    """Random seed of the simulator."""
    time: Annotated[float | None, _what(metavar="S", min=1)] = None
    """Seconds that the agent has for the episode, its thinking included. By default 3600."""
    set_: Annotated[list[str] | None, _what("--set", metavar="KEY=VALUE")] = None
    """agent=NAME labels the results; silence_s=S ends the episode after S seconds without a call
    (600); calls=N limits the calls of all tools. May be repeated."""
    out: Annotated[Path | None, _recording(metavar="DIR")] = None
    """Folder for the recording. By default a new one in runs/."""
    resume: Annotated[bool, _recording("--resume")] = False
    """Continue the episode in --out: what the agent did is done again, and it goes on there."""


@contextmanager
def seated(command: str, given: SeatOptions, seat: Seat) -> Iterator[tuple[Run, Path]]:
    """The run of one episode, and its folder. Raises BadInput and Missing.

    command: the name of this one, which continues it.
    """
    from ..interfaces.seat_run import EPISODE_S, Wanted, continued_run, new_run_of
    from .run import made

    with ExitStack() as stack:
        if given.resume:
            folder = _resumed(given)
            run, notes = continued_run(folder, seat)
            for note in notes:
                print(f"peephole: {note}", file=sys.stderr)
        else:
            if not given.suite:
                raise BadInput("An episode needs --suite; see `peephole suites`.")
            wanted = Wanted(
                suite=given.suite,
                task=given.task or "1",
                adapter=given.adapter,
                dialect=given.dialect,
                data=str(given.data.resolve()) if given.data else "",
                seed=given.seed,
                time_s=EPISODE_S if given.time is None else given.time,
                options=set_values(given.set_),
            )
            run = new_run_of(wanted, seat)
            folder = stack.enter_context(made(run, given.out))
        try:
            yield run, folder
        except KeyboardInterrupt:
            raise PeepholeError(
                f"Interrupted. Continue with: peephole {command} --resume --out {folder}"
            ) from None


def _resumed(given: SeatOptions) -> Path:
    if given.out is None:
        raise BadInput("--resume needs the run's folder: --out DIR.")
    default = SeatOptions()
    for field in dataclasses.fields(given):
        kept = field.name in ("out", "resume")
        if not kept and getattr(given, field.name) != getattr(default, field.name):
            option = "--" + field.name.strip("_")
            raise BadInput(f"--resume uses the run's own options; leave {option} out.")
    return given.out
