"""The fifteen tasks of `office_real`: cups, keys, clothing and office supplies."""

from __future__ import annotations

from ....scene_graph.goals import And
from ....scene_graph.node import State
from .tasks import OfficeTask, Wanted


def asked(w: Wanted) -> list[OfficeTask]:
    """The tasks, in their order."""
    return [*_cups(w), *_clothing(w), *_supplies(w)]


def _cups(w: Wanted) -> list[OfficeTask]:
    return [
        OfficeTask(
            "pack_backpack",
            "Andrew is going home. Help him: put the travel cup, the leather notebook and the "
            "wireless mouse in the backpack, and close the backpack.",
            And(
                (
                    w.inside("travel cup", "backpack"),
                    w.inside("leather notebook", "backpack"),
                    w.inside("wireless mouse", "backpack"),
                    w.is_(State.CLOSED, "backpack"),
                )
            ),
        ),
        OfficeTask(
            "after_party",
            "Clean up after the party: throw three paper cups in the waste bin in the coffee room.",
            w.some_inside(3, "paper cup", "waste bin", "coffee room"),
        ),
        OfficeTask(
            "metal_cup",
            "The metal cup can be used again. Put the metal cup in the dishwasher.",
            w.inside("metal cup", "dishwasher"),
        ),
        OfficeTask(
            "dirty_cup",
            "Put the dirty cup in the dishwasher and switch on the dishwasher.",
            And((w.inside("dirty cup", "dishwasher"), w.is_(State.ON, "dishwasher"))),
        ),
        OfficeTask(
            "lunch",
            "Heat up the sandwich: leave the sandwich in the microwave, with the microwave "
            "switched on.",
            And((w.inside("sandwich", "microwave"), w.is_(State.ON, "microwave"))),
        ),
    ]


def _clothing(w: Wanted) -> list[OfficeTask]:
    return [
        OfficeTask(
            "car_keys",
            "Somebody forgot the car keys. Put the car keys in the key cabinet and close the key "
            "cabinet.",
            And((w.inside("car keys", "key cabinet"), w.is_(State.CLOSED, "key cabinet"))),
        ),
        OfficeTask(
            "umbrella",
            "It has stopped raining. Put the umbrella in the umbrella stand.",
            w.inside("umbrella", "umbrella stand"),
        ),
        OfficeTask(
            "jacket",
            "A guest looks for a jacket. Put the jacket on the coat stand in the hall.",
            w.on("jacket", "coat stand", "hall"),
        ),
        OfficeTask(
            "raincoat",
            "Put the raincoat and the gloves on the sofa in Andrew's office.",
            And(
                (
                    w.on("raincoat", "sofa", "andrews office"),
                    w.on("gloves", "sofa", "andrews office"),
                )
            ),
        ),
        OfficeTask(
            "lab_coat",
            "Put the lab coat in the locker and close the locker.",
            And((w.inside("lab coat", "locker"), w.is_(State.CLOSED, "locker"))),
        ),
    ]


def _supplies(w: Wanted) -> list[OfficeTask]:
    return [
        OfficeTask(
            "stapler",
            "Put the stapler on the desk in Andrew's office.",
            w.on("stapler", "desk", "andrews office"),
        ),
        OfficeTask(
            "scissors",
            "Somebody wants to cut paper in the meeting room. Put the scissors on the meeting "
            "table.",
            w.on("scissors", "meeting table"),
        ),
        OfficeTask(
            "meeting_over",
            "The meeting is over. Switch off the projector and put the remote control on the "
            "bookshelf in the meeting room.",
            And(
                (w.is_(State.OFF, "projector"), w.on("remote control", "bookshelf", "meeting room"))
            ),
        ),
        OfficeTask(
            "leave_lab",
            "Everybody has left the robot lab. Switch off the lamp in the robot lab and close the "
            "tool cabinet.",
            And((w.is_(State.OFF, "lamp", "robot lab"), w.is_(State.CLOSED, "tool cabinet"))),
        ),
        OfficeTask(
            "contract",
            "Put the contract on the counter in the hall and the passport on the desk in Andrew's "
            "office.",
            And((w.on("contract", "counter", "hall"), w.on("passport", "desk", "andrews office"))),
        ),
    ]
