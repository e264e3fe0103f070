"""What one conversation of llama.cpp's server has read, given to another that begins alike.

Each slot of the server keeps what its conversation has read. The conversations of a role begin with
the same system prompt, so a worker's slot starts from that of the run's first worker
(https://github.com/ggml-org/llama.cpp/tree/master/tools/server, "save the prompt cache").
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...served_model import ModelEndpoint
from ..model import Message

if TYPE_CHECKING:
    import openai

#: A first message of fewer characters is read anew sooner than copied.
_WORTH_COPYING = 800
#: What has read so many tokens less than a first message's characters has not read it.
_CHARACTERS_A_TOKEN = 8
#: The first worker may not have asked yet; workers begin at the same time.
_PATIENCE_S = 3.0
_PAUSE_S = 0.1


class Slot:
    """The slot of one worker's conversations in one role.

    number: of the slot. first: of the same role's slot of the first worker. Both are taken modulo
    the slots there are.
    """

    def __init__(self, endpoint: ModelEndpoint, number: int, first: int) -> None:
        slots = endpoint.slots
        self.body: dict[str, Any] = {"id_slot": number % slots} if slots else {}
        self._base_url = endpoint.base_url.removesuffix("/").removesuffix("/v1")
        self._number = number % slots if slots else 0
        self._first = first % slots if slots else 0
        self._to_fill = endpoint.copies_slots and self._number != self._first
        self._lock = threading.Lock()

    def fill(self, client: openai.OpenAI, messages: Sequence[Message]) -> None:
        """Before the first long question: take over what the first worker's slot has read by now.

        Nothing is lost where that fails: then the prompt is read anew.
        """
        first = messages[0]["content"] if messages else ""
        with self._lock:
            if not self._to_fill or len(first) < _WORTH_COPYING:
                return
            self._to_fill = False
            import openai

            at_root = client.with_options(base_url=self._base_url)
            file = {"filename": f"slot-{self._number}.bin"}
            until = time.monotonic() + _PATIENCE_S
            try:
                while _saved(at_root, self._first, file) < len(first) / _CHARACTERS_A_TOKEN:
                    if time.monotonic() > until:
                        return
                    time.sleep(_PAUSE_S)
                at_root.post(f"/slots/{self._number}?action=restore", cast_to=object, body=file)
            except openai.OpenAIError:
                return


def _saved(client: openai.OpenAI, slot: int, file: dict[str, str]) -> int:
    """How many tokens of a slot were saved; the server waits until the slot has nothing to do."""
    answer = client.post(f"/slots/{slot}?action=save", cast_to=object, body=file)
    saved = answer.get("n_saved") if isinstance(answer, dict) else None
    return saved if isinstance(saved, int) else 0
