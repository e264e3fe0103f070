"""What reaches the terminal: texts without control characters, in any encoding, or nothing."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest
from rich.live import Live

from peephole.terminal import GuardedStream, escaped, printable, terminal_console

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m\u202etxt\r"


def test_control_characters_are_no_more():
    assert printable(HOSTILE) == "�]0;owned��[2J�[31mred�31m�txt�"
    assert printable("two\nlines\tand é 家 …") == "two\nlines\tand é 家 …"


def test_a_document_keeps_its_data():
    document = escaped(json.dumps({"a": HOSTILE}, ensure_ascii=False))
    assert printable(document) == document
    assert json.loads(document) == {"a": HOSTILE}


def test_rich_writes_its_own_codes_and_no_others():
    file = io.StringIO()
    console = terminal_console(file=file, force_terminal=True, color_system="standard")
    console.print(HOSTILE, style="red")
    assert "\x1b[31m�]0;owned" in file.getvalue()
    assert "\x1b]" not in file.getvalue()
    assert "\x1b[2J" not in file.getvalue()


def test_a_bar_moves_the_cursor_and_what_is_printed_meanwhile_does_not(monkeypatch):
    raw = io.StringIO()
    monkeypatch.setattr(sys, "stdout", GuardedStream(raw))
    with Live("working", console=terminal_console(force_terminal=True), auto_refresh=False):
        print(f"{HOSTILE}said")
    assert "\x1b[?25h" in raw.getvalue()
    assert "said" in raw.getvalue()
    assert "\x1b]" not in raw.getvalue()
    assert "\x1b[2J" not in raw.getvalue()


#: Reaches the terminal with an error, by print and by a table of rich.
PRINTS = """
import sys
from peephole.cli import main
from peephole.errors import BadInput
from peephole.terminal import terminal_console

def refuse(arguments):
    print({text!r})
    terminal_console().print({text!r})
    raise BadInput({text!r})

main._check_filled = refuse
main.main()
"""


@pytest.mark.parametrize("closed", ["", ">&-", "2>&-", ">&- 2>&- <&-"])
def test_any_output_will_do(closed):
    code = PRINTS.format(text=HOSTILE + "… 家")
    done = subprocess.run(
        ["bash", "-c", f'exec "{sys.executable}" -c "$CODE" {closed}'],
        env={**os.environ, "CODE": code, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 2
    shown = b"\\ufffd]0;owned"
    assert done.stdout.count(shown) == (0 if ">&-" in closed.split() else 2)
    assert done.stderr.count(shown) == (0 if "2>&-" in closed else 1)
    assert b"Traceback" not in done.stderr
    assert b"\x1b" not in done.stdout + done.stderr
