"""Films of recorded episodes: by a simulator's camera, from recorded images, or drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...adapters.contract import Capability
from ...adapters.film import Film
from ...adapters.registry import adapter_specs
from ...episodes.recording import film_path
from ...episodes.run_file import RunFile, read_run
from ...errors import BadInput
from ..pictures import image_of
from ..replay import Reached, replay_run
from ..run_episodes import RunEpisode
from ..show.episode_view import find_episode
from .caption import ABOVE, BELOW, framed, mark_of
from .floor_plan import floor_plan
from .moments import FilmMoment, FilmStory, film_story, seconds_of
from .pen import check
from .plan_drawing import LEGEND_HEIGHT, agent_place, draw_agent, draw_plan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Frames per second, and the seconds of a move of the agent.
FRAME_RATE = 10.0
_MOVING_S = 0.6
_WIDTH, _HEIGHT = 1280, 720 - ABOVE - BELOW


@dataclass(frozen=True)
class Filmed:
    """A film. shows: its content in words.

    difference: where an episode was played again for the film, its first difference; else None.
    """

    file: Path
    shows: str
    difference: str | None = None


def film_episode(
    run: Path,
    wanted: str,
    out: Path | None = None,
    *,
    drawn: bool = False,
    reached: Reached | None = None,
) -> Filmed:
    """Film an episode of a run. wanted: its number or task. drawn: always a floor plan.

    out: the film; by default a file in the run's folder, where `report` finds it. reached: called
    with the number of the moment that is filmed now, and of all.

    Where the simulator can film between steps, the episode is played again in it. Others are filmed
    from their recording alone, with its images where it has any. Raises what `find_episode`,
    `replay_run` and `film_recording` do.
    """
    content = read_run(run)
    episode = find_episode(run, content, wanted)
    path = out or film_path(run, episode.number, episode.task)
    if out is None:
        path.parent.mkdir(exist_ok=True)
    spec = adapter_specs().get(content.config.adapter)
    films_itself = spec is not None and {Capability.FILM, Capability.REPLAYABLE} <= set(
        spec.capabilities
    )
    if drawn or not films_itself:
        return Filmed(path, film_recording(run, content, episode, path, reached, drawn=drawn))
    check()
    (replayed,) = replay_run(run, frozenset({episode.number}), path, captions=True, reached=reached)
    return Filmed(path, f"{content.config.adapter}, played again", replayed.difference)


def film_recording(
    run: Path,
    content: RunFile,
    episode: RunEpisode,
    path: Path,
    reached: Reached | None = None,
    *,
    drawn: bool = False,
) -> str:
    """Film an episode from its recording alone; returns what the film shows, in words.

    reached: as in `film_episode`. drawn: a floor plan even where images were recorded. Raises
    BadInput for a recording with neither, Missing for missing libraries, and what `Film` raises.
    """
    check()
    story = film_story(episode.events, content.grants)
    mark = mark_of(content)
    if story.has_images and not drawn:
        frames, what = _image_frames(run, story, mark, reached), "its recorded images"
    elif story.worlds:
        frames, what = _plan_frames(story, mark, reached), "a floor plan drawn of its recording"
    else:
        raise BadInput(
            f"Episode {episode.number} of {run} records neither places nor images; "
            f"record a run with --images to film it."
        )
    with Film(path, FRAME_RATE) as film:
        for frame in frames:
            film.add(frame)
    return what


def _plan_frames(
    story: FilmStory, mark: str, reached: Reached | None
) -> Iterator[NDArray[np.uint8]]:
    """Floor plans on which the agent moves from moment to moment."""
    import numpy as np

    plan = floor_plan(story.worlds, story.goal, _WIDTH, _HEIGHT - LEGEND_HEIGHT)
    moments = [moment for moment in story.moments if moment.world is not None]
    was: tuple[float, float] | None = None
    for moment, seconds in _counted(moments, reached):
        assert moment.world is not None
        picture = draw_plan(plan, moment.world, story.goal, (_WIDTH, _HEIGHT))
        place = agent_place(plan, moment.world)
        moving = round(_MOVING_S * FRAME_RATE) if was not in (None, place) else 1
        for x, y in _way(was or place, place, moving):
            shown = picture.copy()
            draw_agent(shown, plan, moment.world, (x, y))
            frame = np.asarray(framed(shown, moment.caption, mark))
            yield frame
        yield from [frame] * max(0, round(seconds * FRAME_RATE) - moving)
        was = place


def _counted(
    moments: Sequence[FilmMoment], reached: Reached | None
) -> Iterator[tuple[FilmMoment, float]]:
    """The moments with their seconds; each is reported before it is drawn."""
    for number, each in enumerate(zip(moments, seconds_of(moments), strict=True), start=1):
        if reached is not None:
            reached(number, len(moments))
        yield each


def _way(
    start: tuple[float, float], end: tuple[float, float], frames: int
) -> Iterator[tuple[float, float]]:
    """The agent's position in each frame of a move, slow at both ends."""
    for number in range(frames):
        part = (number + 1) / frames
        part = part * part * (3 - 2 * part)
        yield start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part


def _image_frames(
    run: Path, story: FilmStory, mark: str, reached: Reached | None
) -> Iterator[NDArray[np.uint8]]:
    """The recorded images, enlarged to fit."""
    import numpy as np
    from PIL import Image

    shown: Any = None
    name = ""
    for moment, seconds in _counted(story.moments, reached):
        if shown is None or moment.image != name:
            name = moment.image
            shown = Image.new("RGB", (_WIDTH, _HEIGHT), (20, 22, 26))
            if name:
                image = Image.fromarray(image_of(run, name))
                times = min(_WIDTH / image.width, _HEIGHT / image.height)
                size = round(image.width * times), round(image.height * times)
                shown.paste(image.resize(size), ((_WIDTH - size[0]) // 2, (_HEIGHT - size[1]) // 2))
        frame = np.asarray(framed(shown, moment.caption, mark))
        for _ in range(max(1, round(seconds * FRAME_RATE))):
            yield frame
