"""Scenes of blocks by reference."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.adapters.blocks.scenes import GAP, REALISTIC_NOISE, SPACING, load, read
from peephole.adapters.scenes import load_scene
from peephole.errors import BadInput
from peephole.scene_graph.node import Kind, Relation

seeds = st.integers(0, 10**6)


@given(seeds, st.integers(2, 3))
def test_blocks_lie_apart_on_the_table(seed, n):
    scene = read(f"seed={seed};n={n}")
    assert len(scene.places) == n
    for (x, y, _), (u, v, _) in combinations(scene.places, 2):
        assert math.hypot(x - u, y - v) >= SPACING
    graph = load(f"seed={seed};n={n}")
    for block in scene.ids:
        assert graph.targets(block, Relation.ON) == [3]


@given(seeds, st.integers(2, 3))
def test_masses_can_be_distinguished_where_the_tag_says_so(seed, n):
    masses = read(f"seed={seed};n={n};tags=mass").masses
    assert all(0.05 <= mass <= 0.6 for mass in masses)
    assert all(abs(a - b) >= GAP for a, b in combinations(masses, 2))
    assert len(set(read(f"seed={seed};n={n}").masses)) == 1


@given(seeds, st.integers(2, 3), st.sampled_from(["fix", "move", "mass,fix"]))
def test_some_but_not_all_are_welded_where_the_tag_says_so(seed, n, tags):
    assert 1 <= len(read(f"seed={seed};n={n};tags={tags}").welded) < n
    assert not read(f"seed={seed};n={n}").welded


@given(seeds)
def test_what_cannot_be_seen_is_not_in_the_graph(seed):
    plain, secret = load(f"seed={seed}"), load(f"seed={seed};tags=mass,fix")
    assert plain == secret


def test_a_scene_is_the_same_for_good():
    assert read("seed=7;n=3;tags=mass,fix") == read("n=3;tags=fix,mass;seed=7")
    assert read("seed=7") != read("seed=8")


def test_everything_can_be_set():
    scene = read(
        f"masses=0.2,0.4;welded=B;at=0.4,0.1,0|0.5,-0.1,1.5;arm=real;grasp_offset=0.01;"
        f"{REALISTIC_NOISE}"
    )
    assert scene.masses == (0.2, 0.4)
    assert scene.welded == {1}
    assert scene.places == ((0.4, 0.1, 0.0), (0.5, -0.1, 1.5))
    assert scene.setting.euler
    assert scene.setting.grasp_offset == 0.01
    assert (scene.pose_noise, scene.angle_noise, scene.force_noise) == (0.002, 0.02, 0.2)


def test_the_graph_has_an_arm_a_table_and_cubes():
    graph = load_scene("blocks:n=3;at=0.4,0.1,0|0.5,-0.1,0.785398|0.55,0.2,0")
    assert graph.agent().category == "robot arm"
    assert [node.native_id for node in graph.nodes(Kind.OBJECT)] == ["cubeA", "cubeB", "cubeC"]
    box = graph[5].box
    assert box is not None
    assert box.center == pytest.approx((0.5, -0.1, 0.025))
    assert box.size == pytest.approx((0.0707, 0.0707, 0.05), abs=1e-4)


@pytest.mark.parametrize(
    "reference",
    [
        "nonsense",
        "seed=-1",
        "seed=1;seed=2",
        "seed=x",
        "n=9",
        "tags=heavy",
        "masses=0.1",
        "masses=0.1,nan",
        "masses=0.1,-1",
        "welded=Z",
        "at=0.4,0.1,0",
        "at=0.4,0.1|0.5,0.2",
        "at=0.4,0.1,0|0.4,0.12,0",
        "arm=virtual",
        "pose_noise=much",
        "color=red",
        "=3",
    ],
)
def test_a_reference_that_makes_no_sense_is_refused_in_one_sentence(reference):
    with pytest.raises(BadInput) as refused:
        read(reference)
    assert "\n" not in str(refused.value)
