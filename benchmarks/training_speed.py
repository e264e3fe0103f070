"""How fast `peephole train` reads conversations of some lengths, and the memory that it takes.

    .venv/bin/python benchmarks/training_speed.py [--lengths 1024,2048,3072] [--batch 1,2] \
        [--precision float32,bfloat16]

Each line is a process of its own that takes a few steps on made-up tokens, a fifth of them learnt,
as in recordings of `react`. Prints the seconds until the first step is done (most of it compiling),
the median tokens a second of the steps after it, and the most memory that the process had.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise, product
from pathlib import Path


def measure(base: str, length: int, batch: int, steps: int, precision: str) -> str:
    """One line of the table, measured in this process."""
    import numpy as np

    from peephole.models import local
    from peephole.training import base_model
    from peephole.training.checkpoints import TrainingFolder
    from peephole.training.fitting import Training
    from peephole.training.settings import Precision, TrainingSettings
    from peephole.training.tokens import TokenSequence

    chance = np.random.default_rng(0)
    reply = np.where(np.arange(length) % 50 >= 40, np.arange(length) // 50, -1).astype(np.int32)
    kinds = ("reply",) * (length // 50 + 1)
    sequences = [
        TokenSequence(chance.integers(0, 40_000, length).astype(np.int32), reply, kinds, str(n))
        for n in range(batch * (steps + 1))
    ]
    settings = TrainingSettings(epochs=1, batch=batch, precision=Precision(precision))
    ends = [time.monotonic()]
    with tempfile.TemporaryDirectory() as folder:
        training = Training(
            base_model.load(local.weights(base)),
            sequences,
            [],
            settings,
            TrainingFolder(Path(folder)),
        )
        training.run(lambda _: ends.append(time.monotonic()), every_s=0.0)
    each = [batch * length / (end - start) for start, end in pairwise(ends[1:])]
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    memory = most / (2**30 if _MAC else 2**20)
    return (
        f"{length:7} {batch:6} {precision:>9} {ends[1] - ends[0]:12.1f} "
        f"{statistics.median(each):13.0f} {memory:10.1f}"
    )


#: Where the kernel counts memory in bytes; Linux counts in KiB.
_MAC = sys.platform == "darwin"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", default="", help="a GGUF file; by default SmolLM2-135M")
    parser.add_argument("--lengths", default="1024,2048,3072")
    parser.add_argument("--batch", default="1,2")
    parser.add_argument("--precision", default="float32", help="float32,bfloat16")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        length, batch, steps = int(options.lengths), int(options.batch), options.steps
        print(measure(options.base, length, batch, steps, options.precision))
        return
    print(
        f"{'length':>7} {'batch':>6} {'precision':>9} {'first step s':>12} "
        f"{'tokens a second':>13} {'GiB':>8}"
    )
    for length, batch, precision in product(
        options.lengths.split(","), options.batch.split(","), options.precision.split(",")
    ):
        command = [sys.executable, __file__, "--one", "--lengths", length, "--batch", batch]
        command += ["--base", options.base, "--steps", str(options.steps)]
        subprocess.run([*command, "--precision", precision], check=True)


if __name__ == "__main__":
    main()
