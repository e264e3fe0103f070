"""The options of planners, as `--set KEY=VALUE` sets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..errors import BadInput, unknown_name
from .contract import Planner

if TYPE_CHECKING:
    from pydantic import BaseModel


def parse_options(planner: Planner, pairs: Mapping[str, str]) -> BaseModel | None:
    """The planner's options, its defaults where none is set. Raises BadInput."""
    from pydantic import ValidationError

    known = {} if planner.options is None else planner.options.model_fields
    for key in pairs:
        if key not in known:
            raise unknown_name(f"option of {planner.name}", key, known)
    if planner.options is None:
        return None
    try:
        return planner.options.model_validate(dict(pairs))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BadInput(f"--set {first['loc'][0]}: {first['msg']}.") from None
