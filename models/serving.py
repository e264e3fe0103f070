"""The way to a run's model: one that the run serves by itself, or one of the user's endpoint.

A served model is a plugin of the group `peephole.models`, see `served_model`. It is served once for
the whole run, and asked over HTTP like any other.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from .. import plugins
from ..errors import BadInput, Missing, PeepholeError
from .config import ModelConfig, endpoint_from_environment
from .events import ModelEvent, ModelReplied
from .served_model import ModelEndpoint, ServedModel, ServeOptions


@dataclass(frozen=True)
class ModelStart:
    """A model that the run serves by itself is being started, or is ready.

    name: as results label it. seconds: that it took, None while it goes on.
    """

    name: str
    seconds: float | None = None


#: Is called in the process that starts models.
OnStart = Callable[[ModelStart], None]


def split(name: str) -> tuple[str, str] | None:
    """Plugin and argument of a served model; None for a model of the user's endpoint."""
    plugin, _, argument = name.partition(":")
    if plugin in plugins.names("model"):
        return plugin, argument
    return ("local", name) if name.endswith(".gguf") else None


def checked(config: ModelConfig) -> ModelConfig:
    """The config with its host, and whether the model is a stand-in, once it can be asked at all.

    Raises NoEndpoint, BadInput or Missing, each saying what to do.
    """
    served = split(config.name)
    config = replace(config, stand_in=False, granted=())
    if served is None:
        host = endpoint_from_environment(config.name).host
        for option, value in (("threads", config.threads), ("context", config.context)):
            if value is not None:
                raise BadInput(
                    f"--model-{option} is for models that run here, which {config.name} of {host} "
                    f"does not; leave it out."
                )
        return replace(config, host=host)
    plugin, argument = served
    model = load_model(plugin)
    with plugins.guarded("model", plugin):
        model.check(argument)
        granted = model.granted(argument)
    return replace(config, stand_in=model.stand_in, granted=granted, lengths=model.lengths)


def note(config: ModelConfig) -> str:
    """A sentence on what the user has to know of a run's model; empty for nothing."""
    if config.stand_in:
        told = f"--model {config.name} is a stand-in, not a language model: a mechanism check."
        granted = "; ".join(config.granted)
        return f"{told} Besides the messages it is granted: {granted}." if granted else told
    served = split(config.name)
    if served is None:
        return ""
    plugin, argument = served
    model = load_model(plugin)
    with plugins.guarded("model", plugin):
        return model.note(argument)


def label(config: ModelConfig) -> str:
    """A model's name as results show it: one that is no language model says so.

    The file of a served model stands there without its folder.
    """
    name = config.name if config.host else re.sub(r"[^:]*/", "", config.name)
    return f"{name} (mechanism check)" if config.stand_in else name


@contextmanager
def open_endpoint(
    config: ModelConfig,
    seed: int = 0,
    instruction_table: Callable[[], Mapping[str, Any]] = dict,
    places_table: Callable[[], Mapping[str, Any]] = dict,
    *,
    slots: int = 1,
    on_start: OnStart | None = None,
) -> Iterator[ModelEndpoint]:
    """The endpoint of a run's model, which is served for as long as the context lasts.

    instruction_table, places_table: make what a model is given that wants it. slots: see
    `ServeOptions`. on_start: is told of a model that is being started, and again when it is ready;
    not of a stand-in, which is there at once.
    """
    served = split(config.name)
    if served is None:
        yield endpoint_from_environment(config.name)
        return
    plugin, argument = served
    model = load_model(plugin)
    options = ServeOptions(
        argument,
        seed,
        max(ServeOptions.start_timeout_s, config.timeout_s or 0.0),
        slots,
        config.threads,
        config.context,
        instruction_table() if model.wants_instruction_table else {},
        places_table() if model.wants_places_table(argument) else {},
    )
    with ExitStack() as stack:
        tell = _ignore if on_start is None or config.stand_in else on_start
        began = time.monotonic()
        tell(ModelStart(label(config)))
        with plugins.guarded("model", plugin):
            endpoint = stack.enter_context(model.serve(options))
        if not isinstance(endpoint, ModelEndpoint):
            raise Missing(
                f"The model '{plugin}' is broken (it gives {endpoint!r}, expected a "
                f"peephole.models.served_model.ModelEndpoint); correct or remove its package."
            )
        tell(ModelStart(label(config), time.monotonic() - began))
        yield endpoint


def _ignore(start: ModelStart) -> None:
    """Tell nobody."""


# --- what endpoints turned out to serve -----------------------------------------------------------


def served(events: Iterable[ModelEvent]) -> list[str]:
    """A sentence for every role and model that answered in it."""
    found: dict[tuple[str, str], list[ModelReplied]] = {}
    for event in events:
        if isinstance(event, ModelReplied) and not event.withheld:
            found.setdefault((event.role, event.served_model), []).append(event)
    return [_sentence(role, model, replies) for (role, model), replies in found.items()]


def _sentence(role: str, model: str, replies: list[ModelReplied]) -> str:
    fingerprints = sorted({reply.fingerprint for reply in replies} - {""})
    changes = list(dict.fromkeys(change for reply in replies for change in reply.adapted))
    told = f"The model of the role {role} was served as {model or 'a model without a name'}"
    if fingerprints:
        told += f" ({', '.join(fingerprints)})"
    if changes:
        told += f"; what it refused was changed: {', '.join(changes)}"
    if not any(reply.usage.tokens for reply in replies):
        told += "; it told no tokens, so these and their price are unknown"
    return told + "."


# --- which models there are -----------------------------------------------------------------------


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
