"""`peephole replay`: play a recording again in its simulator."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from ..errors import BadInput, PeepholeError
from .options import Json, RunFolder
from .output import json_alone, print_json, signs_of_life


def replay(
    run: RunFolder,
    episode: Annotated[
        str | None,
        typer.Argument(help="Number or task of an episode. By default all episodes."),
    ] = None,
    film: Annotated[
        Path | None,
        typer.Option(metavar="FILE.mp4", help="Also write a film of the episode."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Repeat the actions of a recorded run in its simulator and verify every outcome."""
    from ..episodes.recording import episode_path
    from ..episodes.run_file import read_run
    from ..results.replay import replay_run
    from ..results.show.episode_view import episode_number

    config = read_run(run).config
    number = None if episode is None else episode_number(run, config, episode)
    if film is not None:
        if number is None:
            raise BadInput("--film makes a film of one episode; give its number after the run.")
        if not episode_path(run, number, config.episodes[number - 1].task).exists():
            raise BadInput(f"Episode {number} of {run} has not begun; play it with --resume first.")
    rows = []
    only = frozenset() if number is None else frozenset({number})
    telling = nullcontext() if film is None else signs_of_life(f"Filming episode {number}")
    with json_alone(as_json), telling:
        for replayed in replay_run(run, only, film):
            rows.append(replayed)
            if not as_json:
                verdict = replayed.difference or f"{_steps(replayed.steps)} as recorded"
                print(f"{replayed.task:40} {verdict}")
    differing = sum(row.difference is not None for row in rows)
    if as_json:
        print_json(
            {
                "run": str(run),
                "episodes": len(rows),
                "steps": sum(row.steps for row in rows),
                "differing": {r.task: r.difference for r in rows if r.difference is not None},
                **({"film": str(film)} if film is not None else {}),
            }
        )
    elif film is not None:
        print(f"Written to {film}.")
    if differing:
        raise PeepholeError(f"{differing} of {len(rows)} episodes differ from their recording.")


def _steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number} steps"
