"""Tools that a model may call: their declaration, and the calls in its reply.

See https://platform.openai.com/docs/guides/function-calling. The reply to a question with tools is
the assistant's message as JSON text, as it came. A planner sends that message back with the results
of its calls, so that what a server wants to see again, such as its thoughts, is in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..data_files import json_data

#: The key of the tools in a question's schema.
TOOLS = "tools"
#: Fields of a message that say nothing to the model.
_NO_CONTENT = ("refusal", "annotations", "audio", "function_call")
#: A call as text, of models whose server does not read calls: Hermes, Qwen and others.
_AS_TEXT = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)


@dataclass(frozen=True)
class Tool:
    """A function that a model may call."""

    name: str
    """Its name, of letters, digits and underscores."""
    description: str
    """What it does, for the model."""
    parameters: Mapping[str, Any]
    """The JSON schema of its arguments."""


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool in a reply."""

    id: str
    """The call's id; its result names it."""
    name: str
    """The name of the tool, as the model wrote it."""
    arguments: str
    """The arguments as the model wrote them: JSON, if all is well."""

    def data(self) -> dict[str, Any]:
        """The arguments. Raises ValueError with a clause where they are no JSON object."""
        try:
            data = json_data(self.arguments.strip() or "{}")
        except ValueError:
            raise ValueError("the arguments are not JSON") from None
        if not isinstance(data, dict):
            raise ValueError("the arguments are no JSON object")
        return data


@dataclass(frozen=True)
class ToolReply:
    """A reply that may call tools."""

    message: Mapping[str, Any]
    """The message, to be sent back before the results of its calls."""
    text: str
    """What the model says beside its calls."""
    calls: tuple[ToolCall, ...]
    """The calls in their order."""


def result_message(call: ToolCall, text: str) -> dict[str, str]:
    """The message with the result of a call."""
    return {"role": "tool", "tool_call_id": call.id, "content": text}


def tools_schema(tools: Sequence[Tool]) -> dict[str, Any]:
    """The tools as a question's schema, in the form of chat completions."""
    functions = [
        {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
        for tool in tools
    ]
    return {TOOLS: [{"type": "function", "function": function} for function in functions]}


def message_text(message: Mapping[str, Any]) -> str:
    """A message of an endpoint as the text of a reply: in one form, without empty fields."""
    kept = {
        name: value
        for name, value in message.items()
        if name not in _NO_CONTENT and value not in (None, "", [])
    }
    calls = message.get("tool_calls") or []
    old = message.get("function_call")
    if not calls and old:
        calls = [{"function": old}]
    kept |= {"role": "assistant", "content": message.get("content") or message.get("refusal") or ""}
    if calls:
        kept["tool_calls"] = [_call(number, call) for number, call in enumerate(calls, start=1)]
    return json.dumps(kept, ensure_ascii=False)


def _call(number: int, call: Mapping[str, Any]) -> dict[str, Any]:
    """A call with an id, and its arguments as text; further fields stay."""
    function = call["function"]
    arguments = function.get("arguments") or ""
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    named = {"name": str(function.get("name") or ""), "arguments": arguments}
    return {**call, "id": str(call.get("id") or f"call_{number}"), "type": "function"} | {
        "function": {**function, **named}
    }


def read_tool_reply(text: str) -> ToolReply:
    """The reply in a text of `message_text`. Raises ValueError where it is none."""
    message = json_data(text)
    content = message["content"]
    if not isinstance(content, str):
        content = "".join(part.get("text", "") for part in content)
    if "tool_calls" not in message and (written := _AS_TEXT.findall(content)):
        content = _AS_TEXT.sub("", content).strip()
        read = [json_data(each) for each in written]
        calls = [
            {"function": {"name": each.get("name"), "arguments": each.get("arguments")}}
            for each in read
        ]
        message = json_data(message_text({**message, "content": content, "tool_calls": calls}))
    return ToolReply(
        message,
        content,
        tuple(
            ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
            for call in message.get("tool_calls", ())
        ),
    )


def spoken(text: str) -> str:
    """What a reply says beside its calls; the whole text where it is no message."""
    try:
        return read_tool_reply(text).text
    except (ValueError, KeyError, TypeError, AttributeError):
        return text
