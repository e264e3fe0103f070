"""A dataset of Minari: observations, actions and rewards of episodes, in Parquet files.

Its folder holds `peephole/SUITE/PLANNER-v0`, like the folder MINARI_DATASETS_PATH. Each trial of an
episode is an episode of the dataset. An observation is a dictionary: `text`, `image` where a run
recorded one at every moment, and `sensors` of an arm. An action is a text in the dialect.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...episodes.events import beginning_of
from ...errors import BadInput
from ..pictures import image_of
from .export import ExportSummary, Source
from .steps import Trial, sensor_numbers, trials_of

if TYPE_CHECKING:
    import gymnasium as gym


def write(source: Source, out: Path) -> ExportSummary:
    """Write the dataset. Raises BadInput where no episode has an action."""
    from minari import __version__
    from minari.dataset.minari_storage import MinariStorage

    trials = [trial for episode in source.episodes for trial in trials_of(episode)]
    if not trials:
        raise BadInput(
            f"{source.run} has no episode with an action, which Minari needs; run more tasks."
        )
    config = source.content.config
    dataset_id = f"peephole/{_plain(config.suite)}/{_plain(Path(config.planner).stem)}-v0"
    with_images = all(moment.image for trial in trials for moment in trial.moments)
    with_sensors = all(moment.sensors for trial in trials for moment in trial.moments)
    folder = out.absolute() / dataset_id / "data"  # it joins a relative path twice
    folder.mkdir(parents=True)
    storage = MinariStorage.new(
        folder,
        observation_space=_observation_space(source, trials, with_images, with_sensors),
        action_space=_text(step.event.wording for trial in trials for step in trial.steps),
        data_format="parquet",
        jpeg_encoding=False,
    )
    about = f"{config.suite}, played by {source.content.label} in the wording {config.dialect}."
    storage.update_metadata(
        {
            "dataset_id": dataset_id,
            "minari_version": __version__,
            "algorithm_name": source.content.label,
            "description": " ".join([about, *(each.text for each in source.content.stand_ins)]),
        }
    )
    storage.update_episodes(
        _buffer(source, number, trial, with_images, with_sensors)
        for number, trial in enumerate(trials)
    )
    return ExportSummary(
        {"episodes": len(trials), "steps": sum(len(trial.steps) for trial in trials)},
        f'Set MINARI_DATASETS_PATH to that folder and load "{dataset_id}".',
    )


def _plain(name: str) -> str:
    return re.sub(r"\W+", "_", name)


# --- spaces --------------------------------------------------------------------------------------


def _text(texts: Iterable[str]) -> gym.spaces.Text:
    """The space of these texts: their characters, and the longest length."""
    from gymnasium.spaces import Text

    found = list(texts)
    letters = "".join(sorted(set().union(*found))) or " "
    return Text(max(1, *map(len, found)), min_length=0, charset=letters)


def _observation_space(
    source: Source, trials: Sequence[Trial], with_images: bool, with_sensors: bool
) -> gym.spaces.Dict:
    import numpy as np
    from gymnasium.spaces import Box, Dict, Space

    moments = [moment for trial in trials for moment in trial.moments]
    spaces: dict[str, Space[Any]] = {"text": _text(moment.observation for moment in moments)}
    if with_images:
        shape = image_of(source.run, moments[0].image).shape
        spaces["image"] = Box(0, 255, shape, np.uint8)
    if with_sensors:
        size = len(sensor_numbers(moments[0].sensors))
        spaces["sensors"] = Box(-np.inf, np.inf, (size,), np.float64)
    return Dict(spaces)


# --- episodes ------------------------------------------------------------------------------------


def _buffer(
    source: Source, number: int, trial: Trial, with_images: bool, with_sensors: bool
) -> Any:
    import numpy as np
    from minari.data_collector.episode_buffer import EpisodeBuffer

    observations: dict[str, Any] = {"text": [moment.observation for moment in trial.moments]}
    if with_images:
        observations["image"] = np.array(
            [image_of(source.run, moment.image) for moment in trial.moments]
        )
    if with_sensors:
        observations["sensors"] = np.array(
            [sensor_numbers(moment.sensors) for moment in trial.moments]
        )
    before_last = [False] * (len(trial.steps) - 1)
    return EpisodeBuffer(
        id=number,
        seed=trial.episode.seed,
        options=_options(trial),
        observations=observations,
        actions=[step.event.wording for step in trial.steps],
        rewards=[step.event.reward for step in trial.steps],
        terminations=[*before_last, not trial.cut_off],
        truncations=[*before_last, trial.cut_off],
        infos=_infos(trial),
    )


def _options(trial: Trial) -> dict[str, Any]:
    """The metadata of an episode."""
    started = beginning_of(trial.episode.events)
    return {
        "task": trial.episode.task,
        "instruction": started.instruction,
        "trial": trial.number,
        "success": trial.success,
    }


def _infos(trial: Trial) -> dict[str, list[Any]]:
    """Infos by moment: progress, and thought, failure and typed action of the next action.

    No action follows the last moment, so its texts are empty.
    """
    progress = [moment.progress for moment in trial.moments]
    outcomes = [step.event.outcome.failure for step in trial.steps]
    typed = [step.event.action for step in trial.steps]
    return {
        "progress": [math.nan if value is None else value for value in progress],
        "thought": [*(step.deliberation.thought for step in trial.steps), ""],
        "failure": [*("" if failure is None else str(failure.reason) for failure in outcomes), ""],
        "typed_action": [*("" if each is None else _json(each) for each in typed), ""],
    }


def _json(action: Any) -> str:
    names = ("verb", "target", "relation", "place", "pose", "seconds")
    return json.dumps({name: getattr(action, name) for name in names})
