"""Which models a run can serve by itself: the plugins of the group `peephole.models`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .. import plugins
from ..errors import BadInput, Missing, PeepholeError
from .served_model import ServedModel


def load_model(name: str) -> ServedModel:
    """The registered model of this name. Raises BadInput or Missing."""
    model = plugins.load("model", name)
    if not isinstance(model, ServedModel):
        raise Missing(
            f"The model '{name}' is no model (its entry point names {model!r}, expected a "
            f"peephole.models.served_model.ServedModel); correct or remove its package."
        )
    return model


@dataclass(frozen=True)
class ModelStatus:
    """One entry of `peephole models`.

    stand_in: it is no language model. missing: what is not installed and how to get it, or why the
    plugin does not load.
    """

    name: str
    ready: bool
    summary: str = ""
    stand_in: bool = False
    missing: str | None = None

    def to_data(self) -> dict[str, Any]:
        """The same as JSON data."""
        return asdict(self)


def model_status() -> list[ModelStatus]:
    """The status of every registered model, by name; a broken plugin is one of them."""
    return [_status(name) for name in plugins.names("model")]


def _status(name: str) -> ModelStatus:
    try:
        model = load_model(name)
        missing = None
        with plugins.guarded("model", name):
            try:
                model.check("")
            except BadInput:
                pass  # it is ready, and wants an argument
            except Missing as error:
                missing = str(error)
        return ModelStatus(name, missing is None, model.summary, model.stand_in, missing)
    except PeepholeError as error:
        return ModelStatus(name, ready=False, missing=str(error))
