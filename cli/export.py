"""`peephole export`: write a run in the format of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, RunFolder
from .output import print_json

_FORMATS = "chat, instructions, lerobot, mcap, minari, parquet, rerun"


def export(
    run: RunFolder,
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"Format: {_FORMATS}.")],
    out: Annotated[Path, typer.Option(help="New file or folder to write.")],
    episodes: Annotated[
        str,
        typer.Option(
            metavar="all|successful",
            help="Which episodes to write. By default all, or the successful ones for chat and "
            "instructions.",
        ),
    ] = "",
    each: Annotated[
        str,
        typer.Option(
            metavar="reply|episode",
            help="What a line of chat is. By default a reply, or an episode for a run without a "
            "model.",
        ),
    ] = "",
    recent_turns: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Write conversations as planner react has them with recent_turns=N. By default "
            "as in the run.",
        ),
    ] = None,
    first_replies: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Write only the first N replies of each episode. By default all.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a run in the format of another tool, or as data to fine-tune a model."""
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
    counts = ", ".join(f"{count} {name}" for name, count in written.counts.items())
    print(f"{counts} written to {out}. {written.hint}".rstrip())
