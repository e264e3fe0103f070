"""Scene graphs as networkx graphs, for its algorithms, layouts and file formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import BadInput, Missing
from ..installed import Lack
from .fields import Field
from .graph import SceneGraph
from .json_codec import check_well_formed, node_from_field, node_to_data
from .node import Relation

if TYPE_CHECKING:
    import networkx


def to_networkx(graph: SceneGraph) -> networkx.MultiDiGraph:
    """A graph as a MultiDiGraph: its nodes are the ids, its edge keys the relations.

    A node's attributes are its fields as in `json_codec` (plain data), without the id. Nothing is
    lost. Raises Missing without networkx.
    """
    try:
        import networkx
    except ImportError:
        raise Missing(Lack("The package networkx is not installed", "networkx")) from None
    result = networkx.MultiDiGraph()
    for node in graph.nodes():
        data = node_to_data(node)
        result.add_node(data.pop("id"), **data)
    for source, relation, target in graph.edges():
        result.add_edge(source, target, key=str(relation))
    return result


def from_networkx(graph: networkx.MultiDiGraph, where: str = "the networkx graph") -> SceneGraph:
    """The graph from the result of `to_networkx`.

    where: the name of the graph in errors. Raises BadInput naming it and the malformed node or
    edge.
    """
    if not (graph.is_directed() and graph.is_multigraph()):
        raise BadInput(f"In {where}, a {type(graph).__name__} was given; expected a MultiDiGraph.")
    result = SceneGraph()
    for node_id, attributes in graph.nodes(data=True):
        result.add_node(
            node_from_field(Field(where, f"node {node_id!r}", {"id": node_id} | attributes))
        )
    for source, target, key in graph.edges(keys=True):
        relation = Field(where, f"the key of edge {source} to {target}", key)
        result.add_edge(source, relation.name_of(Relation), target)
    check_well_formed(result, where)
    return result
