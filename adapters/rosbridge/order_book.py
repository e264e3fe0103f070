"""What was sent to the robot in an episode: a file of JSON lines, written before anything is sent.

A program that is killed leaves an order without an end. When the episode goes on, its planner asks
for the same again. The book tells, and the order is not sent a second time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...data_files import json_data, json_line, whole_lines, write_safely
from ...errors import BadInput, PeepholeError
from ...scene_graph.graph import SceneGraph
from ...scene_graph.json_codec import graph_from_data, graph_to_data
from ...skills.actions import Action, from_data, to_data
from ...skills.outcomes import Failure, RawResult, Reason


@dataclass(eq=False)
class Entry:
    """One try of an action."""

    action: Action
    """What the planner asked for."""
    order: str
    """The id of its order; empty where nothing was sent."""
    result: RawResult | None = None
    """None for an order without an end."""
    graph: SceneGraph | None = None
    """What was known of the room after it."""


class OrderBook:
    """The tries of one episode, on disk where a folder is given."""

    FILE = "orders.jsonl"

    def __init__(self, folder: Path | None = None) -> None:
        """Open the book of a folder, which is made. Raises BadInput for a file that is none."""
        self._path = None if folder is None else folder / self.FILE
        self.entries: list[Entry] = []
        """The tries of all trials."""
        self._starts: dict[int, SceneGraph] = {}
        """What was known of the room at the start of a trial, by the number of its first try."""
        if self._path is not None:
            self._read(self._path)

    def begin(self, number: int, graph: SceneGraph) -> None:
        """Begin a trial. number: of its first try in the episode."""
        del self.entries[number:]
        self._starts[number] = graph.copy()
        self._write({"event": "start", "try": number, "graph": graph_to_data(graph)})

    def send(self, number: int, action: Action, order: str) -> Entry:
        """Write down an order that is about to be sent.

        number: of the try, from 0; earlier entries from there on count no more. order: empty if
        nothing is sent.
        """
        entry = Entry(action, order)
        self.entries[number:] = [entry]
        data = {"event": "order", "try": number, "order": order, "action": to_data(action)}
        self._write(data)
        return entry

    def end(self, entry: Entry, result: RawResult, graph: SceneGraph) -> None:
        """Write down how a try ended."""
        number = self.entries.index(entry)
        entry.result, entry.graph = result, graph.copy()
        failure = result.failure
        self._write(
            {
                "event": "end",
                "try": number,
                "failure": failure
                and {"reason": failure.reason, "thing": failure.thing, "detail": failure.detail},
                "message": result.message,
                "graph": graph_to_data(graph),
            }
        )

    def graph_after(self, tries: int) -> SceneGraph | None:
        """What was known of the room after so many tries."""
        graph = self._starts.get(0)
        for number, entry in enumerate(self.entries[:tries], 1):
            graph = self._starts.get(number, entry.graph or graph)
        return graph

    def _write(self, data: dict[str, Any]) -> None:
        if self._path is None:
            return
        try:
            write_safely(self._path, json_line(data).encode())
        except OSError as error:
            raise PeepholeError(
                f"The order cannot be written down ({self._path}: {error.strerror}); correct that, "
                f"then continue the run with --resume."
            ) from None

    def _read(self, path: Path) -> None:
        try:
            lines = whole_lines(path, cut=True)  # a torn last line was never sent
        except OSError as error:
            raise BadInput(f"{path} cannot be read ({error.strerror}); correct that.") from None
        for number, line in enumerate(lines, 1):
            try:
                self._take(json_data(line))
            except (ValueError, LookupError, TypeError, AttributeError, BadInput) as error:
                raise BadInput(
                    f"Line {number} of {path} cannot be read ({error}); remove the file if the "
                    f"robot is at the start of the episode."
                ) from None

    def _take(self, data: Any) -> None:
        match data["event"]:
            case "start":
                del self.entries[data["try"] :]
                self._starts[data["try"]] = graph_from_data(data["graph"])
            case "order":
                entry = Entry(from_data(data["action"]), data["order"])
                self.entries[data["try"] :] = [entry]
            case "end":
                told = data["failure"]
                failure = told and Failure(Reason(told["reason"]), told["thing"], told["detail"])
                entry = self.entries[data["try"]]
                entry.result = RawResult(failure, data["message"])
                entry.graph = graph_from_data(data["graph"])
