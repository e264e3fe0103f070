"""Errands: script lines one after another, with the graph before and after each.

A line that has to succeed and does not ends its errand. It is tried again with other things, since
the executable finds no way to some; what then comes after such a line cannot be told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from ..assumption import CannotTell
from ..bench import Bench, Died, Hung
from .engine import RawGraph, Said, begin, graph_now, line_of, send

#: Seconds after which a graph that does not show an action yet is read again.
_LATER_S = 0.3
#: The most tries of an errand on which the executable is lost, or which comes to nothing.
_TRIES = 3


@dataclass(frozen=True)
class Step:
    """One line of an errand."""

    said: Said
    """What was answered."""
    before: RawGraph
    """The graph before it."""
    at_once: RawGraph
    """The graph that was read right after the answer."""
    after: RawGraph
    """The graph once it shows something, or a moment later."""
    took_s: float
    """Seconds until the answer."""

    @property
    def success(self) -> bool:
        return self.said.success

    @property
    def text(self) -> str:
        return self.said.text


class Errand:
    """The lines of one errand, by label; things: the ids that it uses, by name."""

    def __init__(self, bench: Bench, avoided: Collection[int] = ()) -> None:
        """avoided: things that it is not about."""
        bench.begin_by(begin, again=True)
        self._bench = bench
        self.start = self.now = RawGraph(graph_now(bench).data, avoided)
        self.things: dict[str, int] = {}
        self._steps: dict[str, Step] = {}
        self._ended = ""
        self.lost = False  # whether the executable was lost on the way
        self.refused: tuple[int, ...] = ()  # the things of the line that it ended with

    def do(self, label: str, command: str, *things: int, must: bool = True) -> None:
        """Send a line, unless the errand has ended. must: whether it ends where this fails."""
        if self._ended:
            return
        began = time.monotonic()
        try:
            said = send(self._bench, line_of(self.start, command, *things))
            took = time.monotonic() - began
            at_once = after = graph_now(self._bench)
            if said.success and at_once == self.now:
                time.sleep(_LATER_S)
                after = graph_now(self._bench)
        except (Died, Hung) as error:
            self._ended, self.lost = str(error), True
            return
        self._steps[label] = Step(said, self.now, at_once, after, took)
        self.now = after
        if must and not said.success:
            self._ended, self.refused = said.text, things

    def __getitem__(self, label: str) -> Step:
        """A step. Raises CannotTell where the errand ended before it."""
        if label not in self._steps:
            raise CannotTell(f"it came to nothing before: {self._ended}")
        return self._steps[label]

    def steps(self) -> list[Step]:
        return list(self._steps.values())


def _errand(make: Callable[[Errand], None]) -> Callable[[Bench], Errand]:
    """An errand that a study does once."""

    def of(bench: Bench) -> Errand:
        def done() -> Errand:
            tried: list[Errand] = []
            avoided: set[int] = set()
            while len(tried) < _TRIES:
                errand = Errand(bench, avoided)
                try:
                    make(errand)
                except CannotTell:
                    if not tried:
                        raise
                    break  # there are no other things
                tried.append(errand)
                if not errand.lost and not errand.refused:
                    break
                avoided.update(errand.refused)
            return max(tried, key=lambda each: len(each.steps()))  # what it came to can be told

        return bench.once(f"errand {make.__name__}", done)

    return of


def _other_room(graph: RawGraph, thing: int) -> int:
    rooms = [room for room in graph.rooms if room not in graph.rooms_of(thing)]
    if not rooms:
        raise CannotTell("the apartment has one room")
    return rooms[0]


def _surface(graph: RawGraph, room: int) -> int:
    """Furniture of a room to put things on."""
    return graph.first(
        "surface to put things on",
        "SURFACES",
        where=lambda i: (
            not graph.has(i, "GRABBABLE")
            and not graph.has(i, "CAN_OPEN")
            and graph.nodes[i]["category"] in ("Furniture", "Appliances")
            and room in graph.rooms_of(i)
        ),
    )


def _shut_box(graph: RawGraph, with_thing: bool) -> int:
    """Closed furniture that opens and takes things, perhaps with one that can be grabbed."""
    return graph.first(
        "closed furniture with something in it" if with_thing else "closed furniture",
        *("CAN_OPEN", "CONTAINERS"),
        where=lambda i: (
            "CLOSED" in graph.states(i)
            and "ON" not in graph.states(i)
            and not graph.has(i, "GRABBABLE")
            and graph.free(i)
            and (not with_thing or _grabbable_in(graph, i) is not None)
        ),
    )


def open_something(errand: Errand) -> Step:
    """Closed furniture is opened. Raises CannotTell where that fails."""
    box = _shut_box(errand.start, with_thing=False)
    errand.do("walk", "WALK", box)
    errand.do("open", "OPEN", box)
    step = errand["open"]
    if not step.success:
        raise CannotTell(step.text)
    return step


def _grabbable_in(graph: RawGraph, box: int) -> int | None:
    alone = ({("INSIDE", box)},)
    return next((i for i in graph.things("GRABBABLE") if graph.places(i) in alone), None)


@_errand
def box_errand(errand: Errand) -> None:
    """A thing is taken out of closed furniture, put on a surface elsewhere, and brought back."""
    graph = errand.start
    box = _shut_box(graph, with_thing=True)
    thing = _grabbable_in(graph, box)
    assert thing is not None
    there = _other_room(graph, box)
    surface = _surface(graph, there)
    errand.things = {"box": box, "thing": thing, "there": there, "surface": surface}
    errand.do("enter", "WALK", *list(graph.rooms_of(box))[:1])
    errand.do("walk to enclosed", "WALK", thing, must=False)
    errand.do("walk", "WALK", box)
    errand.do("grab enclosed", "GRAB", thing, must=False)
    errand.do("open", "OPEN", box)
    errand.do("grab", "GRAB", thing)
    errand.do("away", "WALK", there)
    errand.do("close from afar", "CLOSE", box, must=False)
    errand.do("walk to surface", "WALK", surface)
    errand.do("put on", "PUTBACK", thing, surface)
    errand.do("back", "WALK", box)
    errand.do("grab from afar", "GRAB", thing, must=False)
    errand.do("close", "CLOSE", box)
    errand.do("return", "WALK", thing)
    errand.do("grab again", "GRAB", thing)
    errand.do("bring", "WALK", box)
    errand.do("put in closed", "PUTIN", thing, box, must=False)
    errand.do("open again", "OPEN", box)
    errand.do("put in", "PUTIN", thing, box)
    errand.do("close at last", "CLOSE", box)


@_errand
def hands_errand(errand: Errand) -> None:
    """Both hands are filled, and what is done with them then."""
    graph = errand.start
    free = [i for i in graph.things("GRABBABLE") if graph.free(i) and graph.places(i)]
    by_class = {graph.nodes[i]["class_name"]: i for i in reversed(free)}
    loose = sorted(by_class.values())
    if len(loose) < 3:
        raise CannotTell("the apartment has fewer than three things that lie about")
    first, second, third = loose[:3]
    errand.things = {"first": first, "second": second, "third": third}
    for label, thing in (("first", first), ("second", second)):
        errand.do(f"walk {label}", "WALK", thing)
        errand.do(label, "GRAB", thing)
    errand.do("walk third", "WALK", third)
    errand.do("third", "GRAB", third, must=False)
    box = _shut_box(graph, with_thing=False)
    errand.do("walk box", "WALK", box)
    errand.do("open with full hands", "OPEN", box, must=False)
    surface = _surface(graph, min(graph.rooms_of(box), default=graph.rooms[0]))
    errand.do("walk surface", "WALK", surface)
    errand.do("put what is not held", "PUTBACK", third, surface, must=False)
    errand.do("put first", "PUTBACK", first, surface)


@_errand
def twin_errand(errand: Errand) -> None:
    """Of two things of one class the one with the higher id is grabbed."""
    graph = errand.start
    classes: dict[str, list[int]] = {}
    for thing in graph.things("GRABBABLE"):
        if graph.free(thing) and graph.places(thing):
            classes.setdefault(graph.nodes[thing]["class_name"], []).append(thing)
    twins = next((each for each in classes.values() if len(each) > 1), None)
    if twins is None:
        raise CannotTell("no two things of one class lie about")
    errand.things = {"other": twins[0], "thing": twins[-1]}
    errand.do("walk", "WALK", twins[-1])
    errand.do("grab", "GRAB", twins[-1])


@_errand
def switch_errand(errand: Errand) -> None:
    """Something is switched on and off."""
    graph = errand.start
    switch = graph.first(
        "thing that is switched off",
        "HAS_SWITCH",
        where=lambda i: (
            "OFF" in graph.states(i)
            and "PLUGGED_OUT" not in graph.states(i)
            and not graph.has(i, "GRABBABLE")
            and not graph.has(i, "CAN_OPEN")
            and graph.free(i)
        ),
    )
    errand.things = {"switch": switch}
    errand.do("walk", "WALK", switch)
    errand.do("on", "SWITCHON", switch)
    errand.do("off", "SWITCHOFF", switch)


@_errand
def seat_errand(errand: Errand) -> None:
    """The character sits down, tries to walk, and stands up."""
    graph = errand.start
    taken = {to for _, word, to in graph.edges if word in ("ON", "INSIDE")}
    seat = graph.first(
        "free seat",
        "SITTABLE",
        where=lambda i: graph.free(i) and i not in taken and not graph.has(i, "CAN_OPEN"),
    )
    errand.things = {"seat": seat, "there": _other_room(graph, seat)}
    errand.do("walk", "WALK", seat)
    errand.do("sit", "SIT", seat)
    errand.do("walk seated", "WALK", errand.things["there"], must=False)
    errand.do("stand up", "STANDUP")
    errand.do("walk away", "WALK", errand.things["there"])


@_errand
def knife_errand(errand: Errand) -> None:
    """Food is cut."""
    graph = errand.start
    knife = graph.first(
        "knife that lies about",
        "GRABBABLE",
        where=lambda i: "knife" in graph.nodes[i]["class_name"] and graph.free(i),
    )
    food = graph.first(
        "food to cut", *("CUTTABLE", "EATABLE"), where=lambda i: graph.free(i) and i != knife
    )
    errand.things = {"knife": knife, "food": food}
    errand.do("walk knife", "WALK", knife)
    errand.do("grab", "GRAB", knife)
    errand.do("walk food", "WALK", food)
    errand.do("cut", "CUT", food)


@_errand
def stack_errand(errand: Errand) -> None:
    """A thing is put on another that can be carried, which is carried away."""
    graph = errand.start
    loose = [i for i in graph.things("GRABBABLE") if graph.free(i) and graph.places(i)]
    trays = [i for i in loose if graph.has(i, "SURFACES")]
    others = [i for i in loose if not graph.has(i, "SURFACES")]
    if not trays or not others:
        raise CannotTell("nothing that lies about can be carried with something on it")
    tray, thing = trays[0], others[0]
    errand.things = {"tray": tray, "thing": thing, "there": _other_room(graph, tray)}
    errand.do("walk thing", "WALK", thing)
    errand.do("grab thing", "GRAB", thing)
    errand.do("walk tray", "WALK", tray)
    errand.do("stack", "PUTBACK", thing, tray)
    errand.do("grab tray", "GRAB", tray)
    errand.do("away", "WALK", errand.things["there"])


@_errand
def look_errand(errand: Errand) -> None:
    """The character turns to furniture and looks at it."""
    graph = errand.start
    thing = graph.first("furniture", where=lambda i: graph.nodes[i]["category"] == "Furniture")
    errand.things = {"thing": thing}
    errand.do("walk", "WALK", thing)
    errand.do("turn", "TURNTO", thing)
    errand.do("look", "LOOKAT", thing)
