"""The engine's answers to refused actions."""

from __future__ import annotations


class ActionRefused(Exception):
    """A failed action: the world is unchanged.

    code: AI2-THOR's ServerActionErrorCode; the Controller turns the four about wrong calls into
    ValueError.
    """

    def __init__(self, message: str, code: str = "Undefined") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def unknown_object(object_id: object) -> ActionRefused:
    return ActionRefused(f"{object_id} is not the objectId on any object in the scene!")
