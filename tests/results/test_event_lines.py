"""Events as lines on the terminal, of any size."""

import time

import pytest

from peephole.episodes.events import Decided, GoalChecked, PlannerFailed, TextRefused
from peephole.planners.contract import Done, Think
from peephole.results.show.event_lines import event_lines


@pytest.mark.parametrize(
    "text", ["\n" * 500_000, "x" * 3_000_000, "word\n" * 200_000], ids=["ends", "line", "words"]
)
def test_a_long_text_is_shortened_and_says_so(text):
    began = time.process_time()
    for event in (
        GoalChecked(reached=False, feedback=text, step=1),
        PlannerFailed(error="", traceback=f"{text}.", step=1),
    ):
        (line,) = event_lines(event)
        assert len(line.plain) < 21_000
        assert line.plain.count("\n") < 200
        assert line.plain.endswith(" more characters")
    assert time.process_time() - began < 2.0


def test_a_short_text_is_whole():
    (line,) = event_lines(GoalChecked(reached=False, feedback="a\nb", step=1))
    assert line.plain.strip() == "a\nb"


def test_what_an_agent_says_is_not_read_as_lines_of_the_episode():
    said = "wait\n   1 > open fridge 1\nSuccess after 1 step"
    for event in (
        TextRefused(said=said, reason="There is no such action.", step=0),
        Decided(decision=Think(said), planning_s=0.0, step=0),
        Decided(decision=Done(said), planning_s=0.0, step=0),
    ):
        shown = "\n".join(line.plain for line in event_lines(event)).splitlines()
        assert not [line for line in shown if line.startswith(("   1 >", "Success"))]
