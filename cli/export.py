"""`peephole export`: a run in the form of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, RunFolder
from .output import print_json

_FORMATS = "chat, instructions, lerobot, mcap, minari, parquet, rerun"


def export(
    run: RunFolder,
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"What to write: {_FORMATS}.")],
    out: Annotated[Path, typer.Option(help="The file or folder to write; it must not exist yet.")],
    episodes: Annotated[
        str,
        typer.Option(
            metavar="all|successful",
            help="Which are written; by default all, of chat and instructions the successful ones.",
        ),
    ] = "",
    each: Annotated[
        str,
        typer.Option(
            metavar="reply|episode",
            help="What a line of chat is; by default a reply where the run has a model.",
        ),
    ] = "",
    recent_turns: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Conversations of react as its option recent_turns=N has them; by default as "
            "the run's planner had them.",
        ),
    ] = None,
    first_replies: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Only the first N replies of each episode, such as how a model reads an "
            "instruction; by default all.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a run's recordings in the form of another tool, or to fine-tune a model with."""
    from ..episodes.run_file import read_run
    from ..models import serving
    from ..results.exports.export import Wanted
    from ..results.exports.export import export as write

    written = write(run, to, out, Wanted(episodes, each, recent_turns, first_replies))
    note = " ".join(map(serving.note, dict.fromkeys(read_run(run).config.models.values())))
    if as_json:
        document = {"file": str(out), "format": to, **written.counts, "hint": written.hint}
        print_json(document | ({"note": note} if note else {}))
        return
    if note:
        print(note)
    told = ", ".join(f"{count} {name}" for name, count in written.counts.items())
    print(f"{told} written to {out}. {written.hint}".rstrip())
