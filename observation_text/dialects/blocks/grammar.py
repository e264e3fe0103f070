"""The actions of the dialect `blocks` as text: pick(cubeA), place(0.5, 0.1, 0.025, 1, 0, 0, 0) …

    pick(BLOCK)             grasp a block and lift it
    place(POSE)             bring the end effector to a pose and open the gripper;
    place(BLOCK, POSE)      the same, with the name of the block that is held
    reach(POSE)             bring the end effector to a pose
    reset()                 bring the arm back to where it began
    wait(SECONDS)           do nothing; wait() is a second

A pose is seven numbers, x y z in m and a quaternion x y z w; six for arms that take Euler angles.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container

from ....skills.actions import Action, Verb, pick_up, place, reach, reset, wait
from ...dialect import Refusal
from ...names import Names

#: The names of the calls, in order.
CALLS = {
    "pick": Verb.PICK_UP,
    "place": Verb.PLACE,
    "reach": Verb.REACH,
    "reset": Verb.RESET,
    "wait": Verb.WAIT,
}
_WORDS = {verb: name for name, verb in CALLS.items()}
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(([^()]*)\)")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_UNSEEN = "There is no such block; name one of an observation, such as cubeA."


def label(names: Names, node_id: int) -> str:
    """A block's name: its category and a letter, "cubeA"."""
    category, number = names.number(node_id)
    return f"{category}{_letters(number)}"


def word(names: Names, action: Action) -> str:
    """The text of an action, which `parse` reads."""
    arguments = ""
    if action.verb is Verb.PICK_UP and action.target is not None:
        arguments = label(names, action.target)
    elif action.pose is not None:
        arguments = ", ".join(map(_number, action.pose))
    elif action.seconds is not None:
        arguments = _number(action.seconds)
    return f"{_WORDS.get(action.verb, action.verb)}({arguments})"


def parse(
    text: str, names: Names, perceived: Container[int], numbers: int, held: int | None
) -> Action:
    """The action of a text, read strictly. numbers: the length of a pose. Raises Refusal."""
    call = _CALL.fullmatch(text.strip())
    if call is None:
        raise Refusal(
            "That is no action; write one call, such as pick(cubeA), "
            f"{_example('place', numbers)}, reset() or wait(1)."
        )
    name, inside = call.group(1).lower(), call.group(2).strip()
    if name not in CALLS:
        raise Refusal(f"There is no such action; the actions are {', '.join(CALLS)}.")
    arguments = [part.strip() for part in inside.split(",")] if inside else []
    if name == "reset":
        if arguments:
            raise Refusal("reset takes nothing; write reset().")
        return reset()
    if name == "wait":
        return _wait(arguments)
    if name == "pick":
        if len(arguments) != 1:
            raise Refusal("pick takes one block; write pick(cubeA).")
        return pick_up(_block(arguments[0], names, perceived))
    if name == "place" and arguments and not _is_number(arguments[0]):
        named = _block(arguments.pop(0), names, perceived)
        if held is not None and named != held:
            raise Refusal(
                f"The gripper holds {label(names, held)}, so only that can be placed; "
                f"pick the other block first."
            )
    return (reach if name == "reach" else place)(_pose(name, arguments, numbers))


def _wait(arguments: list[str]) -> Action:
    if not arguments:
        return wait(1.0)
    if len(arguments) != 1 or not _is_number(arguments[0]) or float(arguments[0]) < 0:
        raise Refusal("wait takes seconds, a number from 0; write wait(5).")
    return wait(float(arguments[0]))


def _pose(name: str, arguments: list[str], numbers: int) -> tuple[float, ...]:
    for argument in arguments:
        if not _is_number(argument):
            raise Refusal(
                f"A pose is written in plain finite numbers, separated by commas; write "
                f"{_example(name, numbers)}."
            )
    if len(arguments) != numbers:
        form = "x y z and a quaternion x y z w" if numbers == 7 else "x y z and three Euler angles"
        raise Refusal(
            f"A pose has {numbers} numbers here ({form}), but this one has {len(arguments)}; "
            f"write {_example(name, numbers)}."
        )
    return tuple(float(argument) for argument in arguments)


def _example(name: str, numbers: int) -> str:
    turned = "1, 0, 0, 0" if numbers == 7 else "3.14, 0, 0"
    return f"{name}(0.5, 0.1, 0.025, {turned})"


def _block(text: str, names: Names, perceived: Container[int]) -> int:
    match = re.fullmatch(r"['\"]?([A-Za-z]+)([A-Za-z])['\"]?", text, re.ASCII)
    if match is None:
        raise Refusal(_UNSEEN)
    number = ord(match.group(2).upper()) - ord("A") + 1
    block = names.find(match.group(1).lower(), number)
    if block is None or block not in perceived:
        raise Refusal(_UNSEEN)
    return block


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def _number(number: float) -> str:
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def _letters(number: int) -> str:
    """A to Z, then numbers, which `parse` does not read."""
    return chr(ord("A") + number - 1) if number <= 26 else f"_{number}"
