"""Sentence embedders, by which planners compare texts, by name.

`wordllama`, the default, comes as a package with its weights. Any other name is a model of the
library sentence-transformers, such as the paper's Sentence-BERT (all-mpnet-base-v2). Users install
that library and the model themselves. A language model whose endpoint gives embeddings
(`model.Model.embed`) can take their place.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import Missing
from ..installed import Lack, folder_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


DEFAULT = "wordllama"


class Embedder(Protocol):
    """Embeds texts; the dot product of two vectors measures how similar the texts are."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of unit length, shape (texts, dimensions)."""
        ...


class _Remembering:
    """An embedder that embeds each text once."""

    def __init__(self, embed: Callable[[list[str]], Any]) -> None:
        self._embed = embed
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            vectors = np.asarray(self._embed(new), dtype=np.float32)
            self._known.update(zip(new, unit_length(vectors), strict=True))
        return np.stack([self._known[text] for text in texts])


class PackagedEmbedder(_Remembering):
    """The embedder `wordllama` with the weights of its package; it needs no network.

    https://github.com/dleemiller/WordLlama; 256 dimensions, tens of microseconds a text.
    """

    def __init__(self) -> None:
        """Load the weights, in about 0.3 s. Raises Missing."""
        reason = missing()
        if reason is not None:
            raise Missing(reason)
        super().__init__(wordllama().embed)


class _SentenceTransformer(_Remembering):
    """A model of sentence-transformers."""

    def __init__(self, name: str) -> None:
        if folder_of("sentence_transformers") is None:
            raise Missing(
                f"The embedder {name} needs sentence-transformers, which is not installed; run "
                f"pip install sentence-transformers, or build the memory with "
                f"--embedder {DEFAULT}."
            )
        from sentence_transformers import SentenceTransformer

        try:
            super().__init__(SentenceTransformer(name).encode)
        except (OSError, ValueError) as error:
            reason = (str(error).splitlines() or ["no reason given"])[0].rstrip(".")
            raise Missing(
                f"sentence-transformers cannot load the model {name} ({reason}); give the name or "
                f"folder of a model that it has."
            ) from None


@cache
def embedder(name: str) -> Embedder:
    """The embedder of a name, loaded once per process. Raises Missing."""
    return packaged() if name == DEFAULT else _SentenceTransformer(name)


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


def wordllama() -> Any:
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
