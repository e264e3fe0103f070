"""`peephole train`: train a small language model on recorded episodes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import BadInput
from ..training.settings import Precision, TrainingSettings
from .options import Json, with_groups
from .output import json_alone, print_json

if TYPE_CHECKING:
    from ..training.fitting import HeldOutResult, TrainingProgress

#: Seconds of training per token, and per token and token of the conversation: SmolLM2-135M, two
#: conversations a step, two cores of an AMD EPYC (benchmarks/training_speed.py).
_A_TOKEN_S, _EACH_OF_LENGTH_S = 5.6e-3, 2.7e-6
#: Advise bfloat16 where its products take at most this share of the time. They are less exact, and
#: the rest of the work becomes no faster.
_WORTH = 0.75
_DATA = "Files of `peephole export --to chat` or `--to instructions`."


@dataclass(frozen=True)
class TrainOptions:
    """What is trained, on what, and how. The descriptions are the help's."""

    out: Path
    """Adapter to write: a new GGUF file. With --curriculum: the folder for its files."""
    data: Annotated[list[Path] | None, typer.Argument(help=_DATA, show_default=False)] = None
    base: Annotated[str, typer.Option(metavar="FILE.gguf")] = ""
    """Model to train: a GGUF file of the Llama architecture. By default SmolLM2-135M."""
    epochs: Annotated[int, typer.Option(min=1)] = 3
    """Number of passes over the data."""
    rank: Annotated[int, typer.Option(min=1)] = 16
    """Rank of the LoRA adapter."""
    learning_rate: Annotated[float, typer.Option(min=0)] = 1e-3
    """Highest learning rate of the schedule."""
    batch: Annotated[int, typer.Option(min=1)] = 1
    """Conversations per training step."""
    longest: Annotated[int, typer.Option(min=16)] = 4096
    """Leave out conversations of more than N tokens."""
    commonplace: Annotated[float, typer.Option(min=0, max=1)] = 1.0
    """Share of routine conversations to keep: those that teach no first reply, no rare kind of
    reply and no new thought. Long searches have many."""
    held_out: Annotated[int, typer.Option(min=2)] = 20
    """Hold out one task in N to evaluate the model on."""
    seed: Annotated[int, typer.Option(min=0)] = 0
    """Random seed of the data's order and of the first weights."""
    start: Annotated[Path | None, typer.Option(metavar="FILE.gguf")] = None
    """Adapter to train further, instead of a new one."""
    precision: Precision = Precision.FLOAT32
    """Number format of matrix products. --dry-run says whether bfloat16 is faster on this
    machine."""
    curriculum: Annotated[Path | None, typer.Option(metavar="FILE")] = None
    """Play the lessons and train the stages of a file. The curricula of Peephole are named
    curriculum and llm_pop."""
    workers: Annotated[int, typer.Option(metavar="W", min=1)] = 1
    """With --curriculum: number of episodes that run in parallel."""
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False
    """Train nothing: print what is in the data and how long training would take. With
    --curriculum: print the commands that are left."""
    as_json: Json = False

    @property
    def settings(self) -> TrainingSettings:
        """The settings that decide the result."""
        shared = {f.name for f in fields(TrainingSettings)} - {"alpha"}
        own = {name: getattr(self, name) for name in shared}
        return TrainingSettings(alpha=2.0 * self.rank, **own)


@with_groups
def train(context: typer.Context, what: TrainOptions) -> None:
    """Train an adapter for a small language model on recorded episodes.

    To continue after an interruption, repeat the command. The state is in the folder OUT.training.
    """
    if what.curriculum is not None:
        from .curriculum import play_curriculum

        _refuse_others(context, {"out", "curriculum", "workers", "precision", "dry_run"})
        play_curriculum(
            what.curriculum, what.out, what.workers, what.precision, dry_run=what.dry_run
        )
        return
    if not what.data:
        raise BadInput("Training needs data: give files of `peephole export`, or --curriculum.")
    if what.workers != 1:
        raise BadInput("--workers needs --curriculum; leave --workers out.")
    with json_alone(what.as_json):
        report, text = (_preview if what.dry_run else _trained)(what.data, what)
    if what.as_json:
        print_json(report)
    else:
        print(text)


def _trained(paths: list[Path], what: TrainOptions) -> tuple[dict[str, Any], str]:
    """Train. Returns the result as JSON data and as text."""
    from ..training import train as training

    tellers = training.Tellers(_say, _say_progress)
    trained = training.train(paths, what.base, what.out, what.settings, tellers, start=what.start)
    text = (
        f"{_held_out(trained.evaluation)}Written to {what.out}; "
        f"use it with: --model trained:{what.out}"
    )
    return training.summary(trained), text


def _refuse_others(context: typer.Context, known: set[str]) -> None:
    """Raise BadInput for an option that the file of a curriculum sets."""
    for name, value in context.params.items():
        source = context.get_parameter_source(name)
        is_given = value is not None and source is not None and source.name == "COMMANDLINE"
        if is_given and name not in known:
            option = "DATA" if name == "data" else f"--{name.replace('_', '-')}"
            raise BadInput(f"The file of --curriculum sets {option}; leave {option} out.")


def _preview(paths: list[Path], what: TrainOptions) -> tuple[dict[str, Any], str]:
    """What a training would learn, and how long it would take, as JSON data and as text."""
    from ..training import train as training
    from ..training.llama import share_of_time

    settings = what.settings
    training.need_libraries()
    path = training.base_file(what.base)
    data = training.read_data(paths, settings)
    tokens = training.token_data(data, what.base, settings, _say)
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
    text = (
        f"{tokens.replies} replies in {len(tokens.training)} conversations to train {path.name} "
        f"on, and {len(tokens.held_out)} held out"
        f"{training.left_out_text(tokens, settings)}. That is {report['tokens']:,} tokens in "
        f"{epochs}, about {_time(duration)} for SmolLM2-135M on two cores with two conversations "
        f"per step."
    )
    if settings.precision is Precision.FLOAT32 and report["bfloat16"] <= _WORTH:
        text += (
            f" Matrix products are about half of the work, and take {report['bfloat16']:.0%} of "
            f"the time in bfloat16 here: add --precision bfloat16."
        )
    return report, text


def _say(line: str) -> None:
    print(line, flush=True)


def _say_progress(progress: TrainingProgress) -> None:
    line = (
        f"step {progress.step}/{progress.steps}, loss {progress.loss:.3f}, "
        f"{progress.tokens_per_s:.0f} tokens/s, about {_time(progress.seconds_left)} left. "
        f"{_held_out(progress.evaluation)}"
    )
    _say(line.rstrip())


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.0f} min"


def _held_out(result: HeldOutResult | None) -> str:
    if result is None:
        return ""
    return (
        f"Held out: loss {result.loss:.3f}, {result.exact:.1%} of {result.replies} replies exact. "
    )
