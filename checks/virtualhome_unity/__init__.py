"""What the adapter `virtualhome_unity` assumes of VirtualHome's Unity executable.

Most checks look at errands (`errands`): script lines, sent as they are, with the graph after each.
The executable's own apartment is enough for them. Sources: "TestDriver.cs" and others are files of
https://github.com/xavierpuigf/virtualhome_unity; "comm_unity.py" is VirtualHome's own client;
"recorded" are logs of version 2.3 of the executable; other names are files of ours that rely on it.
"""

from __future__ import annotations

from dataclasses import replace

from ..assumption import Checks
from . import calls, graphs, hands, moving, scene, states
from .engine import SCENE, begin

CHECKS = Checks(
    "virtualhome_unity",
    SCENE,
    [
        replace(each, start=begin)
        for part in (calls, graphs, scene, moving, hands, states)
        for each in part.CHECKS.assumptions
    ],
)
