"""An episode for agents that have a shell only: `peephole play` holds it, `peephole act` acts."""
