"""JSON schemas of answers, and the check of replies.

Servers may ignore a schema silently, so every reply is checked here too.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..data_files import json_data
from .contract import REFUSED_BY_JUDGE, Message, Request, Unusable
from .tools import ToolReply, read_tool_reply, spoken, tools_schema

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

Schema = dict[str, Any]

#: Keywords that endpoints with strict schemas may refuse.
_LENGTHS = ("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum")
#: A list of at most so many permitted values does not change with the state of the world.
_FEW = 8
_PROSE = ("title", "default", "examples", "discriminator")
#: Characters quoted of a message or reply, and of an unusable reply sent back to the model.
QUOTED, SENT_BACK = 400, 2000

#: What begins thoughts, and what ends them: of DeepSeek, Qwen and most others; of Claude's
#: imitators; of Magistral; of gpt-oss; of Command A; of Kimi.
_THINKING = (
    "<think>",
    "<thinking>",
    "[THINK]",
    "<|channel|>analysis<|message|>",
    "<|START_THINKING|>",
    "◁think▷",
)
_THOUGHT = re.compile(
    r"</think>|</thinking>|\[/THINK\]|<\|channel\|>final<\|message\|>|<\|END_THINKING\|>|◁/think▷"
)
_FENCED = re.compile(r"```(?:json)?(.*?)```", re.DOTALL)


class OffSchema(Unusable):
    """A reply that its schema does not allow: the server did not enforce the schema."""


def schema_of(request: Request, lengths: bool, *, steady: bool = False) -> Schema | None:
    """The JSON schema for the answer to a request, or its tools; None for free text.

    lengths: keep limits on lengths and values. steady: leave out long lists of permitted values,
    which change from question to question. `read_answer` checks both in any case.
    """
    if request.tools:
        return tools_schema(request.tools)
    if request.shape is not None:
        portable = _schema_of_shape(request.shape, lengths)
        if request.choices:
            portable = _restricted(portable, request.choices)
        return _without_long_lists(portable) if steady else portable
    if request.permitted:
        schema = _closed({"choice": {"type": "string", "enum": list(request.permitted)}})
        return _without_long_lists(schema) if steady else schema
    return None


@lru_cache(maxsize=256)
def _schema_of_shape(shape: type[BaseModel], lengths: bool) -> Schema:
    portable: Schema = _portable(shape.model_json_schema(), lengths)
    return portable


def _restricted(schema: Schema, choices: Mapping[str, Sequence[str]]) -> Schema:
    """A copy of a schema in which fields permit only these texts."""
    definitions = dict(schema.get("$defs", {}))
    for field, texts in choices.items():
        permitted = {"type": "string", "enum": list(texts)}
        schema = _with_field(schema, field.split("."), permitted, definitions)
    return {**schema, "$defs": definitions} if definitions else schema


def _with_field(
    schema: Schema, path: list[str], permitted: Schema, definitions: dict[str, Schema]
) -> Schema:
    """A schema in which `permitted` replaces the field at a path, if it has that field."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        definitions[name] = _with_field(definitions[name], path, permitted, definitions)
        return schema
    if "anyOf" in schema:
        kinds = [_with_field(each, path, permitted, definitions) for each in schema["anyOf"]]
        return {**schema, "anyOf": kinds}
    fields = schema.get("properties", {})
    first, *rest = path
    if first not in fields:
        return schema
    inner = _with_field(fields[first], rest, permitted, definitions) if rest else permitted
    return {**schema, "properties": {**fields, first: inner}}


def described(schema: Schema) -> str:
    """A schema as a paragraph, for an endpoint without schemas."""
    return (
        "Answer with one JSON object and nothing else, without code fences. "
        f"It must satisfy this JSON schema: {json.dumps(schema, ensure_ascii=False)}"
    )


def read_answer(request: Request, text: str) -> Any:
    """The answer in a reply to a request. Raises Unusable."""
    if request.tools:
        return _tool_reply(text)
    whole, text = text, split_reasoning(text)[1].strip()
    if not text:
        raise Unusable("The reply was empty.")
    if request.shape is not None:
        instance = _instance(request.shape, _json(whole, text))
        for name, texts in request.choices.items():
            said = _said(instance, name)
            if said is not None and said not in texts:
                _judge(request, name, str(said), texts)
        return instance if request.parse is None else request.parse(instance)
    if request.permitted:
        return _choice(request.permitted, whole, text)
    return text if request.parse is None else request.parse(text)


def _tool_reply(text: str) -> ToolReply:
    try:
        reply = read_tool_reply(text)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Unusable("The calls in the reply cannot be read.") from None
    if not reply.calls and not split_reasoning(reply.text)[1].strip():
        raise Unusable("The reply was empty.")
    return reply


def _judge(request: Request, field: str, said: str, texts: Sequence[str]) -> None:
    """Raise OffSchema for a text that is not permitted, unless the request accepts it."""
    if request.judge is None:
        raise OffSchema(_not_offered(field, said, texts))
    refusal = request.judge(said)
    if refusal is not None:
        raise OffSchema(f'"{said[:QUOTED]}"{REFUSED_BY_JUDGE}{refusal}')


def _said(instance: BaseModel, field: str) -> Any:
    """The value of a field such as "decision.act"; None where the part lacks it."""
    said: Any = instance
    for name in field.split("."):
        said = getattr(said, name, None)
    return said


def split_reasoning(text: str) -> tuple[str, str]:
    """The thoughts of a reply, tags included, and its answer.

    Some servers leave out the opening tag, which is part of their prompt. A reply that was cut off
    may lack the closing one.
    """
    closing = _THOUGHT.search(text)
    if closing is not None:
        return text[: closing.end()], text[closing.end() :]
    return (text, "") if text.lstrip().startswith(_THINKING) else ("", text)


def again(request: Request, reply: str, problem: str) -> list[Message]:
    """The messages after an unusable reply: the reply, and why to answer again."""
    reply = spoken(reply) if request.tools else reply
    return [
        {"role": "assistant", "content": reply[:SENT_BACK] or "(nothing)"},
        {"role": "user", "content": f"That cannot be used. {problem} Answer again."},
    ]


def _choice(permitted: Sequence[str], whole: str, text: str) -> str:
    if text in permitted:  # the schema was ignored, but the answer is plain
        return text
    data = _json(whole, text)
    said = data.get("choice") if isinstance(data, dict) else None
    if not isinstance(said, str):
        raise OffSchema('The reply has no text under "choice".')
    if said not in permitted:
        raise OffSchema(_not_offered("choice", said, permitted))
    return said


def _instance(shape: type[BaseModel], data: Any) -> BaseModel:
    from pydantic import ValidationError

    try:
        return shape.model_validate(data)
    except ValidationError as error:
        off = error.errors()[0]["type"] in ("literal_error", "enum", "missing")
        raise (OffSchema if off else Unusable)(_in_words(error)) from None


def _in_words(error: ValidationError) -> str:
    """The first error, without the list of permitted values."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "the answer"
    if first["type"] == "literal_error":
        permitted = re.findall(
            r"'((?:[^'\\]|\\.)*)'", str(first.get("ctx", {}).get("expected", ""))
        )
        return _not_offered(where, str(first["input"]), permitted)
    if first["type"] == "missing":
        return f'The reply lacks "{where}".'
    return f'"{where}" is wrong: {first["msg"]}.'


def _not_offered(where: str, said: str, permitted: Sequence[str]) -> str:
    near = difflib.get_close_matches(said, permitted, n=3, cutoff=0.5)
    hint = f" Near to it: {'; '.join(near)}." if near else ""
    return f'"{where}" is "{said[:QUOTED]}", which is not one of the options.{hint}'


def _json(whole: str, text: str) -> Any:
    """The JSON in a reply: the whole of it, or its code fence, or its outermost braces.

    text: the reply without thoughts. What seems to end them may stand in a text of the JSON.
    """
    fence = _FENCED.search(text)
    start, end = text.find("{"), text.rfind("}")
    for part in (
        whole,
        text,
        fence.group(1) if fence else "",
        text[start : end + 1] if start >= 0 else "",
    ):
        try:
            return well_formed_data(json_data(part))  # it may spell out surrogates again
        except ValueError:
            continue
    raise OffSchema("The reply is not JSON.")


def _closed(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _without_long_lists(schema: Any) -> Any:
    """A schema without lists of more than a few permitted values."""
    if isinstance(schema, list):
        return [_without_long_lists(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    long = len(schema.get("enum", ())) > _FEW
    return {
        key: _without_long_lists(part)
        for key, part in schema.items()
        if not (long and key == "enum")
    }


def _portable(schema: Any, lengths: bool) -> Any:
    """A schema for strict endpoints: every property required, no other allowed, no prose."""
    if isinstance(schema, list):
        return [_portable(part, lengths) for part in schema]
    if not isinstance(schema, dict):
        return schema
    drop = _PROSE if lengths else (*_PROSE, *_LENGTHS)
    kept: Schema = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            kept[key] = {name: _portable(part, lengths) for name, part in value.items()}
        elif key == "enum" or key == "const":
            kept[key] = value
        elif key == "oneOf":  # strict endpoints know no other union
            kept["anyOf"] = _portable(value, lengths)
        elif key not in drop:
            kept[key] = _portable(value, lengths)
    if kept.get("type") == "object" and "properties" in kept:
        kept["required"] = list(kept["properties"])
        kept["additionalProperties"] = False
    return kept


# --- text that can be written as UTF-8 -----------------------------------------------------------


def well_formed(text: str) -> str:
    """The text with U+FFFD in place of every lone surrogate; a pair becomes its character.

    The same as `String.prototype.toWellFormed` of ECMAScript 2024.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def well_formed_data(data: Any) -> Any:
    """JSON data with all its texts, keys included, well formed."""
    if isinstance(data, str):
        return well_formed(data)
    if isinstance(data, dict):
        return {well_formed_data(key): well_formed_data(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [well_formed_data(part) for part in data]
    return data
