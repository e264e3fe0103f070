"""The engines: the same episodes whatever plays them, and whatever is killed meanwhile."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from peephole.episodes.engines.choice import make_engine
from peephole.episodes.engines.contract import Bounds, Engine, EpisodeQueue, PlayedRun, Ticket
from peephole.episodes.engines.player import Growth, SerialEngine
from peephole.episodes.engines.processes import ProcessEngine
from peephole.episodes.engines.ray_actors import FileCounter
from peephole.episodes.recording import episode_path, read_events, without_times
from peephole.episodes.resolve import resolve
from peephole.episodes.run_file import RunConfig
from peephole.errors import BadInput, PeepholeError

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "grid.py"

#: Tells in which process it plays, and to how many simulators that process has been.
TELLING = """
import os

from peephole.planners.contract import Done, Planner


def plan(brief, percept):
    yield Done(str(os.getpid()))


PLANNER = Planner("telling", "tells where it is", plan)
BROKEN = Planner("broken", "leaves the process", lambda brief, percept: os._exit(3))
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str, str], PlayedRun]:
    """A run of 3 tasks by one of the planners above; adapter: its simulator."""
    (tmp_path / "telling.py").write_text(TELLING)

    def make(name: str, adapter: str = "symbolic") -> PlayedRun:
        planner = f"{tmp_path / 'telling.py'}:{name}"
        resolved = resolve(RunConfig("houses", planner, adapter=adapter), "3")
        return PlayedRun(resolved.config, tmp_path / f"{name}-{adapter}")

    return make


def play(engine: Engine, *runs: PlayedRun) -> list[str]:
    """Who has played each episode, in the order in which they ended."""
    tickets = [Ticket(place, e) for place, each in enumerate(runs) for e in each.config.episodes]
    played = list(engine.play(runs, EpisodeQueue(tickets, runs), {}))
    assert sorted(map(str, tickets)) == sorted(str(each.ticket) for each in played)
    return [each.result.detail for each in played if each.result is not None]


def test_a_worker_serves_all_runs(run: Callable[..., PlayedRun]) -> None:
    pids = play(ProcessEngine(1), run("PLANNER"), run("PLANNER", "virtualhome"))
    assert len(pids) == 6
    assert len(set(pids)) == 1
    assert str(os.getpid()) not in pids


def test_a_worker_that_has_served_its_time_is_replaced(run: Callable[..., PlayedRun]) -> None:
    pids = play(ProcessEngine(1, Bounds(episodes=2)), run("PLANNER"))
    assert [pids.index(pid) for pid in pids] == [0, 0, 2]


def test_so_is_one_that_has_grown() -> None:
    assert [Growth(Bounds(grown_mb=mb)).is_due() for mb in (1e9, -1.0)] == [False, True]


def test_an_episode_that_kills_every_worker_ends_it_with_a_sentence(
    run: Callable[..., PlayedRun],
) -> None:
    with pytest.raises(PeepholeError, match=r"the task \S+ was killed 3 times"):
        play(ProcessEngine(1), run("BROKEN"))


@pytest.mark.slow
def test_processes_play_the_same_as_one_does_though_workers_are_killed(tmp_path: Path) -> None:
    config = resolve(RunConfig("houses", "explore", adapter="symbolic"), "6").config
    undisturbed, disturbed = (
        PlayedRun(config, tmp_path / "one"),
        PlayedRun(config, tmp_path / "two"),
    )
    play(SerialEngine(), undisturbed)
    tickets = [Ticket(0, episode) for episode in config.episodes]
    engine, ended = ProcessEngine(2), []
    for played in engine.play([disturbed], EpisodeQueue(tickets, [disturbed]), {}):
        ended.append(played.ticket)
        if len(ended) <= 2:  # a third time over one episode would end the run
            busy = [each for each in multiprocessing.active_children() if each.is_alive()]
            os.kill(random.Random(len(ended)).choice(busy).pid or 0, signal.SIGKILL)
    assert sorted(map(str, ended)) == sorted(map(str, tickets))
    assert _recorded(disturbed) == _recorded(undisturbed)


def _recorded(run: PlayedRun) -> Sequence[object]:
    paths = (episode_path(run.folder, e.number, e.task) for e in run.config.episodes)
    return [without_times(read_events(path)) for path in paths]


def test_options_that_exclude_each_other_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--engine serial plays in one process"):
        make_engine("serial", 2, tmp_path)
    with pytest.raises(BadInput, match="--watch needs --workers 1"):
        make_engine("ray", 1, tmp_path, watch=print)
    assert isinstance(make_engine("", 1, tmp_path), SerialEngine)
    assert make_engine("", 3, tmp_path).workers == 3


def test_a_number_in_a_file_is_shared(tmp_path: Path) -> None:
    counter = FileCounter(tmp_path / "spent", 1.5)
    script = (
        "import sys; from pathlib import Path\n"
        "from peephole.episodes.engines.ray_actors import FileCounter\n"
        "import pickle; counter = pickle.loads(bytes.fromhex(sys.argv[1]))\n"
        "for _ in range(200):\n    with counter.get_lock():\n        counter.value += 1\n"
    )
    command = [sys.executable, "-c", script, pickle.dumps(counter).hex()]
    processes = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert counter.value == 401.5


def benchmark(*options: str) -> str:
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_every_episode_ends_once_over_fifty_kills() -> None:
    assert "50 kills at random moments" in benchmark("kills", "--kills", "50")


@pytest.mark.slow
def test_ray_plays_the_same_over_kills_of_its_nodes() -> None:
    told = benchmark("kills", "--engine", "ray", "--kills", "12")
    assert "12 kills at random moments" in told
    assert "of a node" in told


@pytest.mark.slow
def test_many_episodes_take_little_memory_and_no_time_between_them() -> None:
    assert "10000 episodes" in benchmark("many")


@pytest.mark.slow
def test_two_workers_are_nearly_twice_as_fast() -> None:
    assert "times as many episodes a second as one" in benchmark("speed")


UNGUARDED = """
import sys
import peephole
try:
    peephole.run("expert", "houses", tasks=2, workers=2, out=sys.argv[1])
except peephole.errors.BadInput as error:
    print(error)
"""


def test_a_script_that_its_workers_would_run_again_is_told_so_in_a_sentence(tmp_path: Path) -> None:
    script, out = tmp_path / "unguarded.py", tmp_path / "run"
    script.write_text(UNGUARDED)
    from_file = subprocess.run(
        [sys.executable, script, out], capture_output=True, text=True, timeout=60
    )
    assert from_file.stderr == ""
    assert "put what it does below the line: if __name__ == '__main__':" in from_file.stdout
    assert len(from_file.stdout.splitlines()) == 1
    from_input = subprocess.run(
        [sys.executable, "-", out], input=UNGUARDED, capture_output=True, text=True, timeout=60
    )
    assert from_input.stderr == ""
    assert "comes from standard input; save it as a file" in from_input.stdout
    assert not out.exists()
