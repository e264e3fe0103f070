"""Dialects as the stand-in reads them: one is parsed, the others are translated into it."""
