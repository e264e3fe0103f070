"""Prompts: Jinja templates in the folder `prompts` beside a planner's module."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


_SHARED = Path(__file__).parent / "prompts"


class Templates:
    """The templates of a planner: `Templates(__file__).render("system", goal=…)`.

    A missing value is an error, and nothing is escaped. Templates may include each other by file
    name, and those in `prompts` beside this module, which several planners share.
    """

    def __init__(self, module: str) -> None:
        """module: the `__file__` of a module beside the folder `prompts`."""
        self._folder = Path(module).parent / "prompts"

    def render(self, name: str, **values: object) -> str:
        """The text of `prompts/NAME.jinja` with these values, without blank lines around it.

        Raises jinja2.TemplateNotFound, and jinja2.UndefinedError for a missing value.
        """
        return self._environment.get_template(f"{name}.jinja").render(values).strip()

    @cached_property
    def _environment(self) -> Environment:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        return Environment(
            loader=FileSystemLoader([self._folder, _SHARED]),
            undefined=StrictUndefined,
            autoescape=False,
            auto_reload=False,  # an edit during a run has no effect on it
        )
