"""A whole training, from data and a base model to an adapter, as `peephole train` runs it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, Missing
from ..installed import Lack
from ..models import local
from ..models.served_model import ServeOptions
from . import adapter_file, base_model, chat_data
from .batches import weights_of_kinds
from .checkpoints import TrainingFolder
from .settings import TrainingSettings
from .tokens import Tokenizer, TokenSequence, changes_thought, sequences

if TYPE_CHECKING:
    from .chat_data import ChatExample
    from .fitting import HeldOutResult, TrainingProgress

_LIBRARIES = ("jax", "optax", "gguf")
#: Bytes that a training needs on disk: per weight of the adapters (three numbers for each of two
#: states, and the file itself), and for everything else.
_A_WEIGHT, _BESIDES = 28, 50_000_000


@dataclass(frozen=True)
class TrainingData:
    """The conversations to train on and to hold out, and the dialect of their observations."""

    training: Sequence[ChatExample]
    held_out: Sequence[ChatExample]
    dialect: str


@dataclass(frozen=True)
class TokenData:
    """The data as tokens, without the conversations that the settings leave out."""

    training: Sequence[TokenSequence]
    held_out: Sequence[TokenSequence]
    left_out: int
    """Number of conversations that are too long (`longest`)."""
    commonplace: int
    """Number of routine conversations that are left out (`commonplace`)."""

    @property
    def tokens(self) -> int:
        """Number of tokens in an epoch."""
        return sum(len(sequence.tokens) for sequence in self.training)

    @property
    def replies(self) -> int:
        """Number of replies that are learnt in an epoch."""
        return sum(len(sequence.kinds) for sequence in self.training)


@dataclass(frozen=True)
class Tellers:
    """Functions that report a training."""

    begun: Callable[[str], None]
    """Gets a sentence when a long part of the work begins."""
    progress: Callable[[TrainingProgress], None]
    """Gets the progress every `every_s` seconds."""
    every_s: float = 60.0
    evaluate_every_s: float = 600.0
    """Seconds between two evaluations on held-out replies."""


@dataclass(frozen=True)
class Trained:
    """The result of a training. evaluation: None where nothing was held out."""

    out: Path
    steps: int
    evaluation: HeldOutResult | None


def read_data(paths: Sequence[Path], settings: TrainingSettings) -> TrainingData:
    """Read the data and hold a part of it out. Raises BadInput."""
    examples = chat_data.read(paths)
    held_out = [e for e in examples if chat_data.is_held_out(e, settings.held_out)]
    training = [e for e in examples if not chat_data.is_held_out(e, settings.held_out)]
    if not training:
        raise BadInput(
            f"All data is held out (one task in {settings.held_out}); give more data or a larger "
            f"--held-out."
        )
    dialects = sorted({example.dialect for example in examples})
    return TrainingData(training, held_out, dialects[-1])


def train(
    paths: Sequence[Path],
    base: str,
    out: Path,
    settings: TrainingSettings,
    tellers: Tellers,
    *,
    start: Path | None = None,
) -> Trained:
    """Train adapters for a base model and write them. Continue an interrupted training.

    base: a GGUF file, or "" for the small local model. start: an adapter to train further, or None
    for a new one. Raises BadInput and Missing.
    """
    need_libraries()
    path = base_file(base)
    data = read_data(paths, settings)
    folder = TrainingFolder(_work_folder(out))
    digest = base_model.digest(path)
    first = None if start is None else adapter_file.read(start, rank=settings.rank, base=digest)
    decisive = _what_decides(digest, paths, data, settings, start)
    if folder.begin(decisive):
        tellers.begun(f"Continuing the training in {folder.path}.")
    folder.need_space(_BESIDES)
    tellers.begun(f"Reading {path.name}.")
    model = base_model.load(path)
    folder.need_space(_BESIDES + _A_WEIGHT * _weights_of_adapters(model, settings.rank))
    made = folder.sequences()
    if made is None:
        made = _made(path, data, tellers.begun)
        folder.keep_sequences(made)
    found = _wanted(data, made, settings)
    from .fitting import Training

    training = Training(model, found.training, found.held_out, settings, folder, first)
    tellers.begun(
        f"Training on {len(found.training)} conversations for {training.steps} steps"
        f"{f', of which {training.step} are done' if training.step else ''}; "
        f"{len(found.held_out)} are held out"
        f"{left_out_text(found, settings)}."
    )
    evaluation = training.run(
        tellers.progress, every_s=tellers.every_s, evaluate_every_s=tellers.evaluate_every_s
    )
    adapter_file.write(
        out,
        training.adapters,
        alpha=settings.alpha,
        base=digest,
        trained=json.dumps(decisive, sort_keys=True),
    )
    return Trained(out, training.steps, evaluation)


def token_data(
    data: TrainingData, base: str, settings: TrainingSettings, begun: Callable[[str], None]
) -> TokenData:
    """The data as tokens of the base. begun: see `Tellers`. Raises BadInput and Missing."""
    return _wanted(data, _made(base_file(base), data, begun), settings)


def need_libraries() -> None:
    """Raise Missing where the libraries of the extra `train` are not installed."""
    missing = [name for name in _LIBRARIES if find_spec(name) is None]
    if missing:
        raise Missing(Lack(f"Training needs {', '.join(missing)}", "train"))


def base_file(base: str) -> Path:
    """The file of a base model, "" for the small local one. Raises BadInput and Missing."""
    local.check(base)
    return local.weights(base)


def _work_folder(out: Path) -> Path:
    """The folder for a training's state. Raises BadInput where --out cannot be written."""
    if out.suffix != ".gguf":
        raise BadInput(f"--out {out} is not a GGUF file; give a name that ends in .gguf.")
    if out.exists():
        raise BadInput(f"{out} exists already; give another --out, or delete the file.")
    if not out.parent.is_dir():
        raise BadInput(f"The folder {out.parent} does not exist; create it first.")
    return out.with_name(f"{out.name}.training")


def _what_decides(
    base: str,
    paths: Sequence[Path],
    data: TrainingData,
    settings: TrainingSettings,
    start: Path | None,
) -> dict[str, Any]:
    """All that decides the result of a training, as JSON data. base: the digest of its file."""
    return {
        **asdict(settings),
        "base": base,
        "start": None if start is None else base_model.digest(start),
        "data": [base_model.digest(each) for each in paths],
        "dialect": data.dialect,
    }


def _weights_of_adapters(model: base_model.BaseModel, rank: int) -> int:
    """The number of weights of adapters of a rank."""
    shapes = [model.layers[name].shape for name in base_model.MATRICES]
    rows_and_columns: int = sum(layers * (out + width) for layers, out, width in shapes)
    return rank * rows_and_columns


def _made(base: Path, data: TrainingData, begun: Callable[[str], None]) -> list[TokenSequence]:
    """The conversations as tokens; those to train on come first."""
    examples = [*data.training, *data.held_out]
    begun(f"Tokenizing {len(examples)} conversations.")
    with local.serve(ServeOptions(str(base), threads=1)) as endpoint:
        return list(sequences(Tokenizer(endpoint), examples))


def _wanted(
    data: TrainingData, made: Sequence[TokenSequence], settings: TrainingSettings
) -> TokenData:
    """Leave out what the settings leave out. Raises BadInput where nothing to train on is left."""
    longest = settings.longest
    examples = [example for example in data.training if example.learnt]
    training = [
        (example, sequence)
        for example, sequence in zip(examples, made[: len(examples)], strict=True)
        if len(sequence.tokens) <= longest
    ]
    held_out = [each for each in made[len(examples) :] if len(each.tokens) <= longest]
    if not training:
        raise BadInput(
            f"Every conversation has more than {longest} tokens; give a larger --longest."
        )
    left_out = len(made) - len(training) - len(held_out)
    kept = list(_with_what_is_rare(training, settings))
    if not kept:
        raise BadInput(
            "All conversations are routine and --commonplace leaves them out; give a larger "
            "--commonplace."
        )
    return TokenData(kept, held_out, left_out, len(training) - len(kept))


def _with_what_is_rare(
    found: Sequence[tuple[ChatExample, TokenSequence]], settings: TrainingSettings
) -> Iterator[TokenSequence]:
    """The conversations that teach something rare, and a share of the others (`commonplace`).

    Rare are: a reply of a rare kind; a thought that differs from the one before; the first reply of
    an episode.
    """
    weight_of = weights_of_kinds([sequence for _, sequence in found])
    chance = random.Random(f"{settings.seed} commonplace")
    for example, sequence in found:
        is_kept = chance.random() < settings.commonplace
        is_rare = any(weight_of[kind] > 1 for kind in sequence.kinds)
        if is_kept or is_rare or example.learns_first or changes_thought(example):
            yield sequence


def left_out_text(found: TokenData, settings: TrainingSettings) -> str:
    """The end of a sentence: how many conversations are left out, and why."""
    text = ""
    if found.left_out:
        text += f", {found.left_out} of more than {settings.longest} tokens left out"
    if found.commonplace:
        text += f", {found.commonplace} with nothing rare left out"
    return text


def summary(trained: Trained) -> dict[str, Any]:
    """The result of a training as JSON data."""
    evaluation = trained.evaluation
    return {
        "file": str(trained.out),
        "steps": trained.steps,
        "held_out": None if evaluation is None else evaluation._asdict(),
    }
