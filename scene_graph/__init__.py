"""The world as data: scene graphs, goals, codecs."""
