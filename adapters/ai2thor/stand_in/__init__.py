"""A stand-in for AI2-THOR's Unity build: the same protocol, real scenes, rules of its own.

    Controller(
        local_executable_path=f"{sys.executable} -m peephole.adapters.ai2thor.stand_in",
        x_display=":0",
    )

It is independent of the adapter and shares no code with the dynamics that the adapter is tested
against. It follows:

- Protocol: ai2thor 5.0.0 (fifo_server.py, wsgi_server.py, controller.py), whose unmodified
  Controller drives it in the tests.
- Objects: the metadata of the 120 iTHOR scenes in the package procthor; the agent starts at the
  recorded position.
- Actions, their arguments, checks and error texts: AI2-THOR's documentation and C# sources.

It has no physics: things stay where they are put, nothing cools down, doors have no width, and
reachable positions never change. Closed receptacles block sight, other obstacles do not. Unity
sends boxes and a frame with every answer; the stand-in sends boxes with `--boxes`, and frames if
Initialize or an action has `renderImage=True`. `--convention 2.1` takes the arguments of ALFRED's
version. `--faults` injects failures of engines.
"""
