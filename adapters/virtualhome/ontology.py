"""VirtualHome's terms in ours, for both of its ontologies.

v1, the RobotHow graphs, spells `kitchen_counter` and `dining_room`; v2, the Unity scenes, spells
`kitchencounter` and `livingroom`. Tables of words are in `ontology.yaml`.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from ...data_files import read_yaml
from ...scene_graph.node import Affordance, Kind, State

_DATA: dict[str, Any] = read_yaml(Path(__file__).with_name("ontology.yaml"))
#: Our state for each of theirs.
STATES = {name: State[name] for name in _DATA["states"].split()}

#: All properties of nodes.
PROPERTIES = frozenset(_DATA["properties"].split())

#: All relations between nodes.
RELATIONS = frozenset(_DATA["relations"].split())
#: All categories of nodes.
CATEGORIES = frozenset(_DATA["categories"].split())

# --- which nodes, of which kind ------------------------------------------------------------------

#: Categories of the building and its decoration.
_BUILDING = frozenset(_DATA["building"].split())
#: Classes that are parts of furniture or of the building, in any category.
_PARTS = frozenset(_DATA["parts"].split())
#: Properties for which a part of the building is kept.
_USEFUL = frozenset({"CONTAINERS", "HAS_SWITCH"})
#: Classes that the simulator grabs although they are not GRABBABLE.
_POTS = frozenset({"pot", "cooking pot"})
_TAKEN = frozenset({"water", "child"})


def kind_of(class_name: str, category: str, properties: Collection[str]) -> Kind | None:
    """The kind of a node, or None for one that is left out.

    Left out are the building and its decoration (floors, walls, doors, windows, curtains …), except
    things that can be grabbed, switched or filled. Objects are things that can be grabbed, as in
    the simulator (chairs, mats and towel racks too), other food, and parts of the body.
    """
    if category == "Rooms":
        return Kind.ROOM
    if category == "Characters" or class_name == "character":
        return Kind.AGENT
    if is_body_part(properties):
        return Kind.OBJECT
    if "GRABBABLE" in properties or "EATABLE" in properties or class_name in _TAKEN:
        return Kind.OBJECT
    if (category in _BUILDING or class_name in _PARTS) and _USEFUL.isdisjoint(properties):
        return None
    return Kind.FIXTURE


def is_body_part(properties: Collection[str]) -> bool:
    """Whether a node is a part of the character's body: hands, a face, hair."""
    return "BODY_PART" in properties


# --- states and affordances ----------------------------------------------------------------------


def states_of(class_name: str, properties: Collection[str], states: Collection[str]) -> set[State]:
    """Our states of a node.

    Open and closed count only if the simulator can change them: the graphs mark counters without
    doors as closed.
    """
    ours = {STATES[state] for state in states}
    if not _opens(class_name, properties):
        ours -= {State.OPEN, State.CLOSED}
    return ours


def affordances_of(
    class_name: str, properties: Collection[str], states: set[State]
) -> set[Affordance]:
    """The affordances of a node. states: from `states_of`.

    They follow from the properties and from the classes in the simulator's executors, except:

    - A door, switch or plug without a state cannot be used in the simulator, and is ignored.
    - A pot that opens is a container, since some of RobotHow's have contents. It is one even if
      empty: otherwise a closed one would reveal its contents.
    - A built-in appliance that opens has a surface, as RobotHow's goals require. So have books (for
      bookmarks) and laundry baskets, which its programs use without the property SURFACES.
    """
    name = english(class_name)
    given = (_GIVEN[each] for each in properties if each in _GIVEN)
    affordances = set(_NAMED.get(name, ())).union(*given)
    if class_name in _TAKEN or ("GRABBABLE" in properties and not is_body_part(properties)):
        affordances.add(Affordance.GRASPABLE)
        if not {"DRINKABLE", "RECIPIENT"}.isdisjoint(properties):
            affordances.add(Affordance.DRINKABLE)
    if _opens(class_name, properties) and not states.isdisjoint({State.OPEN, State.CLOSED}):
        affordances.add(Affordance.OPENABLE)
    if "HAS_SWITCH" in properties and not states.isdisjoint({State.ON, State.OFF}):
        affordances.add(Affordance.SWITCHABLE)
    if "HAS_PLUG" in properties and not states.isdisjoint({State.PLUGGED_IN, State.PLUGGED_OUT}):
        affordances.add(Affordance.PLUGGABLE)
    if "CAN_OPEN" in properties and name in _POTS:
        affordances.add(Affordance.CONTAINER)
    if _has_top(properties):
        affordances.add(Affordance.SURFACE)
    if "CUTTABLE" in properties and "EATABLE" in properties:
        affordances.add(Affordance.SLICEABLE)
    if name.split()[-1] == "knife":
        affordances.add(Affordance.CUTS)
    return affordances


def _affordances(table: dict[str, str]) -> dict[str, frozenset[Affordance]]:
    return {key: frozenset(map(Affordance, words.split())) for key, words in table.items()}


#: Our affordances for each property, and for classes by their English names.
_GIVEN, _NAMED = _affordances(_DATA["given"]), _affordances(_DATA["named"])


def _opens(class_name: str, properties: Collection[str]) -> bool:
    # The simulator also opens desks, which lack CAN_OPEN.
    return "CAN_OPEN" in properties or class_name == "desk"


def _has_top(properties: Collection[str]) -> bool:
    """Whether it is a built-in appliance that opens, or a book."""
    if "CAN_OPEN" not in properties:
        return False
    built_in = {"CONTAINERS", "HAS_SWITCH"} <= set(properties) and "GRABBABLE" not in properties
    return built_in or "READABLE" in properties


# --- names ---------------------------------------------------------------------------------------

#: Irregular names, by class name without separators. For Unity scenes they are ReAcTree's names.
_NAMES: dict[str, str] = _DATA["names"]
#: First words that only name the sort of a thing.
_SORTS = frozenset(_DATA["sorts"].split())
#: Words in joined class names.
_WORDS = frozenset(_DATA["words"].split())


@cache
def english(class_name: str) -> str:
    """A class name as English in lower case, equal for both spellings of "kitchen counter".

    A first word that only names the sort is dropped ("food_apple", "clothes_pants"). A name with
    unknown words is left as it is.
    """
    parts = class_name.lower().replace("-", "_").replace(" ", "_").split("_")
    glued = "".join(parts)
    if glued in _NAMES:
        return _NAMES[glued]
    words = _split(glued) or parts
    if len(words) > 1 and words[0] in _SORTS:
        words = words[1:]
    return " ".join(words)


def _split(name: str) -> list[str] | None:
    """A name as the fewest known words; None if other letters remain."""
    if name in _WORDS:
        return [name]
    best: list[str] | None = None
    for end in range(2, len(name) - 1):
        if name[:end] in _WORDS:
            rest = _split(name[end:])
            if rest is not None and (best is None or 1 + len(rest) < len(best)):
                best = [name[:end], *rest]
    return best
