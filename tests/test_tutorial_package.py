"""The package of two tutorials works, outside the repository: a greenhouse and its planners."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .commands import command

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
PAGES = TUTORIALS / "own_simulator.md", TUTORIALS / "own_model.md"


@pytest.fixture
def greenhouse(tmp_path: Path) -> Path:
    """A site folder with the package of the pages in it, as `pip install` would leave it."""
    site = tmp_path / "site"
    text = "".join(page.read_text() for page in PAGES)
    blocks = re.findall(r"```\w+ title=\"(\S+)\"\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 8
    for name, text in blocks:
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (site / "greenhouse" / "__init__.py").touch()
    declared = re.findall(
        r'\[project\.entry-points\."([\w.]+)"\]\n((?:\w+ = ".*"\n)+)',
        dict(blocks)["pyproject.toml"],
    )
    assert len(declared) == 5
    info = site / "greenhouse-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greenhouse\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(
        "\n".join(f"[{group}]\n{entries.replace(chr(34), '')}" for group, entries in declared)
    )
    return site


def peephole(site: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site), **more}
    return command(*arguments, cwd=site.parent, environment=environment)


def test_it_is_installed_again_beside_the_runs_that_were_made(greenhouse: Path) -> None:
    # What `pip install -e .` asks first, and where setuptools looks for packages.
    asks = "from setuptools import build_meta; build_meta.get_requires_for_build_editable()"
    for folder in ("runs/first", "plots"):
        done = subprocess.run(
            [sys.executable, "-c", asks], capture_output=True, text=True, cwd=greenhouse
        )
        assert done.returncode == 0, done.stderr
        info = greenhouse / "greenhouse.egg-info"
        assert (info / "top_level.txt").read_text() == "greenhouse\n"
        assert "gardener = greenhouse.planner:PLANNER" in (info / "entry_points.txt").read_text()
        (greenhouse / folder).mkdir(parents=True)


def test_a_plugin_package_is_listed_and_run(greenhouse: Path) -> None:
    assert "a pump and a bench under glass" in peephole(greenhouse, "adapters").stdout
    assert "switches everything on" in peephole(greenhouse, "planners").stdout
    done = peephole(
        greenhouse,
        *("run", "--suite", "watering", "--planner", "gardener", "--out", "run", "--json"),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"]["gsr"]["mean"] == 1.0
    shown = peephole(greenhouse, "show", "run", "1").stdout
    assert "Water the plants: pump 1 must be on." in shown
    assert "1 > visit pump 1" in shown
    assert "2 > start pump 1" in shown


def test_its_adapter_does_what_every_adapter_must(greenhouse: Path) -> None:
    page = TUTORIALS.parent / "howto" / "check_a_simulator.md"
    (code,) = re.findall(r"title=\"greenhouse/checks.py\"\n(.*?)```", page.read_text(), re.DOTALL)
    (greenhouse / "greenhouse" / "checks.py").write_text(code)
    with (greenhouse / "greenhouse-0.1.dist-info" / "entry_points.txt").open("a") as entries:
        entries.write("\n[peephole.checks]\ngreenhouse = greenhouse.checks:CHECKS\n")
    done = peephole(greenhouse, "check", "greenhouse", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    verdicts = {each["name"]: each["verdict"] for each in document["findings"]}
    assert "differs" not in verdicts.values()
    assert verdicts["the_pump_turns_on"] == "holds"
    assert document["counts"]["holds"] > 30


@pytest.mark.slow
def test_an_option_of_a_planner_is_set(greenhouse: Path) -> None:
    run = ("run", "--suite", "watering", "--planner", "gardener", "--out")
    assert peephole(greenhouse, *run, "quiet", "--set", "aloud=false").returncode == 0
    assert "is off" not in peephole(greenhouse, "show", "quiet", "1").stdout
    assert "aloud=false" in peephole(greenhouse, "show", "quiet").stdout
    assert peephole(greenhouse, *run, "aloud").returncode == 0
    assert "(The pump 1 is off.)" in peephole(greenhouse, "show", "aloud", "1").stdout
    refused = peephole(greenhouse, *run, "wrong", "--set", "loud=false")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "aloud" in refused.stderr


def test_its_world_is_stepped_by_hand(greenhouse: Path) -> None:
    code = (
        "import peephole\n"
        "with peephole.make('watering', dialect='terse') as environment:\n"
        "    environment.reset()\n"
        "    for action in ('visit pump 1', 'start pump 1'):\n"
        "        assert action in environment.menu()\n"
        "        percept = environment.step(action)\n"
        "    print(percept.ended, environment.score().success)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(greenhouse)},
        timeout=60,
    )
    assert done.stdout == "goal_reached True\n", done.stderr


def test_a_planner_asks_a_model(greenhouse: Path, endpoint: Any) -> None:
    refused = peephole(greenhouse, "run", "--suite", "watering", "--planner", "chooser")
    assert refused.returncode == 2
    assert "asks a language model: give --model" in refused.stderr
    done = peephole(
        greenhouse,
        *("run", "--suite", "watering", "--planner", "chooser", "--model", "stand-in"),
        *("--out", "run", "--json"),
        OPENAI_BASE_URL=endpoint.url,
        OPENAI_API_KEY="none",
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"]["calls"]["mean"] == len(endpoint.requests)


def test_a_planner_is_tested_with_listed_replies(greenhouse: Path) -> None:
    done = peephole(
        greenhouse,
        *("run", "--suite", "watering", "--planner", "chooser", "--out", "run", "--json"),
        *("--model", f"replies:{greenhouse / 'replies.json'}"),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"]["gsr"]["mean"] == 1.0
    assert "2 > start pump 1" in peephole(greenhouse, "show", "run", "1").stdout


def test_a_model_is_served_for_the_run(greenhouse: Path, endpoint: Any) -> None:
    (greenhouse.parent / "fern_server.py").write_text(
        f'import sys; print(\'{{"listening": "{endpoint.url}"}}\', flush=True); sys.stdin.read()'
    )
    done = peephole(
        greenhouse,
        *("run", "--suite", "watering", "--planner", "chooser", "--out", "run", "--json"),
        *("--model", "fern:young"),
    )
    assert done.returncode == 0, done.stderr
    assert {request["model"] for request in endpoint.requests} == {"fern"}
    assert "grows slowly" in peephole(greenhouse, "models").stdout


def test_planner_and_dialect_must_fit(greenhouse: Path) -> None:
    done = peephole(greenhouse, "run", "--suite", "watering", "--planner", "expert")
    assert done.returncode == 0, done.stderr
    done = peephole(
        greenhouse,
        *("run", "--suite", "watering", "--planner", "expert", "--dialect", "terse"),
    )
    assert done.returncode == 2
    assert "does not speak the dialect terse" in done.stderr


def test_a_broken_plugin_is_a_line_and_never_a_traceback(greenhouse: Path) -> None:
    (greenhouse / "greenhouse" / "simulator.py").write_text("import nothing_of_that_name\n")
    listed = peephole(greenhouse, "adapters")
    assert listed.returncode == 0
    assert "NOT READY" in listed.stdout
    assert "nothing_of_that_name" in listed.stdout
    assert "virtualhome" in listed.stdout
    done = peephole(greenhouse, "run", "--suite", "watering", "--planner", "gardener")
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


def test_a_prior_is_not_used_on_the_data_that_it_counts(greenhouse: Path) -> None:
    planner = greenhouse / "greenhouse" / "planner.py"
    declared = 'dialects=("terse",), sources=frozenset({"greenhouse"})'
    planner.write_text(planner.read_text().replace('dialects=("terse",)', declared))
    done = peephole(greenhouse, "run", "--suite", "watering", "--planner", "gardener")
    assert done.returncode == 2
    assert "has counted object places in greenhouse" in done.stderr
