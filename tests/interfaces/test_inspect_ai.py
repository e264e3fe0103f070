"""A suite as a task of inspect_ai, played by its own stand-in for a model."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from peephole.episodes.run_file import read_run, run_folders
from peephole.errors import BadInput
from peephole.results.run_episodes import results_in

pytestmark = pytest.mark.slow
TASKS = ["switch/house-3-1", "leave/house-4-1"]


def replies(*calls: tuple[str, dict[str, str]] | str) -> list[Any]:
    """Replies of mockllm, with their tokens, which it would count by a file from the web."""
    from inspect_ai.model import ModelOutput, ModelUsage

    name = "mockllm/model"
    found = [
        ModelOutput.from_content(name, call)
        if isinstance(call, str)
        else ModelOutput.for_tool_call(name, call[0], call[1])
        for call in calls
    ]
    for each in found:
        each.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return found


def evaluated(tmp_path: Path, said: list[Any], **arguments: Any) -> Any:
    from inspect_ai import eval as evaluate
    from inspect_ai.model import get_model

    (entry,) = entry_points(group="inspect_ai", name="peephole")  # of `inspect eval peephole/suite`
    (log,) = evaluate(
        entry.load().suite(**{"suite": "houses", "out": str(tmp_path / "runs"), **arguments}),
        model=get_model("mockllm/model", custom_outputs=said),
        log_dir=str(tmp_path / "logs"),
        display="none",
        max_samples=1,
    )
    return log


def test_a_model_plays_a_sample_and_the_referee_scores_it(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    said = replies(
        ("task", {}),
        ("act", {"action": "dance"}),
        ("act", {}),
        ("zap", {}),
        "I think.",
        ("act", {"action": "go to bathroom 1"}),
        ("act", {"action": "turn off table lamp 1"}),
        ("done", {}),
        ("give_up", {}),
    )
    log = evaluated(tmp_path, said, tasks=TASKS[0])
    assert log.status == "success", log.error
    (sample,) = log.samples
    score = sample.scores["referee"]
    (run,) = run_folders(tmp_path / "runs")
    (result,) = results_in(run, read_run(run))
    assert score.value == {"success": 0.0, "progress": result.progress, "steps": result.steps}
    assert score.explanation == result.ended
    assert read_run(run).config.options == {"agent": "mockllm/model"}
    texts = [message.text for message in sample.messages]
    assert "Switch table lamp 1 off and table lamp 2 on." in texts[2]
    assert any(text.startswith("There is no such action") for text in texts)


def test_a_model_that_calls_no_tool_leaves_and_every_sample_ends(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    log = evaluated(tmp_path, replies(*["Hm."] * 6), tasks=",".join(TASKS))
    assert log.status == "success", log.error
    assert [sample.scores["referee"].value["success"] for sample in log.samples] == [0.0, 0.0]
    assert len(run_folders(tmp_path / "runs")) == 2


def test_an_unknown_suite_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    with pytest.raises(BadInput, match="There is no suite"):
        evaluated(tmp_path, [], suite="housses")
