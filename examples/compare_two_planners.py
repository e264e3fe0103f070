"""Compare two planners on the same tasks, with intervals and a paired test.

python examples/compare_two_planners.py
"""

from __future__ import annotations

import peephole
from peephole.results.pairing import paired


def main() -> None:
    first = peephole.run("explore", "houses", tasks=8)
    second = peephole.run("random", "houses", tasks=8)
    for name, run in (("explore", first), ("random", second)):
        gsr, steps = run.figures["gsr"], run.figures["steps"]
        print(f"{name:8} success {gsr.text(100, 0)} %, steps {steps.text()}")
    comparison = paired(first.folder, second.folder)
    if isinstance(comparison, str):  # a sentence that says why they cannot be compared
        print(comparison)
    else:
        test = comparison.success
        print(f"Difference of success: {test.difference.text()}, {test.test} p = {test.p:.3g}")


if __name__ == "__main__":
    main()
