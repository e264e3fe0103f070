"""Tokens of lookplangraph's prompts: the memory graph and the full one, in words and as JSON.

    .venv/bin/python benchmarks/graph_prompts.py [--suite office] [--tasks N] [--model FILE.gguf]

Plays the tasks with the stand-in `scripted` in each of the four forms and counts the tokens of what
was asked, by the tokenizer of `prompt_tokens.py`: of each question the rules, the scene, the
previous actions, and the whole in the model's chat template. Means over questions. Who reads the
full graph is done sooner and has fewer previous actions to read, so the share of the whole is
given besides for the full scene in place of the other, at the same questions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from prompt_tokens import Tokenizer, questions

import peephole
from peephole.episodes.recording import episode_files
from peephole.models import local
from peephole.models.served_model import ServeOptions

FORMS = [(scope, graph) for graph in ("prose", "json") for scope in ("memory", "full")]
PARTS = ("rules", "scene", "previous", "whole")
Row = dict[str, float]


def tokens_of(tokenizer: Tokenizer, run: Path) -> Iterator[Row]:
    """The tokens of each question of a run by part."""
    for path in episode_files(run):
        for _, messages, _ in questions(path):
            system, asked = (str(message["content"]) for message in messages[:2])
            scene, _, previous = asked.partition("\nScene:\n")[2].partition("\nPrevious actions:")
            parts = (system, scene, previous)
            counts = [len(tokenizer.tokens(part)) for part in parts]
            yield dict(zip(PARTS, [*counts, len(tokenizer.prompt(messages))], strict=True))


def measured(tokenizer: Tokenizer, suite: str, tasks: int | None, folder: Path) -> list[Row]:
    """A row a form: the means, and how many questions an episode took."""
    rows = []
    for scope, graph in FORMS:
        out = folder / f"{scope}-{graph}"
        peephole.run(
            "lookplangraph",
            suite,
            tasks=tasks or "",
            model="scripted",
            options={"scope": scope, "graph": graph},
            out=out,
        )
        asked = [*tokens_of(tokenizer, out)]
        row = {part: mean(each[part] for each in asked) for part in PARTS}
        rows.append({**row, "questions": len(asked) / len([*episode_files(out)])})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", default="office")
    parser.add_argument("--tasks", type=int, help="the first N tasks; by default all")
    parser.add_argument("--model", default="", help="a GGUF file; its tokenizer is used")
    options = parser.parse_args()
    with (
        TemporaryDirectory() as folder,
        local.serve(ServeOptions(argument=options.model)) as endpoint,
    ):
        tokenizer = Tokenizer(endpoint)
        rows = measured(tokenizer, options.suite, options.tasks, Path(folder))
    print(f"Tokens of a question on {options.suite} (means); the questions of an episode")
    columns = (*PARTS, "questions")
    print(f"{'graph':>14}" + "".join(f"{column:>11}" for column in columns))
    for (scope, graph), row in zip(FORMS, rows, strict=True):
        numbers = "".join(f"{row[column]:11.0f}" for column in columns)
        print(f"{scope + ', ' + graph:>14}{numbers}")
    for number, graph in ((0, "prose"), (2, "json")):
        memory, full = rows[number : number + 2]
        shares = ", ".join(f"{part} {memory[part] / full[part]:.0%}" for part in ("scene", "whole"))
        alike = memory["whole"] / (memory["whole"] - memory["scene"] + full["scene"])
        print(
            f"memory of full, {graph}: {shares}; whole, with as many previous actions {alike:.0%}"
        )
    for number, scope in enumerate(("memory", "full")):
        prose, told = rows[number], rows[number + 2]
        shares = ", ".join(f"{part} {told[part] / prose[part]:.0%}" for part in ("scene", "whole"))
        print(f"json of prose, {scope}: {shares}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
