"""A stand-in for VirtualHome's Unity executable: the same HTTP protocol on the evolving graph.

    python -m peephole.adapters.virtualhome.unity.stand_in --port 8080

It is independent of the adapter. It follows:

- Wire format, calls and parameters: VirtualHome's own client, comm_unity.py of virtualhome 2.3.0,
  which runs against it in the tests.
- Answers, failures and their texts: recorded logs of version 2.3 of the executable, and the sources
  of its server, https://github.com/xavierpuigf/virtualhome_unity (TestDriver.cs, Communication.cs).
- Effects of actions: the evolving graph of virtualhome-eval, corrected and with refusals added, as
  in the adapter `virtualhome`.

It has no geometry: walks always find a path, and characters stand at their targets. Graphs of
either ontology keep their kind of CLOSE edges: RobotHow's between all things, the executable's only
with the characters. Pictures are coloured tiles. Only the first character acts. `--faults` injects
failures of executables.
"""
