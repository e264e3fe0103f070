"""The dialect `blocks`: poses and forces as vectors with explanations, actions as calls.

After Sun et al., LLM-POP (2023), section 4.1 and appendices A.1 to A.3. An observation lists the
poses of all blocks and of the end effector, the force at the wrist and the openings of the two
fingers. All poses are in the frame of the scene: m and quaternions x y z w, or roll pitch yaw in
rad for arms that take Euler angles.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from ....data_files import lines_of
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind, Node
from ....skills.actions import ARM_ONLY_VERBS, Action, Verb, pick_up, place, reach, reset, wait
from ....skills.arm.blocks.world import BLOCK
from ....skills.outcomes import Failure, Outcome, Reason
from ...dialect import Dialect, DialectState, failure_template, with_detail
from ...menu import Menu, Offers
from ...names import Names
from ...view import View
from . import grammar

#: The start of the lines about tables, which only the first observation has.
TABLE = "Table:"
_OTHER_FAILURE = "It did not work."
#: In m: the height above a block of the menu's reaches, and the distance of its places from edges.
_ABOVE, _EDGE = 0.15, 0.05


class Blocks(Dialect):
    """The dialect; its state: how many numbers a pose has, the first orientation, the held block.

    {"numbers": 7 or 6, "down": [the orientation's numbers], "held": id or None}
    """

    name = "blocks"

    def supports(self, actions: frozenset[Verb]) -> bool:
        return bool(actions & ARM_ONLY_VERBS)

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        assert view.arm is not None, "the dialect blocks is for arms"
        state = {"numbers": len(view.arm.pose), "down": list(view.arm.pose[3:]), "held": None}
        return f"{tables_text(view.graph)}{_readings_text(names, view)}", state

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        held = view.graph.held(view.graph.agent().id)
        result = (
            "Done."
            if outcome.failure is None
            else f"Failed: {_failure_text(names, outcome.failure)}"
        )
        state = {**state, "held": held[0] if held else None}
        return f"{result}\n{_readings_text(names, view)}", state

    def word(self, names: Names, action: Action) -> str:
        return grammar.word(names, action)

    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        return grammar.parse(text, names, perceived, state["numbers"], state["held"])

    def menu(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        """The menu: pick; place on other blocks and at the corners and centre of the table; reach
        above every block; reset; wait.
        """
        down, held = state["down"], state["held"]
        offers: list[Action] = []
        for block in _blocks(view.graph):
            if block.pose is None or block.id == held:
                continue
            x, y, z = block.pose.position
            if held is None:
                offers.append(pick_up(block.id))
            else:
                offers.append(place((x, y, z + BLOCK, *down)))
            offers.append(reach((x, y, z + _ABOVE, *down)))
        if held is not None:
            offers += [place((x, y, BLOCK / 2, *down)) for x, y in _menu_spots(view.graph)]
        offers += [reset(), wait(1.0)]
        offers = [_rounded(action) for action in offers if action.verb in menu.verbs]
        return [(grammar.word(names, action), action) for action in offers]


DIALECT = Blocks()


def vector_of(text: str) -> list[float]:
    """The numbers of an observation in this dialect, in the order of LLM-POP's appendix A.3.

    They are position and orientation of each block and of the end effector, the force, and the
    openings of the two fingers. Two blocks give 26 numbers, each further block 7 more.
    """
    lines = [line for line in lines_of(text) if not line.startswith(TABLE)]
    groups = re.findall(r"\[([-+.\d ]*)\]", "\n".join(lines))
    return [float(number) for group in groups for number in group.split()]


def _blocks(graph: SceneGraph) -> list[Node]:
    return sorted(graph.nodes(Kind.OBJECT), key=lambda node: node.id)


def _rounded(action: Action) -> Action:
    """An action of the menu with its pose in whole mm."""
    if action.pose is None:
        return action
    return Action(action.verb, pose=tuple(round(number, 3) for number in action.pose))


def _menu_spots(graph: SceneGraph) -> list[tuple[float, float]]:
    """The corners and the centre of the tables."""
    spots = []
    for table in graph.nodes(Kind.FIXTURE):
        if table.box is not None:
            (x, y, _), (length, width, _) = table.box.center, table.box.size
            a, b = length / 2 - _EDGE, width / 2 - _EDGE
            spots += [(x + i * a, y + j * b) for i in (-1, 1) for j in (-1, 1)]
            spots.append((x, y))
    return spots


def tables_text(graph: SceneGraph) -> str:
    """A line per table, at the start of the first observation."""
    lines = ""
    for table in graph.nodes(Kind.FIXTURE):
        if table.box is not None:
            (x, y, z), (length, width, height) = table.box.center, table.box.size
            lines += (
                f"{TABLE} centre of its top {_vector((x, y, z + height / 2))}, "
                f"size {_vector((length, width))}\n"
            )
    return lines


def _readings_text(names: Names, view: View) -> str:
    """A line per block, then the arm's own readings."""
    lines = []
    for block in _blocks(view.graph):
        if block.pose is not None:
            orientation = _vector(block.pose.orientation)
            lines.append(
                f"{grammar.label(names, block.id)}: position {_vector(block.pose.position)}, "
                f"orientation {orientation}"
            )
    arm = view.arm
    if arm is not None:
        lines += [
            f"End effector: position {_vector(arm.pose[:3])}, orientation {_vector(arm.pose[3:])}",
            f"Force at the wrist in N, along x y z of the table's frame: {_vector(arm.force, 2)}",
            f"Fingers: {_vector(arm.fingers)}",
        ]
    return "\n".join(lines)


def _vector(numbers: Sequence[float], digits: int = 3) -> str:
    # Adding 0.0 turns -0.0 into 0.0.
    return f"[{' '.join(f'{round(number, digits) + 0.0:.{digits}f}' for number in numbers)}]"


def _failure_text(names: Names, failure: Failure) -> str:
    text = failure_template("blocks", failure) or _OTHER_FAILURE
    if failure.reason is Reason.UNKNOWN or "{thing}" not in text:
        return with_detail(text, failure)
    return text.format(
        thing="the block" if failure.thing is None else grammar.label(names, failure.thing)
    ).replace("the block", "The block", 1)
