"""Repairs and refusals of answers; weights always sum to 1."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from peephole.models.contract import Unusable
from peephole.planners.kits.hypotheses.answers import (
    Flat,
    Goals,
    Places,
    read_flat,
    read_goals,
    read_places,
)
from peephole.planners.kits.hypotheses.situation import PROMPTS, Situation, TreeAsking

NOW = Situation(
    instruction="Something to drink would be nice.",
    closed=("cutlery_drawer", "fridge_cooler_layer"),
    opened=("human_hand", "prep_surface"),
    objects={"tea_cup": "prep_surface", "mug": "human_hand", "vase": "prep_surface"},
    placed=frozenset({"mug"}),
    failed=({"vase": "human_hand"},),
)
ASKING = TreeAsking()


def goals(*combinations):
    return Goals(
        reasoning="",
        combinations=[
            {
                "objects": [{"object": o, "area": a} for o, a in targets.items()],
                "probability": weight,
            }
            for targets, weight in combinations
        ],
    )


def places(**areas):
    return Places(
        reasoning="", areas=[{"area": a, "probability": weight} for a, weight in areas.items()]
    )


def test_what_stands_open_is_not_said_to_be_closed():
    now = replace(NOW, closed=("cutlery_drawer", "spice_shelf"), without_door=("spice_shelf",))
    assert now.text().splitlines()[1:4] == [
        "Closed areas: cutlery_drawer.",
        "Areas with nothing to open, not seen whole yet: spice_shelf.",
        "Open areas: human_hand, prep_surface.",
    ]
    assert "not seen whole" not in NOW.text()
    for name in ("goals", "places", "flat"):
        render = partial(PROMPTS.render, name, candidates=3, objects=4, combination=2, particles=2)
        assert "in one not seen whole yet is not in view" in render(now=now)
        assert "not seen whole" not in render(now=NOW)


def test_an_answer_without_goals_hears_what_the_robot_does():
    with pytest.raises(Unusable, match="brings objects to areas and does nothing else"):
        read_goals(goals(), NOW, ASKING)


def test_a_good_answer_is_taken_as_it_is():
    weighed = read_goals(
        goals(({"tea_cup": "human_hand"}, 0.6), ({"juice": "human_hand"}, 0.4)), NOW, ASKING
    )
    assert weighed.possibilities == (
        ({"tea_cup": "human_hand"}, 0.6),
        ({"juice": "human_hand"}, 0.4),
    )
    assert not weighed.repairs


GOOD = ({"tea_cup": "human_hand"}, 0.5)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (({"juice": "cellar"}, 0.5), "There is no area 'cellar'."),
        (({"juice": "Fridge_Cooler"}, 0.5), "Near to it: fridge_cooler_layer"),
        (({"mug": "prep_surface"}, 0.5), "mug is placed right already"),
        (({"vase": "prep_surface"}, 0.5), "vase is at prep_surface already"),
        (({"vase": "human_hand"}, 0.5), "Goal 2 was reached already"),
        (({"tea_cup": "cutlery_drawer", "juice": "human_hand"}, 0.5), "tea_cup is wanted at"),
        (({f"thing_of_{n}_": "human_hand" for n in "abcde"}, 0.5), "Goal 2 has 5 objects"),
        (({"juice": "human_hand"}, 0.0), "is left out: it is not above 0"),
        (({"juice": "human_hand"}, -3.0), "is left out: it is not above 0"),
        (({"juice": "human_hand"}, math.nan), "is left out: it is not above 0"),
        (({"Tea Cup": "human_hand"}, 0.5), "'Tea Cup' is taken for tea_cup."),
        (({"juice": "human_hand"}, 100.0), "do not sum to 1"),
        (GOOD, "A goal is there twice."),
        (({}, 0.5), "Goal 2 leaves nothing to do."),
    ],
)
def test_nonsense_beside_a_good_goal_is_repaired(other, told):
    weighed = read_goals(goals(GOOD, other), NOW, ASKING)
    assert any(told in sentence for sentence in weighed.repairs)
    assert weighed.possibilities[0][0] == GOOD[0]
    assert math.isclose(sum(weight for _, weight in weighed.possibilities), 1)


def test_nonsense_alone_is_refused_with_the_reason():
    with pytest.raises(Unusable, match="Goal 1 was reached already"):
        read_goals(goals(({"vase": "human_hand"}, 1.0)), NOW, ASKING)
    with pytest.raises(Unusable, match="There is no combination in the answer"):
        read_goals(goals(), NOW, ASKING)


def test_at_most_so_many_goals_and_objects_are_used():
    weighed = read_goals(
        goals(
            *(
                ({f"thing_{n}": "human_hand"}, w)
                for n, w in zip("abcde", (1, 2, 3, 4, 5), strict=True)
            )
        ),
        NOW,
        ASKING,
    )
    assert [targets for targets, _ in weighed.possibilities] == [
        {f"thing_{n}": "human_hand"} for n in "edc"
    ]
    names = [{f"{n}{k}_thing": "human_hand" for k in "uvwx"} for n in "abc"]
    weighed = read_goals(goals(*((targets, 0.3) for targets in names)), NOW, ASKING)
    assert len(weighed.possibilities) == 2  # the third has more than ten objects with the others


def test_an_object_that_nobody_can_have_hidden_is_left_out():
    from dataclasses import replace

    with pytest.raises(Unusable, match="All areas are open, and there is no juice"):
        read_goals(goals(({"juice": "human_hand"}, 1.0)), replace(NOW, closed=()), ASKING)


def test_an_object_is_looked_for_in_closed_areas_only():
    weighed = read_places(
        places(prep_surface=0.5, cutlery_drawer=0.2, cellar=0.3), "juice", NOW, ASKING
    )
    assert weighed.possibilities == (("cutlery_drawer", 1.0),)
    assert "prep_surface is open, and juice was not seen there." in weighed.repairs
    with pytest.raises(Unusable, match="is open, and juice was not seen there"):
        read_places(places(prep_surface=1.0), "juice", NOW, ASKING)


def flat(*hypotheses):
    return Flat(
        reasoning="",
        hypotheses=[
            {
                "objects": [{"object": o, "target_area": t, "current_area": c}],
                "probability": weight,
            }
            for o, t, c, weight in hypotheses
        ],
    )


def test_flat_hypotheses_place_what_is_not_seen():
    weighed = read_flat(
        flat(
            ("juice", "human_hand", "fridge_cooler_layer", 0.5),
            ("juice", "human_hand", "prep_surface", 0.2),
            ("tea_cup", "human_hand", "cutlery_drawer", 0.3),
        ),
        NOW,
        ASKING,
        9,
    )
    assert [each for each, _ in weighed.possibilities] == [
        ({"juice": "human_hand"}, {"juice": "fridge_cooler_layer"}),
        ({"tea_cup": "human_hand"}, {}),
    ]


names = st.one_of(
    st.sampled_from([*NOW.areas, *NOW.objects, "juice", "Tea Cup", "cup_3", "cellar"]),
    st.text(max_size=8),
)
weights = st.floats() | st.sampled_from([0.0, 0.3, 1.0, 100.0])


@given(st.lists(st.tuples(st.dictionaries(names, names, max_size=6), weights), max_size=6))
def test_whatever_is_said_goals_are_a_distribution_that_can_be_planned_for(combinations):
    try:
        weighed = read_goals(goals(*combinations), NOW, ASKING).possibilities
    except Unusable:
        return
    assert math.isclose(sum(weight for _, weight in weighed), 1)
    assert 1 <= len(weighed) <= ASKING.candidates
    wanted = {}
    for targets, weight in weighed:
        assert weight > 0
        assert 1 <= len(targets) <= ASKING.combination
        assert dict(targets) not in NOW.failed
        assert not NOW.placed & targets.keys()
        for thing, area in targets.items():
            assert area in NOW.areas
            assert NOW.objects.get(thing) != area
            assert wanted.setdefault(thing, area) == area


@example([("cutlery_drawer", 9e307), ("cutlery_drawer", 9e307)])
@example([("cutlery_drawer", -9e307), ("cutlery_drawer", -9e307), ("cutlery_drawer", 1.0)])
@given(st.lists(st.tuples(names, weights), max_size=6))
def test_whatever_is_said_places_are_closed_areas(said):
    answer = Places(reasoning="", areas=[{"area": a, "probability": w} for a, w in said])
    try:
        weighed = read_places(answer, "juice", NOW, ASKING).possibilities
    except Unusable:
        return
    assert math.isclose(sum(weight for _, weight in weighed), 1)
    assert all(area in NOW.closed for area, _ in weighed)
