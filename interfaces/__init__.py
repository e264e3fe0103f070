"""Doors: agents outside Peephole play its episodes through these."""
