"""The commands of the shell door: one holds an episode, the others are the agent's."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import with_groups
from .seat_options import SeatOptions, seated

_SESSION = "Session, where several episodes wait. By default that of PEEPHOLE_SESSION."
SessionName = Annotated[str, typer.Option("--session", metavar="NAME", help=_SESSION)]
Reason = Annotated[str, typer.Argument(help="Why, in a sentence.")]


@with_groups
def play(what: SeatOptions) -> None:
    """Hold one episode for an agent that has a shell, and record it."""
    from ..interfaces.seat_run import play_from
    from ..interfaces.shell.held_episode import HeldEpisode
    from ..interfaces.shell.sessions import VARIABLE
    from ..planners.external.seat import Seat
    from .playing import print_results

    seat = Seat()
    with seated("play", what, seat) as (run, folder), HeldEpisode(seat) as held:
        print(
            f"The episode waits. The agent's first command: peephole task\n"
            f"Where several wait, it needs: export {VARIABLE}={held.session.name}",
            flush=True,
        )
        play_from(seat, run, folder)
    print_results(run.config, folder, as_json=False)


def act(
    action: Annotated[str, typer.Argument(help='An action, such as "open fridge 1".')],
    session: SessionName = "",
) -> None:
    """Do one action in the episode that `peephole play` holds."""
    _call("act", session, action)


def look(session: SessionName = "") -> None:
    """Describe the place where the agent is. It takes no action."""
    _call("look", session)


def menu(session: SessionName = "") -> None:
    """List the actions that are possible now. It takes no action."""
    _call("menu", session)


def task(session: SessionName = "") -> None:
    """Tell the task, the rules of the body, and the forms of actions."""
    _call("task", session)


def status(session: SessionName = "") -> None:
    """Tell how many actions are used, and whether the episode goes on."""
    _call("status", session)


def done(reason: Reason = "", session: SessionName = "") -> None:
    """Say that the task is fulfilled."""
    _call("done", session, reason)


def give_up(reason: Reason = "", session: SessionName = "") -> None:
    """End the episode without success."""
    _call("give_up", session, reason)


def _call(tool: str, session: str, argument: str = "") -> None:
    """Print the answer to a call; the exit code is 1 for one that was not carried out."""
    from ..interfaces.shell.client import call
    from ..interfaces.shell.sessions import find_session
    from ..terminal import escaped

    text, ok = call(find_session(session), tool, argument)
    print(escaped(text))
    if not ok:
        raise typer.Exit(1)
