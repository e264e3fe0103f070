"""Protocols of papers as room files: where a user begins."""

from __future__ import annotations

from pathlib import Path

from ....adapters.operator.room_file import Looks
from ....adapters.operator.room_text import text_of
from ....data_files import read_text
from ....errors import unknown_name
from ...registry import load_suite
from ..from_suite import room_of, with_criteria

#: LookPlanGraph's office is that of the suite `office:real`.
OFFICE = "office"
_FOLDER = Path(__file__).parent
_OFFICE_HEAD = """\
# LookPlanGraph's experiment in a real office (Onishchenko et al., 2025, section VII-E): 7 rooms, 75
# pieces of furniture, 130 things, 15 tasks; the office itself is ours. A person carries out the
# actions and says what is seen at the furniture that the robot comes to. The map is from before
# some things were taken elsewhere.
"""


def template_names() -> list[str]:
    """The names of all templates."""
    return sorted([OFFICE, *(path.stem for path in _FOLDER.glob("*.yaml"))])


def template_text(name: str) -> str:
    """The text of a room file. Raises BadInput for an unknown name."""
    if name == OFFICE:
        suite = load_suite("office:real")
        room = with_criteria(room_of(suite, suite.tasks))
        look = (Looks.NEW_PLACE, Looks.AFTER_OPEN)
        return _OFFICE_HEAD + text_of(room.model_copy(update={"look": look}))
    if name not in template_names():
        raise unknown_name("template", name, template_names())
    return read_text(_FOLDER / f"{name}.yaml")
