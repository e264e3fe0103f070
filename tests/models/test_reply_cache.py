"""Replies stored between runs."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peephole
from peephole.episodes.recording import episode_files, read_events
from peephole.errors import BadInput
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.contract import Request
from peephole.models.episode_model import EpisodeModel
from peephole.models.events import ModelEmbedded, ModelEvent, ModelReplied
from peephole.models.served_model import ModelEndpoint
from peephole.models.spending import spent
from peephole.results.show.event_lines import event_lines

ASK = [{"role": "user", "content": "Where is the milk?"}]
Make = Callable[..., tuple[EpisodeModel, list[ModelEvent]]]


@pytest.fixture
def make(endpoint: Any, tmp_path: Path) -> Iterator[Make]:
    """A model of a new run that stores its replies in `kept`."""
    opened = []

    def made(
        seed: int = 0, version: str = "", name: str = "m", **config: Any
    ) -> tuple[EpisodeModel, list[ModelEvent]]:
        where = ModelEndpoint(endpoint.url, name, version=version)
        settings = {"host": "h:1", "reply_cache": str(tmp_path / "kept"), **config}
        opened.append(ModelConnection(ModelConfig(name, **settings), where))
        events: list[ModelEvent] = []
        return opened[-1].for_episode("planner", events.append, seed=seed), events

    yield made
    for connection in opened:
        connection.close()


def test_a_question_is_paid_once(endpoint: Any, make: Make) -> None:
    answers = []
    for _ in range(2):
        model, events = make(price_in=2.0, budget_usd=1.0)
        answers.append(
            [
                model.choose(ASK, ["fridge", "oven"]),
                model.samples(Request(ASK, permitted=("a", "b"), temperature=1.0), 3),
                model.complete(ASK, stop=["x"]),
                model.embed(["milk", "fridge"]).tolist(),
            ]
        )
    assert answers[0] == answers[1]
    assert len(endpoint.requests) == 6  # of the first run
    assert all(e.from_cache for e in events if isinstance(e, ModelReplied | ModelEmbedded))
    replied = [event for event in events if isinstance(event, ModelReplied)]
    assert all(event.usage.tokens_in and event.latency_s for event in replied)
    assert replied[0].served_model == "m-2026"
    total = spent(events).total
    assert (total.calls, total.from_cache) == (6, 6)
    assert total.usage.tokens > 0
    assert total.paid.tokens == 0
    assert "from the reply cache" in event_lines(replied[0])[0].plain


def test_a_budget_is_not_used_up_by_what_costs_nothing(endpoint: Any, make: Make) -> None:
    make()[0].complete(ASK)
    model, _ = make(budget_tokens=1)
    for _ in range(3):
        model.complete(ASK)
    assert len(endpoint.requests) == 1


OTHERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"seed": 1}, {}),
    ({"version": "2"}, {}),
    ({"name": "n"}, {}),
    ({"max_tokens": 7}, {}),
    ({"temperature": 0.5}, {}),
    ({"reasoning_effort": "low"}, {}),
    ({}, {"top_p": 0.5}),
    ({}, {"stop": ["a"]}),
]


@pytest.mark.parametrize(("config", "sampling"), OTHERS)
def test_what_a_reply_depends_on_tells_questions_apart(
    endpoint: Any, make: Make, config: dict[str, Any], sampling: Any
) -> None:
    make()[0].complete(ASK)
    make(**config)[0].complete(ASK, **sampling)
    assert len(endpoint.requests) == 2


def test_other_samples_messages_schemas_and_texts_are_asked_for(endpoint: Any, make: Make) -> None:
    for step in (1, 2):
        model, _ = make()
        model.samples(Request(ASK), step)
        model.choose(ASK, ["a", "b", "c"][: step + 1])
        model.embed(["milk"] * step)
    assert len(endpoint.requests) == 3 + 3


def test_repeats_with_other_seeds_send_other_seeds(endpoint: Any, make: Make) -> None:
    for seed in (0, 1):
        make(seed=seed)[0].samples(Request(ASK, temperature=1.0), 2)
    assert sorted(body["seed"] for body in endpoint.requests) == [0, 1, 1000, 1001]
    make()[0].complete(ASK)
    assert "seed" not in endpoint.requests[-1]  # nothing is left to chance


def test_an_unusable_reply_is_kept_as_the_attempt_it_was(endpoint: Any, make: Make) -> None:
    endpoint.pick = lambda body, options: options[0]
    endpoint.faults.extend(["free_text", "withheld"])
    first = make()[0].choose(ASK, ["a", "b"])
    model, events = make()
    assert model.choose(ASK, ["a", "b"]) == first
    assert [event.from_cache for event in events if isinstance(event, ModelReplied)] == [
        True,
        False,  # what a content filter withheld may be given another time
    ]


def entries(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "kept").rglob("*.json"))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"kept": {}, "digest": "0"}', None])
def test_a_damaged_entry_is_reported_and_replaced(
    endpoint: Any, make: Make, tmp_path: Path, content: bytes | None, caplog: Any
) -> None:
    make()[0].complete(ASK)
    (path,) = entries(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"right", b"wrong") if content is None else content)
    with caplog.at_level(logging.WARNING):
        assert make()[0].complete(ASK) == "All right."
    (record,) = caplog.records
    assert f"{path} is damaged; the model is asked again" in record.getMessage()
    assert len(endpoint.requests) == 2
    assert make()[0].complete(ASK) == "All right."
    assert len(endpoint.requests) == 2


def test_a_folder_that_cannot_be_is_one_sentence(make: Make, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file")
    with pytest.raises(BadInput, match="choose another folder as --reply-cache"):
        make()


def test_a_folder_that_can_no_longer_be_written_is_reported_once(
    make: Make, tmp_path: Path, caplog: Any
) -> None:
    model, _ = make()
    (tmp_path / "kept").rmdir()
    (tmp_path / "kept").write_text("a file")
    with caplog.at_level(logging.WARNING):
        model.samples(Request(ASK), 3)
    told = [r.getMessage() for r in caplog.records if "cannot be written" in r.getMessage()]
    assert len(told) == 1


WRITER = """
import sys
from pathlib import Path
from peephole.models.protocol import ModelReply
from peephole.models.reply_cache import ReplyCache
from peephole.models.usage import Usage
cache = ReplyCache(Path(sys.argv[1]), {"model": "m"})
for number in range(200):
    found = cache.reply({"q": number})
    assert found is None or found.text == str(number) * 500, found
    cache.keep_reply({"q": number}, ModelReply(str(number) * 500, Usage(1, 1), cut=False))
"""


def test_processes_share_a_folder(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "kept")], stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    assert [writer.communicate()[1] for writer in writers] == [b"", b""]
    assert len(entries(tmp_path)) == 200
    assert not list((tmp_path / "kept").rglob("*.new"))


def test_runs_share_replies_and_say_what_they_saved(
    endpoint: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    endpoint.pick = lambda body, menu: "done"
    model = ModelConfig("m", price_in=1e3, price_out=1e3, reply_cache=str(tmp_path / "kept"))
    first = peephole.run("react", "robothow", tasks=1, model=model, out=tmp_path / "one")
    asked = len(endpoint.requests)
    second = peephole.run("react", "robothow", tasks=1, model=model, out=tmp_path / "two")
    assert len(endpoint.requests) == asked >= sum(result.calls for result in first.results) > 0
    (paid,), (free,) = first.results, second.results
    assert (free.calls, free.tokens, free.ended) == (paid.calls, paid.tokens, paid.ended)
    assert (free.usd, free.calls_cached) == (0.0, paid.calls)
    assert free.usd_saved == pytest.approx(paid.usd)
    assert (paid.usd_saved, paid.calls_cached) == (0.0, 0)
    assert second.figures["usd_saved"].mean == pytest.approx(first.figures["usd"].mean)
    shown = [
        line.plain
        for e in read_events(next(episode_files(second.folder)))
        for line in event_lines(e)
    ]
    assert f"{paid.calls} replies from the cache, ${paid.usd:.4f} saved" in shown[-1]
    assert np.isfinite(free.model_s)


def test_the_replies_of_a_stand_in_are_not_kept(tmp_path: Path) -> None:
    model = ModelConfig("scripted", reply_cache=str(tmp_path / "kept"))
    peephole.run("react", "robothow", tasks=1, model=model, out=tmp_path / "run")
    assert not entries(tmp_path)
