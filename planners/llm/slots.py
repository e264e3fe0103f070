"""What one conversation of llama.cpp's server has read, given to another that begins alike.

Each slot of the server keeps what its conversation has read. The conversations of a role begin with
the same system prompt, so a worker's slot starts from that of the run's first worker
(https://github.com/ggml-org/llama.cpp/tree/master/tools/server, "save the prompt cache").
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from ...served_model import ModelEndpoint

if TYPE_CHECKING:
    import openai

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

    def fill(self, client: openai.OpenAI) -> None:
        """Before the first question: take over what the first worker's slot has read by now.

        Nothing is lost where that fails: then the prompt is read anew.
        """
        with self._lock:
            if not self._to_fill:
                return
            self._to_fill = False
            import openai

            at_root = client.with_options(base_url=self._base_url)
            file = {"filename": f"slot-{self._number}.bin"}
            until = time.monotonic() + _PATIENCE_S
            try:
                while not _ask(at_root, self._first, "save", file).get("n_saved"):
                    if time.monotonic() > until:
                        return
                    time.sleep(_PAUSE_S)
                _ask(at_root, self._number, "restore", file)
            except openai.OpenAIError:
                return


def _ask(client: openai.OpenAI, slot: int, action: str, body: dict[str, str]) -> dict[str, Any]:
    """What the server answers; it waits until the slot has nothing to do."""
    answer = client.post(f"/slots/{slot}?action={action}", cast_to=object, body=body)
    return answer if isinstance(answer, dict) else {}
