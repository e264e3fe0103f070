"""The model that answers with the replies a file lists."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import openai
import pytest

from peephole.errors import BadInput
from peephole.models.served_model import ServeOptions
from peephole.stand_ins.replies import MODEL

from ..commands import command

Ask = Callable[[str], str | None]


@pytest.fixture
def asking(tmp_path: Path) -> Callable[[str], AbstractContextManager[Ask]]:
    """Serves the text of a file of replies; gives a function from a question to the reply."""

    @contextmanager
    def serve(text: str) -> Iterator[Ask]:
        path = tmp_path / "replies.json"
        path.write_text(text)
        with (
            MODEL.serve(ServeOptions(str(path))) as endpoint,
            openai.OpenAI(base_url=endpoint.base_url, api_key="none", max_retries=0) as client,
        ):

            def ask(question: str) -> str | None:
                messages: Any = [
                    {"role": "user", "content": "Task: anything."},
                    {"role": "assistant", "content": "red"},
                    {"role": "user", "content": question},
                ]
                reply = client.chat.completions.create(model=endpoint.model, messages=messages)
                return reply.choices[0].message.content

            yield ask

    return serve


LISTED: list[Any] = ["one", {"action": "wait", "place": "Küche"}, {"reply": {"when": "now"}}]


@pytest.mark.parametrize(
    "text",
    [json.dumps(LISTED), "\n\n".join(json.dumps(entry) for entry in LISTED) + "\n"],
)
def test_replies_come_in_their_order_and_objects_as_json(
    asking: Callable[[str], AbstractContextManager[Ask]], text: str
) -> None:
    with asking(text) as ask:
        assert ask("Well?") == "one"
        assert json.loads(ask("Well?") or "") == {"action": "wait", "place": "Küche"}
        assert json.loads(ask("Well?") or "") == {"when": "now"}
        with pytest.raises(openai.BadRequestError, match=r"every reply that .* is used up"):
            ask("Well?")


def test_what_a_question_says_comes_before_the_order(
    asking: Callable[[str], AbstractContextManager[Ask]],
) -> None:
    text = json.dumps(
        [
            "first",
            {"when": "red", "reply": "stop"},
            {"when": "light is", "reply": {"action": "look"}},
        ]
    )
    with asking(text) as ask:
        assert [ask("The light is red."), ask("It is red again.")] == ["stop", "stop"]
        assert ask("The light is green.") == '{"action": "look"}'
        assert ask("Well?") == "first"
        assert ask("The light is red.") == "stop"
        with pytest.raises(openai.BadRequestError, match="no 'when' matches the question"):
            ask("Well?")


def test_threads_get_every_reply_once(
    asking: Callable[[str], AbstractContextManager[Ask]],
) -> None:
    with asking(json.dumps([str(i) for i in range(40)])) as ask:
        got: list[str | None] = []
        threads = [
            threading.Thread(target=lambda: got.extend([ask("?") for _ in range(10)]))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(got, key=str) == sorted(map(str, range(40)))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"", "has no replies"),
        (b"[]", "has no replies"),
        (b'["a", ]', "this is not JSON"),
        (b'"a"\nb\n', "line 2: this is not JSON"),
        (b"[" * 100_000, "this is not JSON"),
        (b'["a", 12]', "entry 2: the reply 12 must be"),
        (b'"a"\n["b"]', "line 2: the reply ['b'] must be"),
        (b'[{"when": "x"}]', "entry 1: an object with 'when' or 'reply'"),
        (b'[{"when": 1, "reply": "a"}]', "entry 1: an object with"),
        (b'[{"reply": "a", "thought": "b"}]', "entry 1: an object with"),
        (b'[{"reply": 3}]', "entry 1: the reply 3 must be"),
    ],
)
def test_a_bad_file_is_one_sentence_with_the_entry(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "replies.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput) as caught:
        MODEL.check(str(path))
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


ACTIONS = (
    "go to bathroom 1",
    "go to bedroom 1",
    "go to table lamp 1",
    "turn off table lamp 1",
    "go to table lamp 2",
    "turn on table lamp 2",
)


def peephole(*arguments: str) -> subprocess.CompletedProcess[str]:
    return command(*arguments, environment={**os.environ, "COLUMNS": "200"})


@pytest.fixture
def run_houses(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs react on a task of the houses with some replies."""

    def run(replies: str, *options: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "replies.jsonl").write_text(replies)
        return peephole(
            *("run", "--suite", "houses", "--planner", "react", "--out", str(tmp_path / "run")),
            *("--model", f"replies:{tmp_path / 'replies.jsonl'}", *options),
        )

    return run


def test_a_planner_is_played_with_listed_replies_and_marked_a_mechanism_check(
    run_houses: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    replies = [{"thought": "", "action": action} for action in ACTIONS]
    text = "\n".join(map(json.dumps, ["I would rather say it.", *replies]))
    done = run_houses(text, "--tasks", "switch/house-3-1", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"]["gsr"]["mean"] == 1.0
    assert "mechanism check" in json.loads(done.stdout)["note"]
    assert "mechanism check" in peephole("show", str(tmp_path / "run")).stdout
    page = tmp_path / "page.html"
    peephole("report", str(tmp_path / "run"), "--out", str(page))
    assert "is a stand-in, not a language model" in page.read_text()


def test_a_list_that_is_too_short_ends_the_run_in_a_sentence(
    run_houses: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = run_houses('{"thought": "", "action": "give up"}', "--tasks", "2", "--json")
    assert done.returncode == 1
    note, sentence = done.stderr.splitlines()
    assert "mechanism check" in note
    assert "is used up; list more, or play fewer tasks" in sentence
    assert "choose a model" not in sentence
    assert "settings" not in sentence


def test_the_file_has_to_be_named(
    run_houses: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = peephole("run", "--suite", "houses", "--planner", "react", "--model", "replies")
    assert done.returncode == 2
    assert "replies:FILE" in done.stderr
