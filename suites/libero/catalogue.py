"""The tasks of LIBERO's suites, as the installed package has them.

The engine reads them once for a version of the package; then they are in the user's cache. Nothing
of LIBERO's data is in this repository.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from ...adapters.libero import interpreter
from ...adapters.libero.connection import CatalogueTask, LiberoConnection, catalogue_of
from ...adapters.libero.engine.household_tasks import STARTS, SUITES
from ...adapters.libero.goals import Conjunct
from ...data_files import cache_folder, json_data, read_text, write_safely
from ...errors import BadInput, Missing
from ...scene_graph.fields import Field
from ...skills.executor import SimulatorDied


def tasks_of(suite: str, suites: Iterable[str]) -> Sequence[CatalogueTask]:
    """The tasks of a suite by the package's own name.

    suites: those that are read and kept together. Raises Missing without LIBERO or its files.
    """
    _check_installed()
    if interpreter.is_stand_in():
        found = _read((suite,))
    else:
        found = _kept(tuple(suites), interpreter.versions()[interpreter.PACKAGE])
    if suite not in found:
        raise Missing(f"LIBERO lacks its tasks of {suite}; {interpreter.repair()}")
    return found[suite]


def household_tasks(suite: str) -> Sequence[CatalogueTask]:
    """The tasks of our own, which no engine needs to be asked for. Raises Missing without LIBERO.

    suite: the engine's name of it. The stand-in has its own tasks in their place.
    """
    _check_installed()
    if interpreter.is_stand_in():
        return _read((suite,))[suite]
    return [
        CatalogueTask(
            index,
            task.name,
            task.instruction,
            tuple(Conjunct(part[0], part[1:]) for part in task.goal),
            STARTS,
        )
        for index, task in enumerate(SUITES[suite])
    ]


def _check_installed() -> None:
    """Raise Missing without LIBERO."""
    problem = interpreter.missing()
    if problem is not None:
        raise Missing(problem)


@cache
def _kept(suites: tuple[str, ...], version: str) -> Mapping[str, Sequence[CatalogueTask]]:
    """The tasks of all suites, from the cache or, where they are not there, from the engine."""
    file = cache_folder("libero") / f"{interpreter.PACKAGE}-{version}.json"
    try:
        return _from_data(file, json_data(read_text(file)), suites)
    except (OSError, ValueError, BadInput):
        found = _read(suites)
    if set(found) != set(suites):  # not to be kept when it is repaired
        return found
    data = {suite: {"tasks": [_to_data(task) for task in tasks]} for suite, tasks in found.items()}
    with suppress(OSError):  # it is read again the next time
        content = json.dumps({"asked": suites, "suites": data}).encode()
        write_safely(file, content, append=False)
    return found


@cache
def _read(suites: tuple[str, ...]) -> Mapping[str, Sequence[CatalogueTask]]:
    """The tasks from the engine. Suites that it does not have are left out."""
    engine = LiberoConnection()
    found = {}
    try:
        for suite in suites:
            with suppress(BadInput):
                found[suite] = tuple(engine.catalogue(suite))
    except SimulatorDied as error:
        raise Missing(
            f"LIBERO's tasks cannot be read ({str(error).rstrip('.')}); {interpreter.repair()}"
        ) from None
    finally:
        engine.close()
    return found


def _to_data(task: CatalogueTask) -> dict[str, Any]:
    data = asdict(task)
    data["goal"] = [[each.predicate, *each.things] for each in task.goal]
    return data


def _from_data(
    file: Path, data: object, suites: tuple[str, ...]
) -> Mapping[str, Sequence[CatalogueTask]]:
    """The tasks of the cache. Raises BadInput for other suites or another form."""
    parts = Field(str(file), "", data).entries(("asked", "suites"))
    if tuple(each.value for each in parts["asked"].items()) != suites:
        raise parts["asked"].wrong("expected the present suites")
    return {
        name: tuple(catalogue_of(each)) for name, each in parts["suites"].entries((), None).items()
    }
