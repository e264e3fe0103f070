"""`peephole check`: which of our assumptions about an engine hold on the one that is connected."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..data_files import json_text
from .completion import registered, suites
from .options import Data, Json, with_groups
from .output import json_alone, make_folder, print_entries, print_json, write_file

if TYPE_CHECKING:
    from ..checks.assumption import Assumption, Checks, Finding
    from ..checks.study import Study


@dataclass(frozen=True)
class CheckOptions:
    """What is checked, and where the report goes. The descriptions are the help's."""

    adapter: Annotated[str, typer.Argument(autocompletion=registered("adapter"))]
    """Adapter whose engine is asked; see `peephole adapters`."""
    only: Annotated[list[str] | None, typer.Option(metavar="NAME")] = None
    """Only this check, or the checks of this topic. May be repeated."""
    suite: Annotated[str, typer.Option(metavar="NAME", autocompletion=suites)] = ""
    """Suite in whose first task the checks begin. By default a scene of the checks' own, or the
    first suite of the adapter."""
    data: Data = None
    out: Annotated[Path | None, typer.Option(metavar="DIR")] = None
    """Folder for the report: check.html to read, and check.json to send in."""
    seconds: Annotated[float, typer.Option(metavar="S", min=1)] = 600.0
    """Seconds for all checks. What is left then cannot be told."""
    isolate: Annotated[bool, typer.Option("--isolate")] = False
    """Run the simulator in a process of its own, which may crash."""
    list_: Annotated[bool, typer.Option("--list")] = False
    """List the checks and where each assumption is from; ask nothing."""
    as_json: Json = False


@with_groups
def check(what: CheckOptions) -> None:
    """Ask a simulator which of our assumptions about it hold, and write a report to send in.

    Exit code 1: something differs, or nothing could be told.
    """
    from ..checks.assumption import Verdict
    from ..checks.report.document import document_of
    from ..checks.report.page import page_of
    from ..checks.study import chosen
    from ..checks.subject import checks_for

    with json_alone(what.as_json):
        checks = checks_for(what.adapter)
    wanted = chosen(checks.assumptions, what.only or ())
    if what.list_:
        _list(wanted, what.as_json)
        return
    if what.out is not None:
        make_folder(what.out)
    with json_alone(what.as_json):
        found = _studied(checks, what)
    document = document_of(found)
    if what.out is not None:
        write_file(what.out / "check.json", json_text(document, indent=2) + "\n", "--out")
        write_file(what.out / "check.html", page_of(document), "--out")
    if what.as_json:
        print_json(document)
    else:
        _summarize(found, what.out)
    if found.of(Verdict.DIFFERS) or not found.of(Verdict.HOLDS):
        raise typer.Exit(1)


def _list(listed: Sequence[Assumption], as_json: bool) -> None:
    from ..checks.report.document import assumption_data

    if as_json:
        print_json([assumption_data(each) for each in listed])
    else:
        print_entries({each.name: [each.claim, f"from: {each.source}"] for each in listed})


def _studied(checks: Checks, what: CheckOptions) -> Study:
    """The study, with a line for each check as it comes."""
    from ..adapters.registry import connect
    from ..checks.assumption import Verdict
    from ..checks.report.page import HEADINGS
    from ..checks.study import study
    from ..checks.subject import task_for

    stream = sys.stderr if what.as_json else sys.stdout

    def show(number: int, of: int, finding: Finding, engine: str) -> None:
        verdict = HEADINGS[finding.verdict].lower()
        print(f"[{number}/{of}] {verdict} ({engine}): {finding.assumption.claim}", file=stream)
        if finding.verdict is not Verdict.HOLDS:
            print(textwrap.indent(finding.answer, "    "), file=stream)
        stream.flush()

    return study(
        checks,
        task=task_for(checks, what.suite, what.data),
        only=what.only or (),
        connect=lambda: connect(what.adapter, isolated=what.isolate),
        within_s=what.seconds,
        on_finding=show,
    )


def _summarize(found: Study, out: Path | None) -> None:
    from ..checks.assumption import Verdict
    from ..checks.report.document import answered_by

    hold, differ, untold = (len(found.of(verdict)) for verdict in Verdict)
    print(
        f"\n{found.adapter}: {hold} hold, {differ} differ, {untold} cannot be told. "
        f"Answered by {answered_by(found)}."
    )
    if found.stand_in:
        print("A stand-in answered: this says nothing about the real engine.")
    if out is not None:
        print(f"Written to {out / 'check.html'}; to send it in: {out / 'check.json'}.")
