"""The games in our interpreter: as ALFWorld's engine said it, and what cannot be played."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from peephole.adapters.alfworld.drawing import KINDS, drawn, kind_of
from peephole.adapters.alfworld.game import TextGame
from peephole.adapters.alfworld.game_file import GameFile, read_game
from peephole.adapters.alfworld.names import names_of
from peephole.adapters.alfworld.scenes import new_game
from peephole.errors import BadInput

#: What ALFWorld's own engine said (benchmarks/text_games.py): command, text, digest of the
#: admissible commands, and whether the game is won. Without a command a game begins.
TRANSCRIPTS = json.loads(Path(__file__).with_name("engine_transcripts.json").read_text())
CHEAP = 1  # a bedroom, which is read in a tenth of a second


@pytest.mark.parametrize("game", TRANSCRIPTS)
def test_a_game_says_what_the_engine_said(game):
    played = new_game(f"drawn/{game}").fresh()
    for command, text, commands, won in TRANSCRIPTS[game]:
        told = played.reset() if command is None else played.step(command)
        offered = hashlib.sha256("\n".join(told.commands).encode()).hexdigest()[:12]
        assert (told.feedback, offered, told.won) == (text, commands, won), command


def test_the_transcripts_have_won_games_and_both_words_for_a_put():
    lines = [line for lines in TRANSCRIPTS.values() for line in lines]
    said = {text.split()[0] for text, *_ in lines if text}
    assert {"move", "put", "clean", "heat", "use"} <= said
    assert sum(won for *_, won in lines) > 0


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_each_kind_of_task_can_be_won_and_is_not_won_at_the_start(number):
    game = drawn(number)
    played = new_game(f"drawn/{number}").fresh()
    told = played.reset()
    assert kind_of(number) == KINDS[number]
    for command in game.walkthrough:
        assert not told.won
        assert command in told.commands
        told = played.step(command)
    assert told.won


def test_a_game_begun_again_is_as_new():
    played = TextGame(drawn(CHEAP))
    first = played.reset()
    other = played.fresh()
    for command in drawn(CHEAP).walkthrough:
        played.step(command)
    assert other.reset() == first
    assert played.reset() == first
    assert played.step(drawn(CHEAP).walkthrough[0]) == other.step(drawn(CHEAP).walkthrough[0])


def test_the_first_of_the_sorted_ids_has_the_highest_number():
    names = names_of(["sink_bar_1_bar_sinkbasin", "apple_bar_2", "apple_bar_1", "candle"])
    assert list(map(str, names.values())) == ["apple 2", "apple 1", "candle ", "sinkbasin 1"]


def _said(game):
    with pytest.raises(BadInput) as raised:
        TextGame(game)
    return str(raised.value)


def test_what_a_game_file_lacks_is_said_in_one_sentence(tmp_path):
    path = tmp_path / "game.tw-pddl"
    path.write_text("{}")
    with pytest.raises(BadInput, match=r"is no game file of ALFWorld: it needs the texts"):
        read_game(path)
    path.write_text("{")
    with pytest.raises(BadInput, match="is no game file"):
        read_game(path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_game(tmp_path / "none")


@pytest.mark.parametrize(
    ("part", "old", "new", "said"),
    [
        ("problem", "(:goal", "(:gaol", "its problem has no goal"),
        ("problem", ")", "", "its PDDL is not one expression"),
        ("problem", "(atLocation agent1", "(atLocation agent2", "'agent2', which is no object"),
        ("domain", "(:action look", "(:derived (look))\n(:action look", "derived predicates"),
        (
            "domain",
            ":effect (checked ?l))",
            ":effect (lambda (checked ?l)))",
            "an effect that is not",
        ),
        ("grammar", "action look", "action gaze", "no words for the action 'look'"),
        ("grammar", "{r.name}", "{r.__class__}", "which is not known here"),
        ("grammar", '"rhs": "nothing"', '"lhs": "nothing"', "a case without a text 'rhs'"),
        ("grammar", 'template :: "look";', 'template :: "look"', "without a semicolon"),
    ],
)
def test_a_broken_part_of_a_game_is_named(part, old, new, said):
    game = drawn(CHEAP)
    text = getattr(game, part)
    assert old in text
    sentence = _said(replace(game, **{part: text.replace(old, new, 1)}))
    assert said in sentence
    assert sentence.startswith("The drawn game 1 cannot be played: ")
    assert "Traceback" not in sentence


def test_a_grammar_runs_nothing():
    game = drawn(CHEAP)
    evil = game.grammar.replace("{o.indefinite + ' ' + o.name |", "{open('x') |", 1)
    assert evil != game.grammar
    assert "which is not known here" in _said(replace(game, grammar=evil))


def test_a_rule_that_calls_itself_ends():
    game = drawn(CHEAP)
    endless = game.grammar.replace('[{"rhs": ", "}]', '[{"rhs": "#list_separator#"}]')
    played = TextGame(replace(game, grammar=endless))
    with pytest.raises(BadInput, match="calls itself without end"):
        played.reset()  # which lists the receptacles


def test_the_data_of_a_file_are_those_it_is_read_from():
    game = drawn(CHEAP)
    assert GameFile.of(game.to_data(), game.where) == game
