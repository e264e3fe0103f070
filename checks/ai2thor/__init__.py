"""What the adapter `ai2thor` assumes of AI2-THOR's engine.

Sources: pages of AI2-THOR; its C# sources as our error messages were taken from; the metadata of
the 120 iTHOR scenes in the package procthor; our code that relies on it. The checks begin in a
kitchen that has all appliances.
"""

from __future__ import annotations

from importlib import import_module

from .room import CHECKS

__all__ = ["CHECKS"]

# In the order of the checks: first what others rest on.
for _topic in (
    *("reports", "walking", "sight", "hand", "putting", "doors", "changes", "setting_up"),
    *("errands", "running"),
):
    import_module(f"{__name__}.{_topic}")
