"""Tables for a terminal: a table where there is room for its numbers, else a figure a line."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from peephole.results.tables.folding import FoldingTable


def test_a_long_table_has_a_line_a_row() -> None:
    table = FoldingTable("results")
    table.add_numbers("n")
    table.add_column("task", overflow="fold", min_width=4)
    table.add_numbers("steps")
    for number in range(1001):
        table.add_row(str(number), Text("go/" + "x" * (number % 40), style="red"), "12\n[11, 13]")
    said = io.StringIO()
    Console(file=said, width=80).print(table)
    title, head, *lines = said.getvalue().splitlines()
    assert (title.strip(), head.split()) == ("results", ["n", "task", "steps"])
    assert [line.split()[0] for line in lines] == [str(number) for number in range(1001)]
    assert len({line.index("12 [11, 13]") for line in lines}) == 1


def printed(width: int) -> list[str]:
    table = FoldingTable("results")
    table.add_column("planner", no_wrap=True)
    for name in ("SR", "steps"):
        table.add_column(name, no_wrap=True)
    table.add_row("explore", "91.2\n[88.0, 94.1]", "12.3\n[11.0, 13.9]")
    said = io.StringIO()
    Console(file=said, width=width).print(table)
    return [line.rstrip() for line in said.getvalue().splitlines()]


@pytest.mark.parametrize("width", [20, 25, 35, 38, 39, 40, 60])
def test_a_table_is_as_wide_as_its_numbers_or_told_a_figure_a_line(width: int) -> None:
    """Its columns take 7, 12 and 12 characters, with 3 more each but for the last one's border."""
    lines = printed(width)
    assert all(len(line) <= width for line in lines)
    text = " ".join(" ".join(lines).split())  # a line may be wrapped between words
    assert "…" not in text
    assert all(number in text for number in ("91.2", "[88.0, 94.1]", "12.3", "[11.0, 13.9]"))
    assert ("SR: 91.2 [88.0, 94.1]" in text) == (width < 39)
    assert ("planner" in text) == (width >= 39)
