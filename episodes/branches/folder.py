"""What the folder of a branch takes over from that of its parent."""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from pathlib import Path

from ...adapters.contract import STAND_IN
from ...data_files import draft_of
from ...errors import BadInput
from ..preparation import preparation_path
from ..recording import episode_path, image_file, whole_lines
from ..resolve import Run
from ..run_file import file_digests, read_run
from .branch import Branch

_IMAGE = re.compile(rb'"([0-9a-f]{32}\.(?:png|jpg))"')


def take_files(run: Run, folder: Path) -> None:
    """Copy the images that the shared steps name, and what the same planner had prepared.

    With another option or model it prepares again. What is there already stays.
    """
    branch = run.config.branch
    assert branch is not None
    parent = Path(branch.parent)
    if not parent.is_dir():
        return
    prepared = preparation_path(parent)
    if branch.taken and not branch.any_question and prepared.exists():
        _copy(prepared, preparation_path(folder))
    task = run.config.tasks[0]
    lines = whole_lines(episode_path(parent, branch.episode, task))[: branch.lines]
    for name in {found.decode() for line in lines for found in _IMAGE.findall(line)}:
        with suppress(BadInput):  # a text may look like the name of an image
            _copy(image_file(parent, name), folder / "images" / name)


def _copy(path: Path, copy: Path) -> None:
    if copy.exists():
        return
    copy.parent.mkdir(parents=True, exist_ok=True)
    with draft_of(copy) as draft:
        shutil.copyfile(path, draft)


def check_parent(run: Run, branch: Branch) -> None:
    """Raise BadInput where a branch would begin otherwise than its parent was played."""
    content = read_run(Path(branch.parent))
    begun = str(content.adapter.get(STAND_IN, ""))
    now = str(run.adapter.facts().get(STAND_IN, ""))
    if begun != now:
        raise BadInput(
            f"{branch.parent} was played with {begun or 'the engine itself'} and the branch would "
            f"be with {now or 'the engine itself'}; set the adapter up as it was."
        )
    if not branch.taken:
        return
    there = file_digests(run.options)
    for option, digest in content.files.items():
        same_name = content.config.options.get(option) == run.config.options.get(option)
        if same_name and there.get(option) != digest:
            raise BadInput(
                f"The file of --set {option} is no longer as {branch.parent} was played with it; "
                f"put it back as it was."
            )
