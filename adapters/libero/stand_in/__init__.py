"""A stand-in for LIBERO's engine: the same protocol, on a table of plain boxes without physics.

PEEPHOLE_LIBERO_PYTHON=stand_in chooses it. Every suite that it is asked for has the same five tasks
(`tasks`) at a table with a cabinet of two drawers, a stove, a bowl, a plate and a cream cheese
(`table`). Things stand where they are put; nothing collides. Two causes are built in, so that
retries can be watched: the plate slips from the first grasp of a task, and an open top drawer is in
the way of the bottom one.

PEEPHOLE_LIBERO_STAND_IN_FAULT injects failures of the process: "dies:N" ends it at the N-th try
since it started, "hangs:N" never answers that one, "garbles:N" answers it with nonsense.
"""
