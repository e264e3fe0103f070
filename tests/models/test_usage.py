"""The price of tokens, with cached ones apart."""

from __future__ import annotations

import json
from typing import Any

import pytest

from peephole.models.bodies import read_completion
from peephole.models.config import ModelConfig
from peephole.models.usage import Usage

PRICES = {"price_in": 4.0, "price_out": 10.0}


@pytest.mark.parametrize(
    ("usage", "price_cached", "usd"),
    [
        (Usage(1_000_000, 100_000), None, 5.0),
        (Usage(1_000_000, 100_000, cached=500_000), None, 5.0),
        (Usage(1_000_000, 100_000, cached=500_000), 1.0, 3.5),
        (Usage(1_000_000, 0, cached=500_000), 0.0, 2.0),
        (Usage(100, 0, cached=500), 0.0, 0.0),  # more than was read is no credit
    ],
)
def test_cached_input_has_a_price_of_its_own(
    usage: Usage, price_cached: float | None, usd: float
) -> None:
    assert usage.usd(ModelConfig("m", price_cached=price_cached, **PRICES)) == pytest.approx(usd)


@pytest.mark.parametrize(
    "more",
    [
        {"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 7}}},
        {"usage": {"prompt_tokens": 9, "prompt_cache_hit_tokens": 7}},
        {"usage": {"prompt_tokens": 9}, "timings": {"cache_n": 7, "prompt_n": 2}},
    ],
)
def test_servers_tell_cached_tokens_in_their_own_words(more: dict[str, Any]) -> None:
    """OpenAI and vLLM, DeepSeek, llama.cpp."""
    body = {"choices": [{"message": {"content": "Yes."}}], **more}
    reply = read_completion(json.dumps(body))
    assert reply is not None
    assert reply.usage == Usage(9, 0, 7)
