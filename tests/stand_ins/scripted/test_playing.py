"""Episodes played by `react` with the stand-in as its model: a check of the whole mechanism."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import peephole
from peephole.adapters.omnigibson import package
from peephole.cli.main import app
from peephole.episodes.events import Stepped
from peephole.episodes.recording import episode_files, read_events
from peephole.models.events import ModelReplied
from peephole.models.failures import ModelFailure
from peephole.planners.contract import Act, Planner
from peephole.stand_ins.scripted.faults import ERRORS
from peephole.suites.registry import load_suite

#: Replies spoilt: one in five. HTTP calls failing: one in twenty.
SPOILT = "malformed=0.05,illegal=0.05,empty=0.05,truncated=0.05,http429=0.02,http500=0.03"


def _play(folder, suite, every, model="scripted", dialect="", **options):
    tasks = tuple(task.id for task in load_suite(suite).tasks[::every])
    return _play_tasks(folder, suite, tasks, model, dialect, **options)


def _play_tasks(folder, suite, tasks, model="scripted", dialect="", **options):
    played = peephole.run(
        "react", suite, tasks=tasks, model=model, dialect=dialect, out=folder, options=options
    )
    return played.results


def _events(folder, kind):
    events = [event for path in episode_files(folder) for event in read_events(path)]
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.parametrize(
    ("suite", "every"), [("houses", 25), pytest.param("wah", 17, marks=pytest.mark.slow)]
)
def test_it_reaches_goals(tmp_path, suite, every):
    results = _play(tmp_path / "run", suite, every)
    assert [result.task for result in results if not result.success] == []


@pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))
def test_with_one_hand_that_doors_need_it_reaches_goals_too(tmp_path):
    """Open things have to be closed in the end, and things are carried one by one."""
    tasks = ("bag_groceries", "bringing_glass_to_recycling", "picking_up_litter")
    results = _play_tasks(tmp_path / "run", "behavior", tasks)
    assert [result.success for result in results] == [True] * 3


def test_what_it_went_to_is_within_reach_on_a_map_too(tmp_path):
    """A television and a light hold nothing, so the graph never lists them as looked into."""
    tasks = ("virtualhome/1026_1", "virtualhome/150_2")
    played = peephole.run(
        "lookplangraph", "grasif:virtualhome", tasks=tasks, model="scripted", out=tmp_path / "run"
    )
    assert [result.success for result in played.results] == [True, True]


@pytest.mark.parametrize("dialect", ["alfworld", "reactree_plain"])
def test_it_reaches_goals_in_other_words(tmp_path, dialect):
    results = _play(tmp_path / "run", "houses", 50, dialect=dialect)
    assert [result.task for result in results if not result.success] == []


def test_it_reaches_goals_without_thoughts_too(tmp_path):
    results = _play(tmp_path / "run", "wah", 100, dialect="compact", thoughts=False)
    assert [result.task for result in results if not result.success] == []
    replies = _events(tmp_path / "run", ModelReplied)
    assert {tuple(json.loads(event.reply)) for event in replies} == {("action",)}


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_it_reaches_goals_in_kitchens(tmp_path, level):
    results = _play(tmp_path / "run", f"kitchens:{level}", 50)
    # One that is asked for more than can be found and carried within the limit may fail.
    assert sum(result.success for result in results) >= len(results) - 1
    assert all(result.ended in ("goal_reached", "steps") for result in results)


def test_through_faults_episodes_end_in_order_and_every_call_is_recorded(tmp_path):
    """A question whose every answer is spoilt ends an episode; nothing else does."""
    results = _play(tmp_path / "run", "houses", 25, f"scripted:{SPOILT}")
    for result in results:
        assert result.success or (result.ended == "gave_up" and "unusable replies" in result.detail)
    replies, steps = (_events(tmp_path / "run", kind) for kind in (ModelReplied, Stepped))
    assert len(replies) > len(steps)


def test_a_less_able_model_fails_in_order_and_no_record_is_lost(tmp_path):
    results = _play(tmp_path / "run", "houses", 20, "scripted:errors=0.3")
    assert len(results) == len(load_suite("houses").tasks[::20])
    assert 0 < sum(result.success for result in results) < len(results)
    ended = {result.ended for result in results if not result.success}
    assert ended <= {"done", "gave_up", "steps", "decisions"}


@pytest.mark.parametrize("error", ["illegal", "invented"])
def test_a_goal_may_be_divided_with_an_error(tmp_path, error):
    """An illegal division is an illegal action."""
    (result,) = peephole.run(
        "reactree", "wah", tasks=1, model=f"scripted:{error}=1", out=tmp_path / "run"
    ).results
    assert not result.success
    assert result.ended in ("done", "gave_up", "steps", "decisions")


@pytest.mark.parametrize("error", [*ERRORS, "malformed"])
def test_errors_are_made_in_another_format_too(tmp_path, error):
    results = peephole.run(
        "llm_pop",
        "blocks",
        tasks=1,
        adapter="symbolic_blocks",
        model=f"scripted:{error}=1",
        out=tmp_path / "run",
    ).results
    assert not results[0].success
    assert results[0].ended != "planner_error"


def test_the_same_run_twice_comes_out_the_same(tmp_path):
    first, second = (_play(tmp_path / name, "houses", 50) for name in ("first", "second"))
    texts = [
        [(step.said, step.observation) for step in _events(tmp_path / name, Stepped)]
        for name in ("first", "second")
    ]
    assert texts[0] == texts[1]
    assert [r.steps for r in first] == [r.steps for r in second]


def test_its_results_are_labelled_wherever_they_are_shown(tmp_path):
    run_folder, page = tmp_path / "run", tmp_path / "page.html"
    _play(run_folder, "houses", 100)
    shown = CliRunner().invoke(app, ["show", str(run_folder)])
    episode = CliRunner().invoke(app, ["show", str(run_folder), "1"])
    report = CliRunner().invoke(app, ["report", str(run_folder), "--out", str(page)])
    again = CliRunner().invoke(app, ["run", "--resume", "--out", str(run_folder), "--json"])
    assert report.exit_code == 0
    for text in (shown.output, episode.output, page.read_text(), again.output):
        assert "mechanism check" in " ".join(text.split())


def test_a_planner_of_ones_own_is_told_what_to_give_instead(tmp_path):
    def plan(brief, percept):
        yield Act(
            brief.model.choose([{"role": "user", "content": "What now?"}], ["wait", "look around"])
        )

    own = Planner("own", "asks in its own words", plan, models="planner")
    with pytest.raises(ModelFailure) as caught:
        peephole.run(own, "houses", tasks=1, model="scripted", out=tmp_path / "run")
    assert "for another planner give a language model, or --model replies:FILE" in str(caught.value)
    assert "endpoint" not in str(caught.value)
    assert not caught.value.resumable  # its rules would refuse it again
