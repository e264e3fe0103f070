"""A tiny model with random weights, and small data to train it on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGUFWriter, TokenType

WIDTH, LAYERS, HEADS, KEY_HEADS, HIDDEN = 32, 2, 4, 2, 48
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + "
    "message['content'] + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def bytes_as_characters() -> list[str]:
    """The characters that stand for the 256 bytes in vocabularies of GPT-2's kind."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    shown = dict(zip(plain, plain, strict=True)) | {b: 256 + i for i, b in enumerate(others)}
    return [chr(shown[byte]) for byte in range(256)]


def write_model(path: Path, seed: int = 0, plus: Mapping[str, Any] | None = None) -> Path:
    """A model of the Llama architecture that llama.cpp loads.

    plus: additions to some matrices, shape (layers, out, in) each.
    """
    draw = np.random.default_rng(seed)
    tokens = [*bytes_as_characters(), "to", *SPECIAL]
    kinds = [TokenType.NORMAL] * 257 + [TokenType.CONTROL] * len(SPECIAL)
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(LAYERS)
    writer.add_context_length(4096)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(["t o"])
    writer.add_bos_token_id(tokens.index("<|endoftext|>"))
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)

    def add(name: str, *shape: int, more: Any = 0.0) -> None:
        values = draw.normal(size=shape) / np.sqrt(shape[-1]) + more
        writer.add_tensor(f"{name}.weight", values.astype(np.float32))

    keys = WIDTH // HEADS * KEY_HEADS
    add("token_embd", len(tokens), WIDTH)
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    for layer in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{norm}.weight", np.ones(WIDTH, np.float32))
        for name, shape in {
            "attn_q": (WIDTH, WIDTH),
            "attn_k": (keys, WIDTH),
            "attn_v": (keys, WIDTH),
            "attn_output": (WIDTH, WIDTH),
            "ffn_gate": (HIDDEN, WIDTH),
            "ffn_up": (HIDDEN, WIDTH),
            "ffn_down": (WIDTH, HIDDEN),
        }.items():
            more = plus[name][layer] if plus else 0.0
            add(f"blk.{layer}.{name}", *shape, more=more)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def line(number: int, turns: int = 2, **more: Any) -> str:
    """A conversation of chat data, in which fridge follows fridge and table follows table."""
    place = ("fridge", "table")[number % 2]
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Act."}]
    for turn in range(turns):
        messages.append({"role": "user", "content": f"{place}{number} {turn}"})
        messages.append({"role": "assistant", "content": f'{{"action": "go to {place}"}}'})
    return json.dumps({"messages": messages, "suite": "s", "task": f"t{number}", **more})


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model."""
    return write_model(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


@pytest.fixture(scope="session")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Chat data of 24 tasks."""
    path = tmp_path_factory.mktemp("chat") / "chat.jsonl"
    path.write_text("\n".join(line(number, dialect="compact") for number in range(24)) + "\n")
    return path
