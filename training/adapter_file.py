"""Adapters as GGUF files that llama.cpp loads beside their base."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..planners.llm.trained import BASE_FIELD

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TRAINED = "peephole.trained"


def write(
    path: Path,
    adapters: Mapping[str, Mapping[str, NDArray[np.float32]]],
    *,
    alpha: float,
    base: str,
    trained: str,
) -> None:
    """Write adapters; a file of that name is replaced once all is written.

    alpha: by which, over the rank, they count. base: the digest of the base's file. trained: how
    they came about, in JSON.
    """
    import numpy as np
    from gguf import GGUFWriter

    part = path.with_name(f"{path.name}.part")
    writer = GGUFWriter(part, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    writer.add_string(BASE_FIELD, base)
    writer.add_string(_TRAINED, trained)
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
