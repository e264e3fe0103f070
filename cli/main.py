"""The command line. Heavy parts are imported by the commands that use them."""

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

#: The commands by their panel in the help, each with examples that run one after the other as they
#: stand there; NAME is a model of the user's.
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
#: Those of `peephole memory`.
_MEMORY_COMMANDS: dict[Callable[..., None], tuple[str, ...]] = {
    memory.build: (_TRAIN, _BUILD),
    memory.show: (_TRAIN, _BUILD, "peephole memory show memory.jsonl"),
}
#: Those of `peephole kitchens`.
_KITCHEN_COMMANDS: dict[Callable[..., None], tuple[str, ...]] = {
    kitchens.generate: (
        "peephole kitchens generate --model NAME --level easy --out made",
        "peephole tasks kitchens --data made",
    ),
    kitchens.export: ("peephole kitchens export kitchens:hard --out published",),
}
#: Those of `peephole blocks`.
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
    """The end of a help page. It is folded by paragraphs, so that each example is one."""
    return "\n\n".join(("Example:" if len(examples) == 1 else "Examples:", *examples))


class _PlainFlags:
    """Help in which a flag has no type: `<bool>` says nothing."""

    def get_params(self, ctx: Any) -> list[Any]:
        params = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False) and param.metavar is None:
                param.metavar = ""
        return list(params)


class _Command(_PlainFlags, TyperCommand):
    pass


class _Group(_PlainFlags, TyperGroup):
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
    """Add commands under a name of their own."""
    group = typer.Typer(cls=_Group, rich_markup_mode="rich")
    for command, its_examples in commands.items():
        group.command(cls=_Command, epilog=_epilog(its_examples))(command)
    app.add_typer(group, name=name, help=summary, epilog=_epilog(examples), rich_help_panel="Runs")


_add_group(
    "memory",
    "Make memories of earlier episodes, which planners take examples from.",
    _MEMORY_COMMANDS,
    (_TRAIN, _BUILD),
)
_add_group(
    "kitchens",
    "Make kitchen tasks with a language model, and write them in their published form.",
    _KITCHEN_COMMANDS,
    tuple(example for each in _KITCHEN_COMMANDS.values() for example in each),
)
_add_group(
    "blocks",
    "Make tasks about blocks with a language model, and pairs to fine-tune another one on.",
    _BLOCKS_COMMANDS,
    tuple(dict.fromkeys(example for each in _BLOCKS_COMMANDS.values() for example in each)),
)

#: What typer raises for a wrong command line; it exports a subclass of it only.
_WrongUsage = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])


def main() -> None:
    """Run the command line; errors meant for the user are printed as one sentence.

    Exit codes: 0 done, 1 the run failed or was interrupted, 2 bad usage, 3 something it needs is
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
            _end("The disk is full for what is printed; make room.", 1)
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            where = error.filename or "A file"
            _end(
                f"{where} cannot be used ({error.strerror}); choose another place, or allow it "
                f"with: chmod u+rwX {where}",
                3,
            )
        about = f"{error.filename}: " if error.filename else ""
        _end(f"{about}{error.strerror or error}; see to that and try again.", 1)
    else:
        if code == _INTERRUPTED:
            _end("Interrupted.", 1)
        sys.exit(code)


def _check_filled(arguments: Sequence[str]) -> None:
    """Raise BadInput for an option with an empty value, as of a shell's variable that is not set.

    An empty path would mean the working directory.
    """
    for option, value in pairwise((*arguments, "-")):
        if option.startswith("--") and (not value or option.endswith("=")):
            raise BadInput(f"{option.rstrip('=')} is empty; give it a value or leave it out.")


def _asked_command(arguments: Sequence[str]) -> str:
    """The command that the arguments name, as far as there is one."""
    names = {
        command.__name__.replace("_", "-")
        for commands in _COMMANDS.values()
        for command in commands
    }
    names.add("memory")
    return f"peephole {arguments[0]}" if arguments[0] in names else "peephole"


#: The exit code that typer makes of Ctrl-C.
_INTERRUPTED = 128 + signal.SIGINT


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """End as by Ctrl-C, once: what is cleaned up then is not to be interrupted again."""
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
