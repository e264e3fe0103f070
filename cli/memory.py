"""Commands for episodic memories: `peephole memory build` and `peephole memory show`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json
from .output import print_entries, print_json

if TYPE_CHECKING:
    from ..planners.kits.memory.episodic import EpisodicMemory

MemoryFile = Annotated[Path, typer.Argument(metavar="FILE", help="File of a memory.")]


def build(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN", help="Folders of the runs to take episodes from.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="File to write the memory to.")],
    embedder: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Model that embeds goals: wordllama, or a model of sentence-transformers.",
        ),
    ] = "wordllama",
    as_json: Json = False,
) -> None:
    """Make a memory of the successful episodes of runs, for planners with --set memory=FILE."""
    from ..planners.kits.memory.episodic import EpisodicMemory
    from ..results.exports.experiences import collect

    collected = collect(runs)
    memory = EpisodicMemory.build(collected.experiences, collected.dialect, embedder)
    memory.save(out)
    episodes = {"taken": collected.episodes, "left_out": collected.failed}
    _tell(memory, out, {"episodes": episodes} if as_json else {}, as_json)
    if not as_json:
        print(
            f"Made from {collected.episodes} episodes; {collected.failed} that did not reach "
            f"their goal are left out."
        )


def show(file: MemoryFile, as_json: Json = False) -> None:
    """Show what a memory has."""
    from ..planners.kits.memory.episodic import EpisodicMemory

    _tell(EpisodicMemory.load(file), file, {}, as_json)


def _tell(memory: EpisodicMemory, path: Path, more: dict[str, Any], as_json: bool) -> None:
    """Print what a memory has. more: further fields of the JSON document."""
    from ..planners.kits.memory.episodic import ENDS

    header = memory.header
    counted = Counter(each.end for each in memory.experiences)
    size = path.stat().st_size
    if as_json:
        print_json(
            {
                "file": str(path),
                "bytes": size,
                "experiences": header.experiences,
                "ends": {end: counted[end] for end in ENDS},
                "planners": header.planners,
                "dialect": header.dialect,
                "control_flow": header.control_flow,
                "suites": header.suites,
                "scenes": header.scenes,
                "embedder": header.embedder,
                **more,
            }
        )
        return
    total = max(1, header.experiences)
    entries = {
        "file": [f"{path}, {size / 1e6:.1f} MB"],
        "experiences": [
            str(header.experiences),
            *(f"{end}: {counted[end]} ({100 * counted[end] / total:.1f} %)" for end in ENDS),
        ],
        "planners": [", ".join(header.planners)],
        "dialect": [header.dialect],
        "control flow": [", ".join(header.control_flow) or "none: an experience is an episode"],
        "suites": [", ".join(header.suites)],
        "scenes": [f"{len(header.scenes)}: {', '.join(header.scenes)}"],
        "embedder": [f"{header.embedder}, {header.dimensions} dimensions"],
    }
    print_entries(entries)
