"""Packages that may be missing: where their files are, and the command that installs them.

Packages that are wanted for the files they carry are found without being imported: an import would
need their own dependencies, which are not installed, and time.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

from .errors import Missing

#: The folder of the files of packages that are installed without their dependencies, which are
#: heavy or do not build, and the files. Others there are of interpreters of their own.
NO_DEPS = Path(__file__).with_name("environments")
_FILES = ("demo.txt", "no-deps.txt")


class Lack(str):
    """A sentence on what is not installed, which ends in the one command that installs it."""

    what: str
    needs: tuple[str, ...]

    def __new__(cls, what: str, *needs: str, force: bool = False) -> Lack:
        """Make the sentence.

        what: its beginning, such as "The planner explore needs wordllama". needs: extras of
        Peephole, and packages of `environments/`. force: they are there, and damaged.
        """
        lack = super().__new__(
            cls, f"{what}; install it with: {install_command(*needs, force=force)}"
        )
        lack.what, lack.needs = what, needs
        return lack

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """In another process it is text alone."""
        return str, (str(self),)


def together(errors: Iterable[Missing]) -> Missing:
    """One error in place of several, with one command that installs all that they lack.

    The first alone where that is not for want of a package.
    """
    errors = list(errors)
    lacks = [each.args[0] for each in errors if isinstance(each.args[0], Lack)]
    if not isinstance(errors[0].args[0], Lack):
        return errors[0]
    what = "; ".join(dict.fromkeys(lack.what for lack in lacks))
    return Missing(Lack(what, *dict.fromkeys(need for lack in lacks for need in lack.needs)))


def install_command(*needs: str, force: bool = False) -> str:
    """The command that installs extras of Peephole and packages of `environments/`.

    It names the packages themselves, since Peephole is on no index. What is installed already is
    left out. force: install all of it again.
    """
    alone = _pins()
    wanted = {
        True: [alone[need] for need in needs if need in alone],
        False: [each for need in needs if need not in alone for each in requirements_of(need)],
    }
    again = ["--force-reinstall"] if force else []
    parts = []
    for without, found in wanted.items():
        left = found if force else [each for each in found if not _is_installed(each)] or found
        if left:
            options = [*again, *(["--no-deps"] if without else [])]
            parts.append(" ".join([pip(), "install", *options, *map(shlex.quote, left)]))
    return " && ".join(reversed(parts))


def requirements_of(extra: str) -> list[str]:
    """The packages of an extra of Peephole with their versions, as the installed metadata has them.

    Raises KeyError for an extra that does not exist.
    """
    found = list(dict.fromkeys(_requirements(extra)))
    if not found:
        raise KeyError(extra)
    return found


def _requirements(extra: str) -> Iterator[str]:
    for line in requires("peephole") or ():
        requirement, _, marker = line.partition(";")
        if re.search(rf"extra == ['\"]{re.escape(extra)}['\"]", marker):
            nested = re.fullmatch(r"peephole\[(.+)\]", requirement.strip())
            if nested is None:
                yield requirement.strip()
            else:
                for name in nested[1].split(","):
                    yield from _requirements(name.strip())


@cache
def _pins() -> dict[str, str]:
    """The packages of those files by name, each with its version: "procthor==0.0.1"."""
    lines = [
        line.partition("#")[0].strip()
        for file in (NO_DEPS / name for name in _FILES)
        if file.is_file()
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return {line.partition("==")[0]: line for line in lines if "==" in line}


def _is_installed(requirement: str) -> bool:
    match = re.match(r"[\w.-]+", requirement)
    try:
        version(match[0] if match else requirement)
    except PackageNotFoundError:
        return False
    return True


def pip() -> str:
    """The pip of this Python: the `pip` that a shell finds may be that of another."""
    found = shutil.which("pip")
    if found is not None and Path(found).parent == Path(sys.executable).parent:
        return "pip"
    return f"{shlex.quote(sys.executable)} -m pip"


@dataclass(frozen=True, slots=True)
class DataPackage:
    """A package of `environments/` that is wanted for its files."""

    name: str
    """Its name on the index."""
    module: str
    """The name that it is imported by."""
    needed: str
    """A folder in it that must be there."""


def folder_of(module: str) -> Path | None:
    """The folder of an installed package; None if it is not installed."""
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def missing(package: DataPackage) -> str | None:
    """One sentence on what is missing and how to get it, or None."""
    root = folder_of(package.module)
    if root is None:
        return Lack(f"The package {package.name} is not installed", package.name)
    if not (root / package.needed).is_dir():
        return damaged(package, f"has no folder {root / package.needed}")
    return None


def damaged(package: DataPackage, problem: str) -> str:
    """One sentence on an installed package that lacks something. problem: with its verb."""
    return Lack(f"The package {package.name} {problem}", package.name, force=True)


def require(package: DataPackage) -> Path:
    """The folder of a package. Raises Missing."""
    problem, root = missing(package), folder_of(package.module)
    if problem is not None or root is None:
        raise Missing(problem or f"The package {package.name} is not installed.")
    return root


def file_in(package: DataPackage, path: str) -> Path:
    """A file of a package, by its path in it. Raises Missing."""
    file = require(package) / path
    if not file.is_file():
        raise Missing(damaged(package, f"has no file {file}"))
    return file
