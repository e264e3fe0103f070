"""Hypotheses from a language model: level by level as a tree, or in one question.

After Tru-POMDP, section 4.1 and appendix A.1. The first query gives goals: objects with
destinations. Then one query for each of their unseen objects gives its places; these queries run in
parallel. A path from the root to a leaf is a hypothesis. Its weight is the product of the
confidences along the path.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....models.contract import Model, NoAnswer, Request
from ..belief.world import Hypothesis
from ..prompting.conversation import prompt
from .answers import ChosenAction, Flat, Goals, Places, Weighed, read_flat, read_goals, read_places
from .situation import PROMPTS, Asking, Situation, TreeAsking, Wanted

#: Purposes of the questions; tokens are summed by purpose.
GOALS, PLACES, FLAT, ACTION = "goals", "places", "flat hypotheses", "action"


#: Most tokens of an answer's reasoning, of a probability with its brackets, and of one name with
#: its key and quotation marks.
_REASONING, _PROBABILITY, _NAMED = 1024, 24, 24


@dataclass(frozen=True)
class Hypotheses:
    """The answers of one time."""

    hypotheses: tuple[Hypothesis, ...]
    """With their weights."""
    goals: tuple[tuple[Wanted, float], ...]
    """With their weights."""
    places: Mapping[str, tuple[tuple[str, float], ...]]
    """For each object that was asked about, its areas with weights."""
    repairs: tuple[str, ...]
    """What was repaired in the answers, one sentence each."""
    unanswered: tuple[str, ...] = ()
    """Objects without a usable answer."""
    queries: int = 1
    """The number of answers."""


def ask_tree(model: Model, now: Situation, asking: TreeAsking) -> Hypotheses:
    """The tree of hypotheses. Raises NoAnswer where there is no usable answer."""
    goals = _goals(model, now, asking)
    unseen = sorted({t for targets, _ in goals.possibilities for t in targets if t not in now.seen})
    answers = model.many([_places_request(now, thing, asking) for thing in unseen])
    pairs = zip(unseen, answers, strict=True)
    places = {thing: each for thing, each in pairs if not isinstance(each, NoAnswer)}
    unanswered = tuple(thing for thing in unseen if thing not in places)
    usable = [each for each in goals.possibilities if not any(t in unanswered for t in each[0])]
    if not usable:
        raise next(answer for answer in answers if isinstance(answer, NoAnswer))
    areas = {thing: answer.possibilities for thing, answer in places.items()}
    return Hypotheses(
        hypotheses=tuple(_paths(usable, areas)),
        goals=goals.possibilities,
        places=areas,
        repairs=(*goals.repairs, *(repair for each in places.values() for repair in each.repairs)),
        unanswered=unanswered,
        queries=1 + len(unseen),
    )


def ask_flat(model: Model, now: Situation, asking: Asking, count: int) -> Hypotheses:
    """The hypotheses of one question, at most `count`. Raises NoAnswer."""
    system = PROMPTS.render("flat", now=now, particles=count, combination=asking.combination)
    request = Request(
        prompt(system, now.text()),
        shape=Flat,
        parse=lambda answer: read_flat(answer, now, asking, count),
        temperature=asking.temperature,
        purpose=FLAT,
        needs=_needs(count, asking.combination, _NAMED * 3),
        about=lambda: now.about("kitchen_hypotheses", count=count, most=asking.combination),
    )
    answer: Weighed[tuple[Wanted, Wanted]] = _only(model.many([request]))
    hypotheses = [
        Hypothesis(dict(targets), dict(places), weight)
        for (targets, places), weight in answer.possibilities
    ]
    goals = tuple((each.targets, each.weight) for each in hypotheses)
    return Hypotheses(tuple(hypotheses), goals, {}, answer.repairs)


def action_request(
    now: Situation, belief: Sequence[Hypothesis], actions: Sequence[str], temperature: float
) -> Request:
    """The question for the next action out of some. belief: the possible hypotheses."""
    task = PROMPTS.render("belief", now=now, belief=belief, actions=actions)
    return Request(
        prompt(PROMPTS.render("acting", now=now), task),
        shape=ChosenAction,
        choices={"action": actions},
        temperature=temperature,
        purpose=ACTION,
        about=lambda: now.about(
            "kitchen_action",
            belief=[
                {"weight": b.weight, "targets": dict(b.targets), "places": dict(b.places)}
                for b in belief
            ],
        ),
    )


def _goals(model: Model, now: Situation, asking: TreeAsking) -> Weighed[Wanted]:
    system = PROMPTS.render(
        "goals",
        candidates=asking.candidates,
        objects=asking.objects,
        combination=asking.combination,
        now=now,
    )
    request = Request(
        prompt(system, now.text()),
        shape=Goals,
        parse=lambda answer: read_goals(answer, now, asking),
        temperature=asking.temperature,
        purpose=GOALS,
        needs=_needs(asking.candidates, asking.combination, _NAMED * 2),
        about=lambda: now.about("kitchen_goals", count=asking.candidates, most=asking.combination),
    )
    answer: Weighed[Wanted] = _only(model.many([request]))
    return answer


def _places_request(now: Situation, thing: str, asking: TreeAsking) -> Request:
    system = PROMPTS.render("places", now=now, candidates=asking.candidates)
    return Request(
        prompt(system, PROMPTS.render("place", now=now, thing=thing)),
        shape=Places,
        parse=lambda answer: read_places(answer, thing, now, asking),
        temperature=asking.temperature,
        purpose=PLACES,
        needs=_needs(asking.candidates, 1, _NAMED),
        about=lambda: now.about("kitchen_places", count=asking.candidates, sought=thing),
    )


def _needs(possibilities: int, objects: int, each: int) -> int:
    """The tokens that an answer can need. each: of one object in it."""
    return _REASONING + possibilities * (_PROBABILITY + objects * each)


def _paths(
    goals: Sequence[tuple[Wanted, float]], areas: Mapping[str, Sequence[tuple[str, float]]]
) -> list[Hypothesis]:
    """All paths from the root to a leaf, with the products of their weights."""
    paths = []
    for targets, weight in goals:
        unseen = [thing for thing in targets if thing in areas]
        for chosen in itertools.product(*(areas[thing] for thing in unseen)):
            places = {t: area for t, (area, _) in zip(unseen, chosen, strict=True)}
            product = weight * math.prod(confidence for _, confidence in chosen)
            paths.append(Hypothesis(dict(targets), places, product))
    return paths


def _only(answers: Sequence[Any]) -> Any:
    (answer,) = answers
    if isinstance(answer, NoAnswer):
        raise answer
    return answer
