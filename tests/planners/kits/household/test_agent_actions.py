"""Plans and episodes for what an agent does for its own sake: to rest, dress, pour, touch."""

from __future__ import annotations

import pytest

from peephole.planners import expert, explore
from peephole.planners.kits.household.search import find_plan
from peephole.scene_graph.goals import And, EventOccurred, HasState, InOrder, Not, Related
from peephole.scene_graph.node import Affordance, Relation, State
from peephole.skills.actions import HOUSEHOLD_VERBS, Action, Verb, go_to, pick_up
from peephole.skills.embodiment import Embodiment

ALL = HOUSEHOLD_VERBS
ON, INSIDE, FACING = Relation.ON, Relation.INSIDE, Relation.FACING


@pytest.fixture
def home(house):
    """A living room next to a bedroom, with something to sit on, to watch, to wear and to pour."""
    living, bedroom = house.room("living room"), house.room("bedroom")
    ids = house.ids = {"living room": living, "bedroom": bedroom}
    ids["sofa"] = house.fixture("sofa", living)
    ids["tv"] = house.fixture("tv", living, State.OFF)
    ids["table"] = house.fixture("table", living)
    ids["bed"] = house.fixture("bed", bedroom)
    ids["cabinet"] = house.fixture("cabinet", bedroom, State.CLOSED)
    ids["shirt"] = house.thing("shirt", inside=ids["cabinet"])
    ids["glass"] = house.thing("glass", on=ids["table"])
    ids["juice"] = house.thing("juice", on=ids["table"])
    ids["me"] = house.agent(living)
    return house


def verbs(house, goal) -> list[str]:
    """The verbs of a plan that is proven shortest."""
    plan = find_plan(house.graph, goal, Embodiment(), ALL)
    assert plan.actions is not None, plan.reason
    assert plan.exact
    return [str(action.verb) for action in plan.actions]


def test_one_sleeps_where_one_can_lie_or_sit(home):
    assert verbs(home, EventOccurred(("sleep",))) in (
        ["go_to", "sit", "sleep"],
        ["go_to", "lie_down", "sleep"],
    )
    assert verbs(home, And((HasState(home.ids["me"], State.LYING), EventOccurred(("sleep",))))) == [
        "go_to",
        "lie_down",
        "sleep",
    ]


def test_one_already_sitting_gets_up_only_where_one_has_to_walk(home):
    ids = home.ids
    home.graph.add_edge(ids["me"], Relation.CLOSE, ids["sofa"])
    home.graph.add_edge(ids["me"], ON, ids["sofa"])
    home.graph.set_state(ids["me"], State.SITTING)

    assert verbs(home, EventOccurred(("sleep",))) == ["sleep"]
    up = Not(HasState(ids["me"], State.SITTING))
    assert verbs(home, up) in (["stand_up"], ["lie_down"])
    closer = And(
        (
            up,
            Related(ids["me"], Relation.CLOSE, ids["table"]),
        )
    )
    assert verbs(home, closer) == ["stand_up", "go_to"]
    assert verbs(home, Related(ids["me"], ON, ids["bed"]))[:2] == ["stand_up", "go_to"]


def test_hands_are_washed_from_anywhere(home):
    hands = home.thing("hands")
    home.graph.add_edge(hands, Relation.ATTACHED, home.ids["me"])

    assert verbs(home, EventOccurred(("wash",), (hands,))) == ["wash"]
    assert verbs(home, InOrder((EventOccurred(("wash",), (hands,)), EventOccurred(("wait",))))) == [
        "wash",
        "wait",
    ]


def test_television_is_watched_once_it_runs_and_one_faces_it(home):
    ids = home.ids
    running = And((HasState(ids["tv"], State.ON), Related(ids["me"], FACING, ids["tv"])))
    assert sorted(verbs(home, running)) == ["go_to", "turn_on", "turn_to"]
    assert verbs(home, EventOccurred(("watch",), (ids["tv"],))) == ["turn_to", "watch"]

    home.graph.add_edge(ids["sofa"], FACING, ids["tv"])
    seated = And((HasState(ids["me"], State.SITTING), Related(ids["me"], FACING, ids["tv"])))
    assert verbs(home, seated) == ["go_to", "sit"]


def test_a_drink_is_poured_from_the_hand(home):
    ids = home.ids
    assert verbs(home, Related(ids["juice"], INSIDE, ids["glass"])) == ["go_to", "pick_up", "pour"]

    home.graph.remove_edge(ids["juice"], ON, ids["table"])
    home.graph.add_edge(ids["juice"], INSIDE, ids["glass"])
    assert verbs(home, Not(Related(ids["juice"], INSIDE, ids["glass"]))) == ["go_to", "pick_up"]


def test_clothes_are_fetched_and_put_on(home):
    assert verbs(home, Related(home.ids["shirt"], ON, home.ids["me"])) == [
        "go_to",
        "open",
        "pick_up",
        "put_on",
    ]


def test_what_one_wears_is_taken_off_before_it_is_put_away(house):
    hall = house.room("hall")
    table = house.fixture("table", hall)
    shirt = house.thing("shirt")
    me = house.agent(hall)
    house.graph.add_edge(shirt, ON, me)

    assert verbs(house, Not(Related(shirt, ON, me))) == ["take_off"]
    assert verbs(house, Related(shirt, ON, table)) == ["take_off", "pick_up", "go_to", "put"]
    twice = InOrder((EventOccurred(("put_on",), (shirt,)), EventOccurred(("put_on",), (shirt,))))
    assert verbs(house, twice) == ["take_off", "pick_up", "put_on"] * 2


def test_what_is_left_open_is_done_with_what_the_goal_names_or_what_is_near(home):
    ids = home.ids
    home.graph.add_edge(ids["me"], Relation.CLOSE, ids["table"])

    assert verbs(home, EventOccurred(("touch", "push"), (None,))) in (["touch"], ["push"])
    plan = find_plan(
        home.graph,
        And((EventOccurred(("touch",), (None,)), Related(ids["me"], Relation.CLOSE, ids["bed"]))),
        Embodiment(),
        ALL,
    )
    assert plan.actions == (go_to(ids["bed"]), Action(Verb.TOUCH, ids["bed"]))


def test_a_choice_not_looked_into_is_not_called_shortest(house):
    """Of many far things only a few are considered, and no bound proves them best."""
    hall = house.room("hall")
    tables = [house.fixture("table", hall) for _ in range(6)]
    cups = [house.thing("cup", on=table) for table in tables]
    house.agent(hall)
    goal = InOrder((EventOccurred(("pick_up",), (None,)), EventOccurred(("go_to",), (cups[-1],))))

    plan = find_plan(house.graph, goal, Embodiment(), ALL)

    assert plan.actions is not None
    assert not plan.exact


def test_a_door_is_closed_twice(house):
    hall = house.room("hall")
    cabinet = house.fixture("cabinet", hall, State.CLOSED)
    house.agent(hall)
    closing = EventOccurred(("close",), (cabinet,))

    assert verbs(house, InOrder((closing, closing))) == [
        "go_to",
        "open",
        "close",
        "open",
        "close",
    ]


@pytest.mark.parametrize("planner", [expert.PLANNER, explore.PLANNER], ids=lambda p: p.name)
@pytest.mark.parametrize(
    "make_goal",
    [
        lambda ids: EventOccurred(("sleep",)),
        lambda ids: And((Related(ids["me"], ON, ids["bed"]), HasState(ids["me"], State.LYING))),
        lambda ids: And((HasState(ids["tv"], State.ON), Related(ids["me"], FACING, ids["tv"]))),
        lambda ids: InOrder((EventOccurred(("turn_to",), (ids["tv"],)), EventOccurred(("watch",)))),
        lambda ids: Related(ids["juice"], INSIDE, ids["glass"]),
        lambda ids: Related(ids["shirt"], ON, ids["me"]),
        lambda ids: EventOccurred(("touch", "push"), (None,)),
        lambda ids: EventOccurred(("drink",), (ids["glass"],)),
    ],
)
def test_planners_reach_such_goals_without_a_failure(home, play, planner, make_goal):
    played = play(planner, home.graph, make_goal(home.ids))

    assert played.success, played.ended
    assert played.failures == []
    assert played.unperceived == []


def test_a_shirt_is_picked_up_before_it_is_worn(home, play):
    ids = home.ids

    played = play(expert.PLANNER, home.graph, Related(ids["shirt"], ON, ids["me"]))

    assert played.actions[-2:] == [pick_up(ids["shirt"]), Action(Verb.PUT_ON, ids["shirt"])]
    assert Affordance.WEARABLE in home.graph[ids["shirt"]].affordances
