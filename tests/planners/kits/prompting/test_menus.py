"""How prompts show the actions on offer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.planners.kits.prompting.menus import MenuForm, menu_text
from peephole.scene_graph.node import Relation
from peephole.skills.actions import Action, Verb, go_to, look, pick_up, put

CALLED = {
    1: "fridge 1",
    2: "chair 1",
    3: "chair 3",
    4: "egg 1",
    5: "egg 2",
    6: "candle 1",
    7: "candle 2",
}
LIT = (("use", Verb.TURN_ON), ("drop", Verb.DROP))
NAMES = st.sampled_from(["apple", "kitchen table", "dining table", "table", "TVStand", "go"])
NUMBERS = st.integers(1, 12).flatmap(lambda n: st.sampled_from([f"{n}", f"({n})"]))
THINGS = st.lists(st.tuples(NAMES, NUMBERS), min_size=1, max_size=12, unique=True)


@st.composite
def menus(draw: st.DrawFn) -> tuple[list[tuple[str, Action]], dict[int, str]]:
    """A menu, and the names of its things."""
    called = {i: f"{name} {at}" for i, (name, at) in enumerate(draw(THINGS), start=1)}
    offers: list[tuple[str, Action]] = []
    some = st.sets(st.sampled_from(sorted(called)))
    for verb, phrase in ((Verb.GO_TO, "go to"), (Verb.PICK_UP, "take"), (Verb.PUT_ON, "put on")):
        offers += [(f"{phrase} {called[i]}", Action(verb, i)) for i in draw(some)]
    offers += [
        (f"put egg 1 in {called[i]}", put(99, Relation.INSIDE, i)) for i in sorted(draw(some))
    ]
    offers.append(("look around", look()))
    return draw(st.permutations(offers)), called


def spelled_out(menu: str) -> list[str]:
    """The texts that a grouped menu stands for, the further ones among them."""
    texts: list[str] = []
    for line in menu.splitlines()[1:]:
        beginnings, colon, things = line.partition(": ")
        if not colon:
            texts.append(line)
            continue
        for thing in things.split("; "):
            name, _, numbers = thing.rpartition(" ") if ", " not in thing else _split(thing)
            each = [f"{name} {number}".lstrip() for number in numbers.split(", ")]
            texts += [f"{before} {end}" for before in beginnings.split(", ") for end in each]
    return texts


def _split(thing: str) -> tuple[str, str, str]:
    """A name, a blank, and the numbers of "chair 1, 2"."""
    first, comma, rest = thing.partition(", ")
    name, blank, number = first.rpartition(" ")
    return name, blank, f"{number}{comma}{rest}"


@given(menus())
def test_a_grouped_menu_stands_for_every_action_once(
    menu: tuple[list[tuple[str, Action]], dict[int, str]],
) -> None:
    offers, called = menu
    text = menu_text(MenuForm.GROUPED, offers, ("done", "give up"), called)
    assert sorted(spelled_out(text)) == sorted([text for text, _ in offers] + ["done", "give up"])


def test_a_line_for_all_things_of_which_the_same_may_be_done() -> None:
    offers = [
        ("go to fridge 1", go_to(1)),
        ("go to chair 1", go_to(2)),
        ("go to chair 3", go_to(3)),
        ("go to egg 1", go_to(4)),
        ("pick up egg 1", pick_up(4)),
        ("put down egg 2 on fridge 1", put(5, Relation.ON, 1)),
        ("put down egg 2 on chair 1", put(5, Relation.ON, 2)),
        ("look around", look()),
    ]
    assert menu_text(MenuForm.GROUPED, offers, ("done",), CALLED).splitlines() == [
        "Possible actions:",
        "go to, put down egg 2 on: fridge 1; chair 1",
        "go to chair 3",
        "go to, pick up: egg 1",
        "look around",
        "done",
    ]
    near = [
        *((f"{verb} candle {n}", Action(kind, 5 + n)) for n in (1, 2) for verb, kind in LIT),
        ("take egg 1 from chair 1", pick_up(4)),
        ("take candle 1 from chair 1", pick_up(6)),
    ]
    assert menu_text(MenuForm.GROUPED, near, (), CALLED).splitlines() == [
        "Possible actions:",
        "use, drop: candle 1, 2",
        "take: egg 1 from chair 1; candle 1 from chair 1",
    ]
    assert menu_text(MenuForm.FULL, offers[:2], ("done",)) == (
        "Possible actions: go to fridge 1; go to chair 1; done"
    )
    assert menu_text(MenuForm.NONE, offers, ("done",)) == ""


def test_auto_is_no_form_of_its_own() -> None:
    with pytest.raises(ValueError, match="AUTO"):
        menu_text(MenuForm.AUTO, [], ())
