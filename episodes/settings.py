"""The settings of runs in YAML files: those of one run, and what grids share with them.

A setting is named like the option of `peephole run`. `--set` is `options`; `--model` with what
belongs to it is `model`; `--model-tokens` and `--model-money` are `budget`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ..data_files import read_checked


class Strict(BaseModel):
    """A part of a file, in which an unknown name is a mistake."""

    model_config = ConfigDict(extra="forbid")


class ModelSettings(Strict):
    """A model that planners are played with; its name alone is enough.

    Its settings are as the options of these names.
    """

    model: str
    """Name of the model."""
    roles: dict[str, str] = Field(default_factory=dict)
    """Models of roles that have their own, such as vision."""
    temperature: float | None = Field(default=None, ge=0)
    """As the option of this name."""
    reply_tokens: int | None = Field(default=None, ge=1)
    """As the option of this name."""
    reasoning_effort: str | None = None
    """As the option of this name."""
    reasoning_tokens: int | None = Field(default=None, ge=0)
    """As the option of this name."""
    price_in: float | None = Field(default=None, ge=0)
    """As the option of this name."""
    price_out: float | None = Field(default=None, ge=0)
    """As the option of this name."""
    price_cached: float | None = Field(default=None, ge=0)
    """As the option of this name."""

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, given: Any) -> Any:
        return {"model": given} if isinstance(given, str) else given

    @property
    def by_role(self) -> dict[str, str]:
        """The names of the models by role."""
        return {"planner": self.model, **self.roles}


class SpendingLimit(Strict):
    """What all episodes together may spend on models: tokens, and US dollars."""

    tokens: int | None = Field(default=None, ge=1)
    money: float | None = Field(default=None, gt=0)


#: The value of an option of a planner.
OptionValue = bool | int | float | str | None


class RunSettings(Strict):
    """One run. What is left out is as without the option."""

    suite: str = ""
    """As --suite."""
    planner: str = ""
    """As --planner."""
    options: dict[str, OptionValue] = Field(default_factory=dict)
    """Options of the planner, as --set."""
    model: ModelSettings | None = None
    """A name, or a model with its settings."""
    budget: SpendingLimit = Field(default_factory=SpendingLimit)
    """As --model-tokens and --model-money."""
    adapter: str = ""
    """As --adapter."""
    dialect: str = ""
    """As --dialect."""
    data: Path | None = None
    """As --data."""
    tasks: int | str | list[str] = ""
    """As --tasks, or a list of ids."""
    seed: int = 0
    """As --seed."""
    repeats: int = Field(default=1, ge=1)
    """As --repeats."""
    planning_time: float | None = Field(default=None, ge=0)
    """As --planning-time."""
    faults: Path | None = None
    """As --faults."""
    approve: str = ""
    """As --approve: "person", or a file of rules."""
    model_threads: int | None = Field(default=None, ge=1)
    """As --model-threads."""
    model_context: int | None = Field(default=None, ge=256)
    """As --model-context."""
    model_timeout: float | None = Field(default=None, ge=0.1)
    """As --model-timeout."""
    model_patience: float | None = Field(default=None, ge=0)
    """As --model-patience."""
    reply_cache: Path | None = None
    """As --reply-cache."""
    workers: int = Field(default=1, ge=1)
    """As --workers."""
    engine: str = ""
    """As --engine."""
    images: bool = False
    """As --images."""
    isolate: bool = False
    """As --isolate."""
    out: Path | None = None
    """As --out."""
    log: list[str] | None = None
    """As --log, with a name or several."""

    @field_validator("log", mode="before")
    @classmethod
    def _one_or_more(cls, given: Any) -> Any:
        return [given] if isinstance(given, str) else given

    @property
    def wanted_tasks(self) -> str:
        """The tasks as after --tasks."""
        return ",".join(self.tasks) if isinstance(self.tasks, list) else str(self.tasks)


def read_settings(path: Path) -> RunSettings:
    """The settings of a file. Raises BadInput naming what is wrong with it."""
    return read_checked(path, RunSettings, "file of settings")
