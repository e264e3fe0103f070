"""Adapters as GGUF files. llama.cpp loads them beside their base; a training can begin with one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BadInput
from ..models.trained import BASE_FIELD, TRAINED_FIELD
from .base_model import MATRICES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def write(
    path: Path,
    adapters: Mapping[str, Mapping[str, NDArray[np.float32]]],
    *,
    alpha: float,
    base: str,
    trained: str,
) -> None:
    """Write adapters to a GGUF file, in one piece or not at all.

    alpha: their scale, divided by the rank. base: the digest of the base's file. trained: all that
    decided the training, in JSON.
    """
    import numpy as np
    from gguf import GGUFWriter

    part = path.with_name(f"{path.name}.part")
    writer = GGUFWriter(part, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    writer.add_string(BASE_FIELD, base)
    writer.add_string(TRAINED_FIELD, trained)
    for name, matrix in adapters.items():
        for which, layers in matrix.items():
            for number, layer in enumerate(layers):
                writer.add_tensor(
                    f"blk.{number}.{name}.weight.lora_{which}",
                    np.ascontiguousarray(layer, dtype=np.float16),
                )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    os.replace(part, path)


def read(path: Path, *, rank: int, base: str) -> dict[str, dict[str, NDArray[np.float32]]]:
    """Read the adapters of a file, in the form that `write` takes.

    rank: the rank that they must have. base: the digest of the model that they must be for. Raises
    BadInput.
    """
    import numpy as np
    from gguf import GGUFReader

    if not path.is_file():
        raise BadInput(f"There is no adapter {path}; give the GGUF file of an adapter as --start.")
    try:
        reader = GGUFReader(path)
        fields = {name: field.contents() for name, field in reader.fields.items()}
        tensors = {tensor.name: tensor.data for tensor in reader.tensors}
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is not a readable adapter ({error}); give another one.") from None
    if fields.get("general.type") != "adapter" or fields.get(BASE_FIELD) != base:
        raise BadInput(
            f"{path} is not an adapter of this --base that `peephole train` made; give another "
            f"--start."
        )
    layers = sum(name.endswith(f".{MATRICES[0]}.weight.lora_a") for name in tensors)
    found = {
        name: {
            which: np.stack(
                [tensors[f"blk.{layer}.{name}.weight.lora_{which}"] for layer in range(layers)]
            ).astype(np.float32)
            for which in "ab"
        }
        for name in MATRICES
    }
    has = found[MATRICES[0]]["a"].shape[1]
    if has != rank:
        raise BadInput(f"{path} has rank {has}; add --rank {has} to start from it.")
    return found
