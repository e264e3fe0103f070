"""Sentence embeddings, by which planners compare texts, and the packaged embedder.

A language model whose endpoint gives embeddings (`model.Model.embed`) can take its place.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import Missing
from ..installed import Lack, folder_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Embeds texts; the dot product of two vectors measures how similar the texts are."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of unit length, shape (texts, dimensions)."""
        ...


class PackagedEmbedder:
    """The embedder `wordllama` with the weights of its package; it needs no network.

    https://github.com/dleemiller/WordLlama; 256 dimensions, tens of microseconds a text. Each text
    is embedded once.
    """

    def __init__(self) -> None:
        """Load the weights, in about 0.3 s. Raises Missing."""
        reason = missing()
        if reason is not None:
            raise Missing(reason)
        self._model = _wordllama()
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, unit_length(self._model.embed(new)), strict=True))
        return np.stack([self._known[text] for text in texts])


@cache
def packaged() -> PackagedEmbedder:
    """The packaged embedder, loaded once a process. Raises Missing."""
    return PackagedEmbedder()


def missing() -> str | None:
    """One sentence on what the packaged embedder lacks and how to install it, or None."""
    if folder_of("wordllama") is None:
        return Lack("Sentence embeddings without an endpoint need the package wordllama", "prior")
    return None


def unit_length(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows scaled to unit length; a row of zeros stays."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _wordllama() -> Any:
    """The model, without the log lines of its package."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # it warns about forks otherwise
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        from wordllama import WordLlama  # configures the root logger

        return WordLlama.load(cache_dir=folder_of("wordllama"), disable_download=True)
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
