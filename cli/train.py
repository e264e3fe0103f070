"""`peephole train`: a small language model trained on recorded episodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import BadInput
from ..training.settings import Precision, TrainingSettings
from .options import Json
from .output import json_alone, print_json

if TYPE_CHECKING:
    from ..training.progress import HeldOutResult, TrainingProgress

#: Seconds that SmolLM2-135M takes a token, two conversations a step, on two cores of an AMD EPYC:
#: always, and for each token of the conversation (benchmarks/training_speed.py).
_A_TOKEN_S, _EACH_OF_LENGTH_S = 5.6e-3, 2.7e-6
#: Products in bfloat16 are advised where they take at most this share of the time: what surrounds
#: them becomes no faster, and they are less exact.
_WORTH = 0.75
_DATA = "Files of `peephole export --to chat` or `--to instructions`."


def train(
    context: typer.Context,
    out: Annotated[
        Path,
        typer.Option(
            help="The adapter to write, a GGUF file that must not exist yet; the folder of a "
            "curriculum."
        ),
    ],
    data: Annotated[list[Path] | None, typer.Argument(help=_DATA, show_default=False)] = None,
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
    commonplace: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="The share that is kept of conversations in which neither the first reply, nor "
            "one of a rare kind, nor another thought than the one before is learnt; long searches "
            "have many.",
        ),
    ] = 1.0,
    held_out: Annotated[
        int, typer.Option(min=2, help="One task in so many is not trained on, to try the model.")
    ] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the order and of the first weights.")] = 0,
    start: Annotated[
        Path | None, typer.Option(help="An adapter to train further, in place of a new one.")
    ] = None,
    precision: Annotated[
        Precision,
        typer.Option(
            help="The numbers that matrices are multiplied in; --dry-run says whether bfloat16 is "
            "faster on this machine."
        ),
    ] = Precision.FLOAT32,
    curriculum: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Play the lessons and train the stages of a file, or go on with them; a path, or "
            "curriculum or llm_pop of Peephole's own.",
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option(metavar="W", min=1, help="Of a curriculum: processes to play in.")
    ] = 1,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only read the data and the base, and say what is in it; of a curriculum, print "
            "the commands that are left.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Train an adapter of a small language model on recorded episodes.

    What is cut off goes on where it stood: the state is in the folder OUT.training.
    """
    if curriculum is not None:
        from .curriculum import play_curriculum

        _refuse_others(context, {"out", "curriculum", "workers", "precision", "dry_run"})
        play_curriculum(curriculum, out, workers, precision, dry_run=dry_run)
        return
    if not data:
        raise BadInput("Training needs files of `peephole export`, or --curriculum FILE.")
    if workers != 1:
        raise BadInput("--workers plays the lessons of --curriculum; leave it out.")
    from ..training import train as training

    settings = TrainingSettings(
        rank=rank,
        alpha=2.0 * rank,
        learning_rate=learning_rate,
        epochs=epochs,
        batch=batch,
        longest=longest,
        commonplace=commonplace,
        held_out=held_out,
        seed=seed,
        precision=precision,
    )
    with json_alone(as_json):
        if dry_run:
            report, told = _what_there_is(data, base, settings)
        else:
            tellers = training.Tellers(_say, _tell)
            trained = training.train(data, base, out, settings, tellers, start=start)
            report = training.summary(trained)
            told = (
                f"{_held_out(trained.evaluation)}{out} written; try it with: --model trained:{out}"
            )
    if as_json:
        print_json(report)
    else:
        print(told)


def _refuse_others(context: typer.Context, known: set[str]) -> None:
    """Raise BadInput for an option that a curriculum says itself."""
    for name, value in context.params.items():
        source = context.get_parameter_source(name)
        is_given = value is not None and source is not None and source.name == "COMMANDLINE"
        if is_given and name not in known:
            option = "DATA" if name == "data" else f"--{name.replace('_', '-')}"
            raise BadInput(f"The file of --curriculum has that itself; leave {option} out.")


def _what_there_is(
    paths: list[Path], base: str, settings: TrainingSettings
) -> tuple[dict[str, Any], str]:
    """What a training would learn and about how long it would take, as JSON data and as text."""
    from ..training import train as training
    from ..training.precision import share_of_time

    training.need_libraries()
    path = training.base_file(base)
    data = training.read_data(paths, settings)
    tokens = training.token_data(data, base, settings, _say)
    report: dict[str, Any] = {
        "base": path.name,
        "conversations": len(tokens.training),
        "held_out": len(tokens.held_out),
        "left_out": tokens.left_out,
        "commonplace": tokens.commonplace,
        "replies": tokens.replies,
        "tokens": tokens.tokens * settings.epochs,
        "dialect": data.dialect,
        "bfloat16": share_of_time(),
    }
    epochs = "an epoch" if settings.epochs == 1 else f"{settings.epochs} epochs"
    each = (len(sequence.tokens) for sequence in tokens.training)
    duration = settings.epochs * sum(n * (_A_TOKEN_S + n * _EACH_OF_LENGTH_S) for n in each)
    told = (
        f"{tokens.replies} replies in {len(tokens.training)} conversations to train {path.name} "
        f"on, and {len(tokens.held_out)} held out"
        f"{training.told_of_left_out(tokens, settings)}. That is {report['tokens']:,} tokens "
        f"in {epochs}, about {_time(duration)} by the speed at which SmolLM2-135M was trained on "
        f"two cores, two conversations a step."
    )
    if settings.precision is Precision.FLOAT32 and report["bfloat16"] <= _WORTH:
        told += (
            f" Products in bfloat16 take {report['bfloat16']:.0%} of the time here, and they are "
            f"about half of the work: add --precision bfloat16."
        )
    return report, told


def _say(told: str) -> None:
    print(told, flush=True)


def _tell(progress: TrainingProgress) -> None:
    told = (
        f"step {progress.step}/{progress.steps}, loss {progress.loss:.3f}, "
        f"{progress.tokens_per_s:.0f} tokens/s, about {_time(progress.seconds_left)} left. "
        f"{_held_out(progress.evaluation)}"
    )
    _say(told.rstrip())


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.0f} min"


def _held_out(result: HeldOutResult | None) -> str:
    if result is None:
        return ""
    return (
        f"Held out: loss {result.loss:.3f}, {result.exact:.1%} of {result.replies} replies exact. "
    )
