"""The planner `react`: thoughts and actions by turns, from one growing conversation.

After Yao et al., ReAct (2023), as the baseline of Choi et al., ReAcTree (2025), section 3 and
appendix E.2. Options make it ReAct+WM of that paper, the baseline of Onishchenko et al.,
LookPlanGraph (2025), appendix D (`augmentation`), and ReAct* of Tang et al., Tru-POMDP (2025),
appendix A.6 (`domain`). The wording is Peephole's own.

Messages are only added, so the server's prompt cache serves every turn. A menu ends the newest
observation and is left out once answered, since all menus together would be the longest part.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from ...models.contract import Judge, Message
from ...observation_text.view import View
from ...scene_graph.node import Kind
from ...skills.actions import Action, Verb
from ..contract import (
    HOMES,
    Act,
    Brief,
    Decision,
    Decisions,
    Done,
    GiveUp,
    Internal,
    Note,
    OnlyWith,
    Percept,
    Planner,
    Preparation,
    SubPlan,
)
from ..kits.action_space import Actions, limited_to
from ..kits.detectors import choice as detectors
from ..kits.detectors.seeing import seen_by
from ..kits.memory import episodic
from ..kits.memory.working import RECALL, WorkingMemory
from ..kits.prompting.conversation import ActionLog, Conversation, giving_up
from ..kits.prompting.menus import MenuForm, settled
from ..kits.prompting.offers import judge, listing, offered
from ..kits.turns import (
    DONE,
    GIVE_UP,
    example_text,
    observation_of,
    recall_action,
    reply_of,
    system_prompt,
    turn_shape,
    with_recent_turns,
)

#: The planners whose experiences can be examples.
EXPERIENCED = ("react", "reactree_seeds")
#: The role of the model that chooses a share of the actions, see `Options.taught`.
TEACHER = "teacher"
#: Actions that only search.
_SEARCHING = frozenset({Verb.GO_TO, Verb.LOOK, Verb.OPEN})


class Options(BaseModel):
    """Options of `react`."""

    thought_length: Annotated[int, OnlyWith("thoughts", "true")] = Field(
        300, ge=0, description="most characters of a thought; the rest is cut"
    )
    thoughts: bool = Field(
        True, description="ask for a thought before each action; false: the baseline Act"
    )
    menu: MenuForm = Field(
        MenuForm.AUTO,
        description="the actions on offer in the prompt: none, grouped, or one by one (full); "
        "auto: none if the server enforces schemas, else grouped",
    )
    history: Literal["turns", "log"] = Field(
        "turns",
        description="earlier steps in the prompt: turns with thoughts, or a log of actions and "
        "observations",
    )
    repeats: int | None = Field(
        None,
        ge=1,
        description="how often an action may be repeated in the same situation; none: no limit",
    )
    remind: bool = Field(
        False,
        description="repeat the task after each action that changes something; helps small "
        "models to track progress",
    )
    recent_turns: int | None = Field(
        None,
        ge=1,
        description="start a new conversation every N turns, at a walk, with the task and the "
        "last placed object; none: never; the teacher reads everything",
    )
    other_rooms: bool = Field(
        False,
        description="offer walks to furniture seen in other rooms; the agent first goes to that "
        "room",
    )
    taught: float = Field(
        0.0,
        ge=0.0,
        le=1.0,
        description="share of actions that the model of the role teacher chooses (DAgger), from "
        "0 to 1; it also replaces decisions to end the episode",
    )
    augmentation: detectors.Augmentation = Field(
        detectors.Augmentation.NONE,
        description="what detects things at a place: the simulator (none), the true view through "
        "the detector interface (view), or a vision model (vision)",
    )
    images: Annotated[detectors.ImagesPath | None, OnlyWith("augmentation", "vision")] = Field(
        None, description="folder of images by place, for vision; none: the agent's camera"
    )
    domain: bool = Field(
        False,
        description="describe actions, body, goals and costs in the prompt (ReAct* of Tru-POMDP)",
    )
    working_memory: bool = Field(
        False, description="let the agent recall where it last saw things (ReAct+WM)"
    )
    actions: Actions = Field(
        Actions.ALL,
        description="actions on offer: all of the simulator, or ReAcTree's (six; eight in the "
        "dialects of AI2-THOR)",
    )
    memory: episodic.MemoryPath | None = Field(
        None,
        description="memory from `peephole memory build` that provides the examples; none: fixed "
        "examples",
    )
    seen_scenes: Annotated[bool, OnlyWith("memory")] = Field(
        False,
        description="allow tasks in scenes of the memory, to build a memory on a training suite "
        "or for ALFRED's valid_seen",
    )


def _more_models(options: BaseModel) -> tuple[str, ...]:
    assert isinstance(options, Options)
    return (*[TEACHER] * bool(options.taught), *detectors.models(options))


def prepare(preparation: Preparation) -> Mapping[str, Any]:
    """Choose the form of menus, and check the memory, once a run. Raises BadInput."""
    options = preparation.options
    assert isinstance(options, Options)
    if options.memory is not None:
        episodic.load_for(
            preparation, options.memory, planners=EXPERIENCED, seen_scenes=options.seen_scenes
        )
    return {"menu": str(settled(options.menu, preparation.models["planner"]))}


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Plan, with a detector where the options name one."""
    options = brief.options_of(Options)
    brief = limited_to(options.actions, brief)
    finder = detectors.detector(options, brief)
    if finder is None:
        return _plan(brief, percept)
    return seen_by(finder, _plan, brief, percept)


@giving_up
def _plan(brief: Brief, percept: Percept) -> Decisions:
    """Ask the model for a thought and an action each turn, until it says that it is done."""
    options = brief.options_of(Options)
    form = settled(MenuForm((brief.prepared or {}).get("menu", options.menu)), brief.model)
    kind = Conversation if options.history == "turns" else ActionLog
    talk = kind(_system(brief, form, options), f"Task: {brief.instruction}\n{percept.text}")
    tried = Tried(options.repeats)
    chance = random.Random(f"{brief.seed} {brief.instruction}")
    seen = WorkingMemory(brief.dialect) if options.working_memory else None
    elsewhere = OtherRooms() if options.other_rooms else None
    while True:
        exhausted = yield from tried.exhausted(percept)
        offers = [offer for offer in percept.menu() if offer[1] not in exhausted]
        walks = {} if elsewhere is None else elsewhere.walks(percept, offers)
        more = (*_recalls(seen, percept), DONE, GIVE_UP)
        now = offered(brief, percept, exhausted)
        possible = [*dict.fromkeys([*now.sayable, *walks]), *more]
        question = partial(_question, brief, options, possible, judge(brief, percept, exhausted))
        menu = listing(form, now, more)
        teaches = chance.random() < options.taught
        turn: Any = yield from talk.ask(question(teaches), menu)
        if options.taught and not teaches and turn.action in (DONE, GIVE_UP):
            turn = yield from talk.ask(question(True), menu)
        before, thought = percept, getattr(turn, "thought", "")
        action = walks.get(turn.action, turn.action)
        if action != turn.action:
            yield Note("correction", f"{turn.action}: {action} first", {"said": turn.action})
        if seen is not None and action.startswith(f"{RECALL} "):
            thing = action.removeprefix(f"{RECALL} ")
            said = seen.recall(thing)
            percept = yield Internal("recall", thing, {"answer": said, "thought": thought})
        else:
            ends: dict[str, Decision] = {DONE: Done(thought), GIVE_UP: GiveUp(thought)}
            percept = yield ends.get(action) or Act(action, thought)
            tried.add(action, before.view)
            said = observation_of(percept, before.view)
            if options.remind and _changes_something(percept.action):
                said = f"{said} Task: {brief.instruction}"
        reply = reply_of(thought if options.thoughts else None, action)
        talk.add(reply if options.history == "turns" else action, said)


def _question(
    brief: Brief,
    options: Options,
    possible: Sequence[str],
    judge: Judge | None,
    teaches: bool,
) -> Callable[[list[Message]], Any]:
    """A question about a turn, to the teacher or to the planner's own model."""
    question = partial(
        (brief.models[TEACHER] if teaches else brief.model).answer,
        shape=turn_shape(options.thought_length if options.thoughts else None),
        choices={"action": possible},
        judge=judge,
        about=lambda: {"kind": "turn"},
    )
    if teaches or options.recent_turns is None:
        return question
    turns = options.recent_turns
    return lambda messages: question(with_recent_turns(messages, turns))


class Tried:
    """The actions tried in each view, and those that may not be repeated there."""

    def __init__(self, repeats: int | None) -> None:
        """repeats: how often an action may be repeated in the same view; None for no limit."""
        self._repeats = repeats
        self._states: list[tuple[View, Counter[str]]] = []
        self._away: list[str] = []  # the exhausted texts, as last told

    def add(self, action: str, view: View) -> None:
        """Record an action and the view in which it was tried."""
        if self._repeats is not None:
            self._counts(view)[action.lower()] += 1

    def exhausted(self, percept: Percept) -> SubPlan[frozenset[Action]]:
        """The actions that may not be repeated now, however said; yields a note when they change.

        Walks to places out of sight are among them.
        """
        if self._repeats is None:
            return frozenset()
        counts, tries = self._counts(percept.view), Counter[Action]()
        said = dict((*percept.menu(), *percept.sayable()))
        for text, action in said.items():
            tries[action] += counts[text.lower()]
        away = [text for text, action in said.items() if tries[action] > self._repeats]
        if away != self._away:
            self._away = away
            text = f"not offered again: {'; '.join(away)}" if away else "all is offered again"
            yield Note("menu", text, {"actions": away})
        return frozenset(said[text] for text in away)

    def _counts(self, view: View) -> Counter[str]:
        """The number of tries of each action in an equal view."""
        for state, counts in self._states:
            if state == view:
                return counts
        counts = Counter()
        self._states.append((view, counts))
        return counts


def _recalls(seen: WorkingMemory | None, percept: Percept) -> list[str]:
    """The recall actions that are possible now, after adding the percept to the memory."""
    if seen is None:
        return []
    seen.update(percept)
    return [recall_action(thing) for thing in seen.recallable()]


def _changes_something(action: Action | None) -> bool:
    """Whether an action does more than walk, look or open."""
    return action is not None and action.verb not in _SEARCHING


def _system(brief: Brief, form: MenuForm, options: Options) -> str:
    """The system prompt, with the examples of the memory where there is one."""
    examples: Sequence[str] = ()
    if options.memory is not None:
        retrieved = episodic.load(options.memory).retrieve(brief.instruction, seed=brief.seed)
        examples = [example.text for example in reversed(retrieved)]  # the most similar last
    recall = RECALL if options.working_memory else None
    domain, thoughts = options.domain, options.thoughts
    return system_prompt(
        brief, form, domain=domain, recall=recall, examples=examples, thoughts=thoughts
    )


PLANNER = Planner(
    name="react",
    summary="a language model that thinks and acts by turns (ReAct)",
    plan=plan,
    dialects=(
        *HOMES,
        "alfworld",
        "lookplangraph",
        "tru_pomdp",
        "compact",
    ),
    models=("planner",),
    options=Options,
    prepare=prepare,
    more_grants=detectors.grants,
    more_models=_more_models,
    example=example_text,
)


# --- walks to places seen in other rooms: first go to the room ------------------------------------


class OtherRooms:
    """The furniture seen so far in each room, and the walks to it from elsewhere."""

    def __init__(self) -> None:
        self._room_of_walk: dict[str, int] = {}

    def walks(self, percept: Percept, offers: Sequence[tuple[str, Action]]) -> dict[str, str]:
        """Walks that are not on offer here, each with the walk to its room, which is on offer.

        offers: the actions on offer now. Those to furniture of the present room are remembered.
        """
        graph = percept.view.graph
        here = graph.room_of(graph.agent().id)
        rooms: dict[int, str] = {}
        for text, action in offers:
            node = None if action.target is None else percept.view.get(action.target)
            if action.verb is not Verb.GO_TO or node is None:
                continue
            if node.kind is Kind.ROOM:
                rooms[node.id] = text
            elif node.kind is Kind.FIXTURE and here is not None:
                self._room_of_walk[text] = here
        offered = {text for text, _ in offers}
        return {
            walk: rooms[room]
            for walk, room in self._room_of_walk.items()
            if walk not in offered and room in rooms
        }
