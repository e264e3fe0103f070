"""How long memories take: retrieval over many experiences, and working memory a step.

    .venv/bin/python benchmarks/memory.py [FILE] [--experiences N] [--json]

FILE: a memory of `peephole memory build`, whose experiences are repeated under slightly other goals
until there are N of them; without one, experiences are made up. Printed are the median and the 95th
percentile of the milliseconds of 200 retrievals by goals never asked before, embedding included,
and of the updates and recalls of a working memory over 200 random steps in a generated house; all
of one processor, and as the clock has it. Of a file also how the estimate of tokens compares with
the tokenizer of the packaged embedder, which is that of Llama 2.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import peephole
from peephole.models.embedding import wordllama
from peephole.planners.kits.memory.episodic import (
    ENDS,
    EpisodicMemory,
    Experience,
    estimated_tokens,
)
from peephole.planners.kits.memory.working import WorkingMemory

Figures = dict[str, float]


def made_up(count: int) -> list[Experience]:
    """Experiences of the lengths and end states that real ones have."""
    chance = random.Random(0)
    line = "You arrive at the kitchen counter (1). You see bowl (1), kitchen counter (1)\n"
    return [
        Experience(
            f"find and pick up thing {number} in room {number % 7}",
            line * chance.randrange(5, 60),
            chance.choice(ENDS),
            "made_up",
            str(number),
            f"house:{number % 25}",
            "reactree",
        )
        for number in range(count)
    ]


def repeated(memory: EpisodicMemory, count: int) -> list[Experience]:
    """The experiences of a memory over and over, each time with goals of their own."""
    found = memory.experiences
    return [
        replace(found[i % len(found)], goal=f"{found[i % len(found)].goal} {i // len(found)}")
        for i in range(count)
    ]


def timed(calls: Sequence[Callable[[], object]]) -> Figures:
    """Milliseconds of one processor and of the clock."""
    cpu, clock = [], []
    for call in calls:
        before = time.process_time(), time.perf_counter()
        call()
        cpu.append(1000 * (time.process_time() - before[0]))
        clock.append(1000 * (time.perf_counter() - before[1]))
    return {
        "cpu_median_ms": statistics.median(cpu),
        "cpu_95_ms": statistics.quantiles(cpu, n=20)[-1],
        "clock_median_ms": statistics.median(clock),
        "clock_95_ms": statistics.quantiles(clock, n=20)[-1],
    }


def retrieval(memory: EpisodicMemory) -> Figures:
    memory.retrieve("a goal that is not counted")
    return timed(
        [partial(memory.retrieve, f"find and pick up the wine, {number}") for number in range(200)]
    )


def file_figures(memory: EpisodicMemory) -> Figures:
    """How long a memory's file takes to read, and its size."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.jsonl"
        memory.save(path)
        begun = time.perf_counter()
        EpisodicMemory.load(path)
        return {"load_s": time.perf_counter() - begun, "megabytes": path.stat().st_size / 1e6}


def working_memory() -> dict[str, Figures]:
    """Updates and recalls over 200 random steps."""
    chance = random.Random(0)
    environment = peephole.make("wah:train")
    percept = environment.reset()
    memory = WorkingMemory("reactree")
    updates: list[Callable[[], object]] = []
    for _ in range(200):
        updates.append(partial(memory.update, percept))
        _, action = chance.choice(percept.menu())
        percept = environment.step(action)
        if percept.ended:
            break
    figures = {"update": timed(updates)}
    kinds = memory.recallable()
    recalls = [partial(memory.recall, kind) for kind in (*kinds, "wine")]
    return {**figures, "recall": timed(recalls)}


def tokens(memory: EpisodicMemory) -> Figures:
    """The estimate of tokens by the count of a tokenizer, over the texts of a memory."""
    tokenizer = wordllama().tokenizer
    texts = [each.text for each in memory.experiences]
    counted = [sum(each.attention_mask) for each in tokenizer.encode_batch(texts)]  # padded
    shares = [estimated_tokens(text) / n for text, n in zip(texts, counted, strict=True)]
    return {
        "mean_tokens": statistics.mean(counted),
        "estimate_by_count": sum(map(estimated_tokens, texts)) / sum(counted),
        "least": min(shares),
        "most": max(shares),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--experiences", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    given = None if arguments.file is None else EpisodicMemory.load(arguments.file)
    count = arguments.experiences
    experiences = made_up(count) if given is None else repeated(given, count)
    memory = EpisodicMemory.build(experiences, "reactree")
    found: dict[str, Figures] = {
        f"retrieval over {count}": retrieval(memory),
        "file": file_figures(memory),
        **working_memory(),
    }
    if given is not None:
        found["tokens"] = tokens(given)
    if arguments.json:
        print(json.dumps(found, indent=2))
        return
    for name, figures in found.items():
        print(f"{name}: " + ", ".join(f"{key} {value:.3g}" for key, value in figures.items()))


if __name__ == "__main__":
    main()
