"""The prompt cache of llama.cpp's server, copied between conversations that begin alike.

Each slot of the server caches one conversation. The conversations of a role begin with the same
system prompt, so a worker's slot starts as a copy of the first worker's. See "save the prompt
cache" in the server's documentation
(https://github.com/ggml-org/llama.cpp/tree/master/tools/server).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .contract import Message
from .served_model import ModelEndpoint

if TYPE_CHECKING:
    import openai

#: A first message of fewer characters is faster to read again than to copy.
_WORTH_COPYING = 800
#: A slot with fewer tokens than characters / 8 has not read the first message.
_CHARACTERS_A_TOKEN = 8
#: How long to wait for the first worker, which may not have asked yet.
_PATIENCE_S = 3.0
_PAUSE_S = 0.1


class Slot:
    """The slot of one worker's conversations in one role.

    number: of the slot. first: of the first worker's slot in the same role. Both are taken modulo
    the number of slots. base_url: of the server that has the slot.
    """

    def __init__(self, endpoint: ModelEndpoint, number: int, first: int) -> None:
        self.base_url, self._number = endpoint.slot(number)
        first_url, self._first = endpoint.slot(first)
        self.body: dict[str, Any] = {"id_slot": self._number} if endpoint.slots else {}
        self._root, self._first_root = _root(self.base_url), _root(first_url)
        self._file = {"filename": f"slot-{number}.bin"}
        self._to_fill = endpoint.copies_slots and (
            (self._root, self._number) != (self._first_root, self._first)
        )
        self._lock = threading.Lock()

    def fill(self, client: openai.OpenAI, messages: Sequence[Message]) -> None:
        """Copy the first worker's slot, once, before the first long question.

        Where that fails, the server reads the prompt again.
        """
        first = messages[0]["content"] if messages else ""
        with self._lock:
            if not self._to_fill or len(first) < _WORTH_COPYING:
                return
            self._to_fill = False
            import openai

            source = client.with_options(base_url=self._first_root)
            until = time.monotonic() + _PATIENCE_S
            try:
                while _saved(source, self._first, self._file) < len(first) / _CHARACTERS_A_TOKEN:
                    if time.monotonic() > until:
                        return
                    time.sleep(_PAUSE_S)
                client.with_options(base_url=self._root).post(
                    f"/slots/{self._number}?action=restore", cast_to=object, body=self._file
                )
            except openai.OpenAIError:
                return


def _root(base_url: str) -> str:
    return base_url.removesuffix("/").removesuffix("/v1")


def _saved(client: openai.OpenAI, slot: int, file: dict[str, str]) -> int:
    """Save a slot to a file; the number of tokens. The server waits until the slot is idle."""
    answer = client.post(f"/slots/{slot}?action=save", cast_to=object, body=file)
    saved = answer.get("n_saved") if isinstance(answer, dict) else None
    return saved if isinstance(saved, int) else 0
