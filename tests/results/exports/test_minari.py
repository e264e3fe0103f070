"""Minari: a dataset that Minari itself loads by its id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from peephole.episodes.events import Perceived, Stepped
from peephole.episodes.recording import RecordedImages
from peephole.episodes.run_file import read_run
from peephole.results.exports import export as writing

minari = pytest.importorskip("minari", reason="of the extra export")


def load(root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The dataset that the only folder of three levels under `root` holds."""
    (folder,) = root.glob("*/*/*")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(root))
    return minari.load_dataset(str(folder.relative_to(root)))


@pytest.mark.slow
def test_a_relative_folder_will_do(
    explored: Path, export: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    writing.export(explored.absolute(), "minari", Path("datasets"))
    assert load(tmp_path / "datasets", monkeypatch).total_episodes == 2


def test_observations_actions_and_rewards_are_those_of_the_recording(
    explored: Path, export: Any, recorded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, printed = export(explored, "minari")
    assert 'load "peephole/robothow/explore-v0"' in printed
    dataset = load(out, monkeypatch)
    episodes = list(dataset.iterate_episodes())
    assert (dataset.total_episodes, dataset.total_steps) == (2, sum(map(len, episodes)))
    images = RecordedImages(explored)
    for episode, events in zip(episodes, recorded(explored), strict=True):
        moments = [event for event in events if isinstance(event, Perceived)]
        steps = [event for event in events if isinstance(event, Stepped)]
        assert episode.observations["text"] == [event.observation for event in moments]
        assert episode.actions == [event.wording for event in steps]
        assert list(episode.rewards) == [event.reward for event in steps]
        assert list(episode.infos["progress"]) == [event.progress for event in moments]
        assert list(episode.terminations) == [False] * (len(steps) - 1) + [True]
        assert not any(episode.truncations)
        shown = images.load(moments[-1].image)
        assert np.array_equal(episode.observations["image"][-1], shown)
        typed = [json.loads(text) for text in episode.infos["typed_action"][:-1]]
        assert [each["verb"] for each in typed] == [event.action.verb for event in steps]
    assert dataset.observation_space["text"].contains(episodes[0].observations["text"][0])
    assert all(dataset.action_space.contains(action) for action in episodes[0].actions)


def test_an_arm_has_sensors(
    arm: Path, export: Any, recorded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _ = export(arm, "minari")
    episode = next(load(out, monkeypatch).iterate_episodes())
    moments = [event for event in recorded(arm)[0] if isinstance(event, Perceived)]
    read = [np.concatenate(event.sensors) for event in moments]
    assert np.array_equal(episode.observations["sensors"], read)


def test_an_episode_without_success_is_cut_off(
    failed: Path, export: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _ = export(failed, "minari")
    dataset = load(out, monkeypatch)
    (episode,) = dataset.iterate_episodes()
    assert (any(episode.terminations), bool(episode.truncations[-1])) == (False, True)
    (metadata,) = dataset.storage.get_episode_metadata([0])
    assert metadata["options"]["success"] is False
    assert dataset.storage.metadata["algorithm_name"] == read_run(failed).label
