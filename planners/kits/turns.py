"""A turn: a thought and an action in one reply; the action is one on the menu.

The system prompt has the rules of the body and in-context examples, in the episode's dialect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Annotated, Any

from pydantic import Field, create_model

from ...models.contract import Message
from ...observation_text.view import View
from ...skills.actions import GAME_ONLY_VERBS, Verb
from ..contract import Act, Brief, Decision, Done, Internal, Percept
from .memory.working import RECALL
from .prompting.body import body_values, free_hand
from .prompting.conversation import cut_to
from .prompting.menus import MenuForm
from .prompting.offers import dialect_of
from .prompting.templates import Templates

#: The actions that end an episode.
DONE, GIVE_UP = "done", "give up"
_PROMPTS = Templates(__file__)
#: A thought in an example.
_THOUGHT = re.compile(r'"thought": "(?:[^"\\]|\\.)*", (?="action")')
#: Added to an observation where an action succeeded and the view is the same.
UNCHANGED = "Nothing that you see has changed."


def reply_of(thought: str | None, action: str) -> str:
    """A turn as the model's reply. thought: None for a turn without one."""
    said = {"action": action} if thought is None else {"thought": thought, "action": action}
    return json.dumps(said, ensure_ascii=False)


def recall_action(thing: str) -> str:
    """The action that recalls the last seen places of a kind of thing."""
    return f"{RECALL} {thing}"


def observation_of(percept: Percept, before: View) -> str:
    """The observation after a step, for the model."""
    if percept.feedback is not None:
        return percept.feedback
    done = percept.outcome is not None and percept.outcome.success
    return f"{percept.text} {UNCHANGED}" if done and percept.view == before else percept.text


@cache
def turn_shape(length: int | None) -> Any:
    """The shape of a turn. length: of a thought; None for no thought."""
    if length is None:
        return create_model("Turn", action=(str, ...))
    text: Any = Annotated[str, cut_to(length), Field(max_length=length)]
    return create_model("Turn", thought=(text, ...), action=(str, ...))


def system_prompt(
    brief: Brief,
    form: MenuForm,
    *,
    domain: bool = False,
    recall: str | None = None,
    examples: Sequence[str] = (),
    thoughts: bool = True,
) -> str:
    """The rules of this body, and examples in the episode's dialect.

    domain: describe the domain, too. recall: the beginning of actions that recall things. examples:
    replace the fixed ones. thoughts: whether they come before actions.
    """
    body = brief.embodiment
    text = _PROMPTS.render(
        brief.dialect,
        done=DONE,
        give_up=GIVE_UP,
        forms="; ".join(brief.forms),
        menu=str(form),
        whole=dialect_of(brief).lists_whole_menu,
        steps=brief.budgets.steps,
        recall=recall,
        examples=examples,
        **body_values(brief),
        free_hand_to_open=Verb.OPEN in body.needs_free_hand,
        approaches=body.approaches,
        thoughts=thoughts,
        domain=domain,
        game=bool(brief.actions & GAME_ONLY_VERBS),
    )
    if not thoughts:
        text = _THOUGHT.sub("", text)
    return f"{domain_in_words(brief)}\n\n{text}" if domain else text


def domain_in_words(brief: Brief) -> str:
    """The domain in words, for models that others leave to learn it by trial.

    As for ReAct* and Reflexion* of Tru-POMDP (2025), appendix A.6.
    """
    return _PROMPTS.render("domain", **domain_values(brief))


def domain_values(brief: Brief) -> dict[str, Any]:
    """The values of templates that describe the domain."""
    travel = brief.rules.rewards.travel
    return {
        "verbs": [str(verb) for verb in Verb if verb in brief.actions],
        "body": brief.embodiment,
        "free_hand": free_hand(brief.embodiment, brief.actions),
        "steps": brief.budgets.steps,
        "rules": brief.rules,
        "ways": [worth for ends in travel.values() for worth in ends.values()],
    }


def example_text(first: str, turns: Iterable[tuple[Decision, str]]) -> str:
    """An episode as an example in a prompt: the first message, then decisions and observations."""
    lines = [first]
    for decision, answer in turns:
        match decision:
            case Act(action=str(action), thought=thought):
                lines += [reply_of(thought, action), answer]
            case Internal(name="recall", text=thing, data=data):
                lines += [reply_of(data["thought"], recall_action(thing)), data["answer"]]
            case Done(reason=thought):
                lines += [reply_of(thought, DONE), *([answer] if answer else [])]
    return "\n".join(lines)


# --- recent turns alone ---------------------------------------------------------------------------


_WALK = re.compile(r'"action": "go to ')
_PUTTING = re.compile(r'"action": "put down ')
#: The number of messages before the first turn: the system prompt, and the task with the first
#: observation below it.
_BEFORE_TURNS = 2


def with_recent_turns(messages: Sequence[Message], turns: int) -> list[Message]:
    """Start a new conversation every `turns` turns, keeping the task and the last put-down.

    For a small model: its input stays as short as in training, however long the episode. The new
    conversation starts at the next walk. The last turn with a put-down stays, since in some
    dialects its observation lists everything put down so far.

    messages: a system prompt, the task, then replies and observations. A conversation that was
    shortened before is returned unchanged. turns: at least 1, counted from the last such walk.
    """
    system, first = messages[:_BEFORE_TURNS]
    task, _, seen = str(first["content"]).partition("\n")
    if not seen:
        return list(messages)
    rest = messages[_BEFORE_TURNS:]
    start, put = 0, None
    latest = None
    for turn, reply in enumerate(rest[::2]):
        said = str(reply["content"])
        if turn - start >= turns and _WALK.search(said):
            start, put = turn, latest
        if _PUTTING.search(said):
            latest = turn
    if not start:
        return list(messages)
    kept = [] if put is None else rest[2 * put : 2 * put + 2]
    return [system, {**first, "content": task}, *kept, *rest[2 * start :]]
