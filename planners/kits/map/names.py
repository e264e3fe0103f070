"""The names of nodes in prompts of graph planners, and how answers are read."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from ....models.contract import Unusable
from ....observation_text.dialects.lookplangraph import node_names
from ....observation_text.dialects.lookplangraph.node_names import NodeName

#: The reason under which unknown names in answers are counted.
UNKNOWN_NODE = "unknown node"
#: The most names listed for a model that gave a wrong one.
_LISTED = 12
#: The most letters quoted of a wrong name.
_SHOWN = 60


def node_name(name: str) -> str:
    """The name of a node for a model: "wicker_basket-1" for "wicker basket 1"."""
    category, _, number = name.rpartition(" ")
    return str(NodeName(node_names.stem(category), int(number)))


class NodeNames:
    """Names by id and ids by name, for everything that a planner perceived or was granted.

    It follows the given names while they grow.
    """

    def __init__(self, *names: Mapping[int, str]) -> None:
        """names: the names by id, such as "wicker basket 1"; the first that has an id counts."""
        self._given = names
        self._names: dict[int, str] = {}
        self._ids: dict[str, int] = {}

    def name(self, node_id: int) -> str:
        """The name of a node. Raises KeyError for one without a name."""
        written = self._names.get(node_id)
        if written is None:
            given = next((names for names in self._given if node_id in names), {})
            written = self._written(node_id, given[node_id])
        return written

    def id(self, text: str) -> int:
        """The node of a name. Raises Unusable with one sentence for the model.

        Case, separators and marks around the number do not matter: "Apple (1)".
        """
        said = node_names.read(text)
        if str(said) not in self._ids:
            self._read_on()
        if said is not None:
            known = self._ids.get(str(said))
            if known is not None:
                return known
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
        one = next(iter(self._ids), "")  # models repeat this example
        example = f", such as {one}" if one else ""
        raise Unusable(
            f"There is no node '{shown}'; use only names of the scene{example}.", UNKNOWN_NODE
        )

    def _alike(self, stem: str) -> str:
        """The names of a kind, up to the limit of the list."""
        names = (name for name in self._ids if name.rpartition("-")[0] == stem)
        return ", ".join(islice(names, _LISTED))

    def _read_on(self) -> None:
        for names in self._given:
            for node_id, name in names.items():
                if node_id not in self._names:
                    self._written(node_id, name)

    def _written(self, node_id: int, name: str) -> str:
        written = self._names[node_id] = node_name(name)
        self._ids.setdefault(written, node_id)
        return written
