"""A model that knows the goal of a kitchen task and where the things are."""

from __future__ import annotations

import json


def goals(*combinations):
    return json.dumps(
        {
            "reasoning": "",
            "combinations": [
                {
                    "objects": [{"object": o, "area": a} for o, a in targets.items()],
                    "probability": weight,
                }
                for targets, weight in combinations
            ],
        }
    )


def places(*areas):
    return json.dumps(
        {"reasoning": "", "areas": [{"area": a, "probability": 1 / len(areas)} for a in areas]}
    )


def left(truth, told):
    """The part of the goal that is not confirmed as placed right."""
    placed = told.partition("Objects already placed right: ")[2].partition("\n")[0]
    return {thing: area for thing, area in truth.goal.items() if thing not in placed}


def knows(truth, purpose, told, request):
    """The replies of a model that knows the goal and the places."""
    wanted = left(truth, told)
    if purpose == "goals":
        return goals((wanted, 1.0))
    if purpose == "places":
        thing = told.rpartition("The object to be found: ")[2].rstrip(".")
        return places(truth.at[thing])
    if purpose == "flat hypotheses":
        objects = [
            {"object": o, "target_area": t, "current_area": truth.at[o]} for o, t in wanted.items()
        ]
        return json.dumps({"reasoning": "", "hypotheses": [{"objects": objects, "probability": 1}]})
    moves = request.choices["action"]
    for thing, target in wanted.items():
        for action in (f"place {target}", f"open {target}") if f"holds {thing}" in told else ():
            if action in moves:
                return json.dumps({"reasoning": "", "action": action})
        for action in (f"pick {thing}", f"open {truth.at[thing]}"):
            if action in moves and f"{thing} at {target}" not in told:
                return json.dumps({"reasoning": "", "action": action})
    return json.dumps({"reasoning": "", "action": "wait"})
