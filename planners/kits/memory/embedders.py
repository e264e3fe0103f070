"""The sentence embedders of episodic memories, by name.

`wordllama`, the default, comes as a package with its weights. Any other name is a model of the
library sentence-transformers, such as the paper's Sentence-BERT (all-mpnet-base-v2). Users install
that library and the model themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ....errors import Missing
from ....installed import folder_of
from ....models.embedding import Embedder, packaged, unit_length

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT = "wordllama"


@cache
def embedder(name: str) -> Embedder:
    """The embedder of a name, loaded once per process. Raises Missing."""
    return packaged() if name == DEFAULT else _SentenceTransformer(name)


class _SentenceTransformer:
    """A model of sentence-transformers. Each text is computed once."""

    def __init__(self, name: str) -> None:
        if folder_of("sentence_transformers") is None:
            raise Missing(
                f"The embedder {name} needs sentence-transformers, which is not installed; run "
                f"pip install sentence-transformers, or build the memory with "
                f"--embedder {DEFAULT}."
            )
        from sentence_transformers import SentenceTransformer

        try:
            self._model: Any = SentenceTransformer(name)
        except (OSError, ValueError) as error:
            reason = (str(error).splitlines() or ["no reason given"])[0].rstrip(".")
            raise Missing(
                f"sentence-transformers cannot load the model {name} ({reason}); give the name or "
                f"folder of a model that it has."
            ) from None
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            vectors = np.asarray(self._model.encode(new), dtype=np.float32)
            self._known.update(zip(new, unit_length(vectors), strict=True))
        return np.stack([self._known[text] for text in texts])
