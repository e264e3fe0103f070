"""Makes a room file by asking a person about the room, one line after another.

What was typed is kept beside the file, so that nothing is typed twice after an interruption.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from ...data_files import checked
from ...errors import BadInput, PeepholeError
from ...scene_graph.node import State
from ...terminal import printable, typed_line
from .room_file import RELATION_WORDS, RoomFile, category_of_label, split_place
from .room_scene import RoomScene
from .room_text import text_of, write_room

#: What usual furniture is made for, and the states it begins in.
KINDS = {
    "bed": "surface sittable lieable",
    "bin": "container",
    "box": "graspable container openable closed",
    "cabinet": "container openable closed",
    "chair": "surface sittable",
    "coffee machine": "container surface switchable fills off",
    "cupboard": "container openable closed",
    "dishwasher": "container openable switchable closed off",
    "drawer": "container openable closed",
    "fridge": "container openable cools closed",
    "lamp": "switchable off",
    "microwave": "container openable switchable heats closed off",
    "oven": "container openable switchable heats closed off",
    "sink": "container surface",
    "sofa": "surface sittable",
    "television": "surface switchable off",
    "toaster": "container surface switchable toasts off",
    "tray": "graspable surface",
    "wardrobe": "container openable closed",
    "waste bin": "container",
}
#: The words of a kind by the letters that a person types.
_LETTERS = {"s": "surface", "c": "container", "o": "openable closed", "w": "switchable off"}
_PLAIN_SURFACES = re.compile(r".*\b(table|desk|counter|shelf|bookshelf|stand|rack|bench|workbench)")
#: A thing with its place: "cup 1 on kitchen table".
_WITH_PLACE = re.compile(rf"(?P<name>.+?) (?P<at>({'|'.join(RELATION_WORDS)}) .+)")
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


class Typed:
    """The lines of a person, kept in a file until all is asked."""

    def __init__(
        self, kept: Path, lines: TextIO | None = None, shown: TextIO | None = None
    ) -> None:
        """kept: the file. lines, shown: instead of standard input and standard error."""
        self._kept = kept
        self._lines = lines
        self._shown = shown
        self._earlier: list[str] = []

    def take_up(self) -> None:
        """Offer to go on with what was typed before an interruption."""
        if not self._kept.exists():
            return
        earlier = self._kept.read_text(encoding="utf-8").splitlines()
        self.show(f"{len(earlier)} lines were typed before. Type y to go on with them: ", end="")
        if self._read().lower() in ("y", "yes"):
            self._earlier = earlier
        else:
            self._kept.unlink()

    def show(self, text: str, end: str = "\n") -> None:
        """Show a line."""
        print(printable(text), end=end, file=self._shown or sys.stderr, flush=True)

    def line(self, prompt: str) -> str:
        """The next line. Raises PeepholeError where there is none."""
        self.show(prompt, end="")
        if self._earlier:
            text = self._earlier.pop(0)
            self.show(text)
            return text
        text = self._read()
        with self._kept.open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")
        return text

    def done(self) -> None:
        """Forget the lines."""
        self._kept.unlink(missing_ok=True)

    def _read(self) -> str:
        text = typed_line(self._lines or sys.stdin)
        if text is None:
            raise PeepholeError(
                f"Nothing more is typed; what was typed is in {self._kept}. Give the command again "
                f"to go on."
            )
        return text


class Interview:
    """Asks about a room until its file is complete."""

    def __init__(self, typed: Typed) -> None:
        self._typed = typed
        self._data: dict[str, Any] = {"version": 1, "kinds": {}, "furniture": [], "things": []}

    def room(self) -> RoomFile:
        """Ask for everything."""
        self._typed.show("Everything needs a name of its own: cup 1, cup 2. Enter alone goes on.")
        self._rooms()
        for room in self._data["rooms"]:
            self._furniture(room)
        self._things()
        self._tasks()
        return checked(self._data, RoomFile, "The room")

    # --- the parts ---------------------------------------------------------------------------

    def _rooms(self) -> None:
        while True:
            rooms = _split(self._typed.line("Rooms, split by commas: "))
            if rooms and len({room.lower() for room in rooms}) == len(rooms):
                break
            self._typed.show("Type at least one room, each with a name of its own.")
        self._data["rooms"] = rooms
        self._data["robot"] = self._one_of(f"Where does the robot start? [{rooms[0]}] ", rooms)

    def _furniture(self, room: str) -> None:
        self._typed.show(f"Furniture and appliances in {room}: fridge, microwave on counter.")
        for line in self._lines("Furniture: "):
            for item in _split(line):
                found = _WITH_PLACE.fullmatch(item)
                name = found["name"] if found else item
                entry = {"name": name, "room": room}
                if found:
                    entry["at"] = found["at"]
                self._add("furniture", entry)

    def _things(self) -> None:
        self._typed.show("Things that can be moved, with their places: apple in fridge.")
        for line in self._lines("Things: "):
            for item in _split(line):
                found = _WITH_PLACE.fullmatch(item)
                if found is None:
                    self._typed.show(f"'{item}' has no place; type it as: {item} on table.")
                    continue
                self._add("things", {"name": found["name"], "at": found["at"]})

    def _add(self, what: str, entry: dict[str, str]) -> None:
        """Add a piece of furniture or a thing, unless something is wrong with it."""
        before = dict(self._data["kinds"])
        self._describe(category_of_label(entry["name"]), is_furniture=what == "furniture")
        if "at" in entry:
            self._make_fit(entry["at"])
        self._data[what].append(entry)
        try:
            self._check()
        except BadInput as error:
            self._data[what].pop()
            self._data["kinds"] = before
            self._typed.show(_what_is_wrong(error))

    def _describe(self, category: str, *, is_furniture: bool) -> None:
        """Learn what a category is made for."""
        if category in self._data["kinds"]:
            return
        if category in KINDS:
            self._data["kinds"][category] = KINDS[category]
        elif is_furniture and not _PLAIN_SURFACES.fullmatch(category):
            letters = self._typed.line(
                f"What is '{category}'? s: things stand on it; c: it contains things; o: it opens; "
                f"w: it has a switch. Several letters may hold: "
            )
            words = [_LETTERS[letter] for letter in letters.lower() if letter in _LETTERS]
            self._data["kinds"][category] = " ".join(words)

    def _make_fit(self, at: str) -> None:
        """Let a thing keep others, if something is said to be on or in it."""
        with suppress(ValueError):
            relation, label = split_place(at)
            needed = {"on": "surface", "inside": "container"}.get(str(relation))
            category = category_of_label(label)
            is_thing = any(thing["name"] == label for thing in self._data["things"])
            words = self._data["kinds"].get(category, "graspable" if is_thing else "surface")
            if needed is not None and is_thing and needed not in words.split():
                self._data["kinds"][category] = f"{words} {needed}"

    def _tasks(self) -> None:
        tasks: list[dict[str, Any]] = []
        while True:
            more = "Next task" if tasks else "Task"
            text = self._typed.line(f"{more}, in words for the robot: ")
            if not text:
                if tasks:
                    break
                self._typed.show("Type at least one task.")
                continue
            task: dict[str, Any] = {"name": _name_of(text, tasks), "instruction": text}
            self._goal(task)
            self._criteria(task)
            tasks.append(task)
        self._data["tasks"] = tasks

    def _goal(self, task: dict[str, Any]) -> None:
        self._typed.show("What holds when it is done, for the simulated twin: apple in fridge.")
        self._typed.show("Or a state: fridge is closed. Enter alone where only you can judge.")
        goal: list[dict[str, str]] = []
        for line in self._lines("It holds that: "):
            condition = _condition(line)
            if condition is None:
                self._typed.show(f"'{line}' is not understood; type: apple in fridge.")
                continue
            try:
                self._check({**task, "goal": [*goal, condition]})
                goal.append(condition)
            except BadInput as error:
                self._typed.show(_what_is_wrong(error))
        if goal:
            task["goal"] = goal

    def _criteria(self, task: dict[str, Any]) -> None:
        usual: list[str] = []
        if task.get("goal"):
            room = self._check(task)
            usual = list(RoomScene(room).criteria(room.tasks[0]))
            self._typed.show(f"You judge by: {' '.join(usual)}")
        self._typed.show("Criteria in your own words, instead of these; Enter alone goes on.")
        criteria = list(self._lines("Criterion: "))
        while not criteria and not usual:
            self._typed.show("Without a goal the task needs a criterion.")
            criteria = list(self._lines("Criterion: "))
        task["criteria"] = criteria or usual

    # --- helpers -----------------------------------------------------------------------------

    def _lines(self, prompt: str) -> Iterator[str]:
        while text := self._typed.line(prompt):
            yield text

    def _one_of(self, prompt: str, names: list[str]) -> str:
        while True:
            text = self._typed.line(prompt) or names[0]
            if text in names:
                return text
            self._typed.show(f"Type one of: {', '.join(names)}.")

    def _check(self, task: dict[str, Any] | None = None) -> RoomFile:
        """The file as far as it goes. Raises BadInput."""
        some = {"name": "task", "instruction": "-", "criteria": ["-"]}
        return checked({**self._data, "tasks": [task or some]}, RoomFile, "The room")


def interview(path: Path, typed: Callable[[Path], Typed] = Typed) -> None:
    """Ask about a room and write its file. What was typed is kept beside it until then."""
    lines = typed(path.with_name(f"{path.name}.typed"))
    lines.take_up()
    write_room(path, text_of(Interview(lines).room()))
    lines.done()


def _split(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _condition(text: str) -> dict[str, str] | None:
    thing, _, state = text.partition(" is ")
    word = state.strip().lower().replace(" ", "_")
    if word in list(map(str, State)):
        return {"thing": thing.strip(), "state": word}
    found = _WITH_PLACE.fullmatch(text.replace(" is ", " "))
    return {"thing": found["name"], "at": found["at"]} if found else None


def _name_of(instruction: str, tasks: list[dict[str, Any]]) -> str:
    words = _NOT_IN_NAMES.sub("_", instruction.lower()).strip("_").split("_")[:5]
    name = "_".join(words) or "task"
    taken = {task["name"] for task in tasks}
    return name if name not in taken else f"{name}_{len(tasks) + 1}"


def _what_is_wrong(error: BadInput) -> str:
    """The part of an error that says what is wrong with the last line."""
    text = str(error).removeprefix("The room: ").removesuffix("; correct it.")
    what = text.partition(" is wrong: ")[2] or text
    return f"{what[:1].upper()}{what[1:]}."
