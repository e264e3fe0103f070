"""The command that plays a recorded episode to a step, changes one thing, and plays it on."""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BadInput
from .completion import registered
from .model_options import config_fields, model_configs
from .options import Json, ModelOptions, RunFolder, TaskOptions, with_groups
from .output import json_alone, print_json
from .run import made

if TYPE_CHECKING:
    from ..episodes.branches.parent import Change, Parent

_branch = typer.Option


@dataclass(frozen=True)
class BranchOptions:
    """Where an episode is left, and what is changed. The texts of the fields are the help's."""

    run: RunFolder
    episode: Annotated[str, typer.Argument(help="Number or task of an episode.")]
    at: Annotated[str, _branch(metavar="STEP|N-M")]
    """Step to change, from 1. For a range, each step is changed in a branch of its own."""
    action: Annotated[str, _branch(metavar="TEXT")] = ""
    """Do this action at the step, as `peephole show` writes actions."""
    planner: Annotated[str, _branch(metavar="NAME", autocompletion=registered("planner"))] = ""
    """Planner that takes over at the step: a name, or FILE.py:NAME."""
    set_: Annotated[list[str] | None, _branch("--set", metavar="KEY=VALUE")] = None
    """Option of the planner from the step on. May be repeated."""
    repeats: Annotated[int, _branch(metavar="R", min=1)] = 1
    """How often to play on. Models get another seed each time."""
    out: Annotated[Path | None, _branch(metavar="DIR")] = None
    """Folder for the recording; for a range of steps, of a folder for each. By default a new one
    in runs/."""
    workers: Annotated[int, _branch(metavar="N", min=1)] = 1
    """Number of repeats that run in parallel."""
    as_json: Json = False

    @property
    def steps(self) -> range:
        """The steps of --at. Raises BadInput for what is neither a step nor a range."""
        found = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", self.at.strip())
        first = int(found[1]) if found else 0
        last = int(found[2] or first) if found else 0
        if not 1 <= first <= last:
            raise BadInput(f"--at {self.at} is no step; give a number from 1, or a range as 3-10.")
        return range(first, last + 1)


@with_groups
def branch(what: BranchOptions, asks: ModelOptions) -> None:
    """Play a recorded episode to a step, change one thing, and play it on: what lost it?

    Without a change, the model is asked again from the step on.
    """
    from ..episodes.branches.branch import NotBranched
    from ..episodes.branches.parent import read_parent
    from ..episodes.run_file import read_run
    from ..results.show.episode_view import episode_number

    with json_alone(what.as_json):
        config = read_run(what.run).config
        parent = read_parent(what.run, episode_number(what.run, config, what.episode))
        change = _change(what, asks, parent)
        steps = what.steps
        for step in steps:
            parent.check(step)
        folders = []
        for step in steps:
            out = what.out
            if len(steps) > 1:
                out = (out or _default(parent)) / f"step-{step:03d}"
                what = replace(what, out=out.parent)
            try:
                folders.append(_play(parent, step, change, replace(what, out=out), asks))
            except NotBranched as error:
                if len(steps) == 1:
                    raise
                print(f"peephole: {error}", file=sys.stderr)
    _print(what, folders)


def _default(parent: Parent) -> Path:
    from ..episodes.run_file import new_folder

    config = parent.content.config
    return new_folder(config.suite, f"{Path(config.planner.partition(':')[0]).stem}-branch")


def _change(what: BranchOptions, asks: ModelOptions, parent: Parent) -> Change:
    """What the options change. Raises BadInput for more than one change."""
    from ..episodes.branches.parent import Change
    from ..episodes.planner_files import check_named
    from ..planners.registry import absolute_reference

    options = TaskOptions(set_=what.set_).set_options
    models = model_configs(asks) if asks.model or what.planner else {}
    if not what.planner:
        check_named(parent.content.config.planner, parent.folder)
    return Change(what.action, absolute_reference(what.planner), options, models)


def _play(
    parent: Parent, step: int, change: Change, what: BranchOptions, asks: ModelOptions
) -> Path:
    """Play one branch; returns its folder."""
    from ..episodes.branches.parent import branch_config
    from ..episodes.resolve import resolve
    from .options import RecordingOptions
    from .playing import play_recorded

    config = branch_config(parent, step, change, what.repeats)
    if not asks.model:  # budgets and time-outs of the parent's models may be others
        fields = config_fields(asks.asked())
        models = {role: replace(model, **fields) for role, model in config.models.items()}
        config = replace(config, models=models)
    recording = RecordingOptions(workers=what.workers, out=what.out, as_json=what.as_json)
    with ExitStack() as stack:
        run = resolve(config)
        folder = stack.enter_context(made(run, what.out or _default(parent)))
        play_recorded(run, folder, recording)
    return folder


def _print(what: BranchOptions, folders: list[Path]) -> None:
    """Print the branches beside their parent. Raises BadInput where none was played."""
    from ..results.compare.branches import branched_episodes, branches_document, branches_view
    from ..terminal import terminal_console

    if not folders:
        raise BadInput("No branch could be played; see the reasons above.")
    found = branched_episodes(what.run, folders)
    if what.as_json:
        print_json(branches_document(found))
        return
    console = terminal_console()
    console.print(branches_view(found))
    shown = folders[0] if len(folders) == 1 else folders[0].parent
    console.print(f"Recorded in {shown}; read it with: peephole show {shown}", soft_wrap=True)
