"""The names under which graph planners tell nodes to a model, and read them from its answers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from ....models.contract import Unusable
from ....observation_text.dialects.lookplangraph import node_names
from ....observation_text.dialects.lookplangraph.node_names import NodeName

#: What is wrong with a name that no node has, as refused answers are counted.
UNKNOWN_NODE = "unknown node"
#: So many names are listed for a model that gave a wrong one.
_LISTED = 12
#: So many letters of a wrong name are said back.
_SHOWN = 60


def node_name(name: str) -> str:
    """The name of a node for a model: "wicker_basket-1" for "wicker basket 1"."""
    category, _, number = name.rpartition(" ")
    return str(NodeName(node_names.stem(category), int(number)))


class NodeNames:
    """Names by id and ids by name, for everything that a planner perceived or was granted.

    It reads on in the names that it was given while they grow.
    """

    def __init__(self, names: Mapping[int, str]) -> None:
        """names: those of the percepts, "wicker basket 1" by id."""
        self._given = names
        self._names: dict[int, str] = {}
        self._ids: dict[str, int] = {}

    def name(self, node_id: int) -> str:
        """The name of a node. Raises KeyError for one without a name."""
        written = self._names.get(node_id)
        if written is None:
            written = self._written(node_id, self._given[node_id])
        return written

    def id(self, text: str) -> int:
        """The node of a name. Raises Unusable with one sentence for the model.

        Case is free, and so is what stands between the words and around the number: "Apple (1)".
        """
        said = node_names.read(text)
        if str(said) not in self._ids:
            self._read_on()
        if said is not None:
            found = self._ids.get(str(said))
            if found is not None:
                return found
        alike = self._alike(node_names.stem(text) if said is None else said.stem)
        if said is None and alike:
            raise Unusable(
                f"'{text.strip()}' has no number; say which is meant: {alike}.", UNKNOWN_NODE
            )
        if alike:
            raise Unusable(
                f"There is no node {said}; of this kind there are {alike}.", UNKNOWN_NODE
            )
        shown = " ".join(text.split())[:_SHOWN]
        one = next(iter(self._ids), "")  # models say again what stands here
        example = f", such as {one}" if one else ""
        raise Unusable(
            f"There is no node '{shown}'; use only names of the scene{example}.", UNKNOWN_NODE
        )

    def _alike(self, stem: str) -> str:
        """The names of a kind, as far as they are listed."""
        names = (name for name in self._ids if name.rpartition("-")[0] == stem)
        return ", ".join(islice(names, _LISTED))

    def _read_on(self) -> None:
        for node_id, name in self._given.items():
            if node_id not in self._names:
                self._written(node_id, name)

    def _written(self, node_id: int, name: str) -> str:
        written = self._names[node_id] = node_name(name)
        self._ids.setdefault(written, node_id)
        return written
