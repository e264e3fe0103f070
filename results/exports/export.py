"""Exports of a run to the formats of other tools, from its recordings alone.

A format is a module here with a function `write(source, out) -> ExportSummary`. An export takes its
name only when it is complete, so an interrupted one leaves no partial file.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from ...episodes.result import EpisodeResult
from ...episodes.run_file import RunFile, read_run
from ...errors import BadInput, Missing, unknown_name
from ...installed import Lack
from ..run_episodes import RunEpisode, episodes_of


@dataclass(frozen=True)
class Wanted:
    """Which part of a run is exported.

    episodes: "successful", "all" that have a result, or "" for the format's default. each: for
    chat, "reply", "episode", or "" for replies where models were asked. recent_turns: for chat, the
    length of `react`'s conversations; None for the run's own. first_replies: for chat by replies,
    how many of each episode; None for all.
    """

    episodes: str = ""
    each: str = ""
    recent_turns: int | None = None
    first_replies: int | None = None


@dataclass(frozen=True)
class Source:
    """A run and its exported episodes, which can be read once. content: of its run.json."""

    run: Path
    content: RunFile
    episodes: Iterable[RunEpisode]
    wanted: Wanted = Wanted()


@dataclass(frozen=True)
class ExportSummary:
    """What was exported. counts: by what is counted. hint: a sentence on how to open it."""

    counts: Mapping[str, int] = field(default_factory=dict)
    hint: str = ""


@dataclass(frozen=True)
class Format:
    """One format."""

    module: str
    """Its module in this folder."""
    libraries: tuple[str, ...] = ()
    """Libraries that it needs."""
    extra: str = "export"
    """The extra that installs them."""
    episodes: str = "all"
    """Its default: "all" or "successful"."""
    only_successful: bool = False
    """Whether other episodes cannot be exported."""


FORMATS = {
    "chat": Format("chat", episodes="successful"),
    "instructions": Format("instructions", episodes="successful", only_successful=True),
    "lerobot": Format("lerobot_dataset", ("pyarrow",)),
    "mcap": Format("mcap_files", ("mcap", "zstandard")),
    "minari": Format("minari_dataset", ("minari", "gymnasium", "pyarrow", "PIL")),
    "parquet": Format("parquet_tables", ("pyarrow",)),
    "rerun": Format("rerun_files", ("rerun",), extra="rerun"),
}


def export(run: Path, to: str, out: Path, wanted: Wanted = Wanted()) -> ExportSummary:
    """Export a run. Raises BadInput or Missing, one sentence that says what to do."""
    form = _format(to, wanted)
    content = read_run(run)
    if out.exists():
        raise BadInput(f"{out} exists already; remove it, or choose another --out.")
    draft = out.with_name(f".{out.name}.{os.getpid()}")
    source = Source(run, content, _chosen(run, content, form, wanted), wanted)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        written: ExportSummary = import_module(f".{form.module}", __package__).write(source, draft)
        draft.rename(out)
    except (OverflowError, ValueError) as error:  # such as a time that is no number
        raise BadInput(
            f"{run} holds a value that --to {to} cannot write ({error}); restore its files."
        ) from error
    except OSError as error:
        raise BadInput(
            f"{out} cannot be written ({error.strerror}); make room or choose another --out."
        ) from None
    finally:
        _remove(draft)
    return written


def _format(to: str, wanted: Wanted) -> Format:
    """The format of a name, with its libraries installed."""
    if to not in FORMATS:
        raise unknown_name("export", to, FORMATS)
    for name, value, known in (
        ("--episodes", wanted.episodes, ("all", "successful")),
        ("--each", wanted.each, ("reply", "episode")),
    ):
        if value and value not in known:
            raise BadInput(f"{name} is '{value}'; give {' or '.join(known)}.")
    if wanted.each and to != "chat":
        raise BadInput("--each belongs to --to chat; leave it out.")
    if wanted.recent_turns and to != "chat":
        raise BadInput("--recent-turns belongs to --to chat; leave it out.")
    if wanted.first_replies and (to != "chat" or wanted.each == "episode"):
        raise BadInput("--first-replies belongs to --to chat with --each reply; leave it out.")
    form = FORMATS[to]
    if wanted.episodes == "all" and form.only_successful:
        raise BadInput(f"--to {to} exports successful episodes only; leave --episodes out.")
    missing = [name for name in form.libraries if find_spec(name) is None]
    if missing:
        raise Missing(Lack(f"--to {to} needs {', '.join(missing)}", form.extra))
    return form


def _chosen(run: Path, content: RunFile, form: Format, wanted: Wanted) -> Iterator[RunEpisode]:
    """The exported episodes. Raises BadInput where one has not ended, or none is left."""
    every = (wanted.episodes or form.episodes) == "all"
    found = False
    for episode in episodes_of(run, content):
        if episode.damage:
            raise BadInput(episode.damage[0])
        if episode.result is None:
            raise BadInput(
                f"Episode {episode.number} of {run} ({episode.task}) is {episode.status}; finish "
                f"the run first: peephole run --resume --out {run}"
            )
        if every or succeeded(episode.result):
            found = True
            yield episode
    if not found:
        raise BadInput(
            f"No episode of {run} reached its goal other than by luck, so there is nothing to "
            f"write; run more tasks or another planner"
            + ("." if form.only_successful else ", or give --episodes all.")
        )


def succeeded(result: EpisodeResult) -> bool:
    """Whether an episode reached its goal, and not by luck."""
    return result.success is True and result.informed is not False


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    elif path.exists():
        path.unlink()
