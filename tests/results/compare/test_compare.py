"""A simulation against what stands for reality: pairs, skills, observations, calibration."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import peephole
from peephole.episodes.faults import FaultRate, read_faults, write_faults
from peephole.episodes.recording import episode_files
from peephole.episodes.run_file import run_folders
from peephole.errors import BadInput
from peephole.results.compare.calibration import calibration_of
from peephole.results.compare.comparison import Comparison, compare, comparison_document
from peephole.results.compare.failed_episodes import cause_shares
from peephole.results.compare.page import cause_lines, comparison_view, headlines
from peephole.results.compare.sides import read_sides
from peephole.results.compare.skills import SkillTry
from peephole.results.failures.played import Cause
from peephole.results.statistics.agreement import Agreement
from peephole.results.statistics.estimates import wilson
from peephole.results.statistics.intervals import Interval
from peephole.results.statistics.paired_tests import Pairs, compare_pairs, holm
from peephole.skills.actions import Verb
from peephole.skills.outcomes import Reason

TASKS = 5


def file_of(folder: Path, *rates: FaultRate) -> Path:
    """A file of rates to play with."""
    path = folder / "faults.json"
    faults = [
        {
            "skill": rate.skill.value,
            "reason": rate.reason.value,
            "rate": rate.rate,
            "done_anyway": rate.done_anyway,
            "words": rate.words,
        }
        for rate in rates
    ]
    path.write_text(json.dumps({"version": 1, "faults": faults}))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulation of two planners, and a clumsy one that stands for reality."""
    folder = tmp_path_factory.mktemp("sides")
    clumsy = file_of(
        folder,
        FaultRate(Verb.PICK_UP, Reason.SLIPPED, 0.4, words="it slipped"),
        FaultRate(Verb.GO_TO, Reason.BLOCKED, 0.1),
    )
    for planner in ("expert", "explore"):
        for side, faults in (("sim", None), ("real", clumsy)):
            peephole.run(
                planner,
                "robothow",
                tasks=TASKS if side == "real" else TASKS + 2,
                adapter="symbolic",
                faults=faults,
                repeats=2,
                out=folder / side / planner,
            )
    return folder


@pytest.fixture(scope="module")
def found(folder: Path) -> Comparison:
    return compare(run_folders(folder / "sim"), run_folders(folder / "real"))


def test_planners_and_tasks_are_paired(found: Comparison) -> None:
    assert [planner.name for planner in found.planners] == ["expert", "explore"]
    for planner in found.planners:
        assert (planner.tasks, planner.pairs) == (TASKS, 2 * TASKS)
        assert planner.further_tasks == 2
        outcomes = planner.outcomes
        assert outcomes.both + outcomes.only_first == round(
            planner.sim.success.mean * planner.pairs
        )
        assert outcomes.both + outcomes.only_second == round(
            planner.real.success.mean * planner.pairs
        )
        assert planner.difference.pairs == planner.pairs
        assert planner.difference.difference.value == pytest.approx(
            planner.sim.success.mean - planner.real.success.mean
        )
    total = found.outcomes
    assert total.both + total.only_first + total.only_second + total.neither == 4 * TASKS


def test_skills_are_counted_by_reason(found: Comparison) -> None:
    skills = {skill.skill: skill for skill in found.skills}
    pick = skills["pick_up"]
    assert pick.real is not None
    assert pick.sim is not None
    assert pick.gap is not None
    assert pick.real.reasons["slipped"] > 0
    assert "slipped" not in pick.sim.reasons
    assert pick.gap.value == pytest.approx(pick.sim.rate.mean - pick.real.rate.mean)
    assert pick.real.retries > pick.sim.retries == 0
    assert sum(pick.real.reasons.values()) == pytest.approx(
        pick.real.tries * (1 - pick.real.rate.mean)
    )


def test_every_failure_of_a_clumsy_expert_is_of_contact(found: Comparison) -> None:
    sim, real = map(cause_shares, found.failed)
    failed = found.outcomes.only_first + found.outcomes.neither
    assert real[Cause.CONTACT].count > 0
    assert sum(each.count for each in real.values()) == failed == len(found.failed[1])
    assert sum(each.count for each in sim.values()) == len(found.failed[0])
    assert len(found.failed[0]) == found.outcomes.only_second + found.outcomes.neither
    lines = list(cause_lines(found))
    assert any(f"{failed} episodes failed on the real side" in line for line in lines)


def test_every_failed_episode_has_its_cause_and_step(found: Comparison) -> None:
    """Each share of a cause has an interval, which takes a task as one draw."""
    document = comparison_document(found)
    failures = document["failures"]["real"]
    assert {each["planner"] for each in failures} == {each.name for each in found.planners}
    assert all(each["cause"] and each["step"] is not None and each["file"] for each in failures)
    contact = document["causes"]["real"]["contact"]
    assert contact["count"] == sum(each["cause"] == "contact" for each in failures)
    share = contact["share"]
    assert share["mean"] == pytest.approx(contact["count"] / len(failures))
    alone = wilson(contact["count"], len(failures))
    assert alone.bounds is not None
    assert share["high"] - share["low"] >= alone.bounds[1] - alone.bounds[0] - 1e-9


def test_the_calibration_has_the_rates_that_were_put_in(found: Comparison, tmp_path: Path) -> None:
    calibration = calibration_of(found)
    rates = {(rate.skill, rate.reason): rate for rate in calibration.faults}
    for key, put_in in (
        ((Verb.PICK_UP, Reason.SLIPPED), 0.4),
        ((Verb.GO_TO, Reason.BLOCKED), 0.1),
    ):
        rate = rates[key]
        assert rate.low is not None
        assert rate.high is not None
        assert rate.real is not None
        assert rate.sim is not None
        assert rate.low <= put_in <= rate.high
        assert rate.rate == pytest.approx(rate.real.failures / rate.real.tries, abs=1e-4)
        assert rate.sim.failures == 0
        assert rate.done_anyway == 0
    assert rates[Verb.PICK_UP, Reason.SLIPPED].words == "it slipped"
    write_faults(tmp_path / "calibration.yaml", calibration)
    assert len(read_faults(tmp_path / "calibration.yaml").rates) == len(calibration.faults)


def test_what_the_simulation_fails_at_itself_is_subtracted_by_reason(found: Comparison) -> None:
    def tries(reason: str, failures: int) -> list[SkillTry]:
        one = SkillTry("task", "go_to", "", 0, 1.0, False)
        return [replace(one, reason=reason if n < failures else "") for n in range(10)]

    real = tries("blocked", 4)
    for reason, rate in (("blocked", 0.25), ("slipped", 0.4)):
        sides = replace(found, tries=(tries(reason, 2), real))
        assert calibration_of(sides).faults[0].rate == pytest.approx(rate)


def gap(found: Comparison, skill: str) -> float:
    return next(abs(each.gap.value) for each in found.skills if each.skill == skill and each.gap)


@pytest.mark.slow
def test_calibration_halves_the_gap_under_held_out_seeds(folder: Path, found: Comparison) -> None:
    """What reality does under other seeds is foretold by rates that were counted in these."""
    path = folder / "calibration.yaml"
    write_faults(path, calibration_of(found))
    clumsy = folder / "faults.json"
    seeds = {"seed": 100, "repeats": 3, "tasks": 5, "adapter": "symbolic"}
    for side, faults in (("plain", None), ("calibrated", path), ("later", clumsy)):
        peephole.run("explore", "robothow", faults=faults, out=folder / side, **seeds)  # type: ignore[arg-type]
    without = compare([folder / "plain"], [folder / "later"])
    # Draws are by seed, task and number, so that other seeds than the real side's are played too.
    with_rates = compare([folder / "calibrated"], [folder / "later"])
    for skill in ("pick_up", "go_to"):
        assert gap(with_rates, skill) < gap(without, skill) / 2


def test_nothing_to_calibrate_is_told(folder: Path) -> None:
    # The clumsy side as the simulation: the other one fails less often.
    found = compare([folder / "real/explore"], [folder / "sim/explore"])
    with pytest.raises(BadInput, match="No skill fails more often on the real side"):
        calibration_of(found)


def test_observations_are_compared_as_far_as_the_same_was_done(found: Comparison) -> None:
    told = found.observations
    pairs = 4 * TASKS
    assert told.outcomes_differed + told.other_actions + told.to_the_end == pairs
    assert told.moments == told.steps + pairs, "the start of each, and what followed"
    assert told.alike == told.moments, "the two worlds are one as long as nothing failed"
    assert told.outcomes_differed > 0


def test_the_page_begins_with_what_matters(found: Comparison) -> None:
    first, second, third, *_ = headlines(found)
    assert first.startswith(f"In {4 * TASKS} pairs of episodes (2 planners) the simulation ")
    gap = found.difference
    # Five tasks: all of one sign would still give p = 2 / 2^5.
    assert gap.p > 0.05
    assert first.endswith(
        f"{gap.difference.text(100, 0)} points, which may be chance "
        f"(sign-flip over tasks p = {gap.p:.2g})."
    )
    assert second.startswith("Outcomes agree in ")
    assert third.startswith("The skill that differs most is ")
    assert comparison_view(found).renderables
    assert any("is a simulator" in note for note in found.notes)
    assert any("injected" in note or "put into" in note for note in found.notes)


@pytest.mark.parametrize(
    ("real_solves", "words"),
    [
        (6, "it promises too much, by 50 [17, 83] points (exact McNemar p = 0.031)."),
        (7, "a difference of 42 [8, 75] points, which may be chance (exact McNemar p = 0.062)."),
        (0, "a difference of 100 (no interval) points."),
    ],
)
def test_chance_is_stated_as_such(found: Comparison, real_solves: int, words: str) -> None:
    tasks = tuple(map(str, range(12)))
    real = (np.arange(12) < real_solves).astype(float)
    pairs = Pairs(tasks, np.ones(12), real, "")
    first = next(iter(headlines(replace(found, difference=compare_pairs(pairs)))))
    assert first.endswith(words), first


def test_the_page_has_kappa_and_skills_that_one_side_never_tried(
    found: Comparison,
) -> None:
    (pick,) = (skill for skill in found.skills if skill.skill == "pick_up")
    assert pick.sim is not None
    assert pick.sim.rate.mean == 1
    one = found.planners[0]
    agreeing = replace(one, outcomes=replace(one.outcomes, kappa=Interval(0.25, None, None)))
    skills = [replace(pick, real=None, gap=None)]
    alone = replace(found, planners=[agreeing], skills=skills)
    console = Console(width=120)
    with console.capture() as shown:
        console.print(comparison_view(alone))
    tries = str(pick.sim.tries)
    rows = [line.split() for line in shown.get().splitlines()]
    assert ["pick", "up", tries, "100.0", "-", "-"] in [row[:6] for row in rows], rows
    assert any("0.25" in row for row in rows), rows


def test_the_p_of_each_planner_is_corrected_for_their_number(found: Comparison) -> None:
    ps = [planner.difference.p for planner in found.planners]
    assert [planner.holm for planner in found.planners] == holm(ps) != ps
    console = Console(width=120)
    with console.capture() as shown:
        console.print(comparison_view(found))
    text = shown.get()
    assert "p (Holm)" in text
    assert isinstance(found.agreement, Agreement)
    (note,) = found.agreement.notes
    assert f"\n{note[0].upper()}{note[1:]}." in text
    for outcomes in (planner.outcomes for planner in found.planners):
        counts = (outcomes.both, outcomes.only_first, outcomes.only_second, outcomes.neither)
        assert "/".join(map(str, counts)) in text
    (pick,) = (skill for skill in found.skills if skill.skill == "pick_up")
    assert pick.real is not None
    reason, count = next(iter(pick.real.reasons.items()))
    assert "pick up failed in simulation: " in text
    assert f"on the real side: {reason.replace('_', ' ')} {count}" in " ".join(text.split())


def test_a_suite_more_on_one_side_leaves_the_others_paired(folder: Path, found: Comparison) -> None:
    more = folder / "more"
    peephole.run("explore", "houses", tasks=1, out=more)
    sim, real = run_folders(folder / "sim"), run_folders(folder / "real")
    wider = compare([*sim, more], real)
    assert [each.pairs for each in wider.planners] == [each.pairs for each in found.planners]


def test_a_side_with_two_worlds_of_a_suite_is_refused(folder: Path) -> None:
    sim = [folder / "sim/explore", folder / "real/expert"]
    with pytest.raises(BadInput, match=r"several worlds of a suite \(.*faults faults\.json"):
        compare(sim, [folder / "real/explore"])


def test_the_document_is_json(found: Comparison) -> None:
    data = json.loads(json.dumps(comparison_document(found)))
    assert data["real"]["is_simulated"]
    assert {planner["name"] for planner in data["planners"]} == {"explore", "expert"}
    assert data["agreement"]["planners"] == ["expert", "explore"]
    assert data["planners"][0]["powered"].keys() >= {"interval", "alone", "narrower"} or (
        "problem" in data["planners"][0]["powered"]
    )


def test_two_single_runs_are_paired_whatever_their_planners(folder: Path) -> None:
    found = compare([folder / "sim/explore"], [folder / "sim/expert"])
    assert [planner.name for planner in found.planners] == ["explore / expert"]
    assert not any("left out" in note for note in found.notes)


@pytest.mark.parametrize(
    ("sim", "real", "told"),
    [
        ("sim/explore", "sim/explore", "A run is on both sides"),
        ("sim", "sim/expert", "A run is on both sides"),
        ("sim", "other", "No planner is on both sides"),
        ("sim/explore", "other", "No task was scored on both sides"),
    ],
)
def test_what_cannot_be_paired_is_refused(folder: Path, sim: str, real: str, told: str) -> None:
    if not (folder / "other").exists():
        peephole.run("random", "robothow", tasks=["work/93_2"], out=folder / "other")
    with pytest.raises(BadInput) as refused:
        compare(run_folders(folder / sim), run_folders(folder / real))
    assert told in str(refused.value)


def test_a_copied_run_on_one_side_is_refused(folder: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(folder / "sim/explore", tmp_path / "copy")
    with pytest.raises(BadInput, match="twice by explore; leave one of those runs out"):
        read_sides([folder / "sim/explore", tmp_path / "copy"], [folder / "real/explore"])


def test_unfinished_episodes_are_counted(folder: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(folder / "real/explore", tmp_path / "cut")
    path = next(iter(episode_files(tmp_path / "cut")))
    path.write_bytes(path.read_bytes()[:-20])
    found = compare([folder / "sim/explore"], [tmp_path / "cut"])
    assert found.real.unscored == 1
    assert found.planners[0].pairs == 2 * TASKS - 1
    assert "Of the second side 1 episodes have no score yet." in found.notes
