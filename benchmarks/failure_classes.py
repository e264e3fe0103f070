"""The classifier of failures against sixty that were made for a known cause, and labelled before.

    .venv/bin/python benchmarks/failure_classes.py              # the confusion matrix
    .venv/bin/python benchmarks/failure_classes.py --shift 115  # the same causes in other tasks

`injected_failures/` has the episodes, docs/reference/failures.md the classes.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from injected_failures import injected_failures

from peephole.episodes.recording import read_events
from peephole.results.failures.classify import diagnose
from peephole.results.statistics.estimates import wilson


def judged(folder: Path, shift: int) -> list[tuple[str, str, str]]:
    """The name, the label and the class of every episode."""
    found = []
    for case in injected_failures(shift):
        path = folder / f"{case.name}.jsonl"
        case.play(path)
        diagnosis = diagnose(read_events(path))
        found.append((case.name, case.label, "none" if diagnosis is None else diagnosis.kind))
    return found


def matrix(pairs: Counter[tuple[str, str]]) -> list[str]:
    """Labels by row, classes by column."""
    labels = list(dict.fromkeys(label for label, _ in pairs))
    columns = list(dict.fromkeys([*labels, *(found for _, found in pairs)]))
    width = max(map(len, columns)) + 1
    head = " " * width + "".join(f"{number:4d}" for number in range(1, len(columns) + 1))
    lines = [head]
    for label in labels:
        cells = "".join(f"{pairs[label, found] or '.':>4}" for found in columns)
        lines.append(f"{label:<{width}}{cells}")
    return [*lines, "", *(f"{i:4d} {name}" for i, name in enumerate(columns, start=1))]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shift", type=int, default=0, help="take tasks that come later")
    shift = parser.parse_args().shift
    with tempfile.TemporaryDirectory() as folder:
        found = judged(Path(folder), shift)
    for line in matrix(Counter((label, kind) for _, label, kind in found)):
        print(line)
    right = sum(label == kind for _, label, kind in found)
    rate = wilson(right, len(found))
    print(f"\nAgreement {right}/{len(found)}: {rate.text(100)} %")
    for name, label, kind in found:
        if label != kind:
            print(f"  {name}: {kind}")


if __name__ == "__main__":
    main()
