"""Kitchens as arrangements of areas, after Tru-POMDP: their data, scenes and adapter."""
