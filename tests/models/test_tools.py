"""Tool calls: how they are asked for, read from what servers send, and sent back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from peephole.models.contract import NoAnswer
from peephole.models.failures import RequestRefused
from peephole.models.protocol import Decoding, Reasoning
from peephole.models.responses import read_response, response_body
from peephole.models.tools import Tool, read_tool_reply, result_message, tools_schema

from .conftest import ASK, Make, replies

OPEN = Tool(
    "open",
    "Open a thing.",
    {"type": "object", "properties": {"thing": {"type": "string"}}, "required": ["thing"]},
)
CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "open", "arguments": '{"thing": "fridge 1"}'},
}


def test_tools_are_declared_and_a_message_goes_back_as_it_came(endpoint: Any, make: Make) -> None:
    model, events = make()
    said = {"content": None, "reasoning_content": "It is cold there.", "tool_calls": [CALL]}
    endpoint.text = lambda body: said if len(body["messages"]) == 1 else {"content": "So it is."}
    reply = model.call_tools(ASK, [OPEN])
    (call,) = reply.calls
    assert (call.name, call.data()) == ("open", {"thing": "fridge 1"})
    (declared,) = endpoint.requests[0]["tools"]
    assert declared["function"]["name"] == "open"
    assert declared["function"]["parameters"]["required"] == ["thing"]
    assert "response_format" not in endpoint.requests[0]
    second = model.call_tools([*ASK, reply.message, result_message(call, "It is open.")], [OPEN])
    assert (second.text, second.calls) == ("So it is.", ())
    _, sent, result = endpoint.requests[1]["messages"]
    assert sent == {"role": "assistant", **said}
    assert result == {"role": "tool", "tool_call_id": "c1", "content": "It is open."}
    assert [json.loads(event.reply).get("tool_calls") for event in replies(events)] == [
        [CALL],
        None,
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"tool_calls": [{"function": {"name": "open", "arguments": {"thing": "fridge 1"}}}]},
        {"content": "", "function_call": CALL["function"]},
        {
            "content": 'I look.\n<tool_call>\n{"name": "open", "arguments": {"thing": "fridge 1"}}'
            "\n</tool_call>"
        },
    ],
    ids=["arguments as an object and no id", "the old field", "as text"],
)
def test_other_forms_of_calls_are_read(endpoint: Any, make: Make, message: Any) -> None:
    model, _ = make()
    endpoint.text = lambda body: message
    reply = model.call_tools(ASK, [OPEN])
    assert [(call.name, call.data()) for call in reply.calls] == [("open", {"thing": "fridge 1"})]
    assert reply.message["tool_calls"][0]["id"] == reply.calls[0].id == "call_1"


@pytest.mark.parametrize("arguments", ['{"thing": ', '["fridge 1"]', "fridge 1"])
def test_arguments_that_are_no_object_are_for_the_planner(
    endpoint: Any, make: Make, arguments: str
) -> None:
    model, _ = make()
    called = {**CALL, "function": {"name": "open", "arguments": arguments}}
    endpoint.text = lambda body: {"tool_calls": [called]}
    (call,) = model.call_tools(ASK, [OPEN]).calls
    with pytest.raises(ValueError, match=r"^the arguments are "):
        call.data()


def test_a_reply_that_says_and_calls_nothing_is_asked_for_again(endpoint: Any, make: Make) -> None:
    model, events = make(attempts=2)
    endpoint.text = lambda body: {"content": None}
    with pytest.raises(NoAnswer, match="empty"):
        model.call_tools(ASK, [OPEN])
    assert [event.problem for event in replies(events)] == ["The reply was empty."] * 2


def test_a_server_without_tool_calls_is_named(endpoint: Any, make: Make) -> None:
    model, _ = make()
    endpoint.always = lambda body: "bad"
    with pytest.raises(RequestRefused, match="choose a model and a server with tool calls"):
        model.call_tools(ASK, [OPEN])


def test_the_responses_api_has_calls_and_results_as_items() -> None:
    output = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": "I open it."}]},
        {"type": "function_call", "call_id": "c1", **CALL["function"]},
    ]
    read = read_response(json.dumps({"output": output}), tools=True)
    assert read is not None
    reply = read_tool_reply(read.text)
    assert (reply.text, reply.calls[0].data()) == ("I open it.", {"thing": "fridge 1"})
    asked = [*ASK, reply.message, result_message(reply.calls[0], "It is open.")]
    body = response_body("m", asked, tools_schema([OPEN]), Decoding(0.0, 100), (), Reasoning())
    assert body["tools"][0]["name"] == "open"
    assert [item.get("type", item.get("role")) for item in body["input"]] == [
        "user",
        "assistant",
        "function_call",
        "function_call_output",
    ]
