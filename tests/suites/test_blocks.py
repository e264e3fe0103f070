"""The suites of blocks: their tasks, success by luck, and exports."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import peephole
from peephole.adapters.blocks.scenes import load, read
from peephole.cli.main import app
from peephole.episodes.events import Decided, Started, Stepped
from peephole.episodes.recording import episode_files, read_events
from peephole.episodes.result import EpisodeResult
from peephole.errors import BadInput
from peephole.models.events import ModelReplied
from peephole.observation_text.dialects.blocks.dialect import vector_of
from peephole.observation_text.dialects.blocks.instruction_goals import at_corner
from peephole.planners.contract import Act, Decisions, Note, Planner
from peephole.planners.llm_pop.records import QUESTIONS
from peephole.results.metrics import summarize
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import And, Event, EventOccurred, Related
from peephole.scene_graph.node import Relation
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task
from peephole.suites.blocks.tasks import SCENES, all_tried, all_weighed, facts_of
from peephole.suites.contract import Suite
from peephole.suites.registry import load_suite

ARM, A, B = 2, 4, 5
SCENE = "blocks:masses=0.2,0.4;at=0.45,0.1,0|0.45,-0.1,0"
DOWN = "1, 0, 0, 0"


@pytest.mark.parametrize(
    ("name", "kinds"), [("blocks", 6), ("blocks:more", 7), ("blocks:offset", 1)]
)
def test_every_kind_has_ten_scenes_and_no_task_is_done_at_the_start(name: str, kinds: int) -> None:
    suite = load_suite(name)
    counted = Counter(task.labels["category"] for task in suite.tasks)
    assert set(counted.values()) == {SCENES}
    assert len(counted) == kinds
    assert len({task.id for task in suite.tasks}) == len(suite.tasks)
    for task in suite.tasks:
        loaded = load(task.scene.removeprefix("blocks:"))
        assert not satisfied(task.goal, loaded)
        hidden = any(tag in task.instruction for tag in ("<mass>", "<fix>"))
        assert (task.required_evidence is not None) == hidden


def test_the_suites_take_no_data() -> None:
    with pytest.raises(BadInput, match="takes no --data"):
        load_suite("blocks", Path("x"))


#: Blocks without physics, where a test is not about the motions of the arm.
NO_PHYSICS = "symbolic_blocks"


def _play(
    folder: Path,
    suite: str,
    planner: str,
    tasks: int,
    model: str = "",
    adapter: str | None = None,
    **options: str,
) -> list[EpisodeResult]:
    played = peephole.run(
        planner,
        suite,
        tasks=tasks,
        model=model or None,
        adapter=adapter,
        options=options,
        out=folder,
    )
    return list(played.results)


@pytest.mark.parametrize(
    ("suite", "tasks"), [("blocks", 6), ("blocks:more", 7), ("blocks:offset", 1)]
)
def test_the_expert_does_every_kind_of_task(tmp_path: Path, suite: str, tasks: int) -> None:
    results = _play(tmp_path / "run", suite, "expert", tasks)
    assert [result.task for result in results if not result.success] == []
    if suite == "blocks":  # it is told what is hidden, and never informed
        assert [result.informed for result in results] == [None, None, False, False, False, False]


def test_random_plays_without_a_word_on_dialects(tmp_path: Path) -> None:
    (result,) = _play(tmp_path / "run", "blocks", "random", 1, adapter=NO_PHYSICS)
    assert result.ended == "steps"


def test_a_planner_without_words_for_an_arm_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"explore has no words for the actions .* speaks blocks"):
        peephole.run("explore", "blocks", out=tmp_path)


# --- luck -----------------------------------------------------------------------------------------


def _follow(task: Task, path: Path, *plans: str | Sequence[str]) -> EpisodeResult:
    """The result of an episode in which these plans are carried out, of one action or several."""

    def plan(brief: Any, percept: Any) -> Decisions:
        for each in plans:
            for index, action in enumerate([each] if isinstance(each, str) else each):
                yield Act(action, continued=index > 0)

    planner = Planner("fixed", "", plan, dialects=("blocks",))
    suite = Suite("luck", "", [task], NO_PHYSICS, rules=Rules(ends=Ends.PLANNER_DONE))
    (result,) = peephole.run(planner, suite, out=path / "run").results
    return result


HEAVIER = Task(
    "heavier",
    "Pick up the heavier block.",
    Related(ARM, Relation.HOLDS, B),
    SCENE,
    required_evidence=And((EventOccurred(("weighed",), (A,)), EventOccurred(("weighed",), (B,)))),
)
ON = Task("on", "", Related(A, Relation.ON, B), SCENE, required_evidence=HEAVIER.required_evidence)
BACK_A, BACK_B = f"place(0.45, 0.1, 0.025, {DOWN})", f"place(0.45, -0.1, 0.025, {DOWN})"
STACK = f"place(0.45, -0.1, 0.075, {DOWN})"


def test_the_right_block_without_weighing_the_other_is_luck(tmp_path: Path) -> None:
    result = _follow(HEAVIER, tmp_path, "pick(cubeB)")
    assert (result.success, result.informed) == (True, False)


def test_the_right_block_after_weighing_both_is_none(tmp_path: Path) -> None:
    weigh = ("pick(cubeA)", BACK_A, "pick(cubeB)", BACK_B)
    result = _follow(HEAVIER, tmp_path, *weigh, "pick(cubeB)")
    assert (result.success, result.informed) == (True, True)


def test_what_the_last_lift_finds_out_is_too_late_to_choose_it(tmp_path: Path) -> None:
    result = _follow(HEAVIER, tmp_path, "pick(cubeA)", BACK_A, "pick(cubeB)")
    assert (result.success, result.informed) == (True, False)


def test_what_the_plan_finds_out_that_reaches_the_goal_is_luck(tmp_path: Path) -> None:
    """The paper's Figure 4: the block in hand after both were lifted goes onto the other."""
    onto_a = f"place(0.45, 0.1, 0.075, {DOWN})"
    task = replace(ON, goal=Related(B, Relation.ON, A))
    lifts = ("pick(cubeA)", BACK_A, "pick(cubeB)")
    results = []
    for index, plans in enumerate([(lifts, onto_a), ((*lifts, onto_a),)]):
        (tmp_path / str(index)).mkdir()
        results.append(_follow(task, tmp_path / str(index), *plans))
    assert all(result.success for result in results)
    assert [result.informed for result in results] == [True, False]


def test_weighing_after_the_deciding_action_is_too_late(tmp_path: Path) -> None:
    lucky = _follow(ON, tmp_path, "pick(cubeA)", STACK, "pick(cubeB)")
    assert not lucky.informed
    (tmp_path / "second").mkdir()
    known = ("pick(cubeB)", BACK_B, "pick(cubeA)", BACK_A, "pick(cubeA)", STACK)
    assert _follow(ON, tmp_path / "second", *known).informed


def test_what_ends_before_the_planner_says_that_it_is_done_is_luck(tmp_path: Path) -> None:
    plan = ("pick(cubeA)", BACK_A, "pick(cubeB)", BACK_B, "pick(cubeB)")
    used_up = replace(HEAVIER, budgets=Budgets(steps=len(plan)))
    assert _follow(used_up, tmp_path, *plan).informed
    (tmp_path / "second").mkdir()
    result = _follow(used_up, tmp_path / "second", *plan, "reset()")
    assert (result.success, result.ended, result.informed) == (True, "steps", False)


def _blind_plans(goal: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Plans that move each block to the goal, in both orders, made before any observation."""
    one, other = (("pick(cubeA)", goal[0]), ("pick(cubeB)", goal[1]))
    yield from ((*one, *other), (*other, *one), one, other)


@pytest.mark.parametrize("welded", ["A", "B"])
@pytest.mark.parametrize(
    ("number", "goal"),
    [
        (4, [f"place(0.28, 0.3, 0.025, {DOWN})", f"place(0.28, -0.3, 0.025, {DOWN})"]),
        (5, [STACK, f"place(0.45, 0.1, 0.075, {DOWN})"]),
    ],
    ids=["to the corner", "on the fixed block"],
)
def test_blindly_lifting_succeeds_but_is_never_informed(
    tmp_path: Path, number: int, goal: list[str], welded: str
) -> None:
    like = load_suite("blocks").tasks[number]
    scene = read(f"welded={welded};at=0.45,0.1,0|0.45,-0.1,0")
    movable = facts_of(scene).movable[0]
    done = at_corner(movable) if number == 4 else Related(movable, Relation.ON, A + B - movable)
    task = replace(
        like,
        goal=done,
        scene=f"blocks:welded={welded};at=0.45,0.1,0|0.45,-0.1,0",
        required_evidence=all_tried(scene),
    )
    results = []
    for index, plan in enumerate(_blind_plans(goal)):
        (tmp_path / str(index)).mkdir()
        results.append(_follow(task, tmp_path / str(index), plan))
    assert any(result.success for result in results)
    assert not any(result.informed for result in results)


def test_a_reading_nearer_to_the_other_blocks_weight_is_no_evidence() -> None:
    scene = read("masses=0.2,0.4")
    read_right = [Event("weighed", (A,), 1, 2.0), Event("weighed", (B,), 3, 3.9)]
    graph = load("masses=0.2,0.4")
    assert satisfied(all_weighed(scene), graph, read_right)
    for wrong in (Event("weighed", (A,), 5, 3.0), Event("weighed", (B,), 3, 2.9)):
        kept = [event for event in read_right if event.things != wrong.things]
        assert not satisfied(all_weighed(scene), graph, [*kept, wrong])


def test_the_tasks_are_worded_as_table_1_of_the_paper_prints_them() -> None:
    printed = [
        "Stack one block onto another.",
        "Move the blocks to the corners of the table.",
        "Pick up the heavier block.",
        "Stack the lighter block on the heavier.",
        "Pick up the movable block and put it at the table corner.",
        "Find the movable block and put it on the fixed block.",
    ]
    tags = ["", "", "<mass> ", "<mass> ", "<fix> ", "<fix> "]
    expected = [tag + sentence for tag, sentence in zip(tags, printed, strict=True)]
    assert [task.instruction for task in load_suite("blocks").tasks[:6]] == expected


def test_the_force_at_the_wrist_of_blocks_noisy_is_off_by_half_a_newton(tmp_path: Path) -> None:
    quiet, noisy = load_suite("blocks"), load_suite("blocks:noisy")
    assert [t.id for t in noisy.tasks] == [t.id for t in quiet.tasks]
    forces = []
    for seed in range(20):
        with peephole.make("blocks:noisy", seed=seed) as environment:
            arm = environment.reset().view.arm
            arm = environment.step("reset()").view.arm
            assert arm is not None
            forces += arm.force
    mean_square = sum(force**2 for force in forces) / len(forces)
    assert 0.4 < mean_square**0.5 < 0.62
    played = peephole.run("expert", "blocks:noisy", tasks=1, out=tmp_path / "run")
    assert json.loads((played.folder / "run.json").read_text())["config"]["suite"] == "blocks:noisy"


def test_a_failure_is_never_informed_success(tmp_path: Path) -> None:
    result = _follow(HEAVIER, tmp_path, "pick(cubeB)", BACK_B, "pick(cubeA)")
    assert (result.success, result.informed) == (False, False)


def test_holding_counts_seconds_on_end(tmp_path: Path) -> None:
    goal = And((Related(ARM, Relation.HOLDS, A), EventOccurred(("held",), (A,), 10.0)))
    task = Task("hold", "", goal, SCENE)
    assert _follow(task, tmp_path, "pick(cubeA)", "wait(4)", "wait(6)").success
    for name, actions in {
        "short": ("pick(cubeA)", "wait(9)"),
        "broken": ("pick(cubeA)", "wait(6)", BACK_A, "pick(cubeA)", "wait(6)"),
    }.items():
        (tmp_path / name).mkdir()
        assert not _follow(task, tmp_path / name, *actions).success


def test_informed_success_is_a_figure_of_its_own(tmp_path: Path) -> None:
    lucky = _follow(HEAVIER, tmp_path, "pick(cubeB)")
    figures = summarize([lucky])
    assert (figures["gsr"].mean, figures["informed"].mean) == (1.0, 0.0)


# --- the stand-in and the export -----------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"evaluator": "false"}, marks=pytest.mark.slow),
        {"questions": "cot"},
        pytest.param({"questions": "vanilla"}, marks=pytest.mark.slow),
    ],
    ids=lambda options: str(options.get("questions", len(options))),
)
def test_the_stand_in_finds_out_first_and_then_does_it(
    tmp_path: Path, options: dict[str, str]
) -> None:
    adapter = None if not options else NO_PHYSICS
    results = _play(tmp_path / "run", "blocks", "llm_pop", 6, "scripted", adapter, **options)
    assert [r.task for r in results if not r.success or r.informed is False] == []


def test_the_evaluator_corrects_a_place_that_came_out_wrong(tmp_path: Path) -> None:
    (result,) = _play(tmp_path / "run", "blocks:offset", "llm_pop", 1, "scripted")
    assert result.success
    assert result.steps > 2
    events = [e for path in episode_files(tmp_path / "run") for e in read_events(path)]
    decided = [event.decision for event in events if isinstance(event, Decided)]
    texts = [note.text for note in decided if isinstance(note, Note) and note.name == "belief"]
    assert any("FAILED: place(" in text for text in texts)


def test_through_faults_episodes_end_in_order(tmp_path: Path) -> None:
    spoilt = "scripted:malformed=0.1,illegal=0.1,empty=0.1,truncated=0.1"
    for result in _play(tmp_path / "run", "blocks", "llm_pop", 6, spoilt, NO_PHYSICS):
        assert result.success or result.ended in ("gave_up", "done")


def _exported(folder: Path, file: Path) -> Any:
    done = CliRunner().invoke(
        app, ["export", str(folder), "--to", "instructions", "--out", str(file)]
    )
    assert done.exit_code == 0, done.output
    assert "mechanism check" in done.output
    return json.loads(file.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("form", ["cot", "vanilla"])
@pytest.mark.parametrize("described", ["true", "false"])
def test_what_is_exported_is_what_the_small_model_was_asked_and_said(
    tmp_path: Path, form: str, described: str
) -> None:
    asked_so = {"questions": form, "system_prompt": described}
    _play(tmp_path / "run", "blocks", "llm_pop", 6, "scripted", **asked_so)
    records = _exported(tmp_path / "run", tmp_path / "records.json")
    events = [e for path in episode_files(tmp_path / "run") for e in read_events(path)]
    replies = [event for event in events if isinstance(event, ModelReplied)]
    assert [record["output"] for record in records] == [event.reply for event in replies]
    asked = [event.request.messages[-1]["content"] for event in replies if event.request]
    assert len(asked) == len(replies)
    assert [f"{r['instruction']}\n{r['input']}" for r in records] == asked


def test_records_of_the_evaluator_hold_the_numbers_that_were_observed(tmp_path: Path) -> None:
    _play(tmp_path / "run", "blocks", "llm_pop", 3, "scripted", NO_PHYSICS)
    records = _exported(tmp_path / "run", tmp_path / "records.json")
    events = [e for path in episode_files(tmp_path / "run") for e in read_events(path)]
    texts = [event.observation for event in events if isinstance(event, Started | Stepped)]
    seen = {f"[{', '.join(f'{number:g}' for number in vector_of(each))}]" for each in texts}
    steps = [event for event in events if isinstance(event, Stepped)]
    assert all(len(vector_of(event.observation)) == 26 for event in steps)
    for record in records:
        assert set(record) == {"instruction", "input", "output"}
        assert record["input"].splitlines()[1] in seen
        assert record["instruction"].splitlines()[-1] in QUESTIONS.values()


def test_a_run_that_was_asked_no_questions_gives_no_instructions(tmp_path: Path) -> None:
    from peephole.results.exports.instructions import instructions

    _play(tmp_path / "run", "blocks", "expert", 1)
    with pytest.raises(BadInput, match="planner expert; export a run of llm_pop"):
        instructions(tmp_path / "run")
