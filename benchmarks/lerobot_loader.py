"""Reads an exported dataset with LeRobot's own loader, frame by frame.

    peephole export RUN --to lerobot --out dataset
    python3.12 -m venv lerobot && lerobot/bin/pip install "lerobot[dataset]"
    lerobot/bin/python benchmarks/lerobot_loader.py dataset

Language columns need LeRobot 0.6, which needs Python 3.12; Peephole need not be installed there.
Prints what the loader found, and exits with 1 where that is not what the dataset says of itself.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

from lerobot.datasets.lerobot_dataset import LeRobotDataset


def main() -> int:
    folder = Path(sys.argv[1])
    info = json.loads((folder / "meta" / "info.json").read_text(encoding="utf-8"))
    began = time.monotonic()
    dataset = LeRobotDataset("local/peephole", root=folder)
    episodes: Counter[int] = Counter()
    styles: Counter[str] = Counter()
    shapes: dict[str, tuple[int, ...]] = {}
    for number in range(len(dataset)):
        frame = dataset[number]
        episodes[int(frame["episode_index"])] += 1
        for column in ("language_persistent", "language_events"):
            styles.update(row["style"] or "tool call" for row in frame[column])
        shapes.update(
            {name: tuple(value.shape) for name, value in frame.items() if hasattr(value, "shape")}
        )
    seconds = time.monotonic() - began
    print(
        f"{len(dataset)} frames of {len(episodes)} episodes read in {seconds:.1f} s; "
        f"language rows: {dict(styles)}; arrays: { ({n: s for n, s in shapes.items() if s}) }"
    )
    expected = (info["total_frames"], info["total_episodes"])
    return 0 if (episodes.total(), len(episodes)) == expected else 1


if __name__ == "__main__":
    sys.exit(main())
