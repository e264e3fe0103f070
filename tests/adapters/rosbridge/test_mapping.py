"""A mapping file that is wrong is refused in one sentence that says where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.registry import adapter_status
from peephole.adapters.rosbridge.adapter import RosbridgeAdapter
from peephole.adapters.rosbridge.settings import DRY_VARIABLE, VARIABLE
from peephole.errors import BadInput
from peephole.skills.actions import Verb

Mapped = Callable[..., Path]


def test_the_mapping_tells_what_the_robot_can(mapped: Mapped) -> None:
    mapped()
    spec = RosbridgeAdapter.configured_spec()
    assert spec.actions == {
        *(Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.OPEN, Verb.CLOSE),
        *(Verb.TURN_ON, Verb.TURN_OFF),
    }
    assert spec.embodiment.hands == 1
    assert spec.attempt_s > 5.0 + 0.4 + 2.0, "a try has time to be cancelled and to look"


WRONG: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda d: d.update(bridge="robot:9090"), "'bridge'"),
    (lambda d: d.update(colour="red"), "'colour'"),
    (lambda d: d["skills"].update(fly=d["skills"]["open"]), "'skills.fly"),
    (lambda d: d["skills"].update(reach=d["skills"]["open"]), "the skill reach is of arms"),
    (lambda d: d["skills"]["open"].update(topic="/x"), "one of action, service and topic"),
    (lambda d: d["skills"]["turn_on"].pop("answer"), "a topic needs 'answer'"),
    (lambda d: d["skills"]["turn_on"]["fields"].pop("id"), 'must send "{id}"'),
    (lambda d: d["skills"]["go_to"].update(type="fake/GoTo"), 'must end in "Action"'),
    (lambda d: d["skills"]["go_to"].update(speed=2.0), "above limits.speed"),
    (lambda d: d["skills"]["open"]["fields"].update(x="{place.x}"), '"{place.x}" of open'),
    (lambda d: d["skills"]["open"]["fields"].update(x="{targt}"), '"{targt}" of open'),
    (lambda d: d["skills"]["open"]["fields"].update(x="{target.Name}"), '"{target.Name}" of open'),
    (lambda d: d["start"]["fields"].update(x="{target.name}"), '"{target.name}" of start'),
    (lambda d: d["skills"]["go_to"]["fields"].pop("speed"), "would bind nothing"),
    (lambda d: d["limits"].update(forbidden=["wash"]), "the forbidden wash is no skill"),
    (lambda d: d["limits"].update(workspace={"min": [0, 0, 0], "max": [1, 0, 1]}), "'min'"),
    (lambda d: d["skills"]["open"]["result"]["reasons"].update(x="timeout"), "cannot report"),
    (lambda d: d["perception"]["objects"].pop("name"), "'perception.objects.name'"),
]


@pytest.mark.parametrize(("change", "told"), WRONG, ids=[told for _, told in WRONG])
def test_what_is_wrong_is_named(
    mapped: Mapped, change: Callable[[dict[str, Any]], object], told: str
) -> None:
    path = mapped(change=change)
    with pytest.raises(BadInput) as caught:
        RosbridgeAdapter()
    message = str(caught.value)
    assert told in message
    assert str(path) in message
    assert "\n" not in message


def test_a_file_that_is_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none.yaml"))
    with pytest.raises(BadInput, match=r"none\.yaml cannot be read"):
        RosbridgeAdapter()
    (tmp_path / "none.yaml").write_text("a: [")
    with pytest.raises(BadInput, match="is no YAML"):
        RosbridgeAdapter()


def test_the_listing_tells_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    line = next(line for line in adapter_status() if line.name == "rosbridge")
    assert not line.ready
    assert "never a robot" in line.tested_on
    monkeypatch.setenv(VARIABLE, "/nowhere.yaml")
    line = next(line for line in adapter_status() if line.name == "rosbridge")
    assert "/nowhere.yaml cannot be read" in str(line.missing)


def test_the_dry_run_is_yes_or_no(mapped: Mapped, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped()
    monkeypatch.setenv(DRY_VARIABLE, "perhaps")
    with pytest.raises(BadInput, match="give yes or no"):
        RosbridgeAdapter()
