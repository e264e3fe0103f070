"""In which versions of software, served models and tasks runs differ that are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..adapters.contract import STAND_IN
from ..episodes.recording import Damage, episode_path, read_lines
from ..episodes.run_file import RunFile
from ..models.events import ModelReplied

#: A run's folder with the content of its run.json.
RecordedRun = tuple[Path, RunFile]


@dataclass(frozen=True)
class Difference:
    """Something that is not the same in all groups of runs.

    values: those of each group, "none" where a group has none.
    """

    what: str
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        """As a part of a sentence."""
        return f"{self.what} {' / '.join(dict.fromkeys(self.values))}"


def provenance_data(content: RunFile) -> dict[str, Any]:
    """What a run was made with, as JSON data."""
    made = {"peephole": content.peephole, "python": content.python}
    return {**made, **asdict(content.provenance), "simulator": dict(content.adapter)}


def provenance_differences(groups: Sequence[Sequence[RecordedRun]]) -> list[Difference]:
    """What differs between groups of runs, such as the two sides of a comparison.

    Simulators are compared where all runs have the same adapter, and tasks where all have the same
    ids. Names under which models are served are compared for the same --model. What a run does not
    say, such as one of an older version, differs from nothing.
    """
    found = [[dict(_made_with(*run)) for run in group] for group in groups]
    contents = [content for group in groups for _, content in group]
    if len({content.config.adapter for content in contents}) > 1:
        found = [[_without(made, "simulator") for made in group] for group in found]
    if len({(content.config.suite, content.config.tasks) for content in contents}) > 1:
        found = [[_without(made, "tasks") for made in group] for group in found]
    names = dict.fromkeys(name for group in found for made in group for name in made)
    differences = []
    for name in names:
        values = [_listed(made.get(name, "") for made in group) for group in found]
        if len(set(values) - {""}) > 1:
            differences.append(Difference(name, tuple(value or "none" for value in values)))
    return differences


def difference_lines(found: Sequence[Difference]) -> list[str]:
    """Differences as sentences."""
    lines = []
    software = [each.text for each in found if each.what != "tasks"]
    if software:
        lines.append(f"These runs were made with different software: {'; '.join(software)}.")
    if len(software) < len(found):
        lines.append(
            "These runs have tasks of the same ids that differ in what is asked, in their scenes, "
            "or in their rules."
        )
    return lines


def _made_with(folder: Path, content: RunFile) -> Iterator[tuple[str, str]]:
    """What a run was made with, by name."""
    made = content.provenance
    yield "Peephole", content.peephole
    yield "Peephole's commit", made.commit
    yield "Python", content.python
    yield from made.packages.items()
    yield from (
        (f"simulator {name}", str(value))
        for name, value in content.adapter.items()
        if name not in ("peephole", STAND_IN) and name not in made.packages
    )
    yield from ((f"package of the {kind}", name) for kind, name in made.plugins.items())
    yield "system", made.system
    for model in content.config.models.values():
        yield f"endpoint of {model.name}", model.host
    for role, name in served_models(folder, content).items():
        yield f"{content.config.models[role].name} as served", name
    yield "tasks", made.tasks


def _without(made: Mapping[str, str], beginning: str) -> dict[str, str]:
    return {name: value for name, value in made.items() if not name.startswith(beginning)}


def _listed(values: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(filter(None, values)))


def served_models(folder: Path, content: RunFile) -> dict[str, str]:
    """The models by role as they answered in the first and the last episode with a reply."""
    if not content.config.models:
        return {}
    found: dict[str, dict[str, None]] = {}
    paths = [episode_path(folder, each.number, each.task) for each in content.config.episodes]
    for order in (paths, paths[::-1]):
        replies = next(filter(None, map(_replies, filter(Path.exists, order))), ())
        for reply in (each for each in replies if each.role in content.config.models):
            mark = f" ({reply.fingerprint})" if reply.fingerprint else ""
            found.setdefault(reply.role, {})[(reply.served_model or "no name") + mark] = None
    return {role: ", ".join(names) for role, names in found.items()}


def _replies(path: Path) -> list[ModelReplied]:
    """The replies in an episode's file."""
    events = (each for each in read_lines(path) if not isinstance(each, Damage))
    return [each for each in events if isinstance(each, ModelReplied) and not each.withheld]
