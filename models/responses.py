"""The Responses API, for endpoints or models without chat completions.

See https://platform.openai.com/docs/api-reference/responses. It has neither stop texts nor seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .answers import Schema, described, well_formed
from .bodies import body_data, field_of, name_in
from .contract import Message
from .protocol import (
    NO_SYSTEM_ROLE,
    SCHEMA_IN_PROMPT,
    Decoding,
    ModelReply,
    Reasoning,
    with_text,
    without_system_role,
)
from .tools import TOOLS, message_text
from .usage import Usage


def response_body(
    model: str,
    messages: Sequence[Message],
    schema: Schema | None,
    decoding: Decoding,
    adapted: tuple[str, ...],
    reasoning: Reasoning,
) -> dict[str, Any]:
    """The fields of a request; the endpoint is asked not to store it."""
    if NO_SYSTEM_ROLE in adapted:
        messages = without_system_role(messages)
    tools = None if schema is None else schema.get(TOOLS)
    if tools is None and schema is not None and SCHEMA_IN_PROMPT in adapted:
        messages = with_text(messages, described(schema))
    body: dict[str, Any] = {
        "model": model,
        "input": [item for message in messages for item in _items(message)],
        "max_output_tokens": decoding.max_tokens + reasoning.tokens,
        "store": False,
    }
    if "no temperature" not in adapted:
        body["temperature"] = decoding.temperature
    if decoding.top_p is not None and "no top_p" not in adapted:
        body["top_p"] = decoding.top_p
    if reasoning.effort and "no reasoning_effort" not in adapted:
        body["reasoning"] = {"effort": reasoning.effort}
    if tools is not None:
        body[TOOLS] = [{"type": "function", "strict": False, **t["function"]} for t in tools]
    elif schema is not None and SCHEMA_IN_PROMPT not in adapted:
        form = {"type": "json_schema", "name": "answer", "strict": True, "schema": schema}
        body["text"] = {"format": form}
    return body


def _items(message: Message) -> Iterator[dict[str, Any]]:
    """A message as items: its text, and each call or result of a call by itself."""
    content = message["content"]
    if message["role"] == "tool":
        call = message["tool_call_id"]
        yield {"type": "function_call_output", "call_id": call, "output": content}
        return
    calls = message.get("tool_calls", ())
    if not isinstance(content, str):
        content = [_part(part) for part in content]
    if content or not calls:
        yield {"role": message["role"], "content": content}
    for call in calls:
        function = call["function"]
        named = {"name": function["name"], "arguments": function["arguments"]}
        yield {"type": "function_call", "call_id": call["id"], **named}


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    if part["type"] == "image_url":
        return {"type": "input_image", "image_url": part["image_url"]["url"]}
    return {"type": "input_text", "text": part["text"]}


def read_response(text: str, *, tools: bool = False) -> ModelReply | None:
    """The reply in a body; None where it is no response, or a failed one.

    tools: as for `bodies.read_completion`.
    """
    data = body_data(text)
    if data.get("status") == "failed":
        return None
    try:
        parts = [p for item in data["output"] if item["type"] == "message" for p in item["content"]]
        said = "".join(part["text"] for part in parts if part["type"] == "output_text")
        said = said or "".join(part["refusal"] for part in parts if part["type"] == "refusal")
        reason = (data.get("incomplete_details") or {}).get("reason")
        calls = [item for item in data["output"] if item["type"] == "function_call"]
        silent = not said and not calls
        if tools:
            called = [{"id": item["call_id"], "function": _named(item)} for item in calls]
            said = message_text({"content": said, "tool_calls": called})
        said = said or "".join(item["arguments"] for item in calls)
    except (KeyError, TypeError, AttributeError):
        return None
    return ModelReply(
        well_formed(said),
        _usage(data),
        cut=reason == "max_output_tokens",
        withheld=silent and reason == "content_filter",
        served_model=name_in(data, "model"),
        fingerprint=name_in(data, "system_fingerprint"),
    )


def _named(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": item["name"], "arguments": item["arguments"]}


def _usage(data: Mapping[str, Any]) -> Usage:
    counted = data.get("usage")
    return Usage.counted(
        field_of(counted, "input_tokens"),
        field_of(counted, "output_tokens"),
        field_of(counted, "input_tokens_details", "cached_tokens"),
    )
