"""The command line. A command imports its heavy parts itself, so that --help is fast."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import FrameType
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperCommand, TyperGroup

from ..errors import BadInput, PeepholeError
from ..version import __version__
from . import (
    audit,
    blocks,
    compare,
    export,
    film,
    inspect,
    kitchens,
    listing,
    memory,
    plot,
    replay,
    run,
    study,
    train,
)

_FIRST = "peephole run --suite robothow --planner explore --tasks 3 --out runs/first"
_TRAIN = "peephole run --suite wah:train --planner react --model NAME --out runs/train"
_BUILD = "peephole memory build runs/train --out memory.jsonl"
_DRAWN = "peephole run --suite blocks --planner llm_pop --model NAME --out runs/drawn"

#: The commands by their panel in the help, with their examples. A test runs the examples in this
#: order; NAME stands for a model of the user.
_COMMANDS: dict[str, dict[Callable[..., None], tuple[str, ...]]] = {
    "What there is": {
        listing.adapters: ("peephole adapters",),
        listing.suites: ("peephole suites",),
        listing.planners: ("peephole planners", "peephole planners react"),
        listing.models: ("peephole models",),
        listing.tasks: ("peephole tasks robothow",),
        audit.audit: ("peephole audit household --tasks 2",),
    },
    "Runs": {
        run.run: (
            _FIRST,
            "peephole run --suite houses --planner random --tasks 1 --watch",
            "peephole run --suite wah --planner react --model NAME --tasks 2",
            "peephole run --resume --out runs/first",
            "peephole run --grid reactree_table1 --model NAME --tasks 1 --out runs/table1",
        ),
        inspect.show: (
            _FIRST,
            "peephole show runs/first",
            "peephole show runs/first 3",
            "peephole show runs/first --table latex --figure gsr --figure ssr",
        ),
        inspect.report: (_FIRST, "peephole report runs/first --out first.html"),
        plot.plot: (_FIRST, "peephole plot runs/first --figure gsr --figure steps --out first.pdf"),
        film.film: (_FIRST, "peephole film runs/first 3 --out third.mp4"),
        compare.compare: (
            "peephole run --suite wah --planner expert --tasks 1 --adapter symbolic --out a",
            "peephole run --suite wah --planner expert --tasks 1 --out b",
            "peephole compare a b",
        ),
        export.export: (
            _FIRST,
            "peephole export runs/first --to parquet --out tables",
            "peephole export runs/first --to chat --out chat.jsonl",
            _DRAWN,
            "peephole export runs/drawn --to instructions --out records.json",
        ),
        train.train: (
            _FIRST,
            "peephole export runs/first --to chat --out chat.jsonl",
            "peephole train chat.jsonl --dry-run --out small.gguf",
            "peephole train --curriculum llm_pop --out build/llm_pop --dry-run",
        ),
        replay.replay: (_FIRST, "peephole replay runs/first 1"),
        study.plan_study: (
            "peephole plan-study --difference 0.2 --pairs-correlation 0.3",
            "peephole plan-study --difference 0.2 --suite robothow --out order.csv",
        ),
    },
}
#: The commands of `peephole memory`.
_MEMORY_COMMANDS: dict[Callable[..., None], tuple[str, ...]] = {
    memory.build: (_TRAIN, _BUILD),
    memory.show: (_TRAIN, _BUILD, "peephole memory show memory.jsonl"),
}
#: The commands of `peephole kitchens`.
_KITCHEN_COMMANDS: dict[Callable[..., None], tuple[str, ...]] = {
    kitchens.generate: (
        "peephole kitchens generate --model NAME --level easy --out made",
        "peephole tasks kitchens --data made",
    ),
    kitchens.export: ("peephole kitchens export kitchens:hard --out published",),
}
#: The commands of `peephole blocks`.
_BLOCKS_COMMANDS: dict[Callable[..., None], tuple[str, ...]] = {
    blocks.generate: (
        "peephole blocks generate --model NAME --out written.json",
        "peephole tasks blocks:generated --data written.json",
    ),
    blocks.imagine: (
        _DRAWN,
        "peephole blocks imagine --model NAME --examples runs/drawn --out pairs.json",
    ),
}


def _epilog(examples: tuple[str, ...]) -> str:
    """The end of a help page. An example is a paragraph, since typer joins lines."""
    return "\n\n".join(("Example:" if len(examples) == 1 else "Examples:", *examples))


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
    pass


class _Group(_PlainValues, TyperGroup):
    pass


app = typer.Typer(
    cls=_Group,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Connects LLM task planners to household and manipulation simulators.",
    epilog=_epilog((_FIRST, "peephole show runs/first 3")),
)
for _panel, _commands in _COMMANDS.items():
    for _command, _examples in _commands.items():
        app.command(cls=_Command, rich_help_panel=_panel, epilog=_epilog(_examples))(_command)


def _add_group(
    name: str,
    summary: str,
    commands: Mapping[Callable[..., None], tuple[str, ...]],
    examples: tuple[str, ...],
) -> None:
    """Add a group of commands, such as `peephole memory`."""
    group = typer.Typer(cls=_Group, rich_markup_mode="rich")
    for command, its_examples in commands.items():
        group.command(cls=_Command, epilog=_epilog(its_examples))(command)
    app.add_typer(group, name=name, help=summary, epilog=_epilog(examples), rich_help_panel="Runs")


_add_group(
    "memory",
    "Make a memory of earlier episodes, from which planners take examples.",
    _MEMORY_COMMANDS,
    (_TRAIN, _BUILD),
)
_add_group(
    "kitchens",
    "Generate kitchen tasks with a language model; write them in the format of Tru-POMDP.",
    _KITCHEN_COMMANDS,
    tuple(example for each in _KITCHEN_COMMANDS.values() for example in each),
)
_add_group(
    "blocks",
    "Generate tasks about blocks, and pairs for fine-tuning, with a language model.",
    _BLOCKS_COMMANDS,
    tuple(dict.fromkeys(example for each in _BLOCKS_COMMANDS.values() for example in each)),
)

#: What typer raises for a wrong command line. Typer exports only a subclass of it.
_WrongUsage = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])


def main() -> None:
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
    except typer.Abort:
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
    names = {
        command.__name__.replace("_", "-")
        for commands in _COMMANDS.values()
        for command in commands
    }
    names.add("memory")
    return f"peephole {arguments[0]}" if arguments[0] in names else "peephole"


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
