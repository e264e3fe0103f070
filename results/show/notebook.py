"""Tables of a terminal as HTML, for a notebook."""

from __future__ import annotations

import io

from rich.console import Console, RenderableType

_WIDTH = 110


def as_html(shown: RenderableType) -> str:
    """What a terminal of 110 columns would show, as HTML."""
    console = Console(record=True, file=io.StringIO(), width=_WIDTH, force_jupyter=False)
    console.print(shown)
    return console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")
