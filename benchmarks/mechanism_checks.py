"""Play every planner that asks a model with the stand-in `scripted`, and print one table.

    python benchmarks/mechanism_checks.py --out runs/checks [--tasks 10] [--workers 2] [--data FILE]

It shows that prompts, replies, parsing and scores fit together, and nothing about any model or
method. Each row is `peephole run --suite SUITE --planner PLANNER --model scripted` with its
options, on the first tasks of the suite. A row whose run is in the folder already continues there,
so a second call repeats nothing. `--data` names the file of the suite `alfred`; without it these
rows are left out.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import peephole


class Row(NamedTuple):
    suite: str
    planner: str
    options: Mapping[str, bool | str] = MappingProxyType({})
    dialect: str = ""

    @property
    def settings(self) -> str:
        """The options and the dialect as `peephole run` takes them."""
        options = [f"{key}={str(value).lower()}" for key, value in self.options.items()]
        return ", ".join([*options, *([f"dialect {self.dialect}"] if self.dialect else [])])

    @property
    def folder(self) -> str:
        return "-".join(filter(None, (self.suite, self.planner, self.settings))).translate(
            str.maketrans(":, =", "____")
        )


MAP = {"map": True}
ON_MAPS = ("llm_as_planner", "llm_plus_p", "sayplan", "sayplan_lite", "lookplangraph", "react")
ROWS = [
    *(Row("wah", planner) for planner in ("react", "reactree", "zsp", "tree_planner")),
    Row("wah", "reactree", {"working_memory": True}),
    Row("wah", "zsp", MAP),
    Row("wah", "tree_planner", MAP),
    *(Row("alfred", planner) for planner in ("react", "reactree")),
    Row("alfred", "zsp", MAP),
    *(Row("ithor", planner) for planner in ("react", "reactree", "tree_planner")),
    *(
        Row("household", planner)
        for planner in ("llm_state", "inner_monologue", "progprompt", "reflexion", "react")
    ),
    *(Row("behavior", planner) for planner in ("react", "lookplangraph")),
    *(Row("behavior:dynamic", planner) for planner in ON_MAPS),
    Row("behavior:dynamic", "react", {"augmentation": "view"}),
    *(Row("vh_dynamic", planner) for planner in ON_MAPS),
    *(Row("office", planner) for planner in ON_MAPS),
    Row("office", "lookplangraph", {"correction": False}),
    Row("office:real", "react"),
    *(Row("grasif:behavior", planner) for planner in ON_MAPS),
    *(Row("grasif:virtualhome", planner) for planner in ON_MAPS),
    *(Row("kitchens:medium", planner) for planner in ("tru_pomdp", "llm_mcts", "reflexion")),
    *(Row("blocks", planner) for planner in ("llm_pop",)),
    Row("blocks:generated", "llm_pop", {"questions": "cot"}),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, required=True, help="folder for the runs")
    parser.add_argument("--tasks", type=int, default=10, help="first tasks of each suite")
    parser.add_argument("--workers", type=int, default=2, help="episodes at a time")
    parser.add_argument("--data", type=Path, help="file of the suite alfred")
    arguments = parser.parse_args()
    os.environ.setdefault("PEEPHOLE_AI2THOR_EXECUTABLE", "stand_in")
    print("| suite | planner | tasks | GSR | SSR | steps |\n|---|---|--:|--:|--:|--:|")
    for line in _lines(arguments):
        print(line, flush=True)


def _lines(arguments: argparse.Namespace) -> Iterator[str]:
    for row in ROWS:
        data = arguments.data if row.suite == "alfred" else None
        if row.suite == "alfred" and data is None:
            continue
        folder = arguments.out / row.folder
        if (folder / "run.json").exists():
            results = peephole.resume(folder, workers=arguments.workers)
        else:
            results = peephole.run(
                row.planner,
                row.suite,
                tasks=f"1-{arguments.tasks}",
                options=row.options,
                dialect=row.dialect,
                model="scripted",
                data=data,
                workers=arguments.workers,
                out=folder,
            )
        figures = results.figures
        ssr, steps = 100 * figures["ssr"].mean, figures["steps"].mean
        settings = f", `{row.settings}`" if row.settings else ""
        yield (
            f"| `{row.suite}` | `{row.planner}`{settings} | {len(results.results)} "
            f"| {figures['gsr'].text(100, 0)} | {ssr:.0f} | {steps:.1f} |"
        )


if __name__ == "__main__":
    main()
