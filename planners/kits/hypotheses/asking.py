"""Hypotheses asked of a language model: level by level as a tree, or in one question.

After Tru-POMDP, section 4.1 and appendix A.1. The first query gives goals, objects with
destinations. Then each object of them that is not in view is asked about alone, where it is now,
all of them at once. A path from the root to a leaf is a hypothesis, its weight the product of the
confidences along it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....models.contract import Model, NoAnswer, Request
from ..belief.hypothesis import Hypothesis
from ..prompting.conversation import prompt
from .answers import (
    ChosenAction,
    Flat,
    Goals,
    Places,
    Weighed,
    read_flat,
    read_goals,
    read_places,
)
from .situation import PROMPTS, Asking, Situation, Targets

#: Purposes of the questions, under which their tokens are summed.
GOALS, PLACES, FLAT, ACTION = "goals", "places", "flat hypotheses", "action"


@dataclass(frozen=True)
class Hypotheses:
    """What was asked for at one time.

    goals: with their weights. places: of each object that was asked about, its areas with weights.
    repairs: what was repaired in the answers, a sentence each. unanswered: objects without a usable
    answer. queries: how many answers there were.
    """

    found: tuple[Hypothesis, ...]
    goals: tuple[tuple[Targets, float], ...]
    places: Mapping[str, tuple[tuple[str, float], ...]]
    repairs: tuple[str, ...]
    unanswered: tuple[str, ...] = ()
    queries: int = 1


def ask_tree(model: Model, now: Situation, asking: Asking) -> Hypotheses:
    """The tree of hypotheses. Raises NoAnswer where there is no usable answer."""
    goals = _goals(model, now, asking)
    unseen = sorted({t for targets, _ in goals.found for t in targets if t not in now.seen})
    answers = model.many([_places_request(now, thing, asking) for thing in unseen])
    places = {t: answer for t, answer in zip(unseen, answers, strict=True) if _is_usable(answer)}
    unanswered = tuple(thing for thing in unseen if thing not in places)
    usable = [each for each in goals.found if not any(t in unanswered for t in each[0])]
    if not usable:
        raise next(answer for answer in answers if isinstance(answer, NoAnswer))
    areas = {thing: answer.found for thing, answer in places.items()}
    return Hypotheses(
        found=tuple(_paths(usable, areas)),
        goals=goals.found,
        places=areas,
        repairs=(*goals.repairs, *(told for each in places.values() for told in each.repairs)),
        unanswered=unanswered,
        queries=1 + len(unseen),
    )


def ask_flat(model: Model, now: Situation, asking: Asking, count: int) -> Hypotheses:
    """The hypotheses of one question, at most `count`. Raises NoAnswer."""
    system = PROMPTS.render("flat", particles=count, combination=asking.combination)
    request = Request(
        prompt(system, now.told()),
        shape=Flat,
        parse=lambda answer: read_flat(answer, now, asking, count),
        temperature=asking.temperature,
        purpose=FLAT,
        about=lambda: now.about("kitchen_hypotheses", count=count, most=asking.combination),
    )
    answer: Weighed[tuple[Targets, Targets]] = _only(model.many([request]))
    found = [
        Hypothesis(dict(targets), dict(places), weight)
        for (targets, places), weight in answer.found
    ]
    goals = tuple((each.targets, each.weight) for each in found)
    return Hypotheses(tuple(found), goals, {}, answer.repairs)


def action_request(
    now: Situation, belief: Sequence[Hypothesis], actions: Sequence[str], temperature: float
) -> Request:
    """The question which of some actions comes next. belief: what is taken for possible."""
    told = PROMPTS.render("belief", now=now, belief=belief, actions=actions)
    return Request(
        prompt(PROMPTS.render("acting"), told),
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


def _goals(model: Model, now: Situation, asking: Asking) -> Weighed[Targets]:
    system = PROMPTS.render(
        "goals",
        candidates=asking.candidates,
        objects=asking.objects,
        combination=asking.combination,
    )
    request = Request(
        prompt(system, now.told()),
        shape=Goals,
        parse=lambda answer: read_goals(answer, now, asking),
        temperature=asking.temperature,
        purpose=GOALS,
        about=lambda: now.about("kitchen_goals", count=asking.candidates, most=asking.combination),
    )
    answer: Weighed[Targets] = _only(model.many([request]))
    return answer


def _places_request(now: Situation, thing: str, asking: Asking) -> Request:
    system = PROMPTS.render("places", candidates=asking.candidates)
    return Request(
        prompt(system, PROMPTS.render("place", now=now, thing=thing)),
        shape=Places,
        parse=lambda answer: read_places(answer, thing, now, asking),
        temperature=asking.temperature,
        purpose=PLACES,
        about=lambda: now.about("kitchen_places", count=asking.candidates, sought=thing),
    )


def _paths(
    goals: Sequence[tuple[Targets, float]], areas: Mapping[str, Sequence[tuple[str, float]]]
) -> list[Hypothesis]:
    """All paths from the root to a leaf, weights as they multiply."""
    found = []
    for targets, weight in goals:
        unseen = [thing for thing in targets if thing in areas]
        for chosen in itertools.product(*(areas[thing] for thing in unseen)):
            places = {t: area for t, (area, _) in zip(unseen, chosen, strict=True)}
            product = weight * math.prod(confidence for _, confidence in chosen)
            found.append(Hypothesis(dict(targets), places, product))
    return found


def _is_usable(answer: object) -> bool:
    return not isinstance(answer, NoAnswer)


def _only(answers: Sequence[Any]) -> Any:
    (answer,) = answers
    if isinstance(answer, NoAnswer):
        raise answer
    return answer
