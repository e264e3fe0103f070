"""The endpoint of a run's model: one that the run serves by itself, or the user's.

A served model is a plugin of the group `peephole.models`, see `served_model`. It is served once for
the whole run, and asked over HTTP like any other.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from .. import plugins
from ..errors import BadInput, Missing, PeepholeError
from .config import ModelConfig, endpoint_from_environment
from .events import ModelEvent, ModelReplied
from .served_model import ModelEndpoint, ServedModel, ServeOptions


@dataclass(frozen=True)
class ModelStart:
    """News of a served model: it starts, or it is ready.

    name: its label in results. seconds: the duration of the start, None at its beginning.
    """

    name: str
    seconds: float | None = None


#: Called in the process that starts models.
OnStart = Callable[[ModelStart], None]


def split(name: str) -> tuple[str, str] | None:
    """Plugin and argument of a served model; None for a model of the user's endpoint."""
    plugin, _, argument = name.partition(":")
    if plugin in plugins.names("model"):
        return plugin, argument
    return ("local", name) if name.endswith(".gguf") else None


def checked(config: ModelConfig) -> ModelConfig:
    """Check that a model can be asked; the config with its host and whether it is a stand-in.

    Raises NoEndpoint, BadInput or Missing.
    """
    served = split(config.name)
    config = replace(config, stand_in=False, granted=())
    if served is None:
        host = endpoint_from_environment(config.name).host
        for option, value in (("threads", config.threads), ("context", config.context)):
            if value is not None:
                raise BadInput(
                    f"--model-{option} is for models that run on this machine, but "
                    f"{config.name} runs at {host}; leave it out."
                )
        return replace(config, host=host)
    plugin, argument = served
    model = load_model(plugin)
    with plugins.guarded("model", plugin):
        model.check(argument)
        granted = model.granted(argument)
    return replace(config, stand_in=model.stand_in, granted=granted, lengths=model.lengths)


def note(config: ModelConfig, dialect: str = "") -> str:
    """A sentence that the user has to know about a run's model; empty for none.

    dialect: of the run, which may be the one that the model needs.
    """
    if config.stand_in:
        said = f"--model {config.name} is a stand-in, not a language model: a mechanism check."
        granted = "; ".join(config.granted)
        return f"{said} Besides the messages it is granted: {granted}." if granted else said
    served = split(config.name)
    if served is None:
        return ""
    plugin, argument = served
    model = load_model(plugin)
    with plugins.guarded("model", plugin):
        return "" if dialect and model.dialect(argument) == dialect else model.note(argument)


def label(config: ModelConfig) -> str:
    """The label of a model in results: stand-ins are marked; files have no folder."""
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
    """The endpoint of a run's model, which is served while the context is open.

    instruction_table, places_table: make the tables of `ServeOptions`, for a model that wants them.
    slots: as in `ServeOptions`. on_start: called when a model starts and when it is ready, except
    for a stand-in, which is ready at once.
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
    """Ignore the news."""


# --- what endpoints have served -------------------------------------------------------------------


def served(events: Iterable[ModelEvent]) -> list[str]:
    """A sentence for each model of each role that answered."""
    found = ServedModels()
    found.add(events)
    return found.sentences()


class ServedModels:
    """The models that answered, from the events of any number of episodes, which are not kept."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], _Served] = {}

    def add(self, events: Iterable[ModelEvent]) -> None:
        """Take in the events of an episode."""
        for event in events:
            if isinstance(event, ModelReplied) and not event.withheld:
                found = self._found.setdefault((event.role, event.served_model), _Served())
                found.fingerprints.add(event.fingerprint)
                found.changes |= dict.fromkeys(event.adapted)
                found.counted |= bool(event.usage.tokens)

    def sentences(self) -> list[str]:
        """A sentence for each model of each role."""
        return [found.sentence(role, model) for (role, model), found in self._found.items()]


@dataclass
class _Served:
    """The replies of one model in one role."""

    fingerprints: set[str] = field(default_factory=set)
    """As the server named them."""
    changes: dict[str, None] = field(default_factory=dict)
    """How requests were changed for it, in order."""
    counted: bool = False
    """Whether it reported tokens."""

    def sentence(self, role: str, model: str) -> str:
        fingerprints = sorted(self.fingerprints - {""})
        sentence = f"The model of the role {role} was served as {model or 'a model without a name'}"
        if fingerprints:
            sentence += f" ({', '.join(fingerprints)})"
        if self.changes:
            sentence += f"; requests were changed: {', '.join(self.changes)}"
        if not self.counted:
            sentence += "; it reported no tokens, so tokens and price are unknown"
        return sentence + "."


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
    """One entry of `peephole models`."""

    name: str
    """The name for --model."""
    ready: bool
    """Whether it can be used now."""
    summary: str = ""
    """One line on the model."""
    stand_in: bool = False
    """Whether it is no language model."""
    missing: str | None = None
    """What is not installed and how to install it, or why the plugin does not load."""

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
