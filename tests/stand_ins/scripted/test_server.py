"""The stand-in over HTTP, asked by the real openai client."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request

import openai
import pytest
from pydantic import BaseModel

ACTIONS = ["go to hall 1", "go to kitchen 1", "go to fridge 1", "go to table 1", "go to table 2"]


def test_it_answers_with_one_of_the_actions_on_offer(client, first_messages, choice_of):
    reply = client.chat.completions.create(
        model="scripted", messages=first_messages, response_format=choice_of(ACTIONS)
    )
    said = json.loads(reply.choices[0].message.content)
    assert said["action"] in ACTIONS
    assert said["thought"]
    assert reply.choices[0].finish_reason == "stop"


def test_a_pydantic_shape_is_parsed(client, first_messages):
    class Turn(BaseModel):
        thought: str
        action: str

    reply = client.chat.completions.parse(
        model="scripted", messages=first_messages, response_format=Turn
    )
    assert reply.choices[0].message.parsed.action.startswith("go to ")


def test_usage_is_counted_in_begun_fours_of_characters(client, first_messages):
    reply = client.chat.completions.create(model="scripted", messages=first_messages)
    usage = reply.usage
    assert usage.prompt_tokens == sum(-(-len(m["content"]) // 4) for m in first_messages)
    assert usage.completion_tokens == -(-len(reply.choices[0].message.content) // 4)
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


def test_the_same_messages_get_the_same_reply_from_another_process(
    client, client_of, first_messages
):
    with client_of(seed=7) as other:
        replies = [
            each.chat.completions.create(model="scripted", messages=first_messages)
            for each in (client, other)
        ]
    assert replies[0] == replies[1]


def test_a_short_limit_cuts_the_reply_and_says_so(client, first_messages):
    reply = client.chat.completions.create(model="scripted", messages=first_messages, max_tokens=3)
    assert reply.choices[0].finish_reason == "length"
    assert len(reply.choices[0].message.content) == 12


def test_its_model_is_listed_and_no_other_is_known(client, first_messages):
    assert [model.id for model in client.models.list()] == ["scripted"]
    assert client.models.retrieve("scripted").id == "scripted"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt")
    with pytest.raises(openai.NotFoundError, match="there is scripted") as caught:
        client.chat.completions.create(model="gpt", messages=first_messages)
    assert caught.value.code == "model_not_found"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "robot", "content": "hello"}]}, "role"),
        ({"messages": [{"role": "user"}]}, "content"),
        ({"messages": [{"role": "user", "content": [{"type": "video"}]}]}, "neither text nor"),
        ({"messages": [{"role": "user", "content": "Hello!"}]}, "does not know the planner"),
        ({"stream": True}, "stream"),
        ({"n": 2}, "one reply"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"response_format": {"type": "xml"}}, "response_format"),
        ({"response_format": {"type": "json_schema"}}, "schema"),
        ({"response_format": "json"}, "response_format"),
    ],
)
def test_a_malformed_request_is_refused_in_words(client, first_messages, changed, told):
    body = {"model": "scripted", "messages": first_messages, **changed}
    with pytest.raises(openai.BadRequestError, match=told):
        client.post("/chat/completions", body=body, cast_to=object)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_request_is_refused(client, body):
    request = urllib.request.Request(f"{client.base_url}chat/completions", data=body)
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request)
    assert caught.value.code == 400
    assert json.load(caught.value)["error"]["message"]


def test_images_are_passed_over(client, first_messages):
    system, user = first_messages
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    parts = {"role": "user", "content": [{"type": "text", "text": user["content"]}, image]}
    plain, with_image = (
        client.chat.completions.create(model="scripted", messages=messages)
        for messages in (first_messages, [system, parts])
    )
    assert plain.choices == with_image.choices


def test_an_instruction_that_is_not_in_the_table_is_given_up(client, choice_of):
    messages = [{"role": "user", "content": "Task: Sing a song.\nYou are in the house."}]
    reply = client.chat.completions.create(
        model="scripted",
        messages=messages,
        response_format=choice_of([*ACTIONS, "done", "give up"]),
    )
    assert json.loads(reply.choices[0].message.content)["action"] == "give up"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--table", "/nowhere.json"], "cannot be read"),
        (["--table", "{table}", "--faults", "sloww=1"], "Did you mean slow"),
        (["--table", "{table}", "--faults", "slow=2"], "from 0 to 1"),
        (["--table", "{table}", "--faults", "empty=0.7,illegal=0.7"], "more than 1"),
        (["--table", "{bad}"], "no object"),
        (["--table", "{table}", "--port", "{taken}"], "choose another --port"),
    ],
)
def test_what_it_cannot_be_started_with_is_one_sentence(client, tmp_path, options, told):
    (tmp_path / "table.json").write_text("{}")
    (tmp_path / "bad.json").write_text("[]")
    known = {
        "{table}": str(tmp_path / "table.json"),
        "{bad}": str(tmp_path / "bad.json"),
        "{taken}": str(client.base_url.port),
    }
    command = [sys.executable, "-m", "peephole.stand_ins.scripted"]
    command += [known.get(option, option) for option in options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
