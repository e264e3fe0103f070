"""LIBERO's environment of a task at a start, with its model compiled once and without textures.

A draw of all poses needs no new model, and neither contacts nor views by thing need textures. Both
are most of what LIBERO's own reset costs. States are the same to the last bit.
"""

from __future__ import annotations

import contextlib
import os
import xml.etree.ElementTree as ET
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator


def load(path: str, seed: int, row: Any) -> tuple[Any, str]:
    """The environment of a BDDL file, and the XML of its model with textures.

    row: a stored start, or None for the start that the seed draws. Raises RandomizationError, and
    FileNotFoundError and ValueError for files that are missing.
    """
    from libero.libero.envs.env_wrapper import ControlEnv

    os.stat(path)  # LIBERO itself would only assert that it is there
    np.random.seed(seed)  # the constructor draws too
    with _without_textures() as texts:
        control = ControlEnv(
            bddl_file_name=path,
            has_offscreen_renderer=False,
            has_renderer=False,
            use_camera_obs=False,
            hard_reset=False,
        )
    # A reset that makes the model anew lists the draws of doors and knobs once more, after those
    # of the constructor. The same draws in the same order give the same poses.
    control.env.object_property_initializers *= 2
    control.seed(seed)
    control.env.reset()
    if row is not None:
        control.set_init_state(row)
    return control.env, texts[-1]


@contextlib.contextmanager
def _without_textures() -> Iterator[list[str]]:
    """Let LIBERO compile its models without textures. Yields the XML of each as it was."""
    from robosuite.environments import base

    whole, texts = base.MjSim, []

    def from_xml_string(text: str) -> Any:
        texts.append(text)
        return whole.from_xml_string(plain(text))

    base.MjSim = SimpleNamespace(from_xml_string=from_xml_string)
    try:
        yield texts
    finally:
        base.MjSim = whole


def plain(text: str) -> str:
    """The XML of a model without its textures."""
    root = ET.fromstring(text)
    for assets in root.iter("asset"):
        for texture in assets.findall("texture"):
            assets.remove(texture)
        for material in assets.findall("material"):
            material.attrib.pop("texture", None)
    return ET.tostring(root, encoding="unicode")
