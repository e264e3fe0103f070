"""Tables that fold as a whole where a terminal is too narrow for their numbers."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Column, Table
from rich.text import Text

#: Longer tables are printed a line a row.
_LONG = 1000


class FoldingTable(Table):
    """A table that becomes a list, one figure a line, where its columns do not fit.

    Columns with `no_wrap` need their full width, others at least their `min_width`. In the list,
    the first column with a header heads each row.
    """

    def __init__(self, title: str) -> None:
        super().__init__(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)

    def add_numbers(self, *heads: str) -> None:
        """Add columns of numbers."""
        for head in heads:
            self.add_column(head, justify="right", no_wrap=True)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.row_count > _LONG:
            return self._unfolded()
        left = options.max_width - sum(map(_narrowest, self.columns)) - 3 * len(self.columns) + 1
        if left < 0:
            return self._listed()
        for column in self.columns:
            if column.overflow == "fold":
                width = _narrowest(column) + left
                column._cells = [_folded(cell, width) for cell in column._cells]
        return super().__rich_console__(console, options)

    def _unfolded(self) -> Iterator[RenderableType]:
        """A line each row, without folded cells, for which rich needs most of a millisecond."""
        yield Text(f"{self.title}", style="italic")
        columns = [[_line(cell) for cell in (c.header, *c._cells)] for c in self.columns]
        widths = [max(cell.cell_len for cell in cells) for cells in columns]
        for row in zip(*columns, strict=True):
            for cell, width, column in zip(row, widths, self.columns, strict=True):
                cell.align("right" if column.justify == "right" else "left", width)
            line = Text("  ").join(row)
            line.rstrip()
            line.overflow = "fold"
            yield line

    def _listed(self) -> Iterator[RenderableType]:
        yield Text(f"{self.title}\n", style="italic")
        heads = 1 + next((i for i, column in enumerate(self.columns) if column.header), 0)
        for row in zip(*(column.cells for column in self.columns), strict=True):
            head = " ".join(str(cell) for cell in row[:heads] if str(cell))
            yield Text(" ".join(head.split()), style="bold")
            for column, cell in zip(self.columns[heads:], row[heads:], strict=True):
                if str(cell):
                    header = " ".join(str(column.header).split())
                    yield Text(f"  {header}: {_on_one_line(str(cell))}")
        yield Text()


def _line(cell: RenderableType) -> Text:
    """A cell on one line; styles stay."""
    return cell.copy() if isinstance(cell, Text) else Text(_on_one_line(str(cell)))


def _on_one_line(cell: str) -> str:
    """A figure with its interval, and other lines of its cell."""
    lines = ", ".join(" ".join(line.split()) for line in cell.split("\n"))
    return lines.replace(", [", " [")


def _folded(cell: RenderableType, width: int) -> RenderableType:
    """The cell, with the variant of a suite on its own line where its name is wider than that."""
    if not isinstance(cell, str):
        return cell
    words = cell.split(" ")
    return " ".join(w if cell_len(w) <= width else w.replace(":", ":\n", 1) for w in words)


def _narrowest(column: Column) -> int:
    """The least width of a column, in characters."""
    if not column.no_wrap:
        return column.min_width or 1
    lines = (line for cell in (column.header, *column.cells) for line in str(cell).split("\n"))
    return max(map(cell_len, lines), default=0)
