"""A folder of replies shared between runs, so that the same question is paid for once.

An entry is a file named by a digest of everything a reply depends on: endpoint, model, messages,
schema, sampling with its seed, and sample number. Writing is atomic, so several processes and
machines may share a folder. A damaged entry is replaced by a new reply.
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

from ..data_files import json_data
from ..errors import BadInput
from .events import vectors_from_data, vectors_to_data
from .protocol import EmbeddingReply, ModelReply
from .usage import usage_from_data, usage_to_data

#: Part of the digest, so entries of another format are not found.
_FORMAT = 1
_LOG = logging.getLogger(__name__)


class ReplyCache:
    """The replies of one model in a folder."""

    def __init__(self, folder: Path, model: Mapping[str, Any]) -> None:
        """model: JSON data that identifies the model: endpoint, name, settings.

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
        self._warned = threading.Lock()  # stays locked after the first warning

    def reply(self, question: Mapping[str, Any]) -> ModelReply | None:
        """The stored reply to a question, None if there is none. question: JSON data."""
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
        """Store a reply, unless a content filter withheld it."""
        if not reply.withheld:
            self._put(question, asdict(replace(reply, from_cache=True)) | _usage(reply))

    def embeddings(self, question: Mapping[str, Any]) -> EmbeddingReply | None:
        """The stored embeddings for a question, None where there are none."""
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
        """Store embeddings."""
        kept = {
            "vectors": list(vectors_to_data(reply.vectors)),
            "latency_s": reply.latency_s,
            "served_model": reply.served_model,
        }
        self._put(question, kept | _usage(reply))

    def _get(self, question: Mapping[str, Any]) -> dict[str, Any] | None:
        """The stored data for a question, None where there is none or it is damaged."""
        path = self._path(question)
        try:
            entry = json_data(path.read_bytes())
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
        """Store the data for a question; warn once where that is not possible."""
        path = self._path(question)
        try:
            path.parent.mkdir(exist_ok=True)
            fd, draft = tempfile.mkstemp(dir=path.parent, suffix=".new")
            with os.fdopen(fd, "w", encoding="utf-8") as file:
                json.dump({"digest": _digest(kept), "kept": kept}, file, ensure_ascii=False)
            Path(draft).replace(path)
        except OSError as error:
            if self._warned.acquire(blocking=False):
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
