"""Milliseconds a token of `--model trained`, beside llama.cpp with the adapter laid over the base.

    .venv/bin/python benchmarks/trained_model.py --adapter FILE.gguf --data CHAT.jsonl

Both are asked the turns of the longest conversation of a chat export, one thread each, by turns.
Prints the milliseconds that a token takes to read and to say behind few and behind many tokens,
and the medians of the ratios of neighbouring turns.
"""

from __future__ import annotations

import argparse
import json
import statistics
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import xllamacpp

from peephole.models import local, trained
from peephole.models.served_model import ModelEndpoint, ServeOptions

#: Turns are of the early ones below the first of these lengths in tokens, of the late ones above
#: the second.
EARLY, LATE = 800, 1800


class Turn(NamedTuple):
    """tokens: behind which it was said. read_ms, say_ms: for a token."""

    tokens: int
    read_ms: float
    say_ms: float


@contextmanager
def laid_over(adapter: Path) -> Iterator[ModelEndpoint]:
    """The endpoint of llama.cpp with the adapter laid over the base, with its own defaults."""
    params = xllamacpp.CommonParams()
    params.model.path = str(local.weights(""))
    params.hostnames = ["127.0.0.1"]
    params.port, params.n_ctx, params.n_parallel = 0, local.CONTEXT, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.ui, params.verbosity = False, 0
    params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
    server = xllamacpp.Server(params)
    yield ModelEndpoint(f"{server.listening_address}/v1", "")


def longest(data: Path) -> list[dict[str, str]]:
    """The messages of the longest conversation."""
    lines = (json.loads(line)["messages"] for line in data.read_text().splitlines())
    found: list[dict[str, str]] = max(lines, key=len)
    return [{"role": each["role"], "content": each["content"]} for each in found]


def asked(endpoint: ModelEndpoint, messages: list[dict[str, str]]) -> Turn | None:
    """One turn, or None where more was read than the last observation."""
    body = {"messages": messages, "temperature": 0, "max_tokens": 12}
    request = urllib.request.Request(
        f"{endpoint.base_url}/chat/completions",
        json.dumps(body).encode(),
        endpoint.headers,
    )
    with urllib.request.urlopen(request) as reply:
        answer: dict[str, Any] = json.load(reply)
    times = answer["timings"]
    if times["prompt_n"] > 100 or not times["predicted_n"]:
        return None
    return Turn(
        answer["usage"]["prompt_tokens"],
        times["prompt_ms"] / times["prompt_n"],
        times["predicted_ms"] / times["predicted_n"],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--adapter", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True, help="a chat export, a line a reply")
    options = parser.parse_args()
    messages = longest(options.data)
    settings = ServeOptions(argument=str(options.adapter), slots=1, threads=1)
    found: list[tuple[Turn, Turn]] = []
    with trained.serve(settings) as ours, laid_over(options.adapter) as theirs:
        for end in range(2, len(messages), 2):
            pair = [asked(each, messages[:end]) for each in (ours, theirs)]
            if pair[0] is not None and pair[1] is not None:
                found.append((pair[0], pair[1]))
    print(f"{'behind':>12} {'turns':>5} {'':>6} {'merged ms':>9} {'laid over':>9} {'ratio':>6}")
    for behind, some in (
        (f"< {EARLY}", [p for p in found if p[0].tokens < EARLY]),
        (f"> {LATE}", [p for p in found if p[0].tokens > LATE]),
    ):
        for what in ("read", "say"):
            pairs = [(getattr(a, f"{what}_ms"), getattr(b, f"{what}_ms")) for a, b in some]
            if pairs:
                print(
                    f"{behind:>12} {len(pairs):5} {what:>6} "
                    f"{statistics.median(a for a, _ in pairs):9.1f} "
                    f"{statistics.median(b for _, b in pairs):9.1f} "
                    f"{statistics.median(a / b for a, b in pairs):6.2f}"
                )


if __name__ == "__main__":
    main()
