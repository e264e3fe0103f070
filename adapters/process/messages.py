"""The values that an isolated adapter and its server exchange, as JSON data."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from ...errors import BadInput
from ...observation_text.view import Said, View
from ...scene_graph.changes import (
    GraphChange,
    applied,
    change_from_data,
    change_to_data,
    difference,
)
from ...scene_graph.fields import Field
from ...scene_graph.goal_codec import goal_from_data, goal_to_data
from ...scene_graph.goal_evaluation import Progress, Subgoal
from ...scene_graph.graph import SceneGraph
from ...scene_graph.task import Task
from ...skills import actions
from ...skills.arm.blocks.world import ArmReading
from ...skills.outcomes import Failure, RawResult, Reason

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def task_to_data(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "instruction": task.instruction,
        "goal": goal_to_data(task.goal),
        "scene": task.scene,
        "labels": task.labels,
    }


def task_from_data(data: dict[str, Any]) -> Task:
    return Task(
        data["id"], data["instruction"], goal_from_data(data["goal"]), data["scene"], data["labels"]
    )


def result_to_data(result: RawResult) -> dict[str, Any]:
    failure = result.failure
    return {
        "failure": failure and [str(failure.reason), failure.thing, failure.detail],
        "message": result.message,
        "sim_time_s": result.sim_time_s,
    }


def result_from_data(data: object, where: str) -> RawResult:
    """The result from the data of `result_to_data`. Raises BadInput."""
    parts = Field(where, "", data).entries(("failure", "message", "sim_time_s"))
    failure = None
    if parts["failure"].value is not None:
        reason, thing, detail = parts["failure"].items(3)
        about = None if thing.value is None else thing.integer()
        failure = Failure(reason.name_of(Reason), about, str(detail.value))
    return RawResult(failure, str(parts["message"].value), parts["sim_time_s"].number())


def view_to_data(view: View) -> dict[str, Any]:
    whole = difference(None, view.graph) or GraphChange(whole=True)
    data = {"graph": change_to_data(whole), "covered": list(view.covered.items())}
    if view.said is not None:
        offers = [[text, actions.to_data(action)] for text, action in view.said.offers]
        data["said"] = {"text": view.said.text, "offers": offers}
    return data if view.arm is None else {**data, "arm": view.arm._asdict()}


def view_from_data(data: object, where: str) -> View:
    """The view from the data of `view_to_data`. Raises BadInput."""
    parts = Field(where, "", data).entries(("graph", "covered"), ("arm", "said"))
    covered = {}
    for item in parts["covered"].items():
        place, completely = item.items(2)
        covered[place.integer()] = bool(completely.value)
    arm = _arm_from_data(parts["arm"]) if "arm" in parts else None
    said = _said_from_data(parts["said"]) if "said" in parts else None
    graph = applied(SceneGraph(), change_from_data(parts["graph"].value, where), where)
    return View(graph, covered, arm, said)


def _said_from_data(data: Field) -> Said:
    parts = data.entries(("text", "offers"))
    offers = []
    for item in parts["offers"].items():
        text, action = item.items(2)
        offers.append((text.text(), actions.from_data(action.value)))
    return Said(parts["text"].text(), tuple(offers))


def _arm_from_data(data: Field) -> ArmReading:
    parts = data.entries(ArmReading._fields)

    def numbers(name: str, count: int | None) -> tuple[Any, ...]:
        return tuple(item.number() for item in parts[name].items(count))

    return ArmReading(
        numbers("pose", None), numbers("fingers", 2), numbers("force", 3), numbers("peak_force", 3)
    )


def progress_to_data(progress: Progress | None) -> dict[str, Any] | None:
    if progress is None:
        return None
    subgoals = [[part.text, part.earned, part.total] for part in progress.subgoals]
    return {"value": progress.value, "subgoals": subgoals}


def progress_from_data(data: object, where: str) -> Progress | None:
    """The progress from the data of `progress_to_data`. Raises BadInput."""
    if data is None:
        return None
    parts = Field(where, "", data).entries(("value", "subgoals"))
    subgoals = []
    for item in parts["subgoals"].items():
        text, earned, total = item.items(3)
        subgoals.append(Subgoal(text.text(), earned.number(), total.number()))
    return Progress(parts["value"].number(), tuple(subgoals))


def image_to_data(image: NDArray[np.uint8] | None) -> dict[str, Any] | None:
    if image is None:
        return None
    return {"shape": list(image.shape), "rgb": base64.b64encode(image.tobytes()).decode()}


def image_from_data(data: object, where: str) -> NDArray[np.uint8] | None:
    """The image from the data of `image_to_data`, shape (height, width, 3). Raises BadInput."""
    import numpy as np

    if data is None:
        return None
    parts = Field(where, "", data).entries(("shape", "rgb"))
    height, width, channels = (side.integer(1) for side in parts["shape"].items(3))
    pixels = base64.b64decode(parts["rgb"].text())
    if channels != 3 or len(pixels) != height * width * channels:
        raise BadInput(f"In {where}, an image of {len(pixels)} bytes does not have its own shape.")
    return np.frombuffer(pixels, np.uint8).reshape(height, width, channels)
