"""OmniGibson's 14 symbolic primitives on a scene graph: no simulator, no geometry, no chance.

Each changes the symbolic state like the method of the same name of
`SymbolicSemanticActionPrimitives` (omnigibson 1.1.1), and has the same refusals and errors. As
there, the robot need not be near, see, or find a door open. docs/simulators/omnigibson.md lists the
differences.

Where the original samples a pose, a target without a surface (for on top) or inside (for inside) is
a SAMPLING_ERROR. Effects of physics (a placed thing that falls, a door that springs back) do not
happen, except that a thing put on or in itself is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...observation_text.incremental_view import IncrementalView
from ...observation_text.view import View, Visibility
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, Relation, State
from ...scene_graph.task import Task
from ...skills import actions
from ...skills.dynamics import apply as effect
from ...version import __version__
from ..contract import STAND_IN
from ..scenes import load_scene
from .primitives import Error, Primitive, Result

if TYPE_CHECKING:
    pass

_CLEANABLE = frozenset({State.CLEAN, State.DIRTY})


@dataclass
class Substances:
    """Particles, by the id of the thing and the name of their system ("water", "dust").

    A thing that is not a key of a field cannot be covered, filled or soaked at all.
    """

    covered: dict[int, set[str]] = field(default_factory=dict)
    """The systems on a thing."""
    contains: dict[int, set[str]] = field(default_factory=dict)
    """The systems in a thing."""
    saturated: dict[int, set[str]] = field(default_factory=dict)
    """The systems that a thing has soaked up."""
    sources: dict[int, set[str]] = field(default_factory=dict)
    """The systems that a thing pours out while it is on, or always without a switch."""
    removes: dict[int, dict[str, str | None]] = field(default_factory=dict)
    """The systems that a thing wipes off or soaks up, each with the system that must be soaked in
    first, or None.
    """


class _Failed(Exception):
    def __init__(self, error: Error, message: str) -> None:
        super().__init__(message)
        self.error = error


class SymbolicBackend:
    """A scene graph that primitives modify. Things are named by its ids."""

    def __init__(
        self,
        scene: SceneGraph | None = None,
        substances: Substances | None = None,
        burners: Iterable[int] = (),
    ) -> None:
        """scene: the state at the start, without a `reset`. burners: things with a heating element
        that other things are put near, not into.
        """
        self._start(SceneGraph() if scene is None else scene)
        self.substances = substances or Substances()
        self._burners = frozenset(burners)

    def _start(self, scene: SceneGraph) -> None:
        self._graph = scene.copy()
        self._sight: IncrementalView | None = None

    # --- as the adapter sees it --------------------------------------------------------------

    def reset(self, task: Task, seed: int) -> None:
        self._start(load_scene(task.scene))
        self.substances, self._burners = Substances(), frozenset()
        for node in self._graph.nodes():
            if not _CLEANABLE.isdisjoint(node.states):
                dirty = State.DIRTY in node.states
                self.substances.covered[node.id] = {"dirt"} if dirty else set()

    def apply(self, primitive: Primitive, thing: int | None) -> Result:
        """Run a primitive once, without retries."""
        do = _PRIMITIVES[primitive]
        try:
            if thing == self._me:
                raise _Failed(Error.PRE_CONDITION, "it is the robot")
            do(self, -1 if thing is None else thing)
        except _Failed as failed:
            return Result(failed.error, str(failed))
        return Result()

    def graph(self) -> SceneGraph:
        """The true state; not to be modified."""
        return self._graph

    def view(self) -> View:
        if self._sight is None:  # computed on demand
            self._sight = IncrementalView(self._graph, Visibility.NEAR)
        return self._sight.view()

    def close(self) -> None:
        self._start(SceneGraph())

    def facts(self) -> dict[str, Any]:
        replaced = {STAND_IN: "the symbolic backend in place of OmniGibson"}
        return {"backend": "symbolic", "peephole": __version__, **replaced}

    # --- the primitives ----------------------------------------------------------------------

    @property
    def _me(self) -> int:
        return self._graph.agent().id

    def in_hand(self) -> int | None:
        """The id of the held thing."""
        return next(iter(self._graph.held(self._me)), None)

    def _can(self, thing: int, affordance: Affordance) -> bool:
        return affordance in self._graph[thing].affordances

    def _needed(self) -> int:
        held = self.in_hand()
        if held is None:
            raise _Failed(Error.PRE_CONDITION, "nothing is in the hand")
        return held

    def _hand_free(self) -> None:
        if self.in_hand() is not None:
            raise _Failed(Error.PRE_CONDITION, "something is in the hand")

    def _navigate(self, thing: int) -> None:
        """Go to a thing; a held thing has no place to stand at."""
        graph = self._graph
        held = graph.held(self._me)
        if any(t in held for t in (thing, *graph.above(thing))) or graph.room_of(thing) is None:
            raise _Failed(Error.SAMPLING, "no pose to stand in near it")
        effect(graph, actions.go_to(thing))

    def _grasp(self, thing: int) -> None:
        held = self.in_hand()
        if held == thing:
            return
        if held is not None:
            raise _Failed(Error.PRE_CONDITION, "the hand is full")
        if self._graph[thing].kind is not Kind.OBJECT:
            raise _Failed(Error.POST_CONDITION, "it is fixed, and did not come into the hand")
        effect(self._graph, actions.pick_up(thing))

    def _release(self, thing: int) -> None:
        effect(self._graph, actions.drop(self._needed()))

    def _place(self, thing: int, relation: Relation, needed: Affordance) -> None:
        held = self._needed()
        if not self._can(thing, needed):
            raise _Failed(Error.SAMPLING, f"it has no spot to put a thing {relation}")
        if held in (thing, *self._graph.above(thing)):
            self._release(thing)
            raise _Failed(Error.EXECUTION, "a thing cannot be put into itself; it was dropped")
        effect(self._graph, actions.put(held, relation, thing))

    def _place_on_top(self, thing: int) -> None:
        self._place(thing, Relation.ON, Affordance.SURFACE)

    def _place_inside(self, thing: int) -> None:
        self._place(thing, Relation.INSIDE, Affordance.CONTAINER)

    def _place_near_heating_element(self, thing: int) -> None:
        self._needed()
        heats = self._can(thing, Affordance.HEATS)
        if not heats and thing not in self._burners:
            raise _Failed(Error.PRE_CONDITION, "it is no source of heat")
        if thing not in self._burners:
            raise _Failed(Error.PRE_CONDITION, "it heats what is inside it")
        self._place_on_top(thing)

    def _set(self, thing: int, needed: Affordance, state: State) -> None:
        self._hand_free()
        if not self._can(thing, needed):
            raise _Failed(Error.PRE_CONDITION, f"it is not {needed}")
        self._graph.set_state(thing, state)  # no change if it is in that state

    def _cut(self, thing: int) -> None:
        held = self._needed()
        if not self._can(held, Affordance.CUTS):
            raise _Failed(Error.PRE_CONDITION, "what is in the hand does not cut")
        sliced = State.SLICED in self._graph[thing].states
        if sliced or not self._can(thing, Affordance.SLICEABLE):
            raise _Failed(Error.PRE_CONDITION, "it cannot be sliced")
        self._graph.set_state(thing, State.SLICED)

    def _wipe(self, thing: int) -> None:
        held, on = self._needed(), self.substances.covered
        if not on.get(thing):
            raise _Failed(Error.PRE_CONDITION, "nothing is on it")
        if held not in self.substances.removes:
            raise _Failed(Error.PRE_CONDITION, "what is in the hand removes nothing")
        on[thing] -= self._removable(held, on[thing])
        if not on[thing]:
            self._graph.set_state(thing, State.CLEAN)

    def _soak_under(self, thing: int) -> None:
        held = self._needed()
        shut = self._can(thing, Affordance.SWITCHABLE) and (
            State.ON not in self._graph[thing].states
        )
        self._soak(held, set() if shut else self.substances.sources.get(thing, set()))

    def _soak_inside(self, thing: int) -> None:
        self._soak(self._needed(), self.substances.contains.get(thing, set()))

    def _soak(self, held: int, systems: set[str]) -> None:
        if not systems:
            raise _Failed(Error.PRE_CONDITION, "nothing is there to soak")
        if held not in self.substances.saturated:
            raise _Failed(Error.PRE_CONDITION, "what is in the hand cannot be soaked")
        self.substances.saturated[held] |= self._removable(held, systems)

    def _removable(self, held: int, systems: set[str]) -> set[str]:
        """The systems that a thing can take up in its present state."""
        known = self.substances.removes.get(held, {})
        soaked = self.substances.saturated.get(held, set())
        removable = {s for s in systems if s in known and (known[s] is None or known[s] in soaked)}
        if not removable:
            raise _Failed(Error.PRE_CONDITION, "what is in the hand does not take that up now")
        return removable


_Do = Callable[[SymbolicBackend, int], None]


def _sets(needed: Affordance, state: State) -> _Do:
    return lambda backend, thing: backend._set(thing, needed, state)


_PRIMITIVES: dict[Primitive, _Do] = {
    Primitive.GRASP: SymbolicBackend._grasp,
    Primitive.PLACE_ON_TOP: SymbolicBackend._place_on_top,
    Primitive.PLACE_INSIDE: SymbolicBackend._place_inside,
    Primitive.OPEN: _sets(Affordance.OPENABLE, State.OPEN),
    Primitive.CLOSE: _sets(Affordance.OPENABLE, State.CLOSED),
    Primitive.TOGGLE_ON: _sets(Affordance.SWITCHABLE, State.ON),
    Primitive.TOGGLE_OFF: _sets(Affordance.SWITCHABLE, State.OFF),
    Primitive.SOAK_UNDER: SymbolicBackend._soak_under,
    Primitive.SOAK_INSIDE: SymbolicBackend._soak_inside,
    Primitive.WIPE: SymbolicBackend._wipe,
    Primitive.CUT: SymbolicBackend._cut,
    Primitive.PLACE_NEAR_HEATING_ELEMENT: SymbolicBackend._place_near_heating_element,
    Primitive.NAVIGATE_TO: SymbolicBackend._navigate,
    Primitive.RELEASE: SymbolicBackend._release,
}
