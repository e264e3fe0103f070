"""An episode as data for the page, which `episode.js` draws; empty fields are left out."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from ...data_files import json_text
from ...episodes.result import EpisodeResult
from ..failures.classify import Diagnosis
from ..notes import GrownLine
from ..wording import ENDINGS, VERDICTS
from .drawn_world import DrawnWorld
from .trajectory import Item, Step, Trajectory

Data = dict[str, Any]
#: The address of a picture for the page, "" where its file is missing.
Source = Callable[[str], str]


def episode_data(
    way: Trajectory,
    world: DrawnWorld | None,
    result: EpisodeResult | None,
    why: Diagnosis | None,
    damage: tuple[str, ...],
    source: Source,
) -> Data:
    """An episode as JSON data."""
    data = {
        "instruction": way.instruction,
        "observation": way.observation,
        "image": _picture(way.image, source),
        "steps": [_step(step, source) for step in way.steps],
        "after": [_item(item, source) for item in way.after],
        "tree": [_line(line) for line in way.tree],
        "rewards": None if (chart := way.rewards) is None else asdict(chart),
        "world": None if world is None else vars(world),
        "damage": list(damage),
        "result": None if result is None else _result(result),
        "why": None if why is None else {"words": why.kind.words, "step": why.step},
    }
    return _filled(data)


def _filled(data: Data) -> Data:
    return {name: value for name, value in data.items() if value not in (None, "", [], 0, {})}


def _result(result: EpisodeResult) -> Data:
    detail = f" ({result.detail})" if result.detail else ""
    steps = f"{result.steps} step{'s' if result.steps != 1 else ''}"
    subgoals = [{"text": part.text, "holds": part.earned >= part.total} for part in result.subgoals]
    return {
        "text": f"{VERDICTS[result.success]} after {steps}: "
        f"{ENDINGS.get(result.ended, result.ended)}{detail}",
        "subgoals": subgoals,
    }


def _step(step: Step, source: Source) -> Data:
    data = {
        "action": step.action,
        "failure": step.failure,
        "injected": step.injected,
        "observation": step.observation,
        "attempts": step.attempts if len(step.attempts) > 1 else [],
        "image": _picture(step.image, source),
        "reward": step.reward,
        "tokens": step.tokens,
        "before": [_item(item, source) for item in step.before],
    }
    return {"number": step.number, "t": step.t, "progress": step.progress, **_filled(data)}


def _item(item: Item, source: Source) -> Data:
    if item.kind == "picture":
        return {"kind": item.kind, "text": item.text, "source": source(item.text)}
    data = {
        "text": item.text,
        "label": item.label,
        "bars": [[name, share] for name, share in item.bars],
        "call": None if item.call is None else asdict(item.call),
        "belief": None if item.belief is None else _belief(asdict(item.belief), item),
        "search": None if item.search is None else _search(item),
    }
    return {"kind": item.kind, **_filled(data)}


def _belief(data: Data, item: Item) -> Data:
    """The belief with computed values: the darkness of areas, and goals in words."""
    assert item.belief is not None
    for place, drawn in zip(data["places"], item.belief.places, strict=True):
        for tile, of in zip(place["tiles"], drawn.tiles, strict=True):
            tile["likeliest"] = of.likeliest
    data["goals"] = [{"weight": goal.weight, "text": goal.text} for goal in item.belief.goals]
    return data


def _search(item: Item) -> Data:
    assert item.search is not None
    branch = [{"action": s.action, "observation": s.observation} for s in item.search.branch]
    return {"text": item.search.text, "branch": branch}


def _line(grown: GrownLine) -> Data:
    line = grown.line
    return {
        "depth": line.depth,
        "goal": line.goal,
        "history": [list(state) for state in grown.history],
    }


def _picture(name: str, source: Source) -> Data | None:
    return {"name": name, "source": source(name)} if name else None


def script_json(data: Any) -> str:
    """JSON for an element `script`: no text in it can end the element."""
    text = json_text(data, separators=(",", ":"))
    escaped = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return escaped.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def packed(data: Any) -> str:
    """JSON, deflated (zlib) and in base64; `unpacked` in pack.js reads it."""
    text = json_text(data, separators=(",", ":"))
    # A lone surrogate, which a recording may contain, is no UTF-8.
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode("ascii")


def unpacked(text: str) -> Any:
    """The data of `packed`."""
    return json.loads(zlib.decompress(base64.b64decode(text)))
