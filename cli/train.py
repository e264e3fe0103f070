"""`peephole train`: a small language model trained on recorded episodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json
from .output import json_alone, print_json

if TYPE_CHECKING:
    from ..training.progress import HeldOutResult, TrainingProgress

_DATA = "Files of `peephole export --to chat` or `--to instructions`."


def train(
    data: Annotated[list[Path], typer.Argument(help=_DATA)],
    out: Annotated[
        Path, typer.Option(help="The adapter to write, a GGUF file; it must not exist yet.")
    ],
    base: Annotated[
        str, typer.Option(help="A GGUF file of the Llama architecture; by default SmolLM2-135M.")
    ] = "",
    epochs: Annotated[int, typer.Option(min=1, help="How often all data is gone through.")] = 3,
    rank: Annotated[int, typer.Option(min=1, help="The rank of the adapter.")] = 16,
    learning_rate: Annotated[float, typer.Option(min=0, help="The highest learning rate.")] = 1e-3,
    batch: Annotated[int, typer.Option(min=1, help="Conversations a step.")] = 1,
    longest: Annotated[
        int, typer.Option(min=16, help="Conversations of more tokens are left out.")
    ] = 4096,
    held_out: Annotated[
        int, typer.Option(min=2, help="One task in so many is not trained on, to try the model.")
    ] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the order and of the first weights.")] = 0,
    start: Annotated[
        Path | None, typer.Option(help="An adapter to train further, in place of a new one.")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only read the data and the base, and say what is in it."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Train an adapter of a small language model on recorded episodes.

    What is cut off goes on where it stood: the state is in the folder OUT.training.
    """
    from ..training import train as training
    from ..training.settings import TrainingSettings

    settings = TrainingSettings(
        rank=rank,
        alpha=2.0 * rank,
        learning_rate=learning_rate,
        epochs=epochs,
        batch=batch,
        longest=longest,
        held_out=held_out,
        seed=seed,
    )
    with json_alone(as_json):
        if dry_run:
            path = training.base_file(base)
            found = training.read_data(data, settings)
            report = {
                "base": path.name,
                "conversations": len(found.training),
                "held_out": len(found.held_out),
                "replies": found.replies,
                "dialect": found.dialect,
            }
        else:
            tellers = training.Tellers(lambda told: print(told, flush=True), _tell)
            trained = training.train(data, base, out, settings, tellers, start=start)
            report = training.summary(trained)
    if as_json:
        print_json(report)
    elif dry_run:
        print(
            f"{found.replies} replies in {len(found.training)} conversations to train {path.name} "
            f"on, and {len(found.held_out)} held out."
        )
    else:
        print(f"{_held_out(trained.evaluation)}{out} written; try it with: --model trained:{out}")


def _tell(progress: TrainingProgress) -> None:
    left = progress.seconds_left
    time = f"{left / 3600:.1f} h" if left >= 3600 else f"{left / 60:.0f} min"
    told = (
        f"step {progress.step}/{progress.steps}, loss {progress.loss:.3f}, "
        f"{progress.tokens_per_s:.0f} tokens/s, about {time} left. {_held_out(progress.evaluation)}"
    )
    print(told.rstrip(), flush=True)


def _held_out(result: HeldOutResult | None) -> str:
    if result is None:
        return ""
    return (
        f"Held out: loss {result.loss:.3f}, {result.exact:.1%} of {result.replies} replies exact. "
    )
