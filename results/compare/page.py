"""A comparison as a page for the terminal: main results, tables, then assumptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from ..failures.played import Cause
from ..statistics.agreement import Agreement, OutcomeAgreement
from ..statistics.estimates import Estimate
from ..statistics.intervals import Interval
from ..statistics.paired_tests import PairedComparison
from ..statistics.predictions import PredictionPowered
from ..tables.folding import FoldingTable
from .comparison import Comparison
from .failed_episodes import FailedEpisode, cause_shares
from .observations import MOVED
from .skills import ComparedSkill, SkillSide

#: The most pairs that the page lists.
_SHOWN_PAIRS = 12


class Words(NamedTuple):
    """What the page calls the two sides: a simulation and reality, or two runs in one simulator."""

    titles: tuple[str, str]
    """Of columns."""
    short: str
    """Both in titles."""
    subjects: tuple[str, str]
    """As subjects of a sentence."""
    where: tuple[str, str]
    """Where something happened."""
    more: str
    """What the first side does if it has the higher success."""
    less: str
    """The same for the lower success."""


_REALITY = Words(
    ("simulation", "real"),
    "sim, real",
    ("the simulation", "the real side"),
    ("in simulation", "on the real side"),
    "promises too much",
    "promises too little",
)
_RUNS = Words(
    ("first", "second"),
    "first, second",
    ("the first run", "the second run"),
    ("in the first run", "in the second run"),
    "succeeds more often",
    "succeeds less often",
)


def words_of(found: Comparison) -> Words:
    """What the page calls the two sides."""
    return _RUNS if found.of_one_simulator else _REALITY


def comparison_view(found: Comparison) -> Group:
    """The whole comparison, for a terminal."""
    parts: list[RenderableType] = [Text(_title(found), style="bold")]
    parts += [Text(line) for line in headlines(found)]
    parts += [Text(note, style="yellow") for note in found.notes]
    parts += ["", _planner_table(found), _pair_table(found), _skill_table(found)]
    parts += [Text(line) for line in _reason_lines(found)]
    parts += [Text(line) for line in _denial_lines(found)]
    parts += [Text(line) for line in cause_lines(found)]
    parts += [*_cause_tables(found), *_failed_pairs_table(found), ""]
    parts += [Text(line) for line in _observation_lines(found)]
    parts += ["", *_agreement_parts(found)]
    parts += [Text(line) for line in judge_lines(found)]
    powered = [Text(line) for line in _powered_lines(found)]
    parts += ["", *powered] if powered else []
    parts += ["", *(Text(f"Assumed: {line}.", style="dim") for line in _assumed(found))]
    return Group(*parts)


def _title(found: Comparison) -> str:
    if not found.of_one_simulator:
        return f"{found.sim.world} (simulation) against {found.real.world} (real)"
    first, second = (", ".join(side.suites) for side in (found.sim, found.real))
    return f"{first} (first run) against {second} (second run) in {found.sim.world}"


def headlines(found: Comparison) -> Iterator[str]:
    """The main results, a sentence each."""
    words = words_of(found)
    first, second = words.subjects
    outcomes = found.outcomes
    pairs = outcomes.both + outcomes.only_first + outcomes.only_second + outcomes.neither
    sim = (outcomes.both + outcomes.only_first) / pairs
    real = (outcomes.both + outcomes.only_second) / pairs
    planners = f"{len(found.planners)} planner{'s' if len(found.planners) > 1 else ''}"
    yield (
        f"In {pairs} pair{'s' if pairs > 1 else ''} of episodes ({planners}) {first} "
        f"succeeded in {sim:.0%} and {second} in {real:.0%}: "
        f"{_optimism(found.difference, words)}."
    )
    yield (
        f"Outcomes agree in {(outcomes.both + outcomes.neither) / pairs:.0%} of pairs; "
        f"{_kappa(outcomes)}. Both "
        f"succeeded in {outcomes.both}, only {first} in {outcomes.only_first}, only {second} in "
        f"{outcomes.only_second}, neither in {outcomes.neither}."
    )
    worst = [each for each in found.skills if each.gap is not None and each.real is not None]
    if worst and worst[0].gap is not None and abs(worst[0].gap.value) >= 0.005:
        yield _worst_skill(worst[0], words)
    if isinstance(found.agreement, Agreement) and found.agreement.spearman is not None:
        yield (
            f"Which planner is better than which: Spearman's correlation "
            f"{found.agreement.spearman.text()}, mean rank violation (MMRV) "
            f"{found.agreement.mmrv.text(digits=3)}."
        )


def _optimism(found: PairedComparison, words: Words) -> str:
    """Whether the first side promises too much, where chance alone is no likely reason."""
    gap = found.difference
    points = f"{gap.text(100, 0)} points"
    if gap.low is None or gap.high is None:
        return f"a difference of {points}"
    if found.p >= 0.05 or gap.low <= 0 <= gap.high:
        return f"a difference of {points}, which may be chance ({found.test} p = {found.p:.2g})"
    side = words.more if gap.value > 0 else words.less
    return f"it {side}, by {points} ({found.test} p = {found.p:.2g})"


def _worst_skill(skill: ComparedSkill, words: Words) -> str:
    assert skill.gap is not None
    assert skill.real is not None
    where = words.where[skill.gap.value > 0]
    reasons = skill.real.reasons if skill.gap.value > 0 else (skill.sim and skill.sim.reasons) or {}
    mostly = f", mostly {_words(next(iter(reasons)))}" if reasons else ""
    return (
        f"The skill that differs most is {_words(skill.skill)}: it fails "
        f"{abs(100 * skill.gap.value):.0f} points more often {where}{mostly} "
        f"({_gap(skill.gap, words)})."
    )


def _gap(gap: Interval, words: Words) -> str:
    """The interval of a difference of success, and whether it leaves room for chance."""
    chance = gap.low is not None and gap.high is not None and gap.low <= 0 <= gap.high
    less = " less ".join(words.titles)
    return f"{less}: {gap.text(100, 0)} points" + ", perhaps chance" * chance


def _kappa(
    outcomes: OutcomeAgreement, alike: str = "all pairs had the same outcome on both sides"
) -> str:
    if outcomes.kappa is None:
        return f"kappa is undefined, since {alike}"
    return f"beyond chance, kappa {outcomes.kappa.text()}"


def _words(name: str) -> str:
    return name.replace("_", " ")


# --- tables --------------------------------------------------------------------------------------


def _planner_table(found: Comparison) -> FoldingTable:
    table = FoldingTable("Planners: success in % [95 % intervals]")
    table.add_column("planner", overflow="fold", min_width=10)
    several = len(found.planners) > 1
    first, second = words_of(found).titles
    table.add_numbers("n", first, second, "difference", "p", *["p (Holm)"] * several)
    for planner in found.planners:
        table.add_row(
            planner.name,
            str(planner.pairs),
            _rate(planner.sim.success),
            _rate(planner.real.success),
            _below(planner.difference.difference, 100, 1),
            f"{planner.difference.p:.2g}",
            *[f"{planner.holm:.2g}"] * several,
        )
    return table


def _pair_table(found: Comparison) -> FoldingTable:
    short = words_of(found).short
    table = FoldingTable(f"Pairs by who succeeded; steps, retries and seconds an episode: {short}")
    table.add_column("planner", overflow="fold", min_width=10)
    table.add_numbers(
        f"both/{short.replace(', ', '/')}/none", "kappa", "steps", "retries", "seconds"
    )
    for planner in found.planners:
        outcomes, sim, real = planner.outcomes, planner.sim, planner.real
        table.add_row(
            planner.name,
            _fourfold(outcomes),
            "-" if outcomes.kappa is None else _below(outcomes.kappa, 1, 2),
            f"{sim.steps:.1f}\n{real.steps:.1f}",
            f"{sim.retries:.1f}\n{real.retries:.1f}",
            f"{sim.seconds:.1f}\n{real.seconds:.1f}",
        )
    return table


def _fourfold(outcomes: OutcomeAgreement) -> str:
    counts = (outcomes.both, outcomes.only_first, outcomes.only_second, outcomes.neither)
    return "/".join(map(str, counts))


def _skill_table(found: Comparison) -> FoldingTable:
    words = words_of(found)
    table = FoldingTable(
        f"Skills: success of an action in %; tries, retries and seconds: {words.short}"
    )
    table.add_column("skill", no_wrap=True)
    table.add_numbers("tries", *words.titles, "difference", "retries", "seconds")
    for skill in found.skills:
        sim, real = skill.sim, skill.real
        table.add_row(
            _words(skill.skill),
            f"{sim.tries if sim else 0}\n{real.tries if real else 0}",
            "-" if sim is None else _rate(sim.rate),
            "-" if real is None else _rate(real.rate),
            "-" if skill.gap is None else _below(skill.gap, 100, 1),
            _two(sim, real, "retries", 2),
            _two(sim, real, "seconds", 1),
        )
    return table


def _reason_lines(found: Comparison) -> Iterator[str]:
    """Why skills failed on either side; no line for those that never did."""
    first, second = words_of(found).where
    for skill in found.skills:
        reasons = [_reasons(skill.sim), _reasons(skill.real)]
        if reasons != ["none", "none"]:
            yield (f"{_words(skill.skill)} failed {first}: {reasons[0]}; {second}: {reasons[1]}.")


def _denial_lines(found: Comparison) -> Iterator[str]:
    """How many actions were denied, for a side where any was."""
    for side, tries in zip(words_of(found).where, found.tries, strict=True):
        denied = sum(each.is_denied for each in tries)
        if denied:
            yield f"Denied {side}, and counted in no skill: {denied} of {len(tries)} actions."


def cause_lines(found: Comparison) -> Iterator[str]:
    """Why episodes failed on either side; no line for a side where none did."""
    for side, failed in zip(words_of(found).where, found.failed, strict=True):
        if not failed:
            continue
        shares = cause_shares(failed)
        counts = [
            f"{each.count} by {cause} ({each.share.text(100, 0)} %)"
            for cause, each in shares.items()
        ]
        untold = len(failed) - sum(each.count for each in shares.values())
        counts += [f"{untold} for a cause that cannot be told"] if untold else []
        episodes = "episode" if len(failed) == 1 else "episodes"
        yield f"{len(failed)} {episodes} failed {side}: {', '.join(counts)}."


def _cause_tables(found: Comparison) -> Iterator[FoldingTable]:
    """What made each planner's episodes fail; nothing where the lines above say it all."""
    counts = Counter(
        (each.planner, side, each.cause)
        for side, failed in enumerate(found.failed)
        for each in failed
        if each.cause is not None
    )
    planners = dict.fromkeys(planner for planner, _, _ in counts)
    if len(planners) < 2:
        return
    table = FoldingTable("Failed episodes by planner: planning/perception/contact")
    table.add_column("planner", overflow="fold", min_width=10)
    table.add_numbers(*words_of(found).titles)
    for planner in planners:
        sides = ([counts[planner, side, cause] for cause in Cause] for side in (0, 1))
        table.add_row(planner, *("/".join(map(str, side)) for side in sides))
    yield table


def _failed_pairs_table(found: Comparison) -> Iterator[RenderableType]:
    """What made the episodes of each pair fail; nothing where none failed."""
    pairs = found.failed_pairs
    if not pairs:
        return
    table = FoldingTable("Pairs with a failure: its cause, and the step that decided it")
    table.add_column("task", overflow="fold", min_width=10)
    table.add_column("planner", overflow="fold", min_width=10)
    table.add_numbers(*words_of(found).titles)
    for pair in pairs[:_SHOWN_PAIRS]:
        table.add_row(pair.task, pair.planner, _why(pair.sim), _why(pair.real))
    yield table
    if len(pairs) > _SHOWN_PAIRS:
        yield Text(f"{len(pairs) - _SHOWN_PAIRS} more pairs are in the output of --json.")


def _why(failed: FailedEpisode | None) -> str:
    if failed is None:
        return "success"
    return "cannot be told" if failed.cause is None else f"{failed.cause}, {failed.step}"


def _two(sim: SkillSide | None, real: SkillSide | None, name: str, digits: int) -> str:
    values = [None if side is None else getattr(side, name) for side in (sim, real)]
    return "\n".join("-" if value is None else f"{value:.{digits}f}" for value in values)


def _reasons(side: SkillSide | None) -> str:
    if side is None:
        return "not tried"
    counts = [f"{_words(reason)} {count}" for reason, count in list(side.reasons.items())[:4]]
    return ", ".join(counts) or "none"


def _rate(figure: Estimate) -> str:
    return "\n".join(figure.lines(100))


def _below(figure: Interval, unit: float, digits: int) -> str:
    """A figure with its interval on the next line, where it has one."""
    if figure.low is None:
        return f"{unit * figure.value:.{digits}f}"
    return figure.text(unit, digits).replace(" [", "\n[")


# --- lines ---------------------------------------------------------------------------------------


def _observation_lines(comparison: Comparison) -> Iterator[str]:
    found, words = comparison.observations, words_of(comparison)
    first, second = words.subjects
    view = f"the view of {second}" if comparison.of_one_simulator else "the real view"
    ended = found.outcomes_differed + found.other_actions + found.to_the_end
    yield (
        f"Observations, compared at {found.moments} moments of {ended} pairs of episodes: at the "
        f"start, and after each of {found.steps} actions that were the same and came out alike on "
        f"both sides."
    )
    share = found.alike / found.moments if found.moments else 0.0
    yield (
        f"{found.alike} moments ({share:.0%}) had equal views.  Of {found.things} things that "
        f"{first} showed {found.missing} were missing from {view}, {found.moved} were "
        f"elsewhere (another place, or more than {100 * MOVED:.0f} cm away) and {found.restated} "
        f"in another state; {found.extra} were in {view} alone."
    )
    if found.categories:
        counts = ", ".join(f"{name} {count}" for name, count in found.categories.items())
        yield f"Most differences concern:  {counts}."
    if found.offset_m is not None:
        yield f"Half of all things lie within {1000 * found.offset_m:.1f} mm of each other."
    if not found.by_id:
        yield (
            "The sides have no common ids, so of each category only numbers and places are "
            "compared."
        )
    yield (
        f"After that nothing is compared: in {found.outcomes_differed} pairs the same action came "
        f"out differently, in {found.other_actions} another one was done; {found.to_the_end} were "
        f"alike to the end."
    )


def _agreement_parts(found: Comparison) -> Iterator[RenderableType]:
    if isinstance(found.agreement, str):
        yield Text(found.agreement)
        return
    table = FoldingTable("Agreement of the planners' success over planners [95 % intervals]")
    table.add_column("planners", overflow="fold", min_width=14)
    table.add_numbers("SRCC (Pearson)", "Spearman", "MMRV")
    table.add_row(f"all {len(found.agreement.planners)}", *_measures(found.agreement))
    for name, without in found.without.items():
        table.add_row(f"without {name}", *_measures(without))
    yield table
    for note in found.agreement.notes:
        yield Text(f"{note[0].upper()}{note[1:]}.")
    if found.excluded:
        yield Text(f"{found.excluded} tasks are left out, since not all planners have them.")
    if found.of_one_simulator:
        return
    yield Text(
        f"Planners with the same figure share a rank. In MMRV, as in SIMPLER's code, a tie in "
        f"simulation counts for the planner that is really better; counted for both, all have "
        f"{found.agreement.mmrv_both:.3f}. A tie on the real side counts for none.",
        style="dim",
    )


def _measures(found: Agreement) -> list[str]:
    correlations = (found.srcc, found.spearman)
    cells = ["unknown" if each is None else _below(each, 1, 2) for each in correlations]
    return [*cells, _below(found.mmrv, 1, 3)]


def judge_lines(found: Comparison) -> Iterator[str]:
    """How far two judges of the same episodes agree, a sentence each."""
    for side, judges in zip(words_of(found).subjects, found.judges, strict=True):
        for each in judges:
            outcomes = each.outcomes
            same = (outcomes.both + outcomes.neither) / each.episodes
            yield (
                f"Judges of {side}: {each.first} and {each.second} agree in {same:.0%} of "
                f"{each.episodes} episodes; {_kappa(outcomes, 'both judges said the same of all')}."
            )


def _powered_lines(found: Comparison) -> Iterator[str]:
    """Real success with the help of simulation; the mean of all planners last."""
    if found.of_one_simulator:
        return
    further = max(planner.further_tasks for planner in found.planners)
    if not further:
        yield (
            "Simulate further tasks of the same kind, and their episodes will make the intervals "
            "of real success narrower (prediction-powered inference)."
        )
        return
    yield (
        f"Real success with the help of up to {further} further simulated tasks "
        f"(prediction-powered):"
    )
    for planner in found.planners:
        yield f"  {planner.name}: {_powered(planner.powered)}"
    if len(found.planners) > 1:
        yield f"  mean of the planners: {_powered(found.powered)}"


def _powered(found: PredictionPowered | str) -> str:
    if isinstance(found, str):
        return found
    rates = f"{_within(found.interval)} %, {_within(found.alone)} % without it"
    if found.narrower <= 0:
        return f"{rates}: no help"
    saved = f", as {found.saved} more real tasks would make it"
    return f"{rates}: {found.narrower:.0%} narrower" + saved * (found.saved > 0)


def _within(rate: Interval) -> str:
    """A rate with its interval, limited to 0 to 100 %."""
    assert rate.low is not None
    assert rate.high is not None
    return Interval(rate.value, max(0.0, rate.low), min(1.0, rate.high)).text(100, 1)


def _assumed(found: Comparison) -> Iterator[str]:
    yield from dict.fromkeys(planner.difference.sentence for planner in found.planners)
    yield f"of agreement in outcomes, {found.outcomes.sentence}"
    if isinstance(found.agreement, Agreement):
        yield found.agreement.sentence
    powered = [planner.powered for planner in found.planners]
    yield from dict.fromkeys(p.sentence for p in powered if isinstance(p, PredictionPowered))
