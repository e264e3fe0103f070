"""The 29 tasks of `office`: SayPlan's published families, worded anew for a building of ours.

SayPlan (Rana et al., 2023, https://arxiv.org/abs/2307.06135) asks its office for fifteen tasks of
simple and fifteen of complex planning. What is left open there ("somewhere where I can enjoy it")
is said here, as GraSIF did; one of the complex ones (a cabinet known by an even number) is left
out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ....scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    Goal,
    HasState,
    Related,
)
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Relation, State
from .building import one


class OfficeTask(NamedTuple):
    """A task: its name, what is said, and what must hold then."""

    name: str
    instruction: str
    goal: Goal


class Wanted:
    """Words for goals in a building: things and places by category, and room where several."""

    def __init__(self, graph: SceneGraph) -> None:
        self.graph = graph

    def on(self, thing: str, place: str, room: str = "") -> Goal:
        return Related(one(self.graph, thing), Relation.ON, one(self.graph, place, room))

    def inside(self, thing: str, place: str, room: str = "") -> Goal:
        return Related(one(self.graph, thing), Relation.INSIDE, one(self.graph, place, room))

    def some_on(self, count: int, thing: str, place: str, room: str = "") -> Goal:
        return self._some(count, thing, Relation.ON, one(self.graph, place, room))

    def some_inside(self, count: int, thing: str, place: str, room: str = "") -> Goal:
        return self._some(count, thing, Relation.INSIDE, one(self.graph, place, room))

    def _some(self, count: int, thing: str, relation: Relation, place: int) -> Goal:
        body = Related("thing", relation, place)
        return AtLeast(count, "thing", Domain(frozenset({thing})), body)

    def is_(self, state: State, thing: str, room: str = "") -> Goal:
        return HasState(one(self.graph, thing, room), state)

    def made_on(self, event: str, thing: str, place: str, room: str = "") -> Goal:
        """That something of a category was heated, or filled with coffee, and is at a place."""
        target = one(self.graph, place, room)
        made = EventOccurred((event,), ("thing",))
        body = And((made, Related("thing", Relation.ON, target)))
        return Exists("thing", Domain(frozenset({thing})), body)


def _simple(w: Wanted) -> list[OfficeTask]:
    """Where one thing is to be moved or one device switched."""
    return [
        OfficeTask(
            "close_cabinet",
            "Close the cabinet in Ivan's office.",
            w.is_(State.CLOSED, "cabinet", "ivans office"),
        ),
        OfficeTask(
            "refrigerate_orange",
            "An orange was left in the kitchen. Put the orange in the fridge.",
            w.inside("orange", "fridge"),
        ),
        OfficeTask(
            "dirty_plate",
            "Put the dirty plate of the lunchroom in the dishwasher.",
            w.inside("dirty plate", "dishwasher"),
        ),
        OfficeTask(
            "printed_document",
            "Put the printed document on the desk in Hugo's office.",
            w.on("printed document", "desk", "hugos office"),
        ),
        OfficeTask(
            "healthy_snack",
            "Rita wants something healthy. Put a banana on the desk in Rita's office.",
            w.some_on(1, "banana", "desk", "ritas office"),
        ),
        OfficeTask(
            "hide_valuable",
            "Hide the wallet: put the wallet in the cabinet in Nina's office, and close the "
            "cabinet in Nina's office.",
            And(
                (
                    w.inside("wallet", "cabinet", "ninas office"),
                    w.is_(State.CLOSED, "cabinet", "ninas office"),
                )
            ),
        ),
        OfficeTask(
            "dusty_shelf",
            "The bookshelf in the admin is dusty. Put the cleaning cloth on the bookshelf in the "
            "admin.",
            w.on("cleaning cloth", "bookshelf", "admin"),
        ),
        OfficeTask(
            "dripping_coffee",
            "Coffee drips on the floor. Switch off the coffee machine in the kitchen.",
            w.is_(State.OFF, "coffee machine", "kitchen"),
        ),
        OfficeTask(
            "drone_home",
            "Put the drone on the desk in Leon's office.",
            w.on("drone", "desk", "leons office"),
        ),
        OfficeTask(
            "move_monitor",
            "Move the monitor from Paul's office: put the monitor on the desk in Kira's office.",
            w.on("monitor", "desk", "kiras office"),
        ),
        OfficeTask(
            "parcel",
            "A parcel with motors has come. Put the parcel on the workbench in the robot lab.",
            w.on("parcel", "workbench", "robot lab"),
        ),
        OfficeTask(
            "check_coffee_machine",
            "See whether the coffee machine works: switch on the coffee machine in the lounge.",
            w.is_(State.ON, "coffee machine", "lounge"),
        ),
        OfficeTask(
            "warm_kebab",
            "Heat up the chicken kebab: leave the chicken kebab in the microwave, with the "
            "microwave switched on.",
            And((w.inside("chicken kebab", "microwave"), w.is_(State.ON, "microwave"))),
        ),
        OfficeTask(
            "bad_smell",
            "Something smells in the kitchen. Throw the mouldy lemon in the organic bin.",
            w.inside("mouldy lemon", "organic bin"),
        ),
        OfficeTask(
            "empty_bottle",
            "Throw the empty bottle in the recycling bin in the print room.",
            w.inside("empty bottle", "recycling bin", "print room"),
        ),
    ]


def _complex(w: Wanted) -> list[OfficeTask]:
    """Where several things are to be done, or one in several steps."""
    return [
        OfficeTask(
            "noodles",
            "I am hungry. Heat the noodles and put the noodles on the lunch table.",
            w.made_on("heated", "noodles", "lunch table"),
        ),
        OfficeTask(
            "rotten_fruit",
            "Throw the rotten apple from Vera's office in the organic bin.",
            w.inside("rotten apple", "organic bin"),
        ),
        OfficeTask(
            "dishes",
            "Put the dirty plate and the dirty fork in the dishwasher, and switch on the "
            "dishwasher.",
            And(
                (
                    w.inside("dirty plate", "dishwasher"),
                    w.inside("dirty fork", "dishwasher"),
                    w.is_(State.ON, "dishwasher"),
                )
            ),
        ),
        OfficeTask(
            "file_away",
            "File the printed document in the cabinet in Ivan's office, and put the thesis on the "
            "desk in Ivan's office.",
            And(
                (
                    w.inside("printed document", "cabinet", "ivans office"),
                    w.on("thesis", "desk", "ivans office"),
                )
            ),
        ),
        OfficeTask(
            "coffee",
            "Make coffee for Tom with a coffee machine and put the coffee mug on the desk in Tom's "
            "office.",
            w.made_on("filled", "coffee mug", "desk", "toms office"),
        ),
        OfficeTask(
            "wrong_bins",
            "Two things are in the wrong bins. Put the banana peel in the organic bin and the "
            "crushed can in the recycling bin in the kitchen.",
            And(
                (
                    w.inside("banana peel", "organic bin"),
                    w.inside("crushed can", "recycling bin", "kitchen"),
                )
            ),
        ),
        OfficeTask(
            "spilt_soda",
            "Omar spilt soda. Throw the soda can in the recycling bin in the kitchen and put the "
            "sponge on the desk in Omar's office.",
            And(
                (
                    w.inside("soda can", "recycling bin", "kitchen"),
                    w.on("sponge", "desk", "omars office"),
                )
            ),
        ),
        OfficeTask(
            "sandwich",
            "I want to make a sandwich. Put the bread and the cheese on the lunch table.",
            And((w.on("bread", "lunch table"), w.on("cheese", "lunch table"))),
        ),
        OfficeTask(
            "delegation",
            "Guests are coming. Put the crisps and the lemonade on the meeting table in meeting "
            "room 1.",
            And(
                (
                    w.on("crisps", "meeting table", "meeting room 1"),
                    w.on("lemonade", "meeting table", "meeting room 1"),
                )
            ),
        ),
        OfficeTask(
            "bottled_water",
            "Two guests sit in meeting room 2. Put two water bottles on the meeting table in "
            "meeting room 2.",
            w.some_on(2, "water bottle", "meeting table", "meeting room 2"),
        ),
        OfficeTask(
            "empty_dishwasher",
            "Empty the dishwasher: put the clean glass in the cupboard in the kitchen.",
            w.inside("clean glass", "cupboard", "kitchen"),
        ),
        OfficeTask(
            "shirts",
            "Two students have left their shirts. Put two t-shirts on the bookshelf in the admin.",
            w.some_on(2, "t-shirt", "bookshelf", "admin"),
        ),
        OfficeTask(
            "hungry",
            "Bring me the apple from Paul's office and the cola bottle from Omar's office: put "
            "both on the lunch table.",
            And((w.on("apple", "lunch table"), w.on("cola bottle", "lunch table"))),
        ),
        OfficeTask(
            "prank",
            "Ada has a rubber spider. Put the rubber spider in the drawer in Ivan's office and "
            "close the drawer in Ivan's office.",
            And(
                (
                    w.inside("rubber spider", "drawer", "ivans office"),
                    w.is_(State.CLOSED, "drawer", "ivans office"),
                )
            ),
        ),
    ]


#: The tasks of each of SayPlan's levels.
LEVELS: dict[str, Callable[[Wanted], list[OfficeTask]]] = {"simple": _simple, "complex": _complex}
