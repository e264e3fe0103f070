"""A comparison as JSON data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..statistics.agreement import Agreement
from .comparison import Comparison
from .sides import Side


def comparison_document(found: Comparison) -> dict[str, Any]:
    """All figures of a comparison; what cannot be told is {"problem": why}."""
    return {
        "sim": _side(found.sim),
        "real": _side(found.real),
        "notes": list(found.notes),
        "outcomes": asdict(found.outcomes),
        "planners": [
            {**asdict(planner), "powered": _told(planner.powered)} for planner in found.planners
        ],
        "skills": [asdict(skill) for skill in found.skills],
        "skills_by_planner": {
            name: [asdict(skill) for skill in skills] for name, skills in found.skills_of.items()
        },
        "observations": asdict(found.observations),
        "agreement": {
            **_told(found.agreement),
            "without": {name: _told(each) for name, each in found.without.items()},
            "tasks_left_out": found.excluded,
        },
        "powered": _told(found.powered),
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "runs": [str(run) for run in side.runs],
        "suites": list(side.suites),
        "adapters": side.world,
        "is_simulated": side.has_truth,
        "stand_ins": list(side.marks),
        "unscored": side.unscored,
    }


def _told(found: Any) -> dict[str, Any]:
    if isinstance(found, str):
        return {"problem": found}
    data = asdict(found)
    if isinstance(found, Agreement):
        data["planners"] = list(found.planners)
    return data
