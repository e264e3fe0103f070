"""The base model of a training: a GGUF file of the Llama architecture."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ARCHITECTURE = "llama"
#: The matrices of a layer that get adapters, by their names in GGUF files.
MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
_NORMS = ("attn_norm", "ffn_norm")


@dataclass(frozen=True)
class LlamaShape:
    """The sizes of a model. hidden: width of the feed-forward part."""

    layers: int
    """Number of layers."""
    width: int
    """Width of the hidden states."""
    heads: int
    """Attention heads of the queries."""
    key_heads: int
    """Attention heads of keys and values."""
    head_width: int
    """Width of a head."""
    hidden: int
    """Width of the feed-forward part."""
    vocabulary: int
    """Number of tokens."""
    epsilon: float
    """Epsilon of the RMS norms."""
    rope_base: float
    """Base of the rotary position embedding."""


@dataclass(frozen=True)
class BaseModel:
    """The sizes and weights of a model."""

    shape: LlamaShape
    """The sizes."""
    layers: Mapping[str, NDArray[np.float32]]
    """Matrices (layers, out, in) and norms (layers, width) of all layers, by name."""
    embedding: NDArray[np.float32]
    """The embedding of tokens, shape (vocabulary, width)."""
    norm: NDArray[np.float32]
    """The last norm, shape (width,)."""
    head: NDArray[np.float32]
    """The output matrix, shape (vocabulary, width); the embedding where they are tied."""


def digest(path: Path) -> str:
    """The SHA-256 digest of a file in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check(path: Path) -> None:
    """Raise BadInput where a file cannot be read or is not a GGUF file."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise BadInput(f"The base {path} cannot be read ({error.strerror}).") from None
    if start != b"GGUF":
        raise BadInput(f"The base {path} is not a GGUF file; give a model in that format.")


def load(path: Path) -> BaseModel:
    """Read a model. Raises BadInput for a file without a model of the Llama architecture."""
    import numpy as np
    from gguf import GGUFReader
    from gguf.quants import dequantize

    check(path)
    try:
        reader = GGUFReader(path)
        fields = {name: field.contents() for name, field in reader.fields.items()}
        tensors = {tensor.name: tensor for tensor in reader.tensors}
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise BadInput(f"The base {path} is damaged ({error}); download it again.") from None
    shape = _shape(path, fields)

    def weights(name: str) -> NDArray[np.float32]:
        if name not in tensors:
            raise BadInput(f"The base {path} lacks the weights {name}; give a complete model.")
        found = dequantize(tensors[name].data, tensors[name].tensor_type)
        return np.ascontiguousarray(found, dtype=np.float32)

    def stacked(name: str) -> NDArray[np.float32]:
        return np.stack([weights(f"blk.{layer}.{name}.weight") for layer in range(shape.layers)])

    embedding = weights("token_embd.weight")
    return BaseModel(
        shape,
        {name: stacked(name) for name in (*_NORMS, *MATRICES)},
        embedding,
        weights("output_norm.weight"),
        weights("output.weight") if "output.weight" in tensors else embedding,
    )


def _shape(path: Path, fields: Mapping[str, Any]) -> LlamaShape:
    kind = fields.get("general.type", "model")
    if kind != "model":
        raise BadInput(f"The base {path} is an {kind}, not a model; give the model that it is for.")
    architecture = fields.get("general.architecture")
    if architecture != _ARCHITECTURE:
        raise BadInput(
            f"The base {path} has the architecture '{architecture}'; give a model of the "
            f"architecture '{_ARCHITECTURE}', such as SmolLM2."
        )

    def field(name: str) -> Any:
        key = f"{_ARCHITECTURE}.{name}"
        if key not in fields:
            raise BadInput(f"The base {path} lacks the field {key}; give a complete model.")
        return fields[key]

    heads, width = int(field("attention.head_count")), int(field("embedding_length"))
    return LlamaShape(
        layers=int(field("block_count")),
        width=width,
        heads=heads,
        key_heads=int(fields.get(f"{_ARCHITECTURE}.attention.head_count_kv", heads)),
        head_width=int(fields.get(f"{_ARCHITECTURE}.attention.key_length", width // heads)),
        hidden=int(field("feed_forward_length")),
        vocabulary=len(fields["tokenizer.ggml.tokens"]),
        epsilon=float(field("attention.layer_norm_rms_epsilon")),
        rope_base=float(fields.get(f"{_ARCHITECTURE}.rope.freq_base", 10000.0)),
    )
