"""Answers to step-by-step planners: the next action in the format of each.

For `react`, `chat_tools`, `reflexion`, `inner_monologue`, `progprompt` and `llm_state`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from .... import plugins
from ....observation_text.dialect import Dialect
from ....observation_text.dialects.llm_state.grammar import stem
from ....observation_text.dialects.reactree.grammar import CATEGORIES, PUBLISHED
from ....observation_text.names import Named
from ..asked import Asked, WrittenChoice, as_text
from ..home.memory import DONE, GIVE_UP, Choice, HouseSituation, memory_of, put_at
from ..home.policy import next_choice
from ..table import category, terms_of

_COMPACT = "compact"
#: A name in `compact`, "fridge1", and in other dialects, "fridge 1".
_JOINED = re.compile(r"(?<=[^\d\s])(?=\d+(?!\w))")
_SPACED = re.compile(r"(?<=\S) (?=\d+(?!\w))")
#: The last choice where all seems done but is not.
_IDLE = ("look around", "wait")


def dialect_of(asked: Asked) -> Dialect:
    """The dialect of the episode."""
    found = plugins.load("dialect", asked.episode["dialect"])
    assert isinstance(found, Dialect)
    return found


def called(name: str, dialect: Dialect) -> str:
    """A name in the dialect: "SinkBasin (1)" for "sink basin 1"."""
    kind, _, number = name.rpartition(" ")
    return dialect.called(Named(kind, int(number)))


def situation_of(asked: Asked, menu: Mapping[str, str] | None = None) -> HouseSituation:
    """The situation of the account. menu: actions on offer; None for those of the account."""
    on_offer = frozenset(asked.episode["menu"] if menu is None else menu)
    return HouseSituation(memory_of(asked.episode), on_offer, asked.episode["instruction"])


def next_step(asked: Asked, menu: Mapping[str, str]) -> Choice:
    """The next action, in the words of the menu."""
    thinks_of_rest = asked.episode["dialect"] == _COMPACT
    situation = situation_of(asked, menu)
    choice = next_choice(situation, asked.meanings, thinks_of_rest=thinks_of_rest)
    thought = _compact(choice.thought) if thinks_of_rest else choice.thought
    return Choice(thought, menu.get(choice.action, choice.action))


def _menu(asked: Asked) -> dict[str, str]:
    """The actions on offer, with their texts.

    Walks to other rooms are included where the planner allows them.
    """
    menu, allowed = asked.episode["menu"], asked.choices.get("action")
    if allowed is None:
        return dict(menu)
    texts = set(allowed)
    found = {action: text for action, text in menu.items() if text in texts}
    for text in texts.difference(menu.values()) if asked.episode["dialect"] == _COMPACT else ():
        walk = _JOINED.sub(" ", text)
        name, _, number = walk.removeprefix("go to ").rpartition(" ")
        if walk.startswith("go to "):
            found[f"go to {CATEGORIES.get(name.lower(), name)} {number}"] = text
    return found


def _compact(thought: str) -> str:
    """A thought with the names of `compact`."""
    for kind, published in PUBLISHED.items():
        thought = re.sub(rf"\b{kind}(?= \d)", published, thought)
    return _SPACED.sub("", thought)


def _offered(asked: Asked) -> dict[str, str]:
    """The actions on offer for which the planner has a function."""
    functions = asked.about.get("functions")
    menu = asked.episode["menu"]
    if functions is None:
        return dict(menu)
    return {action: text for action, text in menu.items() if text.partition("(")[0] in functions}


# --- react, chat_tools, reflexion, inner_monologue ------------------------------------------------


def turn(asked: Asked) -> WrittenChoice:
    """An action, with a thought if the planner asks for one."""
    menu = _menu(asked) if "action" in asked.choices else _offered(asked)
    thinks = "thought" in asked.schema.get("properties", {"thought": {}})
    permitted = asked.choices.get("action")

    def write(choice: Choice) -> str:
        said = {"thought": choice.thought} if thinks else {}
        return json.dumps({**said, "action": choice.action}, ensure_ascii=False)

    return WrittenChoice(next_step(asked, menu), write, permitted)


def tool_calls(asked: Asked) -> WrittenChoice:
    """A call of a tool, with a thought beside it."""

    def write(choice: Choice) -> str:
        name = {DONE: "done", GIVE_UP: "give_up"}.get(choice.action, "act")
        arguments = {"action": choice.action} if name == "act" else {}
        call = {"name": name, "arguments": arguments}
        return json.dumps({"content": choice.thought, "tool_calls": [call]}, ensure_ascii=False)

    return WrittenChoice(next_step(asked, asked.episode["menu"]), write)


def reflection(asked: Asked) -> WrittenChoice:
    """A reflection on failed attempts."""
    failed = [action for action, why, _ in asked.episode["log"] if why][-3:]
    in_vain = "; ".join(dict.fromkeys(failed)) or "nothing"
    return as_text(f"I tried in vain: {in_vain}. I look elsewhere and do the rest of the task.")


def monologue(asked: Asked) -> WrittenChoice:
    """A thought and an action in two lines."""
    choice = next_step(asked, _offered(asked))
    action = DONE if choice.action == GIVE_UP else choice.action
    return WrittenChoice(
        Choice(choice.thought, action),
        lambda c: f"Robot thought: {c.thought}\nRobot action: {c.action}",
    )


# --- progprompt ----------------------------------------------------------------------------------


def program(asked: Asked) -> WrittenChoice:
    """A program of the next action. Before opening a thing, it asserts that it is not open.

    functions: the wording of each function, by its number of arguments.
    """
    functions: Mapping[str, Mapping[str, str]] = asked.about["functions"]
    calls = {}
    dialect = dialect_of(asked)
    for action, text in asked.episode["menu"].items():
        thing, place = put_at(action)
        if place is not None:  # a program names the place
            how = action.removeprefix(f"put down {thing} ").removesuffix(f" {place}")
            text = f"put down {called(thing, dialect)} {how} {called(place, dialect)}"
            text = text if _call(text, functions) else asked.episode["menu"][action]
        call = _call(text, functions)
        if call is not None:
            calls[action] = call
    choice = next_step(asked, calls)
    line = choice.action
    if line in (DONE, GIVE_UP):
        idle = [calls[action] for action in _IDLE if action in calls]
        line = f"{DONE}()" if asked.about["may_end"] else [*idle, "pass"][0]
    opened = re.fullmatch(r"open\((.*)\)", line)
    if opened is not None:
        line = f"assert({opened[1]} is 'opened')\n    else: {line}"
    return as_text(f"# {choice.thought}\n{line}")


def _call(text: str, functions: Mapping[str, Mapping[str, str]]) -> str | None:
    """An action of the menu as a call; None where there is no function for it."""
    for name in sorted(functions, key=len, reverse=True):
        for wording in functions[name].values():
            said = re.escape(wording).replace(re.escape("{}"), "(.+?)")
            found = re.fullmatch(said, text)
            if found is not None:
                return f"{name}({', '.join(map(repr, found.groups()))})"
    return None


def assertion(asked: Asked) -> WrittenChoice:
    """Whether a thing is open, as far as is known."""
    names = {_joined(name): name for name in asked.episode["things"]}
    found = re.search(r"'(.*)' is 'opened'", asked.about["condition"])
    name = "" if found is None else names.get(_joined(found[1]), "")
    holds = found is None or memory_of(asked.episode).state(name, "open") is True
    return as_text(json.dumps({"choice": str(holds)}))


def _joined(name: str) -> str:
    """ "coffeetable2" for "coffee table 2"."""
    kind, _, number = name.rpartition(" ")
    return f"{stem(kind)}{number}"


# --- llm_state -----------------------------------------------------------------------------------


def attention(asked: Asked) -> WrittenChoice:
    """Add the things of the task."""
    terms = terms_of([required for meaning in asked.meanings for required in meaning])
    wanted = {kind for term in terms for kind in term.categories}
    names = [*asked.episode["things"], *asked.episode["held"]]
    named = [_joined(name) for name in names if category(name) in wanted]
    new = [name for name in named if name not in asked.about["tracked"]]
    return as_text("\n".join(f'add_related_objects("{name}")' for name in new) or "nothing")


def estimate(asked: Asked) -> WrittenChoice:
    """Describe the states of things and the outcomes of actions."""
    about, log = asked.about, asked.episode["log"]
    known = {_joined(name): data["states"] for name, data in asked.episode["things"].items()}
    known |= {_joined(name): ["in_hand"] for name in asked.episode["held"]}
    calls = []
    if "update_reasoning" in about["functions"]:
        failed = sum(bool(why) for _, why, _ in log)
        calls.append(f'update_reasoning("{failed} of {len(log)} actions failed.")')
    for name in about["tracked"] if "update_state" in about["functions"] else ():
        if known.get(name):
            calls.append(f'update_state("{name}", "{" | ".join(known[name])}")')
    return as_text("\n".join(calls) or "nothing")


def listed_plan(asked: Asked) -> WrittenChoice:
    """A plan of the next action, as a numbered call."""
    menu = _offered(asked)
    choice = next_step(asked, menu)
    call = choice.action
    if call in (DONE, GIVE_UP):
        idle = [menu[action] for action in _IDLE if action in menu] or list(menu.values())
        call = f"{DONE}()" if DONE in asked.about["functions"] else idle[0]
    return as_text(f"Low-level Action Plan:\n1. {call}")
