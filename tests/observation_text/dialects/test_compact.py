"""The dialect `compact`: what is told of a house, and the books that it keeps."""

from __future__ import annotations

import json

import pytest

from peephole.observation_text.dialects.compact.books import Books
from peephole.observation_text.dialects.compact.dialect import DIALECT


@pytest.fixture
def compact(house, play_in):
    return play_in(house, DIALECT)


def test_a_room_tells_what_is_left_to_be_looked_at(compact):
    assert compact.first == (
        "Rooms: bathroom1, bedroom1, kitchen1, living room1. In kitchen1. "
        "Here: bench1, bench2, chair1, kitchen cabinet1, kitchen table1. "
        "Not looked at: fridge1, microwave oven1. "
        "Rooms not seen: bathroom1, bedroom1, living room1."
    )
    assert compact.do("go to fridge1") == "At fridge1, closed."
    assert compact.do("open fridge1") == (
        "At fridge1, open: box1, juice1. Not looked at: microwave oven1."
    )
    assert compact.do("go to bedroom1") == (
        "In bedroom1. Here: bed1. Rooms left: bathroom1, kitchen1, living room1. "
        "Rooms not seen: bathroom1, living room1."
    )
    assert compact.do("go to kitchen1") == (
        "In kitchen1. Not looked at: microwave oven1. Rooms not seen: bathroom1, living room1."
    )
    compact.do("go to microwave oven1")
    compact.do("open microwave oven1")
    assert compact.do("go to kitchen table1").endswith(" Rooms left: bathroom1, living room1.")
    assert compact.do("go to living room1").endswith(" Rooms left: bathroom1.")
    assert compact.do("go to bathroom1") == "In bathroom1. All looked at."


def test_it_tells_what_is_held_and_what_was_put_where(compact):
    assert compact.do("go to kitchen table1").startswith(
        "At kitchen table1: apple1, apple2, knife1, plate1."
    )
    assert compact.do("pick up apple2") == "Done. Held: apple2."
    assert compact.do("go to bench1") == (
        "At bench1: nothing. Not looked at: fridge1, microwave oven1. Held: apple2."
    )
    assert compact.do("put down apple2") == "Done. Put: one apple (apple2) on bench1."
    compact.do("go to kitchen table1")
    compact.do("pick up apple1")
    assert compact.do("put down apple1 on bench2").startswith("The bench2 is not close to you.")
    compact.do("go to bench1")
    assert compact.do("put down apple1") == "Done. Put: two apple (apple2, apple1) on bench1."
    assert compact.do("pick up apple2") == (
        "Done. Put: one apple (apple1) on bench1. Held: apple2."
    )
    compact.do("put down apple2")
    assert " Put: " not in compact.do("go to fridge1")
    assert " Put: two apple (apple1, apple2) on bench1." in compact.do("go to bathroom1")


def test_failures_are_reported_with_names_as_actions_have_them(compact):
    assert compact.do("pick up apple1") == "The apple1 is not close to you."
    assert compact.do("open fridge1") == "The fridge1 is not close to you."


def test_the_books_are_data_and_come_back_whole():
    books = Books(frozenset({3, 1}), {7: (1, 3)}, ((5, "on", 3),))
    data = books.to_data()
    assert json.loads(json.dumps(data)) == data
    assert Books.of(data) == books


def test_a_table_on_a_mat_is_put_on_as_well(empty, play_in):
    house = empty
    room = house.add("living room")
    house.add("character", room)
    mat = house.add("mat", room)
    house.add("coffee table", mat, "on")
    bench = house.add("bench", room)
    house.add("apple", bench, "on")
    compact = play_in(house, DIALECT)
    compact.do("go to bench1")
    compact.do("pick up apple1")
    compact.do("go to coffee table1")
    assert compact.do("put down apple1") == "Done. Put: one apple (apple1) on coffee table1."


def test_to_look_at_a_plate_tells_what_is_in_it(empty, play_in):
    house = empty
    kitchen = house.add("kitchen")
    house.add("character", kitchen)
    table = house.add("bench", kitchen)
    plate = house.add("plate", table, "on")
    house.add("apple", plate, "on")
    house.add("knife", table, "on")
    compact = play_in(house, DIALECT)
    assert compact.do("go to bench1") == ("At bench1: apple1, knife1, plate1. All looked at.")
    assert compact.do("look at plate1") == "At plate1: apple1."


def test_what_is_sliced_is_reported_where_it_is(empty, play_in):
    house = empty
    kitchen = house.add("kitchen")
    house.add("character", kitchen)
    table = house.add("bench", kitchen)
    house.add("apple", table, "on")
    house.add("knife", table, "on")
    compact = play_in(house, DIALECT)
    compact.do("go to bench1")
    compact.do("pick up knife1")
    assert compact.do("slice apple1") == "Done. Sliced: apple1. Held: knife1."
