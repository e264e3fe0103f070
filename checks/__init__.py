"""What the code here assumes of an engine, put to the engine that is there: `peephole check`."""
