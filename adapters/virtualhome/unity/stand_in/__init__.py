"""A stand-in for VirtualHome's Unity executable: the same HTTP protocol on the evolving graph.

    python -m peephole.adapters.virtualhome.unity.stand_in --port 8080

It is no part of the adapter, and the adapter knows nothing of it. What it was made to agree with:

- Wire format, calls and parameters: VirtualHome's own client, comm_unity.py of virtualhome 2.3.0,
  which is run against it in the tests.
- Answers, failures and their texts: recorded logs of version 2.3 of the executable, and the sources
  of its server, https://github.com/xavierpuigf/virtualhome_unity (TestDriver.cs, Communication.cs).
- What actions do: the evolving graph of virtualhome-eval with its faults corrected and refusals
  added, as the adapter `virtualhome` has them.

What it has not: geometry. Walks always find a way, characters stand at what they walked to, and
graphs of either ontology keep the kind of CLOSE edges that they came with: RobotHow's among all
things, the executable's only with the characters. Pictures are coloured tiles. Only the first
character acts. `--faults` makes it fail as executables do.
"""
