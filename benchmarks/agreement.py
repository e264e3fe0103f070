"""Our household actions beside VirtualHome's simulator: counts for docs/simulators/virtualhome.md.

    .venv/bin/python benchmarks/agreement.py            # all programs and 10,000 random actions
    .venv/bin/python benchmarks/agreement.py --actions 1000 --every 10

Exits with 1 where the two differ in a way that no kind of difference explains.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "adapters" / "virtualhome"))

import agreement_check as agreement  # type: ignore[import-not-found]
import recorded_programs as programs  # type: ignore[import-not-found]
from agreement_check import AgreementCheck, random_steps

#: Random actions in one scene before the next is taken.
IN_ONE_SCENE = 40


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--actions", type=int, default=10_000, help="random actions")
    parser.add_argument("--every", type=int, default=1, help="play every so many-th program")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    references = programs.references()
    played, of_programs = [], []
    for reference in references[:: options.every]:
        comparison = AgreementCheck(f"virtualhome-eval:{reference}")
        played.append(programs.play(reference, comparison.step, comparison.graph))
        of_programs.append(comparison)
    scenes = -(-options.actions // IN_ONE_SCENE)
    at_random = [
        random_steps(
            f"virtualhome-eval:{references[i * len(references) // scenes % len(references)]}",
            min(IN_ONE_SCENE, options.actions - i * IN_ONE_SCENE),
            options.seed,
        )
        for i in range(scenes)
    ]
    alone = sum(programs.play_alone(each.program).same for each in played)
    others = {each.program: each.refused for each in played if not each.same}
    unexplained = [line for each in (*of_programs, *at_random) for line in each.unexplained]
    counts = {"programs": _total(of_programs), "random": _total(at_random)}
    if options.json:
        data = {
            "programs": len(played),
            "same_alone": alone,
            "same": len(played) - len(others),
            "others": others,
            "steps": {name: dict(total) for name, total in counts.items()},
            "unexplained": unexplained,
        }
        print(json.dumps(data, indent=2))
        return 1 if unexplained else 0
    print(f"{len(played)} programs end as recorded: {alone} in the simulator alone,")
    print(f"{len(played) - len(others)} through our adapter. The others:")
    for program, line in others.items():
        print(f"  {program:8} {line}: {programs.REFUSED.get(program, 'unexplained')}")
    print(f"\n{'':18}{'programs':>10}{'random':>10}")
    for name in (agreement.AGREE, agreement.REFUSE, *agreement.KINDS, "unexplained"):
        print(f"{name:18}" + "".join(f"{total[name]:10,}" for total in counts.values()))
    print(f"{'steps':18}" + "".join(f"{sum(total.values()):10,}" for total in counts.values()))
    for line in unexplained:
        print(line)
    return 1 if unexplained else 0


def _total(comparisons: list[AgreementCheck]) -> Counter[str]:
    return sum((each.counts for each in comparisons), Counter())


if __name__ == "__main__":
    sys.exit(main())
