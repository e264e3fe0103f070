"""The forms that runs are exported to, and what each is handed.

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
    """What is written: a run and those of its episodes that are wanted, to be read once.

    each, recent_turns, first_replies: of chat, see `export.Wanted`.
    """

    run: Path
    content: RunFile
    episodes: Iterable[RunEpisode]
    each: str = ""
    recent_turns: int | None = None
    first_replies: int | None = None


@dataclass(frozen=True)
class ExportSummary:
    """What was written. counts: by what is counted. hint: how it is opened, as one sentence."""

    counts: Mapping[str, int] = field(default_factory=dict)
    hint: str = ""


@dataclass(frozen=True)
class Format:
    """One form.

    libraries: that writing it needs; extra: what installs them. episodes: those that are usually
    written, "all" or "successful"; only_successful: no others can be.
    """

    summary: str
    module: str
    libraries: tuple[str, ...] = ()
    extra: str = "export"
    episodes: str = "all"
    only_successful: bool = False


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
