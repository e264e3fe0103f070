"""The reader of BDDL: what is written is read, and what is malformed is named with its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.adapters.omnigibson.bddl_files import (
    Atom,
    Condition,
    Fact,
    Joined,
    Quantified,
    atoms,
    parse,
)
from peephole.errors import BadInput

TEXT = """
(define (problem tidy-0)
    (:domain omnigibson)
    (:objects
        cup.n.01_1 cup.n.01_2 - cup.n.01   ; two of them
        shelf.n.01_1 - shelf.n.01
    )
    (:init
        (ontop cup.n.01_1 shelf.n.01_1)
        (not (open shelf.n.01_1))
        (inroom shelf.n.01_1 kitchen)
    )
    (:goal
        (and
            (forall (?cup.n.01 - cup.n.01) (inside ?cup.n.01 ?shelf.n.01_1))
            (forn (1) (?cup.n.01 - cup.n.01) (not (ontop ?cup.n.01 ?shelf.n.01_1)))
        )
    )
)
"""


def read(text: str):
    return parse("tidy", text, "tidy.bddl")


def test_a_variable_may_stand_right_behind_a_word():
    assert read(TEXT.replace(" ?", "?")) == read(TEXT)


def test_objects_init_and_goal_are_read():
    activity = read(TEXT)
    assert activity.objects == {
        "cup.n.01": ("cup.n.01_1", "cup.n.01_2"),
        "shelf.n.01": ("shelf.n.01_1",),
    }
    assert activity.init == (
        Fact("ontop", ("cup.n.01_1", "shelf.n.01_1")),
        Fact("open", ("shelf.n.01_1",), holds=False),
        Fact("inroom", ("shelf.n.01_1", "kitchen")),
    )
    cups = (("cup.n.01", "cup.n.01"),)
    inside = Atom("inside", ("cup.n.01", "shelf.n.01_1"))
    on = Atom("ontop", ("cup.n.01", "shelf.n.01_1"))
    assert activity.goal == Joined(
        "and",
        (
            Quantified("forall", None, cups, inside),
            Quantified("forn", 1, cups, Joined("not", (on,))),
        ),
    )
    assert list(atoms(activity.goal)) == [inside, on]


@pytest.mark.parametrize(
    ("old", "new", "line", "token"),
    [
        ("(inside ?cup", "(insid ?cup", 15, "(insid"),
        ("(inside ?cup.n.01 ?shelf.n.01_1)", "(inside ?cup.n.01)", 15, "(inside"),
        (
            "?shelf.n.01_1))\n            (forn",
            "?shelf.n.01_7))\n            (forn",
            15,
            "shelf.n.01_7",
        ),
        ("(forn (1)", "(forn (one)", 16, "(one"),
        ("(forn (1)", "(forn", 16, "(forn"),
        ("(?cup.n.01 - cup.n.01) (inside", "(?cup.n.01 - mug.n.01) (inside", 15, "(?cup.n.01"),
        ("shelf.n.01_1 - shelf.n.01\n", "shelf.n.01_1\n", 6, "shelf.n.01_1"),
        ("(not (open shelf.n.01_1))", "(not)", 10, "(not"),
        ("(not (open shelf.n.01_1))", "open", 10, "open"),
        ("(:init", "init (:init", 8, "init"),
        ("        )\n    )\n)\n", "        )\n    )\n", 2, "(define"),
        ("    )\n)\n", "    )\n)\n)\n", 20, ")"),
        ("    )\n)\n", "    )\n) (:goal (and)) )\n", 19, "'('"),
    ],
)
def test_what_is_malformed_is_named_with_line_and_token(old, new, line, token):
    assert old in TEXT
    with pytest.raises(BadInput) as error:
        read(new.join(TEXT.rsplit(old, 1)))
    said = str(error.value)
    assert f"tidy.bddl, line {line}: '" in said
    assert token in said
    assert "expected" in said


@pytest.mark.parametrize("section", [":objects", ":init", ":goal"])
def test_a_missing_section_is_named(section):
    with pytest.raises(BadInput, match=rf"\({section} …\)"):
        read(TEXT.replace(section, ":other"))


def test_an_empty_file_says_what_is_expected():
    with pytest.raises(BadInput, match="empty"):
        read("; nothing\n")


THINGS = ("cup.n.01_1", "cup.n.01_2", "shelf.n.01_1")
SORTS = ("cup.n.01", "shelf.n.01")


def _atoms(terms: tuple[str, ...]) -> st.SearchStrategy[Condition]:
    term = st.sampled_from(terms)
    return st.one_of(
        st.builds(Atom, st.sampled_from(["open", "toggled_on"]), st.tuples(term)),
        st.builds(Atom, st.sampled_from(["ontop", "inside"]), st.tuples(term, term)),
    )


@st.composite
def conditions(draw: st.DrawFn, terms: tuple[str, ...] = THINGS, depth: int = 3) -> Condition:
    if depth == 0 or draw(st.booleans()):
        return draw(_atoms(terms))
    word = draw(st.sampled_from(["and", "or", "not", "imply", "forall", "forn", "forpairs"]))
    if word in ("and", "or", "not", "imply"):
        count = {"not": 1, "imply": 2}.get(word) or draw(st.integers(0, 3))
        return Joined(word, tuple(draw(conditions(terms, depth - 1)) for _ in range(count)))
    pairs = word == "forpairs"
    binds = (("x", "cup.n.01"), ("y", "shelf.n.01")) if pairs else (("x", "cup.n.01"),)
    body = draw(conditions((*terms, *(variable for variable, _ in binds)), depth - 1))
    return Quantified(word, draw(st.integers(0, 9)) if word == "forn" else None, binds, body)


def written(condition: Condition) -> str:
    match condition:
        case Atom(predicate, terms):
            return f"({predicate} {' '.join('?' + term for term in terms)})"
        case Joined(word, parts):
            return f"({word} {' '.join(map(written, parts))})"
        case Quantified(word, count, binds, body):
            number = "" if count is None else f"({count})"
            variables = " ".join(f"(?{variable} - {sort})" for variable, sort in binds)
            return f"({word} {number} {variables} {written(body)})"


@given(conditions())
def test_every_condition_is_read_as_it_is_written(condition):
    text = f"{TEXT[: TEXT.index('(:goal')]}(:goal {written(condition)}))"
    assert read(text).goal == condition
