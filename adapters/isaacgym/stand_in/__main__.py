"""Writes the arm of the stand-in and prints how to use it."""

from __future__ import annotations

import sys
from pathlib import Path

from ....errors import BadInput, PeepholeError
from ..blocks import ASSETS_VARIABLE, PYTHON_VARIABLE
from .panda_urdf import write_assets


def main(arguments: list[str]) -> int:
    try:
        if len(arguments) != 1:
            raise BadInput("One argument is needed: give the folder to write the arm to.")
        folder = write_assets(Path(arguments[0]))
    except PeepholeError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"export PYTHONPATH={Path(__file__).resolve().parent}${{PYTHONPATH:+:$PYTHONPATH}}")
    print(f"export {PYTHON_VARIABLE}={sys.executable}")
    print(f"export {ASSETS_VARIABLE}={folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
