"""`peephole film`: a recorded episode as a film."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import PeepholeError
from .options import Json, RunFolder
from .output import json_alone, print_json, signs_of_life


def film(
    run: RunFolder,
    episode: Annotated[str, typer.Argument(help="Number or task of the episode.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.mp4",
            help="The film to write; by default in the run's folder, where `report` shows it.",
        ),
    ] = None,
    drawn: Annotated[
        bool,
        typer.Option("--drawn", help="Draw a floor plan even where there is a camera or images."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Film a recorded episode, with what was done and what came of it written below.

    A simulator that can film plays it again; of others the film shows the recorded images, or else
    a floor plan with what the agent sees, knows and holds.
    """
    from ..results.films.film import film_episode

    with json_alone(as_json), signs_of_life(f"Filming episode {episode}"):
        filmed = film_episode(run, episode, out, drawn=drawn)
    if as_json:
        told = {"file": str(filmed.file), "shows": filmed.shows, "difference": filmed.difference}
        print_json(told)
    else:
        print(f"Written to {filmed.file}: {filmed.shows}.")
    if filmed.difference is not None:
        raise PeepholeError(f"The episode came out differently than recorded: {filmed.difference}.")
