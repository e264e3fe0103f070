"""The command that plays a recording again in its simulator."""

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
    episode: Annotated[int | None, typer.Argument(help="Number of one episode.")] = None,
    film: Annotated[Path | None, typer.Option(help="MP4 file to make of that episode.")] = None,
    as_json: Json = False,
) -> None:
    """Re-execute a recorded run in its simulator and verify every outcome."""
    from ..episodes.recording import episode_path
    from ..episodes.run_file import read_run
    from ..results.replay import replay_run

    planned = read_run(run).config.episodes
    if episode is not None and not 1 <= episode <= len(planned):
        raise BadInput(f"{run} has episodes 1 to {len(planned)}, not {episode}.")
    if film is not None:
        if episode is None:
            raise BadInput("--film makes a film of one episode; give its number after the run.")
        if not episode_path(run, episode, planned[episode - 1].task).exists():
            raise BadInput(
                f"Episode {episode} of {run} was not played yet; there is no film of it."
            )
    rows = []
    only = frozenset() if episode is None else frozenset({episode})
    telling = nullcontext() if film is None else signs_of_life(f"Filming episode {episode}")
    with json_alone(as_json), telling:
        for replayed in replay_run(run, only, film):
            rows.append(replayed)
            if not as_json:
                verdict = replayed.difference or f"{_steps(replayed.steps)} came out as recorded"
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
        print(f"Filmed in {film}.")
    if differing:
        raise PeepholeError(f"{differing} of {len(rows)} episodes came out differently.")


def _steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number} steps"
