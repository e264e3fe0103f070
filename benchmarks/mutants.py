"""Changes the code at random places, one at a time, and sees whether the tests notice.

    .venv/bin/python -m pip install 'cosmic-ray>=8.7,<9' 'pytest-cov>=7,<8'
    .venv/bin/python benchmarks/mutants.py --sample 200 --seed 14 --folders results planners models

The mutations are those of cosmic-ray: other operators, other numbers, conditions negated, loops
that never run, decorators and exceptions taken away. Every place of the code that can be changed is
equally likely, and at a place every change to it. Left out is what no test can notice or should:
annotations, imports for type checkers, and `==` for `is`.

All happens in a copy of the tree under --work. A first run measures once which test reaches which
line and how long it takes. Then each mutant meets the tests that reach its line, the fastest first,
up to the first that fails or the time limit; of a line that runs when its module is imported, those
that reach the module. Results are kept in --work: a second call goes on where the first one was
ended, and --again lets the survivors meet the tests as they are now (the mutated code stays the
copied one).
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
#: Folders of the code that may be changed. Their tests are measured, a folder at a time.
FOLDERS = ("episodes", "skills", "observation_text", "models", "planners", "results")
#: Those that start processes, whose lines are not measured; for what no measured test reaches.
UNMEASURED = "tests/cli/"
#: Operators that need arguments of their own, or whose mutants are the same program.
LEFT_OUT = {
    "core/VariableReplacer",
    "core/VariableInserter",
    "core/ReplaceComparisonOperator_Is_Eq",
    "core/ReplaceComparisonOperator_IsNot_NotEq",
    "core/ReplaceComparisonOperator_Eq_Is",
    "core/ReplaceComparisonOperator_NotEq_IsNot",
}
#: Parts of the syntax tree that no operator changes.
_NEVER_CHANGED = {"name", "newline", "string", "fstring_string", "endmarker"}
#: Seconds of tests, as measured, that a mutant meets in the first start of pytest.
FIRST_S = 5.0
#: The exit code of pytest where a test that it was given does not exist.
NOT_FOUND = 4

#: What the tests import, and takes long to.
PRELOADED = (
    "pytest",
    "hypothesis.strategies",
    "numpy",
    "openai",
    "pydantic",
    "typer",
    "rich.console",
)

#: What coverage names the time in which no test runs.
_IMPORTED = ""

Span = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True)
class Mutant:
    """One change. occurrence: which of the operator's places in the file; line: from 1."""

    path: str
    operator: str
    occurrence: int
    line: int
    column: int

    @property
    def id(self) -> str:
        return f"{self.path}:{self.line}:{self.column} {self.operator.removeprefix('core/')}"


# --- the mutants ---------------------------------------------------------------------------------


def drawn(tree: Path, folders: Sequence[str], seed: int) -> Iterator[Mutant]:
    """One mutant a place, in random order, for as long as there are places."""
    places: dict[tuple[str, Span], list[Mutant]] = defaultdict(list)
    for folder in folders:
        for file in sorted((tree / folder).rglob("*.py")):
            path = str(file.relative_to(tree))
            for span, mutant in mutants_of(path, file.read_text()):
                places[path, span].append(mutant)
    print(f"{len(places)} places, {sum(map(len, places.values()))} mutants", flush=True)
    chance = random.Random(seed)
    order = sorted(places)
    chance.shuffle(order)
    for place in order:
        yield chance.choice(places[place])


def mutants_of(path: str, source: str) -> Iterator[tuple[Span, Mutant]]:
    """Each mutant with its place, the operators' occurrences counted as cosmic-ray counts them."""
    from cosmic_ray.ast import ast_nodes, get_ast

    idle = list(idle_spans(source))
    seen: Counter[str] = Counter()
    for node in ast_nodes(get_ast(source)):
        if node.type in _NEVER_CHANGED:
            continue
        for name, operator in operators():
            for span in operator.mutation_positions(node):
                if not any(start <= span[0] < end for start, end in idle):
                    yield span, Mutant(path, name, seen[name], *span[0])
                seen[name] += 1


@cache
def operators() -> list[tuple[str, Any]]:
    from cosmic_ray.plugins import get_operator, operator_names

    return [(name, get_operator(name)()) for name in sorted({*operator_names()} - LEFT_OUT)]


def idle_spans(source: str) -> Iterator[Span]:
    """Where a change changes nothing that runs: annotations and imports for type checkers."""
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.AST | None] = []
        match node:
            case ast.arg(annotation=annotation) | ast.AnnAssign(annotation=annotation):
                parts.append(annotation)
            case ast.FunctionDef(returns=returns):
                parts.append(returns)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                parts.append(node)
        for part in parts:
            if part is not None:
                yield (
                    (part.lineno, part.col_offset),  # type: ignore[attr-defined]
                    (part.end_lineno, part.end_col_offset),  # type: ignore[attr-defined]
                )


def mutated(mutant: Mutant, source: str) -> str | None:
    """The file with the change; None where it is no Python any more."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    code: str | None = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
    try:
        compile(code or "", mutant.path, "exec")
    except SyntaxError:
        return None
    return code


# --- the copy of the tree and its tests ----------------------------------------------------------


class Scratch:
    """A copy of the tree, with an environment in which it is the package `peephole`."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.tree = work / "peephole"
        self.python = work / "venv" / "bin" / "python"

    def make(self) -> None:
        self.copy(".")
        venv.create(self.work / "venv", symlinks=True)
        packages = next((self.work / "venv").glob("lib/python*/site-packages"))
        seen = [path for path in sys.path if Path(path).name == "site-packages"]
        (packages / "all.pth").write_text("\n".join([str(self.work), *seen]) + "\n")

    def copy(self, folder: str) -> None:
        """Take files over from the working tree: those in git and those new to it."""
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            if (ROOT / name).exists():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.tree / name)

    def pytest(self, arguments: Sequence[str], limit_s: float = math.inf) -> tuple[int | None, str]:
        """Exit code, None after the time limit, and output.

        A fork of this process runs it, so that packages are imported once for all mutants.
        """
        said = self.work / "pytest.txt"
        process = os.fork()
        if process == 0:
            self._run_pytest(arguments, said)
        deadline = time.monotonic() + limit_s
        while True:
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status), said.read_text(errors="replace")
            if time.monotonic() > deadline:
                os.killpg(process, signal.SIGKILL)  # with what tests have started
                os.waitpid(process, 0)
                return None, ""
            time.sleep(0.05)

    def _run_pytest(self, arguments: Sequence[str], said: Path) -> NoReturn:
        import pytest

        os.setsid()
        os.nice(10)
        with said.open("w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        os.chdir(self.tree)
        sys.executable = str(self.python)
        sys.path[0] = str(self.work)  # it was the folder of this script
        os._exit(pytest.main(["-q", "--no-header", *arguments]))


class Reached:
    """Which test reaches which line, and how long each takes, as measured once."""

    def __init__(self, scratch: Scratch, folders: Sequence[str]) -> None:
        self._by_line: dict[str, dict[int, set[str]]] = {}
        self.seconds: dict[str, float] = {}
        self.failing: set[str] = set()
        for folder in folders:
            report, data = scratch.work / f"{folder}.xml", scratch.work / f"{folder}.coverage"
            if not report.exists():
                measure(scratch, folder, report, data)
            self._read_report(report)
            self._read_coverage(scratch, data)
        self._all = collected(scratch, folders)

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that may notice a mutant, those of its own folder and the fastest first.

        Of a line that runs when it is imported, those that reach its package. A test that was not
        measured, since it is new, may notice what its folder is about.
        """
        folder = Path(mutant.path).parent
        reaching = self._by_line.get(mutant.path, {}).get(mutant.line, set())
        found = reaching & self._all
        if _IMPORTED in reaching:
            for path, lines in self._by_line.items():
                if Path(path).parent == folder:
                    found |= set().union(*lines.values()) & self._all
            found |= self._under(f"tests/{folder}/")
        found = found or self._under(f"tests/{folder}/") | self._under(UNMEASURED)
        found |= self._under(f"tests/{folder.parts[0]}/").difference(self.seconds)
        return sorted(
            found - self.failing,
            key=lambda test: (
                not test.startswith(f"tests/{folder}/"),
                self.seconds.get(test, 0.0),
            ),
        )

    def _under(self, folder: str) -> set[str]:
        return {test for test in self._all if test.startswith(folder)}

    def _read_report(self, report: Path) -> None:
        for case in ElementTree.parse(report).iter("testcase"):
            test = f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name']}"
            self.seconds[test] = float(case.attrib["time"])
            if case.find("failure") is not None or case.find("error") is not None:
                self.failing.add(test)

    def _read_coverage(self, scratch: Scratch, data: Path) -> None:
        from coverage import CoverageData

        measured = CoverageData(str(data))
        measured.read()
        for file in measured.measured_files():
            path = file.rpartition(f"/{scratch.tree.name}/")[2]
            lines = self._by_line.setdefault(path, {})
            for line, contexts in measured.contexts_by_lineno(file).items():
                tests = {context.rpartition("|")[0] for context in contexts}
                lines.setdefault(line, set()).update(tests)


def measure(scratch: Scratch, folder: str, report: Path, data: Path) -> None:
    print(f"measuring tests/{folder}", flush=True)
    settings = scratch.work / f"{folder}.rc"
    settings.write_text(
        f"[run]\nsource_pkgs = peephole\nomit = */tests/*\ndata_file = {data}\n"
        f"disable_warnings = module-not-measured, no-data-collected\n"
    )
    cover = ["--cov=peephole", "--cov-context=test", f"--cov-config={settings}", "--cov-report="]
    unfinished = report.with_suffix(".part")
    scratch.pytest([f"tests/{folder}", "-m", "not slow", *cover, f"--junitxml={unfinished}"])
    unfinished.rename(report)


def collected(scratch: Scratch, folders: Sequence[str]) -> frozenset[str]:
    """The tests that there are now."""
    listed = [*(f"tests/{folder}" for folder in folders), UNMEASURED]
    _, said = scratch.pytest(["--collect-only", "-m", "not slow", *listed])
    return frozenset(line for line in said.splitlines() if "::" in line)


# --- a mutant and its tests ----------------------------------------------------------------------


def tried(
    scratch: Scratch, reached: Reached, mutant: Mutant, limit_s: float
) -> dict[str, Any] | None:
    """What became of a mutant; None where it is no Python."""
    file = scratch.tree / mutant.path
    source = file.read_text()
    changed = mutated(mutant, source)
    if changed is None:
        return None
    began = time.monotonic()
    tests = reached.tests_of(mutant)
    result: dict[str, Any] = {**asdict(mutant), "id": mutant.id, "tests": len(tests), "left": 0}
    result["was"], result["is"] = line_that_differs(source, changed)
    try:
        file.write_text(changed)
        result["fate"], result["by"], result["left"] = fate(scratch, reached, tests, limit_s)
    finally:
        file.write_text(source)
    return {**result, "seconds": round(time.monotonic() - began, 1)}


def fate(
    scratch: Scratch, reached: Reached, tests: Sequence[str], limit_s: float
) -> tuple[str, str, int]:
    """What became of the mutant that is in the copy, which test noticed, and how many were left."""
    left = list(tests)
    for batch_s in (FIRST_S, limit_s - FIRST_S):
        batch: list[str] = []
        expected_s = 0.0
        while left and (not batch or expected_s + reached.seconds.get(left[0], 0.2) <= batch_s):
            expected_s += reached.seconds.get(left[0], 0.2)
            batch.append(left.pop(0))
        if not batch:
            break
        code, said = started(scratch, batch, expected_s)
        if code == NOT_FOUND:  # tests are named by what the mutant makes: all that are alike
            code, said = started(scratch, sorted({t.partition("[")[0] for t in batch}), expected_s)
        if code is None:
            return "killed", "timeout", len(left)
        if code != 0:
            results = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
            return "killed", results[0][:200] if results else said[-200:], len(left)
    return "survived", "", len(left)


def started(scratch: Scratch, tests: Sequence[str], expected_s: float) -> tuple[int | None, str]:
    """Exit code and output of tests, up to the first that fails."""
    listed = scratch.work / "tests.txt"
    listed.write_text("\n".join(tests) + "\n")
    return scratch.pytest(
        ["-x", "-p", "no:cacheprovider", "--hypothesis-seed=0", f"@{listed}"],
        limit_s=60 + 4 * expected_s,
    )


def line_that_differs(source: str, changed: str) -> tuple[str, str]:
    for was, now in zip(source.splitlines(), changed.splitlines(), strict=False):
        if was != now:
            return was.strip(), now.strip()
    return "", ""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--folders", nargs="+", default=FOLDERS, choices=FOLDERS)
    parser.add_argument("--work", type=Path, default=Path("runs/mutants"))
    parser.add_argument(
        "--limit", type=float, default=200, help="seconds of tests that a mutant meets at most"
    )
    parser.add_argument("--again", action="store_true", help="the survivors, with today's tests")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the copy is put in order first
    scratch = Scratch(options.work.resolve())
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    for package in PRELOADED:
        importlib.import_module(package)
    if not scratch.python.exists():
        scratch.make()
    if options.again:
        shutil.rmtree(scratch.tree / "tests")
        scratch.copy("tests")
    reached = Reached(scratch, options.folders)
    kept = scratch.work / f"mutants-{options.seed}.jsonl"
    results = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    fates = {result["id"]: result for result in results}
    viable = 0
    for mutant in drawn(scratch.tree, options.folders, options.seed):
        if viable == options.sample:
            break
        known = fates.get(mutant.id)
        if known is not None and not (options.again and known["fate"] == "survived"):
            viable += 1
            continue
        result = tried(scratch, reached, mutant, options.limit)
        if result is None:
            continue
        viable += 1
        fates[mutant.id] = result
        with kept.open("a") as file:
            file.write(json.dumps(result) + "\n")
        by = result["by"] or f"{result['tests']} tests, {result['left']} left"
        print(f"{viable:4} {result['fate']:8} {result['id']}  {by[:90]}", flush=True)
    print(dict(Counter(result["fate"] for result in fates.values())))
    for result in fates.values():
        if result["fate"] == "survived":
            print(f"\n{result['id']}\n  - {result['was']}\n  + {result['is']}")


if __name__ == "__main__":
    main()
