"""Replies kept in a folder over runs, so that nobody pays for the same question twice.

An entry is a file named by a digest of all that a reply depends on: endpoint, model, messages,
schema, sampling with its seed, and sample number. It is written whole or not at all, so that
several processes and machines may share a folder. One that is damaged is asked for and written
anew.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..errors import BadInput
from .events import vectors_from_data, vectors_to_data
from .protocol import EmbeddingReply, ModelReply
from .usage import usage_from_data, usage_to_data

#: Of the entries; those of another one are not found.
_FORMAT = 1
_LOG = logging.getLogger(__name__)


class ReplyCache:
    """The entries of a folder that one model gave."""

    def __init__(self, folder: Path, model: Mapping[str, Any]) -> None:
        """model: what tells it from others: endpoint, name, settings; JSON data.

        Raises BadInput where the folder cannot be made.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(
                f"The reply cache {folder} cannot be made ({error.strerror}); choose another "
                f"folder as --reply-cache."
            ) from None
        self._folder = folder
        self._model = dict(model)
        self._told = threading.Lock()  # taken for good by who says first that writing fails

    def reply(self, question: Mapping[str, Any]) -> ModelReply | None:
        """The reply that is kept for a question, None where none is. question: JSON data."""
        kept = self._get(question)
        if kept is None:
            return None
        return ModelReply(
            **{
                **kept,
                "usage": usage_from_data(kept["usage"]),
                "adapted": tuple(kept["adapted"]),
                "from_cache": True,
            }
        )

    def keep_reply(self, question: Mapping[str, Any], reply: ModelReply) -> None:
        """Keep a reply, other than one that a content filter withheld."""
        if not reply.withheld:
            self._put(question, asdict(replace(reply, from_cache=True)) | _usage(reply))

    def embeddings(self, question: Mapping[str, Any]) -> EmbeddingReply | None:
        """The embeddings that are kept for a question, None where none are."""
        kept = self._get(question)
        if kept is None:
            return None
        return EmbeddingReply(
            vectors_from_data(kept["vectors"]),
            usage_from_data(kept["usage"]),
            kept["latency_s"],
            kept["served_model"],
            from_cache=True,
        )

    def keep_embeddings(self, question: Mapping[str, Any], reply: EmbeddingReply) -> None:
        """Keep embeddings."""
        kept = {
            "vectors": list(vectors_to_data(reply.vectors)),
            "latency_s": reply.latency_s,
            "served_model": reply.served_model,
        }
        self._put(question, kept | _usage(reply))

    def _get(self, question: Mapping[str, Any]) -> dict[str, Any] | None:
        """What is kept for a question."""
        path = self._path(question)
        try:
            entry = json.loads(path.read_bytes())
            kept = entry["kept"]
            if isinstance(kept, dict) and entry["digest"] == _digest(kept):
                return kept
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            pass
        _LOG.warning("peephole: The cached reply %s is damaged; the model is asked again.", path)
        return None

    def _put(self, question: Mapping[str, Any], kept: dict[str, Any]) -> None:
        """Keep what a question got; where that is not possible, once say so and go on."""
        path = self._path(question)
        try:
            path.parent.mkdir(exist_ok=True)
            fd, draft = tempfile.mkstemp(dir=path.parent, suffix=".new")
            with os.fdopen(fd, "w", encoding="utf-8") as file:
                json.dump({"digest": _digest(kept), "kept": kept}, file, ensure_ascii=False)
            Path(draft).replace(path)
        except OSError as error:
            if self._told.acquire(blocking=False):
                _LOG.warning(
                    "peephole: The reply cache %s cannot be written (%s); replies are not kept.",
                    self._folder,
                    error.strerror,
                )

    def _path(self, question: Mapping[str, Any]) -> Path:
        name = _digest([_FORMAT, self._model, question])
        return self._folder / name[:2] / f"{name}.json"


def _usage(reply: ModelReply | EmbeddingReply) -> dict[str, Any]:
    return {"usage": usage_to_data(reply.usage)}


def _digest(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
