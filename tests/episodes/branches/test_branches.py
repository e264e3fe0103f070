"""Recorded episodes that are played to a step, changed there, and played on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

import peephole
from peephole.episodes.branches.branch import NotBranched
from peephole.episodes.events import Started, Stepped, Voided, to_line
from peephole.episodes.recording import episode_files, read_episode, read_events, without_times
from peephole.episodes.run_file import read_run
from peephole.errors import BadInput
from peephole.models.events import ModelReplied
from peephole.models.record import AskedBefore
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner
from peephole.results.replay import replay_run

AT = 4
Play = Callable[..., Any]


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An episode of ten steps, whose model gives a thought and an action each turn."""
    folder = tmp_path_factory.mktemp("parent") / "run"
    peephole.run("react", "houses", tasks=1, model="scripted", out=folder)
    return folder


@pytest.fixture
def branch(parent: Path, tmp_path: Path) -> Play:
    numbers = iter(range(100))

    def play(**change: Any) -> Any:
        return peephole.branch(parent, 1, at=AT, out=tmp_path / str(next(numbers)), **change)

    return play


def only(folder: Path) -> Path:
    (path,) = episode_files(folder)
    return path


def steps(folder: Path) -> list[Stepped]:
    return [event for event in read_episode(only(folder)) if isinstance(event, Stepped)]


def replies(folder: Path) -> list[ModelReplied]:
    return [event for event in read_episode(only(folder)) if isinstance(event, ModelReplied)]


def conversation(folder: Path) -> str:
    """The messages of the last question, as the recording has them."""
    asked = replies(folder)
    return json.dumps(AskedBefore(asked).messages(asked[-1].call))


# --- an action ------------------------------------------------------------------------------------


def test_the_same_action_repeats_the_episode_and_what_was_asked_costs_nothing(
    parent: Path, branch: Play
) -> None:
    run = branch(action=steps(parent)[AT - 1].wording)
    assert [(e.wording, e.observation) for e in steps(run.folder)] == [
        (e.wording, e.observation) for e in steps(parent)
    ]
    assert [each.from_cache for each in replies(run.folder)] == [True] * AT + [False] * 6
    (result,) = run.results
    assert (result.calls, result.calls_cached) == (10, AT)
    assert result.usd == 0
    assert conversation(run.folder) == conversation(parent)


def test_another_action_is_done_and_the_model_reads_it_as_its_own(
    parent: Path, branch: Play
) -> None:
    run = branch(action="go to stove 1")
    before, after = steps(parent), steps(run.folder)
    assert [e.wording for e in after[: AT - 1]] == [e.wording for e in before[: AT - 1]]
    assert after[AT - 1].wording == "go to stove 1"
    talk = conversation(run.folder)
    assert "go to stove 1" in talk
    assert "branch" not in talk.lower()
    own = [m for m in json.loads(talk) if m["role"] == "assistant"]
    assert len(own) == len(after) - 1
    assert [json.loads(m["content"])["action"] for m in own] == [e.wording for e in after[:-1]]
    stored = read_run(run.folder)
    assert stored.config.branch is not None
    assert stored.config.branch.step == AT
    assert stored.label.endswith("branch at step 4: action 'go to stove 1'")


def test_an_action_of_a_planner_without_a_model_is_done_in_its_place(tmp_path: Path) -> None:
    def walks(brief: Brief, percept: Percept) -> Decisions:
        for room in ("kitchen 1", "bedroom 1", "bathroom 1"):
            yield Act(f"go to {room}")

    planner = Planner("walks", "", walks)
    run = peephole.run(planner, "houses", tasks=1, out=tmp_path / "run")
    other = peephole.branch(
        run.folder, 1, at=2, action="go to bathroom 1", planner=planner, out=tmp_path / "other"
    )
    done = [event.wording for event in steps(other.folder)]
    assert done == ["go to kitchen 1", "go to bathroom 1", "go to bathroom 1"]


# --- another planner ------------------------------------------------------------------------------


def test_another_planner_takes_over_and_cannot_tell(parent: Path, branch: Play) -> None:
    seen: list[tuple[Brief, Percept]] = []

    def looks(brief: Brief, percept: Percept) -> Decisions:
        seen.append((brief, percept))
        seen.append((brief, (yield Act(percept.menu()[0][1]))))

    run = branch(planner=Planner("looks", "", looks))
    (brief, first), (_, second) = seen
    with peephole.make("houses") as environment:
        start = environment.reset()
        usual = environment.brief()
    assert (first.step, second.step) == (0, 1)
    assert first.outcome is None
    assert first.action is None
    assert first.text.startswith("The house has 3 rooms")
    assert first.text.partition(".")[0] == start.text.partition(".")[0]
    assert brief.budgets.steps == usual.budgets.steps - (AT - 1)
    assert "drinking glass 1" in first.text, "what the agent holds by then"
    before = steps(parent)[: AT - 1]
    assert [e.wording for e in steps(run.folder)][:-1] == [e.wording for e in before]
    assert [each.difference for each in _replayed(run.folder)] == [None]


def test_a_planner_with_the_truth_takes_over_a_state_that_is_the_recorded_one(
    branch: Play,
) -> None:
    run = branch(planner="expert")
    (result,) = run.results
    assert result.success
    assert result.steps == 8
    assert result.decisions == 5, "the parent's are not its own"
    assert result.calls == 0
    assert [each.difference for each in _replayed(run.folder)] == [None]


def _replayed(folder: Path) -> list[Any]:
    return list(replay_run(folder))


# --- options, models, repeats ---------------------------------------------------------------------


def test_an_option_is_changed_though_the_prompt_would_have_been_another(branch: Play) -> None:
    run = branch(options={"menu": "none"})
    assert run.results[0].calls_cached == AT - 1
    assert read_run(run.folder).config.options == {"menu": "none"}
    assert "go to bathroom 1" not in conversation(run.folder).split("Task:")[-1].split("}")[-1]
    again = peephole.replay_replies(run.folder, out=run.folder.with_name("again"))
    assert again.results == run.results


class Way(BaseModel):
    """The option of a planner that goes to one room again and again."""

    room: str = Field("kitchen 1", description="the room")


def test_an_option_that_changes_earlier_decisions_is_refused(tmp_path: Path) -> None:
    def walks(brief: Brief, percept: Percept) -> Decisions:
        for _ in range(3):
            yield Act(f"go to {brief.options_of(Way).room}")

    planner = Planner("walks", "", walks, options=Way)
    run = peephole.run(planner, "houses", tasks=1, out=tmp_path / "run")
    out = tmp_path / "branch"
    with pytest.raises(NotBranched, match="cannot be repeated up to step 3"):
        peephole.branch(
            run.folder, 1, at=3, options={"room": "bedroom 1"}, planner=planner, out=out
        )
    assert not out.exists()


def test_repeats_begin_alike_and_ask_with_seeds_of_their_own(branch: Play) -> None:
    run = branch(repeats=2)
    content = read_run(run.folder).config
    assert [(each.seed, content.world_seed(each)) for each in content.episodes] == [(0, 0), (1, 0)]
    first, second = (read_episode(p) for p in episode_files(run.folder))
    taken = content.branch.taken if content.branch is not None else 0
    assert [e.step for e in first[:taken]] == [e.step for e in second[:taken]]
    asked = [next(e for e in es[taken:] if isinstance(e, ModelReplied)) for es in (first, second)]
    assert asked[0].call == asked[1].call
    assert asked[0].digest != asked[1].digest, "another seed"


# --- kills ----------------------------------------------------------------------------------------


def test_a_branch_that_was_cut_off_anywhere_is_continued_to_the_same_end(branch: Play) -> None:
    run = branch(action="go to stove 1")
    path = only(run.folder)
    whole = path.read_bytes().splitlines(keepends=True)
    wanted = without_times(read_episode(path))
    for kept in (0, 5, 14, len(whole) - 2):
        path.write_bytes(b"".join(whole[:kept]) + b'{"event": "to')
        peephole.resume(run.folder)
        assert without_times(read_episode(path)) == wanted, kept


def test_a_voided_start_of_a_branch_begins_with_the_shared_steps_again(branch: Play) -> None:
    run = branch(action="go to stove 1")
    path = only(run.folder)
    (before,) = run.results
    lines = path.read_bytes().splitlines(keepends=True)[:-1]
    path.write_bytes(b"".join(lines) + to_line(Voided(reason="It died.", step=12)))
    (after,) = peephole.resume(run.folder).results
    assert (after.voided, after.steps, after.success) == (1, before.steps, before.success)
    assert after.calls_cached == before.calls_cached
    assert sum(isinstance(event, Started) for event in read_events(path)) == 2


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"action": "go to stove 9"}, "was not offered 'go to stove 9' at step 4; choose one of"),
        ({"action": "wait", "planner": "expert"}, "changes one thing"),
        ({"planner": "expertt"}, "Did you mean expert"),
        ({"options": {"menu": "big"}}, "menu"),
    ],
)
def test_a_change_that_cannot_be_is_one_sentence(
    branch: Play, change: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput) as caught:
        branch(**change)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir()), "the refused run is removed"


@pytest.mark.parametrize("at", [0, 11, 500])
def test_a_step_that_is_not_recorded_is_refused(parent: Path, at: int, tmp_path: Path) -> None:
    with pytest.raises(NotBranched, match="choose one from 1 to 10"):
        peephole.branch(parent, 1, at=at, out=tmp_path / "branch")


def test_a_parent_that_has_changed_is_refused_where_it_is_needed(
    tmp_path: Path, parent: Path
) -> None:
    run = peephole.branch(parent, 1, at=AT, action="go to stove 1", out=tmp_path / "branch")
    only(run.folder).unlink()
    content = json.loads((run.folder / "run.json").read_text())
    content["config"]["branch"]["digest"] = "0" * 64
    (run.folder / "run.json").write_text(json.dumps(content))
    with pytest.raises(NotBranched, match="is gone or has changed"):
        peephole.resume(run.folder)


def test_a_world_that_cannot_be_repeated_is_refused(parent: Path, tmp_path: Path) -> None:
    content = json.loads((parent / "run.json").read_text())
    content["config"]["adapter"] = "operator"
    real = tmp_path / "real"
    (real / "episodes").mkdir(parents=True)
    (real / "run.json").write_text(json.dumps(content))
    (real / "episodes" / only(parent).name).write_bytes(only(parent).read_bytes())
    with pytest.raises(BadInput, match="a branch does the actions of its parent again"):
        peephole.branch(real, 1, at=AT, out=tmp_path / "branch")
