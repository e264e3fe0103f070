"""The words of drawn games: a grammar in the form that ALFWorld's game files have.

The commands and the texts after them are those that agents of ALFWorld know.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from ...data_files import json_line

_AT = "atlocation(a:agent, l:location) & receptacleatlocation(r:receptacle, l:location)"
_BESIDE = (
    "atlocation(a:agent, l:location) & objectatlocation(o:object, l:location) & "
    "receptacleatlocation(r:receptacle, l:location) & not_inreceptacle(o:object, r:receptacle)"
)
_INSIDE = "[{o.indefinite + ' ' + o.name | inreceptacle(o:object, r:receptacle)}]"
_WITHIN = "[{o2.indefinite + ' ' + o2.name | inreceptacleobject(o2:object, o:object)}]"
_CARRIED = "[{o.indefinite + ' ' + o.name | holds(a:agent, o:object)}]"
#: What a put is called before ALFWorld 0.4, and since: the command, and the text after it.
PUTS = {
    "put": ("put {o} in/on {r}", "You put the {o.name} in/on the {r.name}."),
    "move": ("move {o} to {r}", "You move the {o.name} to the {r.name}."),
}
#: The command of each action of the domain, and the text after it.
_ACTIONS = {
    "look": ("look", "#around#"),
    "inventory": ("inventory", "#carried#"),
    "GotoLocation": (
        "go to [{r.name | receptacleatlocation(r:receptacle, lend:location)}]",
        "You arrive at {r.name}. #contents#",
    ),
    "OpenObject": ("open {r}", "You open the {r.name}. #contents#"),
    "CloseObject": ("close {r}", "You close the {r.name}."),
    "PickupObject": ("take {o} from {r}", "You pick up the {o.name} from the {r.name}."),
    "examineReceptacle": ("examine {r}", "#contents#"),
    "examineObject": ("examine {o}", "#state#"),
    "ToggleObject": ("use {o}", "You turn on the {o.name}."),  # nothing turns it off
    "HeatObject": ("heat {o} with {r}", "You heat the {o.name} using the {r.name}."),
    "CleanObject": ("clean {o} with {r}", "You clean the {o.name} using the {r.name}."),
    "CoolObject": ("cool {o} with {r}", "You cool the {o.name} using the {r.name}."),
    "SliceObject": ("slice {co} with {ko}", "You sliced the {co.name} with the {ko.name}."),
}
#: The cases of each rule: a condition, "" for always, and the text; the first that holds is used.
_RULES = {
    "intro": [("", "-= Welcome to TextWorld, ALFRED! =-\n\n#around#\n\n#task#")],
    "around": [
        (_AT, f"You are facing the [{{r.name | {_AT}}}]. Next to it, you see #beside#."),
        ("", "You are in the middle of a room. Looking quickly around you, you see #places#."),
    ],
    "beside": [(_BESIDE, f"[{{#thing# | {_BESIDE}}}]"), ("", "nothing")],
    "places": [("", "[{#place# | receptacleatlocation(r:receptacle, l:location)}]")],
    "thing": [("", "{o.indefinite} {o.name}")],
    "place": [("", "{r.indefinite} {r.name}")],
    "carried": [
        ("holdsany(a:agent)", f"You are carrying: {_CARRIED}."),
        ("", "You are not carrying anything."),
    ],
    "contents": [
        (
            "openable(r:receptacle) & opened(r:receptacle)",
            f"The {{r.name}} is open. In it, you see {_INSIDE}.",
        ),
        ("openable(r:receptacle)", "The {r.name} is closed."),
        ("", f"On the {{r.name}}, you see {_INSIDE}."),
    ],
    "list_empty": [("", "nothing")],
    "list_separator": [("", ", ")],
    "list_last_separator": [("", ", and ")],
}


def grammar(task: str, put: str) -> str:
    """The grammar of a drawn game. task: what it says to do. put: a key of `PUTS`."""
    actions = {**_ACTIONS, "PutObject": PUTS[put]}
    verbs = sorted(command for command, _ in actions.values() if "[" not in command)
    listed = ", ".join(["go to {r}", *verbs]).translate(str.maketrans("{}", "()"))
    actions["help"] = ("help", f"You can say: {listed}.")
    rules = {**_RULES, "task": [("", f"Your task is to: {task}.")], "state": list(_states())}
    return "\n".join([_block(rules), *(_action(name, *both) for name, both in actions.items())])


def _states() -> Iterator[tuple[str, str]]:
    """The cases of looking at a thing in the hand."""
    yield "isreceptacleobject(o:object)", f"This is a normal {{o.name}}. In it, you see {_WITHIN}."
    for sliced, clean, heat in product(("sliced", ""), ("clean", ""), ("hot", "cool", "")):
        states = [state for state in (heat, clean) if state]
        # The games say "cold" of a thing that is nothing else.
        words = "cold" if states == ["cool"] and not sliced else " and ".join(states)
        condition = " & ".join(f"is{state}(o:object)" for state in (clean, heat, sliced) if state)
        if condition:
            yield condition, f"This is a {f'{words} {sliced}'.strip()} {{o.name}}."
    yield "", "There's nothing special about {o.name}."


def _block(rules: dict[str, list[tuple[str, str]]]) -> str:
    cases = {
        name: [{"condition": when, "rhs": text} if when else {"rhs": text} for when, text in each]
        for name, each in rules.items()
    }
    return f'grammar :: """{json_line(cases)}""";\n'


def _action(name: str, command: str, told: str) -> str:
    return f'action {name} {{\n    template :: "{command}";\n    feedback :: "{told}";\n}}\n'
