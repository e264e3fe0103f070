"""The command line. A command imports its heavy parts itself, so that --help is fast."""

from __future__ import annotations

import atexit
import errno
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperCommand, TyperGroup

from ..errors import BadInput, PeepholeError
from ..terminal import guard_streams
from ..version import __version__
from . import (
    audit,
    blocks,
    branch,
    check,
    exports,
    judging,
    kitchens,
    listing,
    mcp,
    memory,
    operator,
    recordings,
    run,
    shell,
    study,
    train,
)
from .options import with_person

#: Examples by command. A test runs them in this order; NAME stands for a model of the user.
_EXAMPLES: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("examples.json").read_text(encoding="utf-8")
)
#: The commands by their panel in the help.
_PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "What there is": (
        *(listing.adapters, listing.suites, listing.planners, listing.models, listing.tasks),
        *(audit.audit, check.check),
    ),
    "Runs": (
        *(run.run, recordings.show, recordings.report, exports.plot, recordings.film),
        *(exports.compare, exports.export, train.train, recordings.replay, branch.branch),
        study.plan_study,
    ),
    "An agent of your own": (
        *(mcp.mcp, shell.play, shell.task, shell.look, shell.menu, shell.act, shell.status),
        *(shell.done, shell.give_up),
    ),
}
#: Groups of commands, such as `peephole memory`, with their summaries.
_GROUPS: dict[str, tuple[str, tuple[Callable[..., None], ...]]] = {
    "memory": (
        "Make a memory of earlier episodes, from which planners take examples.",
        (memory.build, memory.show),
    ),
    "kitchens": (
        "Generate kitchen tasks with a language model; write them in the format of Tru-POMDP.",
        (kitchens.generate, kitchens.export),
    ),
    "operator": (
        "Make and check the file of a real room; judge recorded episodes.",
        (operator.new, operator.check, judging.judge),
    ),
    "blocks": (
        "Generate tasks about blocks, and pairs for fine-tuning, with a language model.",
        (blocks.generate, blocks.imagine),
    ),
}


def _epilog(command: str) -> str:
    """The end of a help page. An example is a paragraph, since typer joins lines."""
    examples = _EXAMPLES[command]
    return "\n\n".join(("Example:" if len(examples) == 1 else "Examples:", *examples))


def _name(command: Callable[..., None]) -> str:
    return command.__name__.replace("_", "-")


#: What the help shows for the value of an option, by the name that typer gives the option's type.
_VALUES = {
    "bool": "",
    "int": "N",
    "int range": "N",
    "float": "X",
    "float range": "X",
    "str": "TEXT",
    "path": "PATH",
}


class _PlainValues:
    """Help in which a flag has no value and other options have one in capitals."""

    def get_params(self, ctx: Any) -> list[Any]:
        params = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if param.metavar is None and param.param_type_name == "option":
                shown = "bool" if param.is_flag else param.display_type(ctx).strip("<>")
                param.metavar = _VALUES.get(shown, shown)
        return list(params)


class _Command(_PlainValues, TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return list(super().parse_args(ctx, with_person(args)))


class _Group(_PlainValues, TyperGroup):
    pass


app = typer.Typer(
    cls=_Group,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Connects LLM task planners to household and manipulation simulators.",
    epilog=_epilog("peephole"),
)
for _panel, _commands in _PANELS.items():
    for _command in _commands:
        app.command(cls=_Command, rich_help_panel=_panel, epilog=_epilog(_name(_command)))(_command)
for _group, (_summary, _commands) in _GROUPS.items():
    _part = typer.Typer(cls=_Group, rich_markup_mode="rich")
    for _command in _commands:
        _part.command(cls=_Command, epilog=_epilog(f"{_group} {_name(_command)}"))(_command)
    app.add_typer(_part, name=_group, help=_summary, epilog=_epilog(_group), rich_help_panel="Runs")

#: What typer raises for a wrong command line. Typer exports only a subclass of it.
_WrongUsage = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])


def main() -> None:
    """Run the command line, then end the process, whatever threads a planner or plugin left."""
    guard_streams()
    code = 0
    try:
        _run()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    left = sum(not each.daemon for each in threading.enumerate()) - 1  # without this one
    if left:
        _end_with_threads(left, code)
    sys.exit(code)


def _end_with_threads(count: int, code: int) -> NoReturn:
    """End the process without waiting for threads that would keep it."""
    threads = "a thread is" if count == 1 else f"{count} threads are"
    print(f"peephole: {threads} still running, such as of a planner; ended.", file=sys.stderr)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _run() -> None:
    """Run the command line. Print errors that a user can act on without a traceback.

    Exit codes: 0 done, 1 the run failed or was interrupted, 2 bad usage, 3 a requirement is
    missing.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        arguments = sys.argv[1:] or ["--help"]
        _check_filled(arguments)
        code = app(arguments, prog_name="peephole", standalone_mode=False) or 0
        sys.stdout.flush()
    except _WrongUsage as error:
        said = " ".join(error.format_message().split()).rstrip(".?")
        command = _asked_command(arguments) if error.ctx is None else error.ctx.command_path
        _end(f"{said}; see `{command} --help`.", 2)
    except (typer.Abort, KeyboardInterrupt):
        _end("Interrupted.", 1)
    except PeepholeError as error:
        _end(str(error), error.exit_code)
    except BrokenPipeError:  # the reader of our output has gone, as in `peephole show RUN | head`
        _print_no_more()
    except OSError as error:
        if error.errno == errno.ENOSPC and error.filename is None:
            _print_no_more()
            _end("The output cannot be written, because the disk is full; free some space.", 1)
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            where = error.filename or "A file"
            _end(
                f"{where} cannot be used ({error.strerror}); choose another place, or change its "
                f"permissions: chmod u+rwX {where}",
                3,
            )
        about = f"{error.filename}: " if error.filename else ""
        _end(f"{about}{error.strerror or error}; fix that and try again.", 1)
    else:
        if code == _INTERRUPTED:
            _end("Interrupted.", 1)
        sys.exit(code)


def _check_filled(arguments: Sequence[str]) -> None:
    """Raise BadInput for an option with an empty value, often an unset variable of the shell.

    An empty path would mean the working directory.
    """
    for option, value in pairwise((*arguments, "-")):
        if option.startswith("--") and (not value or option.endswith("=")):
            raise BadInput(f"{option.rstrip('=')} has no value; give one or leave the option out.")


def _asked_command(arguments: Sequence[str]) -> str:
    """The command that the arguments name, or `peephole` where they name none."""

    return f"peephole {arguments[0]}" if arguments[0] in _EXAMPLES else "peephole"


#: Typer's exit code for Ctrl-C.
_INTERRUPTED = 128 + signal.SIGINT


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """End as by Ctrl-C. Ignore further signals, so that nothing interrupts the clean-up."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _print_no_more() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(sentence: str, code: int) -> NoReturn:
    print(f"peephole: {sentence}", file=sys.stderr)
    sys.exit(code)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"peephole {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Connects LLM task planners to household and manipulation simulators."""
