"""A stand-in for AI2-THOR's Unity build: the same protocol, real scenes, rules of its own.

    Controller(
        local_executable_path=f"{sys.executable} -m peephole.adapters.ai2thor.stand_in",
        x_display=":0",
    )

It is no part of the adapter, and shares no code with the dynamics that the adapter is held against.
What it was made to agree with:

- Protocol: ai2thor 5.0.0 (fifo_server.py, wsgi_server.py, controller.py), whose unmodified
  Controller drives it in the tests.
- Objects: the metadata of the 120 iTHOR scenes in the package procthor; the agent stands where it
  stood when they were written down.
- Actions, their arguments, checks and error texts: AI2-THOR's documentation and C# sources.

What it has not: physics. Things stay where they are put, nothing cools down, doors have no width,
and what is reachable never changes. Sight regards closed receptacles, but nothing else that stands
in the way. Unity sends the objects' boxes and a frame with every answer; this sends boxes with
`--boxes` and frames where `renderImage=True` is said to Initialize or to an action.
`--convention 2.1` takes the arguments that ALFRED's version takes. `--faults` makes it fail as
engines do.
"""
