"""Episodic memories: their files, what is refused, and what is retrieved."""

from __future__ import annotations

import base64
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peephole.errors import BadInput, Missing
from peephole.planners.contract import Preparation
from peephole.planners.kits.memory.episodic import (
    ENDS,
    EpisodicMemory,
    Experience,
    estimated_tokens,
    load,
    load_for,
)
from peephole.scene_graph.rules import Rules
from peephole.scene_graph.task import scene_digest
from peephole.skills.embodiment import Embodiment

GOALS = ("find the milk", "find the juice", "wash the plate", "turn on the lamp", "go to bed")
FLOW = ("fallback", "sequence")


def experience(goal: str = "find the milk", text: str = "Act: done", **fields: Any) -> Experience:
    given: dict[str, Any] = {
        "end": "success",
        "suite": "wah:train",
        "task": "put_fridge/1",
        "scene": "house:201",
        "planner": "reactree",
        "control_flow": FLOW,
    }
    return Experience(goal, text, **(given | fields))


texts = st.text(st.characters(codec="utf-8"), max_size=60)
memories = st.lists(
    st.builds(
        experience,
        goal=st.sampled_from(GOALS),
        text=texts,
        end=st.sampled_from(ENDS),
        task=texts,
        scene=st.sampled_from(["house:201", "house:202", "a ; b"]),
        planner=st.sampled_from(["reactree", "reactree_seeds"]),
    ),
    min_size=1,
    max_size=30,
)
CHECKED_OFTEN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@CHECKED_OFTEN
@given(memories)
def test_what_is_written_is_read(tmp_path: Path, experiences: list[Experience]) -> None:
    memory = EpisodicMemory.build(experiences, "reactree")
    memory.save(tmp_path / "memory.jsonl")
    again = EpisodicMemory.load(tmp_path / "memory.jsonl")
    assert again.experiences == tuple(experiences)
    assert again.header == memory.header
    assert np.array_equal(again.vectors, memory.vectors)
    assert set(again.header.scenes) == {each.scene for each in experiences}


@CHECKED_OFTEN
@given(memories, st.sampled_from(GOALS), st.integers(1, 200), st.integers(0, 9))
def test_the_nearest_that_fit_are_retrieved(
    experiences: list[Experience], goal: str, tokens: int, seed: int
) -> None:
    memory = EpisodicMemory.build(experiences, "reactree")
    retrieved = memory.retrieve(goal, tokens, seed)
    assert sum(estimated_tokens(each.text) for each in retrieved) <= tokens
    assert not Counter(retrieved) - Counter(experiences)
    similarity = _similarities(memory, goal)
    got = [similarity[each.goal] for each in retrieved]
    assert got == sorted(got, reverse=True)
    left = list((Counter(experiences) - Counter(retrieved)).elements())
    fitting = [each for each in left if estimated_tokens(each.text) <= tokens]
    if fitting:  # the list ended over one of them, which was as near as any
        used = sum(estimated_tokens(each.text) for each in retrieved)
        nearest = max(similarity[each.goal] for each in fitting)
        assert not got or got[-1] >= nearest
        assert any(
            used + estimated_tokens(each.text) > tokens
            for each in fitting
            if similarity[each.goal] == nearest
        )
    assert memory.retrieve(goal, tokens, seed) == retrieved


def _similarities(memory: EpisodicMemory, goal: str) -> dict[str, float]:
    from peephole.models.embedding import packaged

    (wanted,) = packaged().embed([goal])
    return {
        each.goal: round(float(vector @ wanted), 4)
        for each, vector in zip(memory.experiences, memory.vectors, strict=True)
    }


def test_ties_are_spread_uniformly_over_the_end_states() -> None:
    counts = {"success": 90, "failure": 9, "expand": 3}
    experiences = [experience(end=end, task=str(n)) for end, c in counts.items() for n in range(c)]
    memory = EpisodicMemory.build(experiences, "reactree")
    firsts = Counter(memory.retrieve("find the milk", seed=seed)[0].end for seed in range(600))
    assert all(150 < firsts[end] < 250 for end in ENDS), firsts
    nine = memory.retrieve("find the milk", tokens=9 * estimated_tokens("Act: done"), seed=1)
    assert Counter(each.end for each in nine) == dict.fromkeys(ENDS, 3)
    of_one_end = {memory.retrieve("x", seed=seed)[0].task for seed in range(200)}
    assert len(of_one_end) > 30


def test_one_that_is_longer_than_the_budget_is_passed_over() -> None:
    long, short = experience(text="word " * 5000), experience("find the juice")
    memory = EpisodicMemory.build([long, short], "reactree")
    assert memory.retrieve("find the milk") == [short]
    assert EpisodicMemory.build([long], "reactree").retrieve("find the milk") == []


def test_experiences_of_several_control_flow_settings_make_no_memory() -> None:
    mixed = [experience(), experience(control_flow=("sequence",))]
    with pytest.raises(BadInput, match=r"\(fallback, sequence\) and \(sequence\); build one"):
        EpisodicMemory.build(mixed, "reactree")


# --- files that are refused ----------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.jsonl"
    experiences = [experience(), experience("wash the plate", end="expand", scene="house:202")]
    EpisodicMemory.build(experiences, "reactree").save(path)
    return path


def changed(path: Path, line: int, **fields: Any) -> None:
    lines = path.read_text().splitlines()
    data = {k: v for k, v in (json.loads(lines[line - 1]) | fields).items() if v is not ...}
    lines[line - 1] = json.dumps(data)
    path.write_text("\n".join(lines) + "\n")


def packed(*numbers: float) -> str:
    return base64.b64encode(np.array(numbers, "<f4").tobytes()).decode()


@pytest.mark.parametrize(
    ("line", "fields", "told"),
    [
        (1, {"version": 2}, "has the version 2, and this peephole reads version 1"),
        (1, {"version": ...}, "has the version None"),
        (1, {"format": "memory"}, "is no memory: its first line is not the header"),
        (1, {"scenes": ...}, "line 1: 'scenes': Field required"),
        (1, {"scenes": ["house:201"]}, "line 1: 'scenes'"),
        (1, {"control_flow": ["sequence"]}, "line 1: 'control_flow'"),
        (1, {"experiences": 3}, "has 2 of the 3 experiences"),
        (1, {"dimensions": 384}, "line 2: its vector has 256 of 384 dimensions"),
        (1, {"dimensions": 0}, "line 1: 'dimensions' is less than 1"),
        (1, {"code": "x"}, "line 1: 'code'"),
        (2, {"end": "maybe"}, "line 2: 'end'"),
        (3, {"goal": 7}, "line 3: 'goal'"),
        (3, {"vector": packed(*[float("nan")] * 256)}, "line 3: its vector is of length nan"),
        (3, {"vector": packed(*[float("inf")] * 256)}, "line 3: its vector is of length inf"),
        (3, {"vector": packed(*[1.0] * 256)}, "line 3: its vector is of length 16, not 1"),
        (3, {"vector": "gASVdGhl"}, "line 3: its vector has 1.5 of 256 dimensions"),
        (3, {"vector": "ä"}, "line 3: its vector is not base64"),
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence(
    path: Path, line: int, fields: dict[str, Any], told: str
) -> None:
    changed(path, line, **fields)
    with pytest.raises(BadInput) as caught:
        EpisodicMemory.load(path)
    assert told in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is no memory"),
        (b"\x80\x04\x95pickle", "is no memory"),
        (b"[1]\n", "is no memory"),
        (None, "cannot be read (No such file or directory)"),
    ],
)
def test_what_is_no_memory_is_refused(path: Path, content: bytes | None, told: str) -> None:
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput, match="peephole memory build") as caught:
        load(path)
    assert told in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_it(path: Path) -> None:
    experiences = load(path).experiences
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert EpisodicMemory.load(path).experiences == experiences


def test_absurd_dimensions_are_refused(path: Path) -> None:
    changed(path, 1, dimensions=10**12)
    with pytest.raises(BadInput, match="'dimensions' is more than"):
        EpisodicMemory.load(path)


def test_a_torn_line_is_refused(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(BadInput, match="damaged in line 3: it is not JSON; restore"):
        EpisodicMemory.load(path)


def test_a_file_is_read_anew_when_it_has_changed(path: Path) -> None:
    first = load(path)
    assert load(path) is first
    EpisodicMemory.build([experience("go to bed")], "reactree").save(path)
    assert [each.goal for each in load(path).experiences] == ["go to bed"]


def test_an_embedder_that_is_not_installed_is_named(path: Path) -> None:
    changed(path, 1, embedder="all-mpnet-base-v2")
    memory = EpisodicMemory.load(path)  # what it holds can be told
    with pytest.raises(Missing, match=r"all-mpnet-base-v2 .* pip install sentence-transformers"):
        memory.retrieve("find the milk")


# --- memories for a run --------------------------------------------------------------------------


def preparation(*scenes: str, dialect: str = "reactree") -> Preparation:
    return Preparation(
        suite="wah",
        dialect=dialect,
        actions=frozenset(),
        embodiment=Embodiment(),
        rules=Rules(),
        seed=0,
        scenes=frozenset(map(scene_digest, scenes)),
    )


def test_a_memory_with_a_scene_that_is_played_is_refused(path: Path) -> None:
    assert set(load_for(preparation("house:105"), path).header.scenes) == {"house:201", "house:202"}
    with pytest.raises(BadInput, match=r"has experiences in house:201 and 1 more, which this run"):
        load_for(preparation("house:105", "house:202", "house:201"), path)
    assert load_for(preparation("house:202"), path, seen_scenes=True)


def test_a_memory_that_does_not_fit_is_refused(path: Path) -> None:
    given = preparation("house:105")
    with pytest.raises(BadInput, match=r"dialect reactree.* alfworld"):
        load_for(preparation(dialect="alfworld"), path)
    with pytest.raises(BadInput, match="has experiences of reactree, which are no examples"):
        load_for(given, path, planners=("react",))
    with pytest.raises(BadInput, match=r"\(fallback, sequence\), and this run has \(sequence\)"):
        load_for(given, path, control_flow=("sequence",))
    assert load_for(given, path, planners=("reactree",), control_flow=("sequence", "fallback"))
