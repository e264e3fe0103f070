"""`peephole operator judge`: a further person judges recorded episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import PeepholeError
from .options import RunFolders

if TYPE_CHECKING:
    from ..results.judging.case import Case
    from ..results.judging.verdicts import Verdict


def judge(
    runs: RunFolders,
    by: Annotated[
        str, typer.Option("--judge", metavar="NAME", help="Name of the person who judges.")
    ] = "second",
) -> None:
    """Judge the recorded episodes of a run, to see how far two persons agree.

    Episodes come in a random order, without the planner and the recorded verdict. What was judged
    already is not asked again. `peephole compare` shows the agreement.
    """
    from ..episodes.run_file import run_folders
    from ..results.judging.case import cases_of
    from ..results.judging.verdicts import add_verdict, check_judge, read_verdicts

    check_judge(by)
    folders = [folder for run in runs for folder in run_folders(run)]
    before = {folder: read_verdicts(folder, by).by_episode for folder in folders}
    cases = cases_of(folders, by)
    left = [case for case in cases if case.recording.name not in before[case.run]]
    if not cases:
        raise PeepholeError("No episode has ended and was scored; finish the run first.")
    judged = len(cases) - len(left)
    if judged and left:
        print(f"{by} has judged {judged} of {len(cases)} episodes; another person gives --judge.")
    for number, case in enumerate(left, start=judged + 1):
        print(f"\nEpisode {number} of {len(cases)}")
        add_verdict(case.run, by, _verdict(case))
    print(f"\n{by} has judged all {len(cases)} episodes. `peephole compare` shows the agreement.")


def _verdict(case: Case) -> Verdict:
    """Show an episode and ask for each criterion. Raises PeepholeError where nobody answers."""
    from ..results.judging.verdicts import Verdict, digest_of

    print(f"Task: {case.instruction}")
    for title, lines in (("Done", case.done), ("Seen in the end", case.seen)):
        print(f"{title}:")
        for line in lines or ("nothing",):
            print(f"  {line}")
    if case.picture is not None:
        print(f"Last picture: {case.picture}")
    said = {text: _holds(f"{_sentence(text)} Does that hold?") for text in case.criteria}
    success = all(said.values()) if said else _holds("Was the task done?")
    return Verdict(
        episode=case.recording.name,
        recording=digest_of(case.recording),
        success=success,
        criteria=said,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _holds(question: str) -> bool:
    """The answer to a question, y or n."""
    from ..terminal import answer_to

    while True:
        answer = answer_to(f"{question} Type y or n: ")
        if answer is None:
            raise PeepholeError(
                "Nobody answers, because standard input has ended; give the command again, which "
                "asks only what has no verdict."
            )
        if answer.lower() in ("y", "yes", "n", "no"):
            return answer.lower().startswith("y")
