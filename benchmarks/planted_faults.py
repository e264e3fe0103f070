"""Plants faults in the stand-ins of engines, and sees whether `peephole check` names them.

    .venv/bin/python benchmarks/planted_faults.py --json planted_faults.json
    .venv/bin/python benchmarks/planted_faults.py ai2thor isaacgym

Every engine's checks are put to its stand-in as it is, where all have to hold, and then to the
stand-in with one fault at a time. A fault is found if any check differs, and named if one of the
checks differs whose claim says what the fault does. The faults of an engine are in
`faults/ENGINE.py`. Exits with 1 where a check fails without a fault, or less than nine in ten
faults are named.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

from faults.fault import Fault

from peephole.checks.assumption import Verdict
from peephole.checks.study import Study, study

_FOLDER = Path(__file__).with_name("faults")
#: The least share of faults to be named.
_SHARE = 0.9


@dataclass(frozen=True)
class Planting:
    """What the checks said to one fault."""

    engine: str
    fault: str
    sentence: str
    found: bool
    named: bool
    differs: tuple[str, ...]
    """The checks that differ."""
    untold: int
    """How many checks cannot tell."""
    duration_s: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engines", nargs="*", help="by default all that have faults")
    parser.add_argument("--fault", action="append", help="only this one; may be repeated")
    parser.add_argument("--json", type=Path, help="write all findings here")
    options = parser.parse_args()
    engines = options.engines or _engines()
    plantings: list[Planting] = []
    unsound = 0
    for engine in engines:
        module = importlib.import_module(f"faults.{engine}")
        unsound += _sound(engine, module)
        for fault in module.FAULTS:
            if not options.fault or fault.name in options.fault:
                plantings.append(_plant(engine, module, fault))
                _print(plantings[-1])
    _summarize(engines, plantings)
    if options.json is not None:
        data = [asdict(planting) for planting in plantings]
        options.json.write_text(json.dumps(data, indent=2) + "\n")
    named = sum(planting.named for planting in plantings)
    return 1 if unsound or named < _SHARE * len(plantings) else 0


def _engines() -> list[str]:
    """The engines that have faults, by their modules."""
    found = []
    for path in sorted(_FOLDER.glob("*.py")):
        if path.stem not in ("__init__", "fault") and "\nFAULTS" in path.read_text():
            found.append(path.stem)
    return found


def _sound(engine: str, module: ModuleType) -> int:
    """Put the checks to the stand-in as it is; how many differ."""
    context: AbstractContextManager[None] = getattr(module, "sound", nullcontext)()
    with context:
        found = study(module.CHECKS)
    wrong = found.of(Verdict.DIFFERS)
    holds, untold = len(found.of(Verdict.HOLDS)), len(found.of(Verdict.CANNOT_TELL))
    print(f"{engine}: without a fault {holds} hold, {len(wrong)} differ, {untold} cannot tell")
    for finding in wrong:
        print(f"    {finding.assumption.name}: {finding.answer}")
    return len(wrong)


def _plant(engine: str, module: ModuleType, fault: Fault) -> Planting:
    began = time.monotonic()
    with fault.planted():
        found: Study = study(module.CHECKS)
    differs = tuple(finding.assumption.name for finding in found.of(Verdict.DIFFERS))
    return Planting(
        engine,
        fault.name,
        fault.sentence,
        bool(differs),
        not set(differs).isdisjoint(fault.named_by),
        differs,
        len(found.of(Verdict.CANNOT_TELL)),
        round(time.monotonic() - began, 1),
    )


def _print(planting: Planting) -> None:
    verdict = "named" if planting.named else "found" if planting.found else "MISSED"
    checks = ", ".join(planting.differs) or "no check differs"
    print(f"  {verdict:6} {planting.fault}: {planting.sentence}\n         {checks}", flush=True)


def _summarize(engines: Sequence[str], plantings: Sequence[Planting]) -> None:
    print()
    for engine in (*engines, ""):
        mine = [planting for planting in plantings if engine in ("", planting.engine)]
        found, named = (sum(getattr(p, what) for p in mine) for what in ("found", "named"))
        print(f"{engine or 'all':20} {len(mine):3} faults, {found:3} found, {named:3} named")


if __name__ == "__main__":
    sys.exit(main())
