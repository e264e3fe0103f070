"""How large the report page of many episodes is, and how long Chromium takes to open it.

    .venv/bin/python benchmarks/report_page.py RUN… [--episodes 1000] [--keep FOLDER]

The episodes are those of recorded runs, again and again under other names. Printed: the bytes of
the page and of what lies beside it, the seconds that writing it takes, and the milliseconds until
the page is loaded and painted first, and until an episode is drawn (medians of three starts of
headless Chromium, each from nothing).
docs/reference/results.md has the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from peephole.episodes.events import Ended, Started, to_line
from peephole.episodes.recording import episode_path
from peephole.episodes.run_file import read_run, write_run
from peephole.results.report.page import write_report
from peephole.results.run_episodes import episodes_of

_STARTS = 3
#: Tells, once the page is loaded and painted, what that took; then opens an episode and tells that.
_MEASURE = """
new Promise((done) => setTimeout(() => {
  const [visit] = performance.getEntriesByType('navigation');
  const [paint] = performance.getEntriesByName('first-contentful-paint');
  const start = performance.now();
  location.hash = 'run1/1/1';
  const look = () => document.querySelector('#episode ol.steps')
    ? done({loaded_ms: visit.loadEventEnd, painted_ms: paint ? paint.startTime : 0,
        episode_ms: performance.now() - start, rows: document.querySelectorAll('#rows li').length})
    : setTimeout(look);
  look();
}, 500))
"""


class Chromium:
    """A headless Chromium that takes its commands from pipes."""

    def __init__(self, profile: str) -> None:
        command = shutil.which("chromium") or shutil.which("chromium-browser")
        if command is None:
            raise SystemExit("Chromium is needed; get it with: apt-get install chromium")
        theirs, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4.
        shell = f'exec 3<&{theirs} 4>&{theirs_out}; exec "$@"'
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "-", command, *options, f"--user-data-dir={profile}"],
            pass_fds=(theirs, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(theirs_out)
        self._rest = b""
        self._asked = 0
        (target,) = [t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        named = {"targetId": target["targetId"], "flatten": True}
        self._session = self.ask("Target.attachToTarget", **named)["sessionId"]

    _session = ""

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command of the DevTools protocol."""
        self._asked += 1
        message = {"id": self._asked, "method": method, "params": parameters}
        message |= {"sessionId": self._session} if self._session else {}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._rest:
                self._rest += os.read(self._in, 1 << 20)
            line, _, self._rest = self._rest.partition(b"\0")
            answer = json.loads(line)
            if answer.get("id") == self._asked:
                return dict(answer["result"])

    def opened(self, page: Path) -> dict[str, float]:
        """What it took to open the page, and then an episode."""
        self.ask("Page.enable")
        self.ask("Page.navigate", url=page.as_uri())
        while self.value("location.protocol + document.readyState") != "file:complete":
            time.sleep(0.05)
        return dict(self.value(_MEASURE))

    def value(self, expression: str) -> Any:
        """The value of an expression of JavaScript, where it is a promise what comes of it."""
        asked = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        return self.ask("Runtime.evaluate", **asked)["result"].get("value")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)


def multiplied(runs: Sequence[Path], episodes: int, folder: Path) -> list[Path]:
    """Copies of runs, each with its share of so many episodes."""
    found = []
    for number, run in enumerate(runs):
        content = read_run(run)
        recorded = [episode for episode in episodes_of(run, content) if episode.events]
        count = episodes // len(runs) + (number < episodes % len(runs))
        tasks = tuple(f"{recorded[i % len(recorded)].task}_{i}" for i in range(count))
        copy = folder / f"{number}-{run.name}"
        write_run(copy, replace(content, config=replace(content.config, tasks=tasks, repeats=1)))
        for place, task in enumerate(tasks):
            path = episode_path(copy, place + 1, task)
            path.parent.mkdir(exist_ok=True)
            lines = []
            for event in recorded[place % len(recorded)].events:
                if isinstance(event, Started):
                    event = replace(event, task=task)
                elif isinstance(event, Ended):
                    event = replace(event, result=replace(event.result, task=task))
                lines.append(to_line(event))
            path.write_bytes(b"".join(lines))
        if (run / "images").is_dir():
            shutil.copytree(run / "images", copy / "images")
        found.append(copy)
    return found


def opened(page: Path) -> dict[str, float]:
    """What one start of Chromium measured."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        chromium = Chromium(profile)
        try:
            return chromium.opened(page)
        finally:
            chromium.close()


def measured(runs: Sequence[Path], episodes: int, folder: Path) -> dict[str, float]:
    """Sizes in MB and times."""
    copies = multiplied(runs, episodes, folder)
    page = folder / "page.html"
    begun = time.perf_counter()
    write_report(copies, page)
    seconds = time.perf_counter() - begun
    size = page.stat().st_size
    beside = sum(p.stat().st_size for p in folder.glob("page_*/*"))
    starts = [opened(page) for _ in range(_STARTS)]
    medians = {name: statistics.median(each[name] for each in starts) for name in starts[0]}
    return {
        "episodes": episodes,
        "page_mb": size / 1e6,
        "beside_mb": beside / 1e6,
        "write_s": seconds,
        **medians,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="the folder that is to stay; else none does")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name, value in measured(asked.runs, asked.episodes, folder).items():
            print(f"{name:12}{value:12.1f}")


if __name__ == "__main__":
    main()
