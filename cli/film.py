"""`peephole film`: make a film of a recorded episode."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import PeepholeError
from .options import Json, RunFolder
from .output import json_alone, print_json, signs_of_life


def film(
    run: RunFolder,
    episode: Annotated[str, typer.Argument(help="Number or task of an episode.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.mp4",
            help="Film to write. By default in the run's folder, where `peephole report` finds it.",
        ),
    ] = None,
    drawn: Annotated[
        bool,
        typer.Option("--drawn", help="Draw a floor plan, even if there is a camera or images."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a film of a recorded episode, with actions and outcomes as subtitles.

    A simulator with a camera plays the episode again. Without one, the film shows the recorded
    images, or a floor plan with what the agent sees, knows and holds.
    """
    from ..results.films.film import film_episode

    with json_alone(as_json), signs_of_life(f"Filming episode {episode}"):
        filmed = film_episode(run, episode, out, drawn=drawn)
    if as_json:
        print_json(
            {"file": str(filmed.file), "shows": filmed.shows, "difference": filmed.difference}
        )
    else:
        print(f"Written to {filmed.file}: {filmed.shows}.")
    if filmed.difference is not None:
        raise PeepholeError(f"The episode differs from its recording: {filmed.difference}.")
