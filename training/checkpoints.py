"""The state of a training as files in a folder.

- settings.json: all that decides the result: settings, digests of the data and of the base
- tokens.npz: the data as tokens
- state.npz: adapters, optimizer and number of steps, rewritten from time to time
- log.jsonl: a line for each measurement
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data_files import json_data, read_text
from ..errors import BadInput
from .tokens import TokenSequence

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TrainingFolder:
    """The folder of a training."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, settings: Mapping[str, Any]) -> bool:
        """Begin or continue the training of these settings. Returns whether it continues.

        Raises BadInput where the folder has another training.
        """
        file = self.path / "settings.json"
        text = json.dumps(settings, indent=1, sort_keys=True) + "\n"
        if not file.exists():
            self.path.mkdir(parents=True, exist_ok=True)
            part = file.with_name(f"{file.name}.part")
            part.write_text(text, encoding="utf-8")
            os.replace(part, file)
            return False
        before = json_data(read_text(file))
        other = sorted(key for key in settings if settings[key] != before.get(key))
        if other:
            raise BadInput(
                f"{self.path} has a training with another {', '.join(other)}; repeat its options "
                f"to continue it, or delete the folder to start over."
            )
        return True

    def need_space(self, needed: int) -> None:
        """Raise BadInput where the disk has fewer free bytes than needed."""
        free = shutil.disk_usage(self.path).free
        if free < needed:
            raise BadInput(
                f"The disk of {self.path} has {free / 1e6:.0f} MB left, but the training needs "
                f"about {needed / 1e6:.0f} MB; free some space or give an --out on another disk."
            )

    # --- tokens ---

    def sequences(self) -> list[TokenSequence] | None:
        """The data as tokens; None where they are not saved yet."""
        import numpy as np

        file = self.path / "tokens.npz"
        if not file.exists():
            return None
        with np.load(file, allow_pickle=False) as data:
            ends = np.cumsum(data["lengths"])[:-1]
            described = json.loads(str(data["told"]))
            return [
                TokenSequence(tokens, reply, tuple(kinds), source)
                for tokens, reply, (kinds, source) in zip(
                    np.split(data["tokens"], ends),
                    np.split(data["reply"], ends),
                    described,
                    strict=True,
                )
            ]

    def keep_sequences(self, sequences: Sequence[TokenSequence]) -> None:
        """Save the data as tokens."""
        import numpy as np

        self._save(
            "tokens.npz",
            {
                "lengths": np.array([len(each.tokens) for each in sequences]),
                "tokens": np.concatenate([each.tokens for each in sequences]),
                "reply": np.concatenate([each.reply for each in sequences]),
                "told": np.array(json.dumps([[each.kinds, each.source] for each in sequences])),
            },
        )

    # --- state ---

    def state(self) -> dict[str, NDArray[Any]] | None:
        """The last saved state, or None."""
        import numpy as np

        file = self.path / "state.npz"
        if not file.exists():
            return None
        with np.load(file, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}

    def keep_state(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Save a state in place of the last one."""
        self._save("state.npz", arrays)

    def log(self, entry: Mapping[str, Any]) -> None:
        """Append a line to the log."""
        with (self.path / "log.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def _save(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        import numpy as np

        part = self.path / f"{name}.part"
        with part.open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.path / name)
