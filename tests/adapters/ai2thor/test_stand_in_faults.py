"""Faults that the stand-in injects, as the real Controller meets them."""

from __future__ import annotations

import os
import subprocess
import threading

import pytest


def run(stand_in_path: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*stand_in_path.split(), *options],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=30,
    )


def test_puts_are_refused_as_often_as_asked_and_nothing_changes(start_thor):
    thor = start_thor("--faults refuse=2")
    apple, plate = thor.hold("Apple"), thor.first("Plate")
    # A put that fails by itself uses up no refusal.
    fridge = thor.first("Fridge")
    assert "is CLOSED" in thor("PutObject", fridge, forceAction=True)
    for _ in range(2):
        assert thor("PutObject", plate, forceAction=True) == (
            "No valid positions to place object found"
        )
        assert thor.held == [apple]
    assert thor("PutObject", plate, forceAction=True) == ""


@pytest.mark.parametrize("fault", ["crash@3", "hang@3"])
def test_a_crash_or_hang_in_mid_step_ends_in_a_timeout(start_thor, fault):
    thor = start_thor(f"--faults {fault}", server_timeout=1)
    assert thor("Pass") == thor("RotateRight") == ""
    with pytest.raises(TimeoutError, match="Error encountered when running action"):
        thor("RotateRight")
    with pytest.raises(ValueError, match="closed file"):
        thor("Pass")


def test_a_death_between_steps_is_met_by_the_next(start_thor):
    thor = start_thor("--faults die@2", server_timeout=1)
    assert thor("Pass") == thor("RotateRight") == ""
    assert thor.controller.server.unity_proc.wait(10) == 134
    with pytest.raises((TimeoutError, RuntimeError, BrokenPipeError)):
        thor("Pass")


def test_a_late_answer_is_an_answer(start_thor):
    thor = start_thor("--faults late@1:0.3,late@2:30", server_timeout=2)
    assert thor("RotateRight") == ""
    with pytest.raises(TimeoutError):
        thor("RotateRight")


def test_an_engine_that_does_not_start_ends_at_once(stand_in_path, tmp_path):
    log = tmp_path / "log"
    for _ in range(2):
        assert run(stand_in_path, "--faults", "nostart=2", "--log", str(log)).returncode == 1
    # The third start comes up as far as the pipes, which nobody has made here.
    third = run(stand_in_path, "--faults", "nostart=2", "--log", str(log))
    assert "AI2THOR_FIFO_SERVER_PIPE_PATH" in third.stderr
    assert log.read_text().split().count("start") == 3


def test_the_older_transport_tells_of_an_engine_that_did_not_start(start_thor):
    wsgi = pytest.importorskip("ai2thor.wsgi_server")
    exceptions = pytest.importorskip("ai2thor.exceptions")
    with pytest.raises(exceptions.UnityCrashException):
        start_thor("--faults nostart=1", server_class=wsgi.WsgiServer)


def test_an_engine_started_again_goes_on_counting(start_thor, tmp_path):
    options = f"--faults crash@2 --log {tmp_path / 'log'}"
    thor = start_thor(options, server_timeout=1)
    assert thor("Pass") == ""
    with pytest.raises(TimeoutError):
        thor("Pass")
    again = start_thor(options, server_timeout=5)
    assert [again("Pass") for _ in range(3)] == ["", "", ""]


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        ("crsh@3", "Did you mean crash"),
        ("crash=3", "'crash=3' has to be written crash@N."),
        ("late@3", "'late@3' has to be written late@N:SECONDS."),
        ("refuse@3", "'refuse@3' has to be written refuse=N."),
    ],
)
def test_an_unknown_fault_is_one_sentence(stand_in_path, faults, said):
    done = run(stand_in_path, "--faults", faults)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_unknown_option_is_refused_and_not_left_out(stand_in_path):
    """Nobody shall play without the faults that were asked for."""
    done = run(stand_in_path, "--fault", "crash@3", "-screen-width", "300")
    assert done.returncode == 2
    assert "--fault" in done.stderr
    assert "-screen-width" not in done.stderr


def test_started_by_hand_it_says_who_starts_it(stand_in_path):
    done = run(stand_in_path)
    assert done.returncode == 3
    assert "local_executable_path" in done.stderr
    assert done.stderr.count("\n") == 1


def test_several_engines_run_side_by_side(start_thor):
    thors = [start_thor(scene=scene) for scene in ("FloorPlan1", "FloorPlan201")]
    threads = [
        threading.Thread(target=lambda t=t: [t("RotateRight") for _ in range(20)]) for t in thors
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [t.metadata["sceneName"] for t in thors] == [
        "FloorPlan1_physics",
        "FloorPlan201_physics",
    ]
