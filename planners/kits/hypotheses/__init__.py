"""Hypotheses about goals and places that a language model is asked for (Tru-POMDP)."""
