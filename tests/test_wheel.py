"""The package as a user installs it: everything is in the wheel, and no checkout is near."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: What a checkout has besides the package.
NOT_PACKAGED = {"tests", "benchmarks", "docs", "examples", "environments", ".ci", ".github"}

#: Prints every command's help in one process.
HELP = """
from typer.main import get_command
from peephole.cli.main import app

def page(names):
    try:
        root.main([*names[1:], "--help"], prog_name="peephole", standalone_mode=False)
    except SystemExit:
        pass
    print("page", " ".join(names))


def walk(command, names):
    page(names)
    for name, each in getattr(command, "commands", {}).items():
        walk(each, [*names, name])

root = get_command(app)
walk(root, ["peephole"])
"""

#: Does command lines in their order, up to the first that fails.
IN_TURN = """
import sys
from peephole.cli.main import main

for line in sys.argv[1:]:
    sys.argv = ["peephole", *line.split()]
    try:
        main()
    except SystemExit as end:
        if end.code:
            sys.exit(f"{line}: {end.code}")
"""

PLANNER = """
from peephole import run
from peephole.planners.contract import Brief, Decisions, Done, Percept, Planner


def plan(brief: Brief, percept: Percept) -> Decisions:
    yield Done()


PLANNER = Planner(name="idle", summary="does nothing", plan=plan)
first: float = run(PLANNER, "houses", tasks=1).figures["gsr"].mean
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy, so that nothing is written into the checkout."""
    copy, out = (tmp_path_factory.mktemp("built") / name for name in ("source", "wheel"))
    out.mkdir()
    left_out = shutil.ignore_patterns(
        ".*", "build", "runs", "memories", "*.egg-info", "__pycache__"
    )
    shutil.copytree(ROOT, copy, ignore=left_out)
    code = f"from setuptools.build_meta import build_wheel; build_wheel({str(out)!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(out.iterdir())


def new_environment(folder: Path) -> Path:
    """The Python of a fresh environment with the packages of this one, but not Peephole."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    # A folder that a .pth file adds has its own .pth files, as of an editable Peephole, left out.
    paths = [path for path in sys.path if path.endswith("-packages")]
    (site / "zz_others.pth").write_text("\n".join(paths))
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that the wheel is installed in."""
    python = new_environment(tmp_path_factory.mktemp("user") / "venv")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--no-compile", str(wheel)], check=True)
    return python


@pytest.fixture(scope="module")
def peephole(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """Runs command lines in one folder: the first as a user does, the others in one process."""
    folder = tmp_path_factory.mktemp("work")

    def do(*lines: str) -> None:
        first, *others = lines
        commands = [[str(python.with_name("peephole")), *first.split()]]
        commands += [[str(python), "-c", IN_TURN, *others]] if others else []
        for command in commands:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, f"{command}: {done.stdout} {done.stderr}"

    return do


def test_the_wheel_has_what_the_checkout_has_and_nothing_else(wheel: Path) -> None:
    packed = {
        name.removeprefix("peephole/")
        for name in zipfile.ZipFile(wheel).namelist()
        if name.startswith("peephole/")
    }
    there = {
        str(file.relative_to(ROOT))
        for folder in (each.parent for each in ROOT.glob("*/__init__.py"))
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and folder.name not in NOT_PACKAGED
    }
    modules = {each.name for each in ROOT.glob("*.py")} - {"setup.py", "conftest.py"}
    pins = {f"environments/{each.name}" for each in ROOT.glob("environments/*.txt")}
    assert packed == there | modules | pins | {"py.typed"}


def test_every_command_has_its_help(python: Path, tmp_path: Path) -> None:
    done = subprocess.run([python, "-c", HELP], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("page peephole") > 25
    where = [python, "-c", "import peephole; print(peephole.__file__)"]
    found = subprocess.run(where, cwd=tmp_path, capture_output=True, text=True).stdout
    assert found.startswith(str(python.parents[1]))


@pytest.mark.parametrize(
    "lines",
    [
        ("adapters", "suites --json", "planners", "planners explore", "models", "tasks houses"),
        (
            "run --suite houses --planner explore --tasks 1 --out one",
            "show one 1",
            "report one --out one.html",
            "plot one --out one.svg",
            "replay one",
            "film one 1 --drawn",
            "export one --to parquet --out tables",
            "export one --to minari --out sets",
        ),
        (
            "run --suite wah --planner expert --tasks 1 --adapter symbolic --out left",
            "run --suite wah --planner expert --tasks 1 --out right",
            "compare left right",
        ),
        (
            "operator new lab.yaml --template heat_food",
            "run --suite room --data lab.yaml --planner explore --adapter symbolic --out ruled",
            "operator check lab.yaml",
        ),
        (
            "audit household --tasks 1",
            "plan-study --difference 0.2 --pairs-correlation 0.3",
            "check symbolic --suite houses --only contract --out checked",
        ),
        (
            "run --grid lookplangraph_table5 --model scripted --tasks 1 --out grid",
            "report grid --grid lookplangraph_table5 --out grid.html",
        ),
        (
            "run --suite houses --planner react --model scripted --tasks 1 --out asked",
            "export asked --to chat --episodes all --out chat.jsonl",
            "memory build asked --out memory.jsonl",
            "memory show memory.jsonl",
        ),
        ("train --curriculum llm_pop --out pop --dry-run", "kitchens export kitchens --out k"),
    ],
    ids=lambda lines: lines[0].split(" --")[0],
)
def test_each_group_of_commands_does_its_work(
    peephole: Callable[..., None], lines: tuple[str, ...]
) -> None:
    peephole(*lines)


@pytest.mark.slow
def test_the_installed_package_plays_a_kitchen_in_contact_physics(
    peephole: Callable[..., None],
) -> None:
    pytest.importorskip("mujoco")
    peephole(
        "run --suite kitchen_physics --planner expert --tasks 1 --out physics",
        "show physics 1",
        "replay physics",
    )


def checked(python: Path, folder: Path) -> tuple[str, str]:
    """What mypy says of a user's planner, as it should be and with one mistake."""
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python)]
    said = []
    for number, code in enumerate((PLANNER, PLANNER.replace("first: float", "first: str"))):
        (folder / f"planner{number}.py").write_text(code)
        command = [*mypy, "--cache-dir", str(folder / "cache"), f"planner{number}.py"]
        said.append(subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout)
    return said[0], said[1]


@pytest.mark.slow
def test_types_of_the_wheel_are_seen(python: Path, tmp_path: Path) -> None:
    right, wrong = checked(python, tmp_path)
    assert "Success" in right
    assert 'expression has type "float", variable has type "str"' in wrong


@pytest.mark.slow
def test_types_of_a_checkout_are_seen_where_make_installed_it(tmp_path: Path) -> None:
    python = new_environment(tmp_path / "venv")
    site = next((tmp_path / "venv").glob("lib/python*/site-packages"))
    make = ["make", "--silent", "typed", f"SITE={site}"]
    subprocess.run(make, cwd=ROOT, check=True, capture_output=True)
    right, wrong = checked(python, tmp_path)
    assert "Success" in right
    assert 'expression has type "float", variable has type "str"' in wrong
