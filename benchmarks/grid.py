"""Measures how grids are played: speed of two workers, cost of scheduling, memory, and kills.

    .venv/bin/python benchmarks/grid.py speed
    .venv/bin/python benchmarks/grid.py many --episodes 10000
    .venv/bin/python benchmarks/grid.py kills --kills 50
    .venv/bin/python benchmarks/grid.py kills --kills 10 --engine ray

`speed` plays the same grid with one worker and with two, turn about, and prints the median of the
ratios of episodes a second, from the end of the first episode on. `many` plays episodes of a
planner that is done at once, and prints the parent's peak memory, and what an episode costs besides
being played. `kills` kills workers, the parent and, with Ray, whole nodes at random moments while a
grid is played, gives the same command again until it has ended, and compares the recordings with
those of an undisturbed grid. Exits with 1 where anything is not as it should be.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import yaml

from peephole.episodes.engines.choice import EngineName, make_engine
from peephole.episodes.events import Ended, Started
from peephole.episodes.recording import episode_files, read_events, without_times
from peephole.episodes.run_file import run_folders
from peephole.grids.session import GridSession, GridSettings
from peephole.grids.table import write_table
from peephole.results.papers import Grid, config_of

#: Does nothing, and says so.
QUICK = """
from peephole.planners.contract import Done, Planner


def plan(brief, percept):
    yield Done("nothing to do")


PLANNER = Planner("quick", "is done at once", plan)
"""


# --- speed and memory ----------------------------------------------------------------------------


def play(grid: Grid, folder: Path, engine_name: EngineName, workers: int) -> dict[str, float]:
    """Play a grid; its episodes a second from the end of the first on, and other seconds."""
    engine = make_engine(engine_name, workers, folder)
    settings = GridSettings(lambda run: config_of(grid, run, {}))
    ends: list[float] = []
    played_s = 0.0
    with GridSession(grid, folder, engine, settings) as session:
        began, cpu = time.monotonic(), time.process_time()
        for played in session.play():
            ends.append(time.monotonic())
            played_s += played.seconds if len(ends) > workers else 0.0
        cpu = time.process_time() - cpu
        write_table(session)
    # Workers that come up later than the first are idle for nobody's fault.
    steady_s = ends[-1] - ends[workers - 1]
    count = len(ends) - workers
    return {
        "episodes": len(ends),
        "rate": count / steady_s,
        "start_s": ends[0] - began,
        "parent_ms": 1e3 * cpu / len(ends),
        "idle_ms": 1e3 * (steady_s * workers - played_s) / count,
    }


def speed(options: argparse.Namespace) -> int:
    grid = Grid.model_validate(
        {
            "title": "speed",
            "suites": ["robothow"],
            "tasks": str(options.tasks),
            "adapter": "symbolic",
            "planners": [{"planner": "explore"}],
        }
    )
    ratios = []
    for number in range(options.rounds):
        order = (1, 2) if number % 2 == 0 else (2, 1)
        found = {}
        for workers in order:
            with tempfile.TemporaryDirectory() as folder:
                found[workers] = play(grid, Path(folder) / "out", "processes", workers)
        ratios.append(found[2]["rate"] / found[1]["rate"])
        print(
            f"round {number + 1}: {found[1]['rate']:.2f} and {found[2]['rate']:.2f} episodes a "
            f"second, ratio {ratios[-1]:.2f}; idle {found[1]['idle_ms']:.2f} and "
            f"{found[2]['idle_ms']:.2f} ms an episode; first episode after "
            f"{found[1]['start_s']:.1f} and {found[2]['start_s']:.1f} s",
            flush=True,
        )
    median = statistics.median(ratios)
    print(f"two workers play {median:.2f} times as many episodes a second as one (median)")
    return 0 if median >= 1.8 else 1


def many(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        quick = Path(scratch) / "quick.py"
        quick.write_text(QUICK)
        rows = -(-options.episodes // options.tasks)
        grid = Grid.model_validate(
            {
                "title": "many",
                "suites": ["robothow"],
                "tasks": str(options.tasks),
                "adapter": "symbolic",
                "planners": [
                    {"planner": f"{quick}:PLANNER", "label": f"quick {n}"} for n in range(rows)
                ],
            }
        )
        found = play(grid, Path(scratch) / "out", options.engine, options.workers)
        again = time.monotonic()
        play_again = make_engine("serial", 1, Path(scratch) / "out")
        settings = GridSettings(lambda run: config_of(grid, run, {}))
        with GridSession(grid, Path(scratch) / "out", play_again, settings) as session:
            left = session.open
        again = time.monotonic() - again
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{found['episodes']:.0f} episodes, {found['rate']:.0f} a second: the parent takes "
        f"{found['parent_ms']:.2f} ms of processor an episode, workers wait "
        f"{found['idle_ms']:.2f} ms between two; peak of the parent {peak_mb:.0f} MB; going on "
        f"with {left} left takes {again:.1f} s"
    )
    return 0 if peak_mb < 400 and found["idle_ms"] < 2 and not left else 1


# --- kills ---------------------------------------------------------------------------------------


class RayCluster:
    """Two nodes of Ray on this machine, each with processes of its own, one of which is lost."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        self._cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        self._node = self._cluster.add_node(num_cpus=1)
        os.environ["RAY_ADDRESS"] = self._cluster.address

    def lose_node(self) -> None:
        """Kill all processes of a node, and have another one join."""
        self._cluster.remove_node(self._node, allow_graceful=False)
        self._node = self._cluster.add_node(num_cpus=1)

    def workers(self) -> list[int]:
        """The processes of this cluster that play episodes."""
        session = Path(self._cluster.head_node.get_session_dir_path()).name.encode()
        found = []
        for process in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                if not (process / "cmdline").read_bytes().startswith(b"ray::WorkerPlayer"):
                    continue
                parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
                if session in Path(f"/proc/{parent}/cmdline").read_bytes():
                    found.append(int(process.name))
        return found

    def __enter__(self) -> RayCluster:
        return self

    def __exit__(self, *error: object) -> None:
        self._cluster.shutdown()


def kills(options: argparse.Namespace) -> int:
    moments = random.Random(options.seed)
    with ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory())
        ray = stack.enter_context(RayCluster()) if options.engine == "ray" else None
        file = Path(scratch) / "grid.yaml"
        file.write_text(yaml.safe_dump(_kill_grid(options.tasks)))
        reference = Path(scratch) / "reference"
        began = time.monotonic()
        _command(file, reference, options).wait()
        whole_s = time.monotonic() - began
        expected = _recorded(reference)
        print(f"{len(expected)} episodes undisturbed: {whole_s:.1f} s", flush=True)
        done = dict.fromkeys(("worker", "parent", "node"), 0)
        trial = 0
        while sum(done.values()) < options.kills:
            trial += 1
            folder = Path(scratch) / f"trial-{trial}"
            for victim in _disturbed(file, folder, options, ray, moments, whole_s, done):
                done[victim] += 1
            problem = _problem(expected, folder)
            if problem:
                print(f"trial {trial}: {problem}")
                return 1
        by_kind = ", ".join(f"{count} of a {what}" for what, count in done.items() if count)
        print(
            f"{sum(done.values())} kills at random moments ({by_kind}) in {trial} grids: every "
            f"episode ended exactly once, as in the undisturbed grid"
        )
    return 0


def _kill_grid(tasks: int) -> dict[str, object]:
    return {
        "title": "kills",
        "suites": ["robothow"],
        "tasks": str(tasks),
        "adapter": "symbolic",
        "planners": [{"planner": "explore"}, {"planner": "random"}],
    }


def _command(file: Path, folder: Path, options: argparse.Namespace) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "peephole", "run", "--grid", str(file), "--out", str(folder)),
            *("--engine", options.engine, "--workers", str(options.workers), "--json"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _disturbed(
    file: Path,
    folder: Path,
    options: argparse.Namespace,
    ray: RayCluster | None,
    moments: random.Random,
    whole_s: float,
    before: dict[str, int],
) -> list[str]:
    """Play a grid to its end while processes of it are killed; what was killed."""
    killed: list[str] = []
    victims = ["worker", "worker", "parent", *(["node", "node"] if ray is not None else [])]
    while True:
        process = _command(file, folder, options)
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(moments.uniform(0, whole_s))
            if process.poll() is None and sum(before.values()) + len(killed) < options.kills:
                victim = moments.choice(victims)
                if _kill(process.pid, victim, ray, moments):
                    killed.append(victim)
        assert process.stderr is not None
        said = process.stderr.read().decode()
        if process.returncode == 0:
            return killed
        if process.returncode != -signal.SIGKILL and "was killed 3 times" not in said:
            raise SystemExit(f"the grid ended with {process.returncode}: {said}")


def _kill(parent: int, victim: str, ray: RayCluster | None, moments: random.Random) -> bool:
    """Kill the parent, one of its workers, or a node. Whether there was one."""
    if victim == "node" and ray is not None:
        ray.lose_node()
        return True
    workers = ray.workers() if ray is not None else _workers(parent)
    pids = [parent] if victim == "parent" else workers
    if not pids:
        return False
    with suppress(ProcessLookupError):
        os.kill(moments.choice(pids), signal.SIGKILL)
        return True
    return False


def _workers(parent: int) -> list[int]:
    found = []
    with suppress(OSError):
        for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(int(pid))
    return found


def _recorded(folder: Path) -> dict[str, list[dict[str, object]]]:
    """What the newest starts of all episodes have recorded, but for times."""
    return {
        str(path.relative_to(folder)): without_times(read_events(path))
        for run in run_folders(folder)
        for path in episode_files(run)
    }


def _problem(expected: dict[str, list[dict[str, object]]], folder: Path) -> str:
    """What a grid that was disturbed has not come to; "" where all is well."""
    for run in run_folders(folder):
        for path in episode_files(run):
            events = read_events(path)
            ends = sum(isinstance(event, Ended) for event in events)
            starts = sum(isinstance(event, Started) for event in events)
            if ends != 1 or starts != 1:
                return f"{path} has {starts} starts and {ends} ends"
    found = _recorded(folder)
    other = [name for name in expected if found.get(name) != expected[name]]
    return f"other recordings: {other}" if other or found.keys() - expected.keys() else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_subparsers(required=True)
    part = what.add_parser("speed")
    part.add_argument("--rounds", type=int, default=5)
    part.add_argument("--tasks", type=int, default=120)
    part.set_defaults(measure=speed)
    part = what.add_parser("many")
    part.add_argument("--episodes", type=int, default=10_000)
    part.add_argument("--tasks", type=int, default=250)
    part.add_argument("--workers", type=int, default=2)
    part.add_argument("--engine", default="processes")
    part.set_defaults(measure=many)
    part = what.add_parser("kills")
    part.add_argument("--kills", type=int, default=50)
    part.add_argument("--tasks", type=int, default=10)
    part.add_argument("--workers", type=int, default=2)
    part.add_argument("--engine", default="processes")
    part.add_argument("--seed", type=int, default=0, help="of the moments to kill at")
    part.set_defaults(measure=kills)
    options = parser.parse_args()
    return int(options.measure(options))


if __name__ == "__main__":
    sys.exit(main())
