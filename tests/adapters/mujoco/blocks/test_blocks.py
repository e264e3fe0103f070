"""The block world as an adapter: the same bits, snapshots, noise, pictures, films, retries."""

from __future__ import annotations

import numpy as np
import pytest

from peephole.adapters.blocks.scenes import REALISTIC_NOISE, read
from peephole.adapters.contract import Capability
from peephole.adapters.mujoco.blocks.adapter import BlocksAdapter
from peephole.adapters.mujoco.blocks.film_scene import film_model
from peephole.adapters.process.isolated import IsolatedAdapter
from peephole.adapters.process.messages import view_from_data, view_to_data
from peephole.adapters.registry import connect
from peephole.adapters.scenes import load_scene
from peephole.errors import BadInput, Missing
from peephole.scene_graph.goals import And
from peephole.scene_graph.node import Relation
from peephole.scene_graph.task import Task
from peephole.skills.actions import pick_up, place, reset, wait
from peephole.skills.executor import Executor

DOWN = (1.0, 0.0, 0.0, 0.0)
NOISY = f"seed=5;tags=mass;{REALISTIC_NOISE}"
ACTIONS = [pick_up(4), place((0.45, 0.0, 0.03, *DOWN)), pick_up(5), reset(), wait(0.5)]


def bits(world):
    return world.world.snapshot().state.tobytes()


def test_it_is_registered_and_starts_as_its_scene_is_loaded(play):
    assert isinstance(connect("mujoco"), BlocksAdapter)
    world = play("seed=5;n=3;tags=mass,fix")
    loaded, graph = load_scene("blocks:seed=5;n=3;tags=mass,fix"), world.graph()
    assert set(graph.edges()) == set(loaded.edges())
    for node in loaded.nodes():
        assert graph[node.id].native_id == node.native_id
        if node.pose is not None:
            assert graph[node.id].pose.position == pytest.approx(node.pose.position, abs=1e-3)


def test_it_takes_scenes_of_blocks_only():
    with pytest.raises(BadInput, match="blocks"):
        BlocksAdapter().reset(Task("any", "", And(()), "house:3"), 0)


def test_a_pick_and_a_place_through_the_executor(play):
    world = play("seed=5")
    executor = Executor(world, lambda: None)
    assert executor.execute(pick_up(4)).success
    assert world.graph().held(2) == [4]
    assert world.view().graph.held(2) == [4]
    other = world.graph()[5].pose.position
    assert executor.execute(place((other[0], other[1], 0.077, *DOWN))).success
    assert world.graph().has_edge(4, Relation.ON, 5)


def test_two_runs_with_one_seed_are_the_same_to_the_last_bit(play):
    one, two = play(NOISY, 3), play(NOISY, 3)
    for number, action in enumerate(ACTIONS):
        first, second = one.attempt(action, 0), two.attempt(action, 0)
        assert first == second
        for _ in range(number):  # how often one looks makes no difference
            two.view(), two.graph()
        assert one.view() == two.view()
        assert bits(one) == bits(two)


def test_another_seed_is_other_noise_in_the_same_world(play):
    one, two = play(NOISY, 3), play(NOISY, 4)
    assert one.view() != two.view()
    assert one.graph() == two.graph()


@pytest.mark.parametrize("seed", range(5))
def test_what_is_hidden_cannot_be_known_from_the_first_view(play, seed):
    worlds = ("masses=0.1,0.1", "masses=0.6,0.05", "tags=mass", "tags=fix", "welded=A", "welded=B")
    views = [play(f"seed={seed};{world}").view() for world in worlds]
    assert all(view == views[0] for view in views)


def test_a_snapshot_restores_exactly(play):
    world = play(NOISY, 3)
    world.attempt(ACTIONS[0], 0)
    kept = world.snapshot()

    def play_on():
        results = [world.attempt(action, 0) for action in ACTIONS[1:]]
        return results, bits(world), world.view()

    then = play_on()
    world.restore(kept)
    assert world.view() == kept[2]
    assert play_on() == then


def test_noise_is_as_large_as_asked_for_and_the_truth_has_none(play):
    world = play(f"seed=5;n=3;{REALISTIC_NOISE}")
    truth = world.world.true_blocks()
    off = [
        pose.position - truth[block].position
        for _ in range(200)
        for block, pose in world.world.blocks().items()
    ]
    assert np.std(off) == pytest.approx(0.002, rel=0.2)
    assert world.graph() == play("seed=5;n=3").graph()


def test_views_carry_readings_across_processes(play, task):
    world = play(NOISY, 3)
    assert Capability.WRENCH in world.spec.capabilities
    assert view_from_data(view_to_data(world.view()), "a view") == world.view()
    isolated = IsolatedAdapter("mujoco", BlocksAdapter.spec)
    try:
        isolated.reset(task(f"blocks:{NOISY}"), 3)
        assert isolated.attempt(ACTIONS[0], 0) == world.attempt(ACTIONS[0], 0)
        assert isolated.view() == world.view()
    finally:
        isolated.close()


def test_pictures_show_what_happens_and_change_nothing(play):
    world, unseen = play("seed=5"), play("seed=5")
    try:
        before = world.image()
    except Missing as missing:
        pytest.skip(str(missing))
    assert before.shape == (240, 320, 3)
    assert before.dtype == np.uint8
    assert before.std() > 10
    for action in ACTIONS[:2]:
        world.attempt(action, 0)
        unseen.attempt(action, 0)
        after = world.image()
    assert np.abs(after.astype(int) - before).max() > 50
    assert bits(world) == bits(unseen)


@pytest.mark.slow
def test_a_film_is_an_mp4(play, tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    world, unseen = play("seed=5"), play("seed=5")
    world.frame_rate = 1.0
    path = tmp_path / "pick.mp4"
    try:
        film = world.film(path)
    except Missing as missing:
        pytest.skip(str(missing))
    with film:
        took = world.attempt(pick_up(4), 0).sim_time_s
    pictures, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert seconds == pytest.approx(took, abs=1.1)
    frames = imageio_ffmpeg.read_frames(str(path))
    assert next(frames)["size"] == (960, 540)
    shown = [np.frombuffer(frame, np.uint8).astype(int) for frame in frames]
    assert len(shown) == pictures
    assert np.abs(shown[-1] - shown[0]).max() > 50
    assert world.attempt(reset(), 0).success  # the film is closed, the world goes on
    for action in (pick_up(4), reset()):
        unseen.attempt(action, 0)
    assert bits(world) == bits(unseen), "a film changes nothing, to the last bit"


def test_films_have_a_model_of_their_own_with_the_joints_of_the_physics(play):
    physics = play("seed=5;n=3;tags=mass,fix").world.model
    shown = film_model(read("seed=5;n=3;tags=mass,fix"))
    assert (shown.nq, shown.nbody) == (physics.nq, physics.nbody)
    for joint in range(physics.njnt):
        assert shown.joint(joint).name == physics.joint(joint).name
        assert shown.joint(joint).qposadr == physics.joint(joint).qposadr
    assert shown.ngeom > physics.ngeom


def test_the_next_episode_begins_after_a_film_and_may_have_its_own(play, task, tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    world = play("seed=5")
    world.frame_rate = 5.0
    first, second = tmp_path / "first.mp4", tmp_path / "second.mp4"
    try:
        with world.film(first):
            world.attempt(wait(0.2), 0)
    except Missing as missing:
        pytest.skip(str(missing))
    world.reset(task("blocks:seed=6"), 0)
    assert world.attempt(wait(0.2), 0).success
    left_open, size = world.film(second), first.stat().st_size
    with world.film(tmp_path / "third.mp4"):
        world.attempt(wait(0.2), 0)
        left_open.close()  # ended already: the third goes on
        world.attempt(wait(0.2), 0)
    assert (left_open.closed, first.stat().st_size) == (True, size)
    assert (tmp_path / "third.mp4").stat().st_size > 0


def test_a_film_without_pictures_is_none(play, tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "none.mp4"
    with BlocksAdapter().film(path):
        pass
    assert not path.exists()
