"""A training from data and a base to an adapter: what `peephole train` does."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, Missing
from ..planners.llm import local
from ..served_model import ServeOptions
from . import adapter_file, base_model, chat_data
from .checkpoints import TrainingFolder
from .settings import TrainingSettings
from .tokens import Tokenizer, TokenSequence, sequences

if TYPE_CHECKING:
    from .chat_data import ChatExample
    from .progress import HeldOutResult, TrainingProgress

_LIBRARIES = ("jax", "optax", "gguf")
#: Bytes that a training needs on disk: for each weight of the adapters (three numbers for each of
#: two states, and the file itself), and besides.
_A_WEIGHT, _BESIDES = 28, 50_000_000


@dataclass(frozen=True)
class TrainingData:
    """What a model is to be trained on. replies: those to be learnt, held out or not."""

    training: Sequence[ChatExample]
    held_out: Sequence[ChatExample]
    dialect: str

    @property
    def replies(self) -> int:
        return sum(len(example.learnt) for example in (*self.training, *self.held_out))


@dataclass(frozen=True)
class Tellers:
    """Whom to tell how a training stands. begun: a sentence, as what takes long begins."""

    begun: Callable[[str], None]
    progress: Callable[[TrainingProgress], None]
    every_s: float = 60.0
    evaluate_every_s: float = 600.0


@dataclass(frozen=True)
class Trained:
    """What came of a training. evaluation: of what was held out, None where nothing was."""

    out: Path
    steps: int
    evaluation: HeldOutResult | None


def read_data(paths: Sequence[Path], settings: TrainingSettings) -> TrainingData:
    """The data, a part of it held out. Raises BadInput."""
    examples = chat_data.read(paths)
    held_out = [e for e in examples if chat_data.is_held_out(e, settings.held_out)]
    training = [e for e in examples if not chat_data.is_held_out(e, settings.held_out)]
    if not training:
        raise BadInput(
            f"All of the data is held out, one source in {settings.held_out}; give more data, or a "
            f"larger --held-out."
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
    """Train adapters for a base and write them, or go on with a training that was cut off.

    base: a GGUF file, "" for the small local model. start: an adapter to train further, None for
    a new one. Raises BadInput and Missing.
    """
    need_libraries()
    path = base_file(base)
    data = read_data(paths, settings)
    folder = TrainingFolder(_work_folder(out))
    digest = base_model.digest(path)
    first = None if start is None else adapter_file.read(start, rank=settings.rank, base=digest)
    told = {
        **asdict(settings),
        "base": digest,
        "start": None if start is None else base_model.digest(start),
        "data": [base_model.digest(each) for each in paths],
        "dialect": data.dialect,
    }
    if folder.begin(told):
        tellers.begun(f"{folder.path} has a training of this already, which goes on.")
    folder.need_space(_BESIDES)
    tellers.begun(f"Reading {path.name}.")
    model = base_model.load(path)
    weights = settings.rank * sum(
        value.shape[0] * sum(value.shape[1:])
        for name, value in model.layers.items()
        if name in base_model.MATRICES
    )
    folder.need_space(_BESIDES + _A_WEIGHT * weights)
    every = _sequences(folder, path, [*data.training, *data.held_out], tellers)
    number = sum(bool(example.learnt) for example in data.training)
    learnt, held_out = (
        [sequence for sequence in part if len(sequence.tokens) <= settings.longest]
        for part in (every[:number], every[number:])
    )
    if not learnt:
        raise BadInput(
            f"Every conversation has more than {settings.longest} tokens; give a larger --longest."
        )
    from .fitting import Training

    training = Training(model, learnt, held_out, settings, folder, first)
    left_out = len(every) - len(learnt) - len(held_out)
    tellers.begun(
        f"Training on {len(learnt)} conversations for {training.steps} steps"
        f"{f', {training.step} of them done' if training.step else ''}; "
        f"{len(held_out)} are held out"
        f"{f', {left_out} of more than {settings.longest} tokens left out' if left_out else ''}."
    )
    evaluation = training.run(
        tellers.progress, every_s=tellers.every_s, evaluate_every_s=tellers.evaluate_every_s
    )
    adapter_file.write(
        out,
        training.adapters,
        alpha=settings.alpha,
        base=digest,
        trained=json.dumps(told, sort_keys=True),
    )
    return Trained(out, training.steps, evaluation)


def need_libraries() -> None:
    """Raise Missing where the libraries of the extra are not installed."""
    missing = [name for name in _LIBRARIES if find_spec(name) is None]
    if missing:
        raise Missing(
            f"Training needs {' and '.join(missing)}, which is not installed; get it with: "
            f'pip install "peephole[train]"'
        )


def base_file(base: str) -> Path:
    """The file of a base, "" for the small local model. Raises BadInput and Missing."""
    local.check(base)
    return local.weights(base)


def _work_folder(out: Path) -> Path:
    """Where a training keeps its state. Raises BadInput where the adapter cannot be written."""
    if out.suffix != ".gguf":
        raise BadInput(f"--out {out} is to be a GGUF file; give a name that ends in .gguf.")
    if out.exists():
        raise BadInput(f"{out} exists already; give another --out, or remove it.")
    if not out.parent.is_dir():
        raise BadInput(f"The folder {out.parent} does not exist; make it first.")
    return out.with_name(f"{out.name}.training")


def _sequences(
    folder: TrainingFolder, base: Path, examples: Sequence[ChatExample], tellers: Tellers
) -> list[TokenSequence]:
    """The examples as tokens, made once."""
    kept = folder.sequences()
    if kept is not None:
        return kept
    tellers.begun(f"Making tokens of {len(examples)} conversations.")
    with local.serve(ServeOptions(str(base), threads=1)) as endpoint:
        made = list(sequences(Tokenizer(endpoint.base_url), examples))
    folder.keep_sequences(made)
    return made


def summary(trained: Trained) -> dict[str, Any]:
    """What came of a training, as JSON data."""
    evaluation = trained.evaluation
    return {
        "file": str(trained.out),
        "steps": trained.steps,
        "held_out": None if evaluation is None else evaluation._asdict(),
    }
