"""A study as a JSON document to send in: nothing in it tells of the user or the machine."""

from __future__ import annotations

import getpass
import os
import platform
import re
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...version import __version__
from ..assumption import Assumption, Finding, Verdict
from ..study import Study

#: The version of the document's form.
FORMAT = 1

#: The least length of a name that is taken out of texts: shorter ones occur in other words.
_SHORTEST = 4
#: Names of users and machines that say nothing, and occur in other words.
_COMMON = ("localhost", "root", "user")
#: The endings of the names of variables whose values are taken out of texts.
_SECRETS = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
#: A path of several parts, on POSIX or Windows.
_PATH = re.compile(r"""(?<![\w.:/<])(?:~|[A-Za-z]:)?(?:[/\\][^\s/\\'"<>|:;,()\[\]{}]+){2,}[/\\]?""")
_BETWEEN, _ENDS = re.compile(r"[/\\]"), "/\\"
#: An address of another machine; those of this one say nothing.
_ADDRESS = re.compile(r"(\w+://)(?!(?:127\.0\.0\.1|localhost|\[::1\])[:/])[^\s/'\"]+", re.ASCII)


def document_of(study: Study) -> dict[str, Any]:
    """The document of a study."""
    counts = {str(verdict): len(study.of(verdict)) for verdict in Verdict}
    document = {
        "format": FORMAT,
        "adapter": study.adapter,
        "answered_by": answered_by(study),
        "stand_in": bool(study.stand_in),
        "engine": study.facts,
        "peephole": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "counts": counts,
        "duration_s": round(study.duration_s, 1),
        "findings": [_finding(study, each) for each in study.findings],
    }
    cleaned = _each_text(document, without_places)
    assert isinstance(cleaned, dict)
    return cleaned


def answered_by(study: Study) -> str:
    """What answered, in a few words that stand in every line: a stand-in, or the engine itself."""
    if study.stand_in:
        named = study.stand_in.removeprefix("a ")
        return named if named.startswith("stand-in") else f"stand-in: {named}"
    if not study.facts:
        return "nothing"
    return f"engine itself ({study.facts.get('simulator') or study.adapter})"


def assumption_data(assumption: Assumption) -> dict[str, str]:
    """An assumption as JSON data."""
    return {
        "name": assumption.name,
        "topic": str(assumption.topic),
        "claim": assumption.claim,
        "source": assumption.source,
    }


def _finding(study: Study, finding: Finding) -> dict[str, Any]:
    return {
        **assumption_data(finding.assumption),
        "verdict": str(finding.verdict),
        "answer": finding.answer,
        "answered_by": answered_by(study),
        "steps": list(finding.steps),
        "duration_s": round(finding.duration_s, 2),
    }


def without_places(text: str) -> str:
    """A text without paths, other machines' addresses, the names of user and host, and secrets.

    Of a path its last part stays.
    """
    for value in _secrets():
        text = text.replace(value, "(secret)")
    text = _without_home(text)
    text = _ADDRESS.sub(r"\1(host)", text)
    text = _PATH.sub(_last_part, text)
    for name in _names():
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "(name)", text)
    return text


def _without_home(text: str) -> str:
    """A text with ~ in place of the user's folder, whose name may be short or have blanks."""
    home = str(Path.home()).rstrip(_ENDS)
    return re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text) if home else text


def _last_part(path: re.Match[str]) -> str:
    return f"…/{re.split(_BETWEEN, path[0].strip(_ENDS))[-1]}"


def _names() -> tuple[str, ...]:
    """The names of the user and of this machine, where they are no common words."""
    found = {socket.gethostname(), Path.home().name}
    with suppress(Exception):  # there may be no user
        found.add(getpass.getuser())
    return tuple(each for each in found if len(each) >= _SHORTEST and each not in _COMMON)


def _secrets() -> list[str]:
    """The values of secret variables, the longest first."""
    values = (v for name, v in os.environ.items() if name.upper().endswith(_SECRETS))
    return sorted((v for v in values if len(v) >= _SHORTEST), key=len, reverse=True)


def _each_text(data: Any, change: Callable[[str], str]) -> Any:
    """Data with every text in it changed."""
    match data:
        case str():
            return change(data)
        case dict():
            return {_each_text(key, change): _each_text(each, change) for key, each in data.items()}
        case list() | tuple() | set() | frozenset():
            return [_each_text(each, change) for each in data]
        case bool() | int() | float() | None:
            return data
    return change(str(data))
