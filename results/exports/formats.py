"""The formats that runs are exported to.

Each is a module here with a function `write(source, out) -> ExportSummary`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...episodes.run_file import RunFile
from ..run_episodes import RunEpisode


@dataclass(frozen=True)
class Source:
    """A run and its exported episodes, which can be read once."""

    run: Path
    """Folder of the run."""
    content: RunFile
    """Its run.json."""
    episodes: Iterable[RunEpisode]
    """The exported episodes."""
    each: str = ""
    """See `export.Wanted`."""
    recent_turns: int | None = None
    """See `export.Wanted`."""
    first_replies: int | None = None
    """See `export.Wanted`."""


@dataclass(frozen=True)
class ExportSummary:
    """What was exported. counts: by what is counted. hint: a sentence on how to open it."""

    counts: Mapping[str, int] = field(default_factory=dict)
    hint: str = ""


@dataclass(frozen=True)
class Format:
    """One format."""

    summary: str
    """A few words for help texts."""
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
    "chat": Format("messages to fine-tune a model with, JSON lines", "chat", episodes="successful"),
    "instructions": Format(
        "instruction records of llm_pop, one JSON file",
        "instructions",
        episodes="successful",
        only_successful=True,
    ),
    "lerobot": Format(
        "a dataset of LeRobot v3 with language columns", "lerobot_dataset", ("pyarrow",)
    ),
    "mcap": Format("messages of each episode, for Foxglove", "mcap_files", ("mcap", "zstandard")),
    "minari": Format(
        "a dataset of Minari", "minari_dataset", ("minari", "gymnasium", "pyarrow", "PIL")
    ),
    "parquet": Format("tables of episodes and steps", "parquet_tables", ("pyarrow",)),
    "rerun": Format("recordings of Rerun", "rerun_files", ("rerun",), extra="rerun"),
}
