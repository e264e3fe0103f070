"""One budget of tokens and money for all episodes of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..episodes.engines.contract import Counters, Engine
from ..episodes.resolve import Run
from ..episodes.run_file import RunConfig
from ..episodes.runner import recorded_questions
from ..errors import BadInput
from ..models.spending import spent
from ..results.papers.spec import GridBudget


class SharedBudget:
    """Counts what all runs of a grid spend together, and limits their models by it."""

    def __init__(self, budget: GridBudget, engine: Engine) -> None:
        self._budget = budget
        self._tokens = engine.counter(0.0)
        self._usd = engine.counter(0.0)

    def count(self, folders: Sequence[Path], configs: Sequence[RunConfig]) -> None:
        """Count what the recordings say is spent already, where there is a limit.

        Raises BadInput for a limit of money without prices.
        """
        if self._budget.tokens is None and self._budget.money is None:
            return
        for folder, config in zip(folders, configs, strict=True):
            for role, part in spent(recorded_questions(folder)).by_role.items():
                self._tokens.value += part.paid.tokens
                self._usd.value += part.paid.usd(config.models[role])
        for model in (model for config in configs for model in config.models.values()):
            if self._budget.money is not None and not (model.price_in or model.price_out):
                raise BadInput(
                    f"A grid's budget of money needs the prices of its models, and {model.name} "
                    f"has none: give price_in and price_out in the grid, or --price-in and "
                    f"--price-out."
                )

    def limited(self, run: Run) -> Run:
        """A run whose models take no more than is left."""
        models = {
            role: replace(model, budget_tokens=self._budget.tokens, budget_usd=self._budget.money)
            for role, model in run.config.models.items()
        }
        return replace(run, config=replace(run.config, models=models))

    def counters(self, config: RunConfig) -> Counters:
        return dict.fromkeys(config.models, (self._tokens, self._usd))
