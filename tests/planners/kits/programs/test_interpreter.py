"""Programs run as they read, within limits, and nothing else runs."""

from __future__ import annotations

import importlib.util
import random
import sys
import time
import tracemalloc
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.planners.kits.programs.checks import load
from peephole.planners.kits.programs.program import BadProgram, ProgramFunction, ProgramLimits
from peephole.planners.kits.programs.run import Assertion, HostCall, Interpreter, run_alone

FUNCTIONS = (
    ProgramFunction("find", 1, 1),
    ProgramFunction("grab", 1, 1),
    ProgramFunction("put", 2, 2),
)
PROGRAMS = 10_000
STEPS = 1_000


def _fuzzed() -> ModuleType:
    path = Path(__file__).parent / "fuzzed_programs.py"
    spec = importlib.util.spec_from_file_location("fuzzed_programs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(source: str, limits: ProgramLimits | None = None) -> tuple[str, ...]:
    """The mistakes for which a program is refused."""
    try:
        load(source, FUNCTIONS, limits)
    except BadProgram as error:
        return error.complaints
    return ()


def play(source: str, *answers: Any, limits: ProgramLimits | None = None) -> tuple[list[Any], Any]:
    """All requests of a program, and its result; answered in order, then with False."""
    run = Interpreter(load(source, FUNCTIONS, limits)).run()
    asked: list[Any] = []
    left = list(answers)
    try:
        asked.append(next(run))
        while True:
            asked.append(run.send(left.pop(0) if left else False))
    except StopIteration as end:
        return asked, end.value


def calls(source: str, *answers: Any) -> list[str]:
    """The calls of a program, as they would be written."""
    return [
        f"{each.function}({', '.join(map(str, each.arguments))})"
        for each in play(source, *answers)[0]
        if isinstance(each, HostCall)
    ]


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("return 2 + 3 * 4 - 1", 13),
        ("return 7 // 2 + 7 % 2 + 2 ** 3", 12),
        ("return 'a' + 'b' * 2", "abb"),
        ("x = 5\nx -= 2\nreturn x", 3),
        ("x, y = [1, 2]\nreturn y", 2),
        ("if 1 > 2:\n    return 1\nelif 2 > 1:\n    return 2\nelse:\n    return 3", 2),
        ("t = 0\nfor i in range(5):\n    if i == 3: break\n    t += i\nreturn t", 3),
        ("t = 0\nfor i in range(5):\n    if i == 3: continue\n    t += i\nreturn t", 7),
        ("n = 0\nwhile n < 4: n += 1\nreturn n", 4),
        ("return 1 < 2 < 3 and not 3 < 2", True),
        ("return 'mug' in ['cup', 'mug'] and 'x' not in 'mug'", True),
        ("return [i * i for i in range(4) if i]", [1, 4, 9]),
        ("return f'cup {1 + 1}'", "cup 2"),
        ("def f(a, b=2):\n    return a + b\nreturn f(1) + f(1, 1)", 5),
        ("x = 1\ndef f():\n    x = 2\n    return x\nf()\nreturn x", 1),
        ("return len(sorted([3, 1])) + max(1, 2) + sum([1, 2])", 7),
        ("return [1, 2, 3][-1]", 3),
        ("return 1 if None is None else 2", 1),
        ("def f(n):\n    return 1 if n == 0 else n * f(n - 1)\nreturn f(4)", 24),
    ],
)
def test_a_program_computes_as_in_python(source: str, result: Any) -> None:
    assert play(source) == ([], result)


def test_calls_are_answered_by_the_host_of_the_program() -> None:
    asked, result = play("n = find('mug')\nreturn n + put('a', n)", 2, 3)
    assert asked == [HostCall("find", ("mug",), 1), HostCall("put", ("a", 2), 2)]
    assert result == 5


@pytest.mark.parametrize(
    "written",
    [
        "assert('close' to 'mug')\n    else: find('mug')\n    else: grab('mug')\nput('a', 'b')",
        "assert 'close' to 'mug'\nelse:\n    find('mug')\n    grab('mug')\n\nput('a', 'b')",
        "assert('close' to 'mug') # near\n\n    # get\n"
        "    else: find('mug'); grab('mug')\nput('a', 'b')",
        "assert('close' to 'mug') else: find('mug')\n    else: grab('mug')\nput('a', 'b')",
        "assert('close' to 'mug')\n\telse:\n\t\tfind('mug')\n\t\tgrab('mug')\nput('a', 'b')",
    ],
)
def test_recovery_runs_where_an_assertion_fails(written: str) -> None:
    asked, _ = play(written, False)
    assert asked[0] == Assertion("'close' to 'mug'", 1)
    assert calls(written, False) == ["find(mug)", "grab(mug)", "put(a, b)"]
    assert calls(written, True) == ["put(a, b)"]


def test_an_else_further_left_is_not_the_assertions() -> None:
    source = "if 1 == 2:\n    assert('x')\nelse:\n    find('mug')"
    assert calls(source) == ["find(mug)"]


def test_assertions_may_stand_within_a_recovery() -> None:
    source = (
        "assert('a')\n    else:\n        assert('b')\n"
        "            else: find('b')\n        grab('a')"
    )
    assert [str(each.line) for each in play(source)[0]] == ["1", "3", "4", "5"]
    assert calls(source, False, True) == ["grab(a)"]
    assert calls(source, True) == []


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("x = 1\nimport os", "Line 2: nothing can be imported."),
        ("from os import path", "Line 1: nothing can be imported."),
        ("x.append(1)", "Line 1: there are no attributes"),
        ("x = __builtins__", "Line 1: '__builtins__' is not a name"),
        ("x = lambda: 1", "Line 1: there is no lambda"),
        ("with x: pass", "Line 1: there is no with"),
        ("class A: pass", "Line 1: there are no classes"),
        ("global x", "Line 1: there is no global"),
        ("try:\n    find('x')\nexcept: pass", "Line 1: there is no try"),
        ("eval('1')", "Line 1: there is no function 'eval'; there are find, grab, put."),
        ("open('x')", "Line 1: there is no function 'open'"),
        ("fetch('x')", "Line 1: there is no function 'fetch'"),
        ("find()", "Line 1: 'find' takes 1 argument, not 0."),
        ("put('a', 'b', 'c')", "Line 1: 'put' takes 2 arguments, not 3."),
        ("find(thing='a')", "Line 1: 'find' takes its arguments by position"),
        ("def find(x): pass", "Line 1: 'find' is a function already."),
        ("if 1:\n    def f(): pass", "Line 2: a function is defined outside"),
        ("x[0] = 1", "Line 1: only a name"),
        ("x = {}", "Line 1: there are no dictionaries"),
        ("[x for y in z for x in y]", "Line 1: a list is made with one for only."),
        ("x = 1 << 9", "Line 1: only +, -"),
        ("x = b'1'", "Line 1: only numbers, texts"),
        ("find('a'", "Line 1 is not Python"),
        ("x = " + "(" * 90 + "1" + ")" * 90 + " + -" + "-" * 50 + "1", "Line 1 has too many"),
        ("x = 1\n" * 9999, "The program is longer than 20000 characters"),
        ("x = '\0'", "The program is not Python"),
    ],
)
def test_what_the_language_lacks_is_refused_with_its_line(source: str, told: str) -> None:
    assert check(source)[0].startswith(told)


def test_all_that_is_wrong_is_reported_at_once() -> None:
    assert len(check("import os\nfind()\nfetch('x')\nfind('x')")) == 3
    assert check("find('x')") == ()


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("x = 1\nwhile True:\n    x = 2", "Line 3: the program was stopped after 10000 steps"),
        ("def f(n):\n    return f(n)\nf(1)", "Line 1: 'f' is called within too many calls"),
        ("x = 10 ** 10 ** 10", "Line 1: a number gets too large."),
        ("x = 2 ** 64", "Line 1: a number gets too large."),
        ("x = 'a' * 10 ** 9", "Line 1: a text or a list gets too long."),
        ("x = [0] * 10 ** 9", "Line 1: a text or a list gets too long."),
        ("x = range(10 ** 9)", "Line 1: this cannot be done with a number."),
        ("x = [1]\nfor i in range(90):\n    x = [x, x]", "Line 3: a text or a list gets too long."),
        ("x = round(5, -10 ** 14)", "Line 1: this cannot be done"),
        ("x = (-8) ** 0.5", "Line 1: this gives nothing"),
        ("x = 1000000000000000 ** 64", "Line 1: a number gets too large."),
        ("x = int('1' * 400)", "Line 1: a number gets too large."),
        ("x = int('1' * 5000)", "Line 1: this cannot be done with a text."),
        (
            f"x = [1]\nfor i in range(31):\n    x = {'[' * 32}x{']' * 32}\nfind(x)",
            "Line 3: there are too many lists within each other.",
        ),
        ("def f():\n    continue\nfor i in range(3):\n    f()", "Line 2: a continue stands only"),
        ("x = '%9999999d' % 1", "Line 1: a text and a number cannot be calculated with."),
        ("x = 1 / 0", "Line 1: nothing can be divided by zero."),
        ("x = [1][4]", "Line 1: there is no such item."),
        ("x = 'a' < 1", "Line 1: this cannot be done with a text and a number."),
        ("x = y", "Line 1: 'y' has no value."),
        (f"x = {'y' * 50}", f"Line 1: '{'y' * 40}' has no value."),
        ("for x in 3: pass", "Line 1: a number is nothing to go through."),
        ("break", "Line 1: a break stands only in a loop."),
        ("f()\ndef f(): pass", "Line 1: the function 'f' is not defined yet."),
        ("x, y = [1]", "Line 1: 2 names cannot be given 1 values."),
    ],
)
def test_what_goes_wrong_or_too_far_stops_the_program(source: str, told: str) -> None:
    with pytest.raises(BadProgram) as error:
        play(source)
    assert str(error.value).startswith(told)


@pytest.mark.parametrize("product", ["x * 9000", "9000 * x"])
def test_a_text_that_gets_too_long_is_never_made(product: str) -> None:
    tracemalloc.start()
    with pytest.raises(BadProgram, match="too long"):
        play(f"x = 'a' * 9000\ny = {product}")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1e7


@pytest.mark.parametrize("spaces", [20, 19_900])
def test_long_lines_are_read_at_once(spaces: int) -> None:
    began = time.process_time()
    gap = " " * spaces
    asked, _ = play(f"assert x{gap}\nassert y{gap}else{gap[:50]}: find('y')"[:19_999], False, False)
    assert next(each.condition for each in asked if isinstance(each, Assertion)) == "x"
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(
    "count", [25, pytest.param(200, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_extreme_programs_are_refused_or_stopped_in_time(count: int, watch: _Watch) -> None:
    write = _fuzzed().extreme_program
    for seed in range(count):
        source = write(random.Random(seed))
        began = time.process_time()
        assert _outcome(source, watch) != "told nothing", source[:200]
        assert time.process_time() - began < 2.0, source[:200]
    assert watch.seen == []


def test_a_program_that_nobody_answers_gives_the_result_of_a_function() -> None:
    open_ = ProgramFunction("is_open", 1, 1, lambda place: place == 3)
    source = (
        "def next_area(areas):\n"
        "    for area in areas:\n"
        "        if not is_open(area):\n"
        "            return area\n"
    )
    program = load(source, (open_, *FUNCTIONS))
    assert run_alone(program, "next_area", ([3, 4],)) == 4
    assert run_alone(program, "next_area", ([3],)) is None
    with pytest.raises(BadProgram, match="defines no function 'other'"):
        run_alone(program, "other")
    with pytest.raises(BadProgram, match="Line 1: nobody answers this here"):
        run_alone(load("find('mug')", FUNCTIONS))


# --- no program gets out or goes on for ever -----------------------------------------------------


class _Watch:
    """A record of what Python itself does while a program runs: imports, files, evaluation."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.on = False
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.on and not event.startswith("gc."):
            self.seen.append(event)


@pytest.fixture(scope="module")
def watch() -> _Watch:
    return _Watch()


def _outcome(source: str, watch: _Watch) -> str:
    """The outcome of a program; checks that it kept to its limits."""
    limits = ProgramLimits(steps=STEPS)
    try:
        program = load(source, FUNCTIONS, limits)
    except BadProgram as error:
        told = [complaint for complaint in error.complaints if complaint.endswith(".")]
        return "refused" if told else "told nothing"
    interpreter = Interpreter(program)
    run = interpreter.run()
    asked = 0
    watch.on = True
    try:
        question = next(run)
        while True:
            asked += 1
            assert isinstance(question, HostCall | Assertion)
            question = run.send((True, False, "mug", [1, 2])[asked % 4])
    except StopIteration:
        return "finished"
    except BadProgram as error:
        return "stopped" if str(error).endswith(".") else "told nothing"
    finally:
        watch.on = False
        assert asked <= interpreter.steps <= STEPS


@pytest.mark.slow
def test_ten_thousand_random_programs_stay_within_their_limits(
    watch: _Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write = _fuzzed().Writer
    outcomes = [_outcome(write(random.Random(seed)).program(), watch) for seed in range(PROGRAMS)]
    assert watch.seen == []
    assert not list(tmp_path.iterdir())
    counts = {each: outcomes.count(each) for each in set(outcomes)}
    assert set(counts) == {"refused", "finished", "stopped"}
    assert min(counts["refused"], counts["finished"], counts["stopped"]) > PROGRAMS / 50, counts


@pytest.mark.parametrize("hostile", _fuzzed().HOSTILE)
def test_what_would_let_a_program_out_is_refused(hostile: str) -> None:
    assert check(f"x = 1\ny = 2\nz = 3\n{hostile}")[0].startswith("Line ")


@pytest.mark.parametrize("harmless", _fuzzed().IGNORED)
def test_what_means_nothing_is_never_evaluated(harmless: str, watch: _Watch) -> None:
    assert _outcome(harmless, watch) == "finished"
    assert watch.seen == []


@given(st.text(max_size=200))
def test_any_text_is_refused_or_run(text: str) -> None:
    told = check(text, ProgramLimits(steps=STEPS))
    assert all(complaint.endswith(".") for complaint in told)


_SIGNS = ["+", "-", "*", "//", "%", "<", "==", ">="]


@given(st.integers(-50, 50), st.integers(-50, 50), st.sampled_from(_SIGNS))
def test_arithmetic_agrees_with_python(left: int, right: int, sign: str) -> None:
    source = f"return {left} {sign} {right}"
    if sign in ("//", "%") and right == 0:
        with pytest.raises(BadProgram, match="divided by zero"):
            play(source)
        return
    known = {
        "+": left + right,
        "-": left - right,
        "*": left * right,
        "<": left < right,
        "==": left == right,
        ">=": left >= right,
    }
    expected = known[sign] if sign in known else (left // right if sign == "//" else left % right)
    assert play(source)[1] == expected
