"""The pages in docs/ whose Python is to be run say what comes of it."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
#: Python, and the output that is shown right after it.
BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<output>.*?)```\n)?", re.DOTALL)


def test_the_python_page_runs_as_it_stands_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = DOCS / "python_api.md"
    blocks = list(BLOCK.finditer(page.read_text()))
    assert len(blocks) >= 8
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for number, block in enumerate(blocks, start=1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], f"{page}, block {number}", "exec"), names)
        assert printed.getvalue() == (block["output"] or ""), f"block {number}"


def test_a_world_is_stepped_in_ten_lines() -> None:
    (code, *_) = (block["code"] for block in BLOCK.finditer((DOCS / "python_api.md").read_text()))
    assert len(code.splitlines()) <= 10


def test_importing_peephole_alone_loads_nothing_heavy() -> None:
    heavy = "numpy", "pydantic", "openai", "typer", "rich", "jinja2"
    code = f"import sys, peephole\nprint(*(m for m in {heavy} if m in sys.modules))\npeephole.make"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
