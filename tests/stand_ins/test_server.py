"""The server that stand-ins of models answer through."""

from __future__ import annotations

import threading

import pytest

from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.failures import ModelFailure
from peephole.models.served_model import ModelEndpoint
from peephole.stand_ins.chat_completions import ChatReply, ChatRequest
from peephole.stand_ins.server import ChatServer


def test_a_stand_in_that_breaks_says_so_at_once() -> None:
    def broken(request: ChatRequest) -> ChatReply:
        raise KeyError("the milk")

    with ChatServer("broken", broken) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        endpoint = ModelEndpoint(server.url, "broken")
        with ModelConnection(ModelConfig("broken"), endpoint) as connection:
            model = connection.for_episode("planner", lambda event: None)
            with pytest.raises(ModelFailure, match=r"broke over these .*KeyError: 'the milk'"):
                model.complete([{"role": "user", "content": "Where?"}])
        server.shutdown()
