"""Starts the stand-in as a process of its own, which ends with the one that started it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import PeepholeError


@contextmanager
def scripted(
    table: Mapping[str, Any], faults: str = "", seed: int = 0, options: Sequence[str] = ()
) -> Iterator[str]:
    """The base URL of a running stand-in.

    table: JSON data, see `table`. faults: rates, see `faults`. options: more of the command line.
    Raises PeepholeError where it does not start.
    """
    with tempfile.TemporaryDirectory(prefix="peephole-scripted-") as folder:
        path = Path(folder) / "table.json"
        path.write_text(json.dumps(table, ensure_ascii=False), encoding="utf-8")
        command = [sys.executable, "-m", __package__, "--table", str(path), "--port", "0"]
        command += ["--faults", faults, "--seed", str(seed), "--until-stdin-closes", *options]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            assert process.stderr is not None
            line = process.stdout.readline()
            try:
                if not line:
                    raise PeepholeError(
                        f"The stand-in 'scripted' did not start: "
                        f"{process.stderr.read().decode(errors='replace').strip()[-400:]}"
                    )
                yield json.loads(line)["url"]
            finally:
                process.stdin.close()
                try:
                    process.wait(timeout=5)
                except subprocess.TimeoutExpired:
                    process.kill()
