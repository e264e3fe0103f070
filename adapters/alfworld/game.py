"""A game file played by our own interpreter: the words of ALFWorld's engine, without its engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

from ...errors import BadInput
from .game_file import GameFile
from .grammar import Call, Given, Part, Wording, read_grammar
from .grounding import ALWAYS, Clauses, Facts, GroundAction, Grounding
from .names import names_of
from .pddl import Fact, read_domain, read_problem
from .wording import KnownFacts, Scope, Teller

NOTHING_HAPPENS = "Nothing happens."
INTRO = (Call("intro"),)
#: The menus that a game remembers.
_MOST_MENUS = 4_000


@dataclass(frozen=True, slots=True)
class Told:
    """What a game tells after a command."""

    feedback: str
    """Its text."""
    commands: tuple[str, ...]
    """The admissible commands, sorted."""
    won: bool
    """Whether the goal holds; the game is over then."""


class _Change(NamedTuple):
    """What an action changes if a condition holds before it."""

    condition: Clauses
    added: int
    removed: int
    begun: tuple[Fact, ...]
    ended: tuple[Fact, ...]
    told: tuple[tuple[Fact, bool], ...]


@dataclass(eq=False)
class _Move:
    """An action as it is played."""

    ground: GroundAction
    words: Wording
    changes: tuple[_Change, ...]
    scope: Scope
    command: str | None = None


@dataclass(eq=False)
class _Group:
    """The actions that need a certain fact, such as where the agent is. key: its bit, or 0."""

    key: int
    relevant: int = 0
    moves: list[_Move] = field(default_factory=list)
    known: dict[int, list[_Move]] = field(default_factory=dict)


class _Menu(NamedTuple):
    """The admissible commands of a state."""

    moves: dict[str, _Move]
    commands: tuple[str, ...]


class TextGame:
    """One game, begun by `reset` as often as one likes.

    problem: its objects and facts. names: of its things, by id.
    """

    def __init__(self, file: GameFile) -> None:
        """Raises BadInput, naming the file, for what the interpreter does not know."""
        self._file = file
        with file.mistakes():
            domain = read_domain(file.domain)
            self.problem = read_problem(file.problem, domain)
            grounding = Grounding(domain, self.problem)
            grammar = read_grammar(file.grammar)
            self.names = names_of({each for fact in self.problem.facts for each in fact[1:]})
            types = {
                *self.problem.objects.values(),
                *domain.types,
                *domain.types.values(),
                "object",
            }
            of_type = {kind: grounding.things(kind).keys() for kind in types}
            self._teller = Teller(grammar, self.names, of_type)
            self._facts = grounding.facts
            self._goal = grounding.goal
            self._first = KnownFacts(self.problem.facts, self._teller.predicates)
            moves = [self._move(each, grammar.actions) for each in grounding.actions]
        self._groups = _grouped(moves, self._facts)
        self._menus: dict[tuple[tuple[int, int], ...], _Menu] = {}
        self._restart()

    def fresh(self) -> TextGame:
        """The same game to be played on its own; what is known of its file is shared."""
        other = copy(self)
        other._restart()
        return other

    def reset(self) -> Told:
        """Begin the game."""
        self._restart()
        return self._told(INTRO, Scope({}, {}))

    def step(self, command: str) -> Told:
        """Play a command; an inadmissible one changes nothing."""
        move = self._menu().moves.get(command.strip())
        if move is None:
            return Told(NOTHING_HAPPENS, self._menu().commands, self._won)
        self._apply(move)
        return self._told(move.words.feedback, move.scope)

    def facts(self) -> frozenset[Fact]:
        """All facts that hold now."""
        return frozenset(self._facts_now)

    def _restart(self) -> None:
        self._state = self._facts.start
        self._facts_now = set(self.problem.facts)
        self._known = self._first.copy()
        self._won = _holds(self._goal, self._state)

    def _told(self, text: Sequence[Part], scope: Scope) -> Told:
        with self._file.mistakes():
            feedback = self._teller.text(text, scope, self._known)
            return Told(feedback, self._menu().commands, self._won)

    def _apply(self, move: _Move) -> None:
        before, added, removed = self._state, 0, 0
        for change in move.changes:
            if change.condition is ALWAYS or _holds(change.condition, before):
                added |= change.added
                removed |= change.removed
                self._facts_now.difference_update(change.ended)
                self._facts_now.update(change.begun)
                for fact, holds in change.told:
                    self._known.change(fact, holds=holds)
        self._state = (before & ~removed) | added
        self._won = _holds(self._goal, self._state)

    # --- the menu --------------------------------------------------------------------------------

    def _menu(self) -> _Menu:
        state = self._state
        here = [each for each in self._groups if state & each.key == each.key]
        key = tuple([(group.key, state & group.relevant) for group in here])
        menu = self._menus.get(key)
        if menu is None:
            if len(self._menus) >= _MOST_MENUS:
                self._menus.clear()
            moves: dict[str, _Move] = {}
            for group in here:
                for move in self._possible(group, state):
                    moves.setdefault(self._command(move), move)
            menu = self._menus[key] = _Menu(moves, tuple(sorted(moves)))
        return menu

    def _possible(self, group: _Group, state: int) -> list[_Move]:
        local = state & group.relevant
        found = group.known.get(local)
        if found is None:
            if len(group.known) >= _MOST_MENUS:
                group.known.clear()
            found = [move for move in group.moves if _holds(move.ground.guards, state)]
            group.known[local] = found
        return found

    def _command(self, move: _Move) -> str:
        """The text of an action, which is the same in every state."""
        if move.command is None:
            move.command = self._teller.text(move.words.command, move.scope, self._first)
        return move.command

    def _move(self, ground: GroundAction, words: dict[str, Wording]) -> _Move:
        name = ground.schema.name
        if name not in words:
            raise BadInput(f"its grammar has no words for the action '{name}'")
        asked = {
            atom.predicate
            for part in words[name].command
            if isinstance(part, Given)
            for atom in part.facts
        }
        if asked & self._facts.changing:
            raise BadInput(f"its grammar words '{name}' by facts that change")
        variables = [(each.name.removeprefix("?"), each.type) for each in ground.schema.parameters]
        scope = Scope(
            {name: thing for (name, _), thing in zip(variables, ground.things, strict=True)},
            dict(zip(variables, ground.things, strict=True)),
        )
        return _Move(ground, words[name], tuple(self._changes(ground)), scope)

    def _changes(self, ground: GroundAction) -> Iterable[_Change]:
        added = {fact for each in ground.effects if each.condition == ALWAYS for fact in each.added}
        for effect in ground.effects:
            removed = [fact for fact in effect.removed if fact not in added]
            told = [(fact, True) for fact in effect.added] + [(fact, False) for fact in removed]
            known = (
                each for each in told if {each[0][0], f"not_{each[0][0]}"} & self._teller.predicates
            )
            condition = ALWAYS if effect.condition == ALWAYS else effect.condition
            masks = self._facts.mask(effect.added), self._facts.mask(removed)
            yield _Change(condition, *masks, effect.added, tuple(removed), tuple(known))


def _holds(clauses: Clauses, state: int) -> bool:
    # A generator takes three times as long.
    for holds, lacks in clauses:  # noqa: SIM110
        if state & holds == holds and not state & lacks:
            return True
    return False


def _grouped(moves: Sequence[_Move], facts: Facts) -> list[_Group]:
    """The actions by a fact that each needs: of those that most actions of a game need."""
    common = [_common(move.ground.guards) for move in moves]
    counts = Counter(bit for bits in common for bit in _bits(bits))
    groups: dict[int, _Group] = {}
    for move, bits in zip(moves, common, strict=True):
        key = max(_bits(bits), key=lambda bit: (counts[bit], bit), default=0)
        group = groups.setdefault(key, _Group(key))
        group.moves.append(move)
        for holds, lacks in move.ground.guards:
            group.relevant |= holds | lacks
    return list(groups.values())


def _common(clauses: Clauses) -> int:
    found = clauses[0].holds
    for guard in clauses[1:]:
        found &= guard.holds
    return found


def _bits(mask: int) -> Iterable[int]:
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit
