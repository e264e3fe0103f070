"""A model with an adapter merged into it, written as a GGUF file of its own.

llama.cpp can lay an adapter over a model as it serves it, but then multiplies twice at every
matrix. Merged, and kept in 8 bits (Q8_0) whatever the model was kept in, a step of SmolLM2-135M
takes about two thirds of the time, and less is rounded than in 4 bits.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, Missing
from ..installed import Lack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ALPHA = "adapter.lora.alpha"
#: Fields that the writer makes itself, or that tell how the weights were kept.
_OWN = ("GGUF.", "general.architecture", "general.file_type", "general.quantization_version")


def check() -> None:
    """Raise Missing where the package that reads and writes GGUF files is not installed."""
    if find_spec("gguf") is None:
        raise Missing(Lack("A trained model needs the package gguf", "local-model"))


def write(base: Path, adapter: Path, out: Path) -> None:
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
    """Add a tensor of the model to what is written, with its part of the adapter."""
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
