"""What the adapter `virtualhome_unity` assumes of VirtualHome's Unity executable.

Sources: "TestDriver.cs" and others are files of https://github.com/xavierpuigf/virtualhome_unity;
"comm_unity.py" is VirtualHome's own client; "recorded" are logs of version 2.3 of the executable.
"""

from __future__ import annotations

from ..scene_graph.node import Affordance, Kind, State
from ..skills.actions import go_to, open_
from ..skills.dynamics import unachieved
from .assumption import Checks, Topic, expect
from .bench import Bench

CHECKS = Checks("virtualhome_unity", scene="unity:0")


@CHECKS.assume(
    Topic.STATES,
    "A closed container that was opened is OPEN, and no longer CLOSED, in the next graph.",
    source="skills.dynamics; the evolving graph's executor of OPEN",
)
def open_shows_in_graph(bench: Bench) -> str:
    box = bench.find(kind=Kind.FIXTURE, affords={Affordance.OPENABLE}, states={State.CLOSED})
    bench.must(go_to(box.id), open_(box.id))
    left = unachieved(bench.graph(), open_(box.id))
    return expect(not left, left or f"the {box.category} is open")
