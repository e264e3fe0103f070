"""The server that stand-ins of models answer through, asked by the real client."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import openai
import pytest

from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.failures import ModelFailure
from peephole.models.served_model import ModelEndpoint, ServeOptions
from peephole.stand_ins.scripted.model import serve
from peephole.stand_ins.server import ChatReply, ChatRequest, serving

ASKED = [{"role": "user", "content": "What next?"}]


def _said(request: ChatRequest) -> ChatReply:
    """What it was asked, and how many images it was shown."""
    return ChatReply(f"{request.messages[-1]['content']} {len(request.images)} images")


@pytest.fixture(scope="module")
def client() -> Iterator[openai.OpenAI]:
    with (
        serving("echo", _said) as url,
        openai.OpenAI(base_url=url, api_key="none", max_retries=0, timeout=10.0) as client,
    ):
        yield client


def test_a_stand_in_that_breaks_says_so_at_once() -> None:
    def broken(request: ChatRequest) -> ChatReply:
        raise KeyError("the milk")

    with (
        serving("broken", broken) as url,
        ModelConnection(ModelConfig("broken"), ModelEndpoint(url, "broken")) as connection,
    ):
        model = connection.for_episode("planner", lambda event: None)
        with pytest.raises(ModelFailure, match=r"broke over this .*KeyError: 'the milk'"):
            model.complete([{"role": "user", "content": "Where?"}])


def test_usage_is_counted_in_begun_fours_of_characters(client: openai.OpenAI) -> None:
    reply = client.chat.completions.create(model="echo", messages=ASKED)  # type: ignore[arg-type]
    assert reply.choices[0].message.content == "What next? 0 images"
    assert reply.choices[0].finish_reason == "stop"
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (3, 5)


def test_a_short_limit_cuts_the_reply_and_says_so(client: openai.OpenAI) -> None:
    reply = client.chat.completions.create(model="echo", messages=ASKED, max_tokens=1)  # type: ignore[arg-type]
    assert (reply.choices[0].finish_reason, reply.choices[0].message.content) == ("length", "What")


def test_images_are_told_apart_from_texts(client: openai.OpenAI) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    parts = [{"role": "user", "content": [{"type": "text", "text": "Look."}, image]}]
    reply = client.chat.completions.create(model="echo", messages=parts)  # type: ignore[arg-type]
    assert reply.choices[0].message.content == "Look. 1 images"


def test_no_other_model_is_known(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="there is echo") as caught:
        client.chat.completions.create(model="gpt", messages=ASKED)  # type: ignore[arg-type]
    assert caught.value.code == "model_not_found"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "robot", "content": "hello"}]}, "role"),
        ({"messages": [{"role": "user"}]}, "content"),
        ({"messages": [{"role": "user", "content": [{"type": "video"}]}]}, "neither text nor"),
        ({"stream": True}, "one reply"),
        ({"n": 2}, "one reply"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"response_format": {"type": "xml"}}, "response_format"),
        ({"response_format": {"type": "json_schema"}}, "schema"),
        ({"response_format": "json"}, "response_format"),
    ],
)
def test_a_malformed_request_is_refused_in_words(
    client: openai.OpenAI, changed: dict[str, object], sentence: str
) -> None:
    body = {"model": "echo", "messages": ASKED, **changed}
    with pytest.raises(openai.BadRequestError, match=sentence):
        client.post("/chat/completions", body=body, cast_to=object)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_request_is_refused(client: openai.OpenAI, body: bytes) -> None:
    request = urllib.request.Request(f"{client.base_url}chat/completions", data=body)
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request)
    assert caught.value.code == 400
    assert json.load(caught.value)["error"]["message"]


def test_no_one_is_answered_who_does_not_know_the_url(client: openai.OpenAI) -> None:
    """Such as a web page, which can send requests to every port of this machine."""
    url = str(client.base_url)
    root = url.partition("/v1")[0].rpartition("/")[0]
    for path in ("/v1/chat/completions", "/x/v1/chat/completions"):
        request = urllib.request.Request(root + path, data=b"{}")
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request)
        assert caught.value.code == 404


def test_scripted_answers_nobody_who_does_not_say_what_a_question_is_about() -> None:
    with (
        serve(ServeOptions()) as endpoint,
        openai.OpenAI(base_url=endpoint.base_url, api_key="none", max_retries=0) as client,
        pytest.raises(openai.BadRequestError, match="it answers by rules"),
    ):
        client.chat.completions.create(model="scripted", messages=ASKED)  # type: ignore[arg-type]
