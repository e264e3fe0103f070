"""What Peephole's client adds to a call of a language model, beside the plain `openai` client.

    .venv/bin/python benchmarks/model_client.py

Both ask the same stand-in endpoint (tests/endpoint_stand_in.py) for the same replies, by turns, as
a conversation of `react` grows: Peephole's client makes the schema, counts, checks the reply
and records it on disk; the plain one sends the same request and reads the text. Prints medians in
milliseconds, and the median of the differences between neighbouring calls.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import openai
from pydantic import create_model

from peephole.episodes.recording import EpisodeLog
from peephole.models.answers import schema_of
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.contract import Request
from peephole.models.served_model import ModelEndpoint

STAND_IN = Path(__file__).parents[1] / "tests" / "endpoint_stand_in.py"
OBSERVED = "You arrive at the kitchen table (1). You see apple (1, 2), book (1), plate (1, 2, 3)"


def conversation(turns: int) -> list[dict[str, Any]]:
    """What `react` has said after so many turns."""
    messages = [
        {"role": "system", "content": "You are a household robot. " * 120},
        {"role": "user", "content": f"Task: Put the apple on the table.\n{OBSERVED}"},
    ]
    for turn in range(turns):
        said = {"thought": f"Turn {turn}: I look at the next place.", "action": f"go to bed {turn}"}
        messages.append({"role": "assistant", "content": json.dumps(said)})
        messages.append({"role": "user", "content": OBSERVED})
    return messages


def timed(call: Callable[[Any], object], messages: list[dict[str, Any]]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    call(messages)
    return 1000 * (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--options", type=int, default=80, help="actions to choose from")
    options = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, str(STAND_IN)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    menu = tuple(f"pick up thing {number}" for number in range(options.options))
    action: Any = Literal[menu]
    plain = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    try:
        with (
            tempfile.TemporaryDirectory() as scratch,
            EpisodeLog(Path(scratch) / "e.jsonl") as log,
            ModelConnection(ModelConfig("stand-in"), ModelEndpoint(url, "stand-in")) as connection,
        ):
            model = connection.for_episode("planner", partial(log.write_model_event, step=0))

            def ours(messages: list[dict[str, Any]]) -> None:
                shape = create_model("Turn", thought=(str, ...), action=(action, ...))
                model.answer(messages, shape)

            shape = create_model("Turn", thought=(str, ...), action=(action, ...))
            schema = schema_of(Request([], shape=shape), lengths=False)
            form: Any = {"name": "answer", "strict": True, "schema": schema}

            def theirs(messages: Any) -> None:
                reply = plain.chat.completions.create(
                    model="stand-in",
                    messages=messages,
                    temperature=0.0,
                    max_tokens=1024,
                    response_format={"type": "json_schema", "json_schema": form},
                )
                json.loads(reply.choices[0].message.content or "")

            print(f"{'turns':>6} {'plain':>8} {'ours':>8} {'difference':>11}   medians, ms")
            for turns in (0, 10, 50, 100):
                messages = conversation(turns)
                pairs = [
                    (timed(theirs, messages), timed(ours, messages)) for _ in range(options.calls)
                ]
                pairs = pairs[options.calls // 10 :]  # the first ones open connections
                print(
                    f"{turns:6} {statistics.median(p for p, _ in pairs):8.2f} "
                    f"{statistics.median(o for _, o in pairs):8.2f} "
                    f"{statistics.median(o - p for p, o in pairs):11.2f}",
                    flush=True,
                )
    finally:
        server.communicate()


if __name__ == "__main__":
    main()
