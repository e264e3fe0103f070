"""`peephole compare`: compare a simulation with reality by their recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json
from .output import print_json


def compare(
    sim: Annotated[Path, typer.Argument(help="Folder of a run in simulation, or of several runs.")],
    real: Annotated[Path, typer.Argument(help="Folder of the same tasks on the real robot.")],
    calibrate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write the failure rates that the simulation lacks, for `peephole run "
            "--faults`.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure how well a simulation predicts reality: success, skills, observations, ranking.

    Any two runs of the same tasks can be compared.
    """
    from ..episodes.run_file import run_folders
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
            f"Written to {calibrate}; use it in simulation with: "
            f"peephole run --faults {calibrate} …",
            soft_wrap=True,
        )
