"""Server side of an `IsolatedAdapter`: python -m peephole.adapters.process.isolated_server NAME."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ...errors import BadInput, Missing
from ...scene_graph.changes import change_to_data, difference
from ...scene_graph.graph import SceneGraph
from ...scene_graph.json_codec import digest
from ...skills import actions
from ..contract import Adapter
from ..registry import connect
from . import messages
from .serving import BAD_INPUT, MISSING, Channel, serve

#: The number of revisions between two digests of the state, each of which takes 0.5 ms.
_DIGEST_EVERY = 32


class _AdapterCalls:
    """The calls of one adapter. Every change of the state that is sent has a revision number."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._adapter: Adapter | None = None
        self._sent: SceneGraph | None = None
        self._revision = 0

    @property
    def adapter(self) -> Adapter:
        if self._adapter is None:
            self._adapter = connect(self._name)
        return self._adapter

    def facts(self) -> dict[str, Any]:
        return self.adapter.facts()

    def reset(self, task: dict[str, Any], seed: int) -> None:
        self._sent, self._revision = None, 0
        self.adapter.reset(messages.task_from_data(task), seed)

    def resume(self, task: dict[str, Any], seed: int) -> None:
        self._sent, self._revision = None, 0
        self.adapter.resume(messages.task_from_data(task), seed)

    def keep(self, folder: str) -> None:
        self.adapter.keep(Path(folder))

    def recall(self, task: dict[str, Any], action: dict[str, Any] | None) -> None:
        done = None if action is None else actions.from_data(action)
        self.adapter.recall(messages.task_from_data(task), done)

    def attempt(self, action: dict[str, Any], variation: int) -> dict[str, Any]:
        result = self.adapter.attempt(actions.from_data(action), variation)
        return messages.result_to_data(result)

    def graph(self, since: int) -> dict[str, Any] | None:
        """The change since the other side's revision, or the whole state."""
        now = self.adapter.graph()
        if now is None:
            return None
        changed = difference(self._sent if since == self._revision else None, now)
        if changed is not None:
            self._revision += 1
        self._sent = now
        verified = changed is not None and self._revision % _DIGEST_EVERY == 1
        return {
            "revision": self._revision,
            "changes": None if changed is None else change_to_data(changed),
            "digest": digest(now) if verified else None,
        }

    def view(self) -> dict[str, Any]:
        return messages.view_to_data(self.adapter.view())

    def judge(self, task: dict[str, Any]) -> dict[str, Any] | None:
        return messages.progress_to_data(self.adapter.judge(messages.task_from_data(task)))

    def image(self) -> dict[str, Any] | None:
        return messages.image_to_data(self.adapter.image())

    def close(self) -> None:
        if self._adapter is not None:
            self._adapter.close()


def main() -> None:
    channel = Channel()
    adapter = _AdapterCalls(sys.argv[1])
    names = (
        *("keep", "reset", "resume", "recall", "attempt", "graph", "view", "judge", "image"),
        "close",
    )
    calls = {name: getattr(adapter, name) for name in names}
    try:
        serve(channel, calls, adapter.facts, {BadInput: BAD_INPUT, Missing: MISSING})
    finally:
        adapter.close()


if __name__ == "__main__":
    main()
