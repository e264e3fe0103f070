"""LIBERO's engine side without LIBERO: points, grasps and placements on boxes."""

import pdb
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("mujoco")

from peephole.adapters.libero.engine import grasps, loading, placing, points, relations, scene

DOWN = np.array([0.0, 0.0, -1.0])
TABLE = points.on_box(np.array([0.5, 0.5, 0.01])) - [0, 0, 0.01]


def box(size, at=(0.0, 0.0)):
    """Points of a box with sides (3,) that stands on the table."""
    half = np.array(size) / 2
    return points.on_box(half) + np.array([*at, half[2]])


def best_grasp(thing, rest=TABLE):
    found = grasps.find_grasps(thing, rest, [DOWN], thing.mean(0))
    return next(found, None)


def test_a_long_box_is_grasped_across_its_narrow_side():
    grasp = best_grasp(box((0.16, 0.04, 0.06)))
    assert abs(grasp.rotation[1, 0]) > 0.95
    assert grasp.width == pytest.approx(0.04, abs=0.005)
    assert np.abs(grasp.position[:2]).max() < 0.02


def test_a_wall_on_both_sides_leaves_no_grasp():
    thing = box((0.16, 0.04, 0.04))
    walls = [box((0.3, 0.05, 0.06), (0.0, y)) for y in (-0.06, 0.06)]
    assert best_grasp(thing) is not None
    assert best_grasp(thing, np.concatenate([TABLE, *walls])) is None


def test_fingers_stay_over_the_table():
    thing = box((0.1, 0.04, 0.02))
    for grasp in grasps.find_grasps(thing, TABLE, [DOWN], thing.mean(0)):
        assert not grasps.hand_hits(TABLE, grasp.position, grasp.rotation, 0.04)


def test_a_large_face_has_no_hole_for_a_finger():
    top = TABLE[TABLE[:, 2] > -1e-9]
    for spot in np.random.RandomState(0).uniform(-0.4, 0.4, (50, 2)):
        assert np.abs(top[:, :2] - spot).max(1).min() < 0.006


STANDING = ((np.eye(3), 0.0),)


def placed(shape, rest, half=(0.1, 0.1), mass=(0.0, 0.0, 0.0), bases=STANDING):
    """The best placement of a thing whose origin is its middle, around the middle of the table."""
    spot = placing.Spot(np.zeros(3), np.array(half))
    return placing.placements(shape, np.array(mass), bases, rest, spot)[0]


def test_a_thing_is_placed_on_the_table_beside_another():
    cube = points.on_box(np.full(3, 0.03))
    other = box((0.08, 0.2, 0.1), (0.02, 0.0))
    placement = placed(cube, np.concatenate([TABLE, other]))
    assert placement.position[2] == pytest.approx(0.036, abs=0.004)
    assert placement.position[0] < -0.04


def test_a_thing_goes_to_the_bottom_of_a_bin_if_it_fits_and_onto_its_rim_if_not():
    walls = [box((0.01, 0.14, 0.08), (x, 0.0)) for x in (-0.07, 0.07)]
    walls += [box((0.14, 0.01, 0.08), (0.0, y)) for y in (-0.07, 0.07)]
    bin_ = np.concatenate([TABLE, *walls])
    small, large = points.on_box(np.full(3, 0.03)), points.on_box(np.full(3, 0.08))
    assert placed(small, bin_, (0.05, 0.05)).position[2] < 0.045
    assert placed(large, bin_, (0.0, 0.0)).position[2] > 0.15


def test_what_is_in_a_region_and_what_is_held_in_it_is_not():
    thing = scene.Thing("cheese_1", "cheese", "object", None, 1)
    region = scene.Thing("basket_1_contain_region", "contain_region", "region", "basket_1", 2, 0)
    basket = SimpleNamespace(
        things={each.name: each for each in (thing, region)},
        data=SimpleNamespace(contact=[]),
        model=None,
        region_box=lambda _: (np.array([-0.1, -0.1, 0.0]), np.array([0.1, 0.1, 0.1])),
        surface_only=lambda _: False,
    )

    def told(height, held=None):
        low, high = np.array([-0.02, -0.02, height]), np.array([0.02, 0.02, height + 0.04])
        found = relations.relations(basket, {thing.name: (low, high)}, held)
        return [each for each in found if each[1] != "attached"]

    assert told(0.0) == [["cheese_1", "inside", "basket_1_contain_region"]]
    assert told(0.0, held="cheese_1") == []
    assert told(0.12) == []


def test_of_two_places_as_high_the_thing_goes_where_it_does_not_tip_over():
    edge = box((0.3, 0.012, 0.08), (0.0, -0.05))
    block = box((0.3, 0.1, 0.08), (0.0, 0.12))
    cube = points.on_box(np.full(3, 0.03))
    placement = placed(cube, np.concatenate([edge, block]), (0.0, 0.09))
    assert placement.position[1] > 0.06


def test_a_thing_lies_down_where_that_brings_its_mass_lower():
    tall = points.on_box(np.array([0.02, 0.02, 0.08])) + 0.08 * points.UP  # its origin at the foot
    lying = points.rotation_about([1.0, 0.0, 0.0], np.pi / 2)
    bases = (*STANDING, (lying, 0.0))
    placement = placed(tall, TABLE, (0.0, 0.0), (0.0, 0.0, 0.08), bases)
    assert abs(placement.rotation[2, 2]) < 0.1


def test_turns_and_thinning():
    quarter = points.rotation_about(points.UP, np.pi / 2)
    assert quarter @ np.array([1.0, 0, 0]) == pytest.approx([0, 1, 0], abs=1e-12)
    dense = np.random.RandomState(0).uniform(0, 0.01, (500, 3))
    assert len(points.thinned(dense, 0.02)) == 1


def test_the_debugger_of_libero_s_sampler_never_waits_for_a_person(monkeypatch):
    monkeypatch.setattr(pdb, "set_trace", pdb.set_trace)
    scene.forbid_debugger()
    with pytest.raises(scene.BadInput, match="another seed"):
        pdb.set_trace()


def test_a_model_without_textures_keeps_everything_else():
    text = """<mujoco>
      <asset>
        <texture name="wood" type="2d" builtin="checker" width="8" height="8" rgb1="1 0 0"/>
        <material name="plank" texture="wood" rgba="0.5 0.5 0.5 1"/>
      </asset>
      <worldbody><geom type="box" size="1 1 1" material="plank" mass="3"/></worldbody>
    </mujoco>"""
    import mujoco

    whole, plain = (mujoco.MjModel.from_xml_string(each) for each in (text, loading.plain(text)))
    assert (whole.ntex, plain.ntex) == (1, 0)
    assert plain.body_mass.tolist() == whole.body_mass.tolist()
    assert plain.mat_rgba.tolist() == whole.mat_rgba.tolist()
    assert plain.geom_matid.tolist() == [0]
