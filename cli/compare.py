"""`peephole compare`: a simulation against reality, from the recordings of both."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json
from .output import print_json


def compare(
    sim: Annotated[Path, typer.Argument(help="Run of the simulation, or a folder of runs.")],
    real: Annotated[Path, typer.Argument(help="The same tasks for real, or any other run.")],
    calibrate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write the failures that the simulation lacks, for `peephole run --faults`.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell how far a simulation agrees with reality: success, skills, observations, ranking."""
    from ..episodes.run_folders import run_folders
    from ..results.compare.comparison import compare as compared

    found = compared(run_folders(sim), run_folders(real))
    if calibrate is not None:
        from ..episodes.faults import write_faults
        from ..results.compare.calibration import calibration_of

        rates = calibration_of(found)
        write_faults(calibrate, rates)
    if as_json:
        from ..results.compare.comparison import comparison_document

        print_json(comparison_document(found))
        return
    from rich.console import Console

    from ..results.compare.page import comparison_view

    console = Console(highlight=False, markup=False)
    console.print(comparison_view(found))
    if calibrate is not None:
        console.print(
            f"Written to {calibrate}; play the simulation with it: "
            f"peephole run --faults {calibrate} …",
            soft_wrap=True,
        )
