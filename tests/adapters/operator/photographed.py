"""A photo of a counter in the room of tests, and the question that it answers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from peephole.adapters.drawn import draw
from peephole.adapters.operator.page.photo import Photo
from peephole.adapters.operator.person_graph import PersonGraph
from peephole.adapters.operator.questions import Criterion, Look
from peephole.adapters.operator.room_file import read_room
from peephole.adapters.operator.room_scene import RoomScene
from peephole.models.images import png_bytes
from peephole.observation_text.view import Visibility, visible
from peephole.scene_graph.node import Relation

LAB = Path(__file__).parents[2] / "lab.yaml"


@cache
def photographed(furniture: str = "counter") -> tuple[bytes, Look]:
    """A JPEG photo, drawn, of a piece of furniture in the kitchen; a look around there."""
    room = read_room(LAB)
    task = room.task("apple_to_table")
    scene = RoomScene(room)
    truth, known = scene.start(task), PersonGraph(scene, task)
    for graph in (truth, known.graph):
        graph.detach(known.me)
        graph.add_edge(known.me, Relation.INSIDE, scene.ids["kitchen"])
    truth.add_edge(known.me, Relation.CLOSE, scene.ids[furniture])
    places = known.around()
    question = Look(
        episode="3f9a",
        number=4,
        instruction=task.instruction,
        step=2,
        step_limit=30,
        criteria=(Criterion(text="The apple is on the table.", holds=False),),
        text="Look around in the kitchen.",
        places=tuple(map(known.place, places)),
        expected=known.expected(places),
        known=known.known(),
        reserved=known.reserved(),
    )
    picture = draw(visible(truth, Visibility.ROOM), scene.ids[furniture])
    return Photo.read(png_bytes(picture)).content, question
