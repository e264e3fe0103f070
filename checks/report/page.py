"""A study as a page of one file, made from its document."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from ..assumption import Verdict

#: The verdicts in the order of the page, as headings.
HEADINGS = {
    Verdict.DIFFERS: "Differs",
    Verdict.CANNOT_TELL: "Cannot be told",
    Verdict.HOLDS: "Holds",
}


def page_of(document: dict[str, Any]) -> str:
    """The HTML of a document of `document_of`."""
    groups = [
        (str(verdict), heading, [f for f in document["findings"] if f["verdict"] == verdict])
        for verdict, heading in HEADINGS.items()
    ]
    css = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    return _template().render(study=document, groups=groups, css=Markup(css))


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader(__package__, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja")
