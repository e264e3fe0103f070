"""Episodes that a person carries out, whole and continued after a kill."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from peephole.adapters.operator.adapter import OperatorAdapter
from peephole.adapters.operator.questions import (
    Answer,
    Confirm,
    Do,
    Prepare,
    Question,
    Seen,
)
from peephole.adapters.operator.stand_in.person import RulePerson
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.events import Stepped
from peephole.episodes.recording import EpisodeLog, read_events, without_times
from peephole.episodes.result import EpisodeResult
from peephole.errors import BadInput
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import Act, Brief, Decisions, NewTrial, Percept, Planner
from peephole.planners.contract import Done as DoneDecision
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.executor import ConnectionLost

from ...scripted_desk import ScriptedDesk
from .lab_room import LAB, ids, task

RULES = Rules(ends=Ends.PLANNER_DONE)


class Killed(BaseException):
    """The process ends here."""


class RecordingPerson(RulePerson):
    """A person by rules who can be cut off. It stays as it is, like the room."""

    def __init__(self) -> None:
        super().__init__(LAB)
        self.asked: list[Question] = []
        self.safe: list[str] = []
        self.moments = 0
        self.killed_at = -1

    def _moment(self) -> None:
        self.moments += 1
        if self.moments == self.killed_at:
            raise Killed

    def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        assert question.digest not in self.safe, f"asked twice: {question}"
        self._moment()  # before the answer
        answer = super().ask(question)
        self._moment()  # answered, and not kept yet
        return answer

    def kept(self, question: Question) -> None:
        self.safe.append(question.digest)
        self._moment()  # kept, and not recorded yet


#: Texts in the dialect that heat the milk, with a detour that fails.
HEAT_MILK = (
    "go to kitchen 1",
    "go to table 1",
    "pick up milk 1",
    "go to counter 1",
    "open microwave 1",
    "put down milk 1 in microwave 1",
    "close microwave 1",
    "turn on microwave 1",
    "turn off microwave 1",
    "open microwave 1",
    "pick up milk 1",
    "open fridge 1",
    "go to sofa 1",
    "put down milk 1 on sofa 1",
)


def script(texts: Sequence[str]) -> Planner:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        for text in texts:
            yield Act(text)
        yield DoneDecision("")

    return Planner("secret planner", "follows a script", plan)


def play(
    desk: RecordingPerson, of: Task, folder: Path, texts: Sequence[str] = HEAT_MILK
) -> EpisodeResult:
    context = EpisodeContext(
        OperatorAdapter(desk), script(texts), DIALECT, rules=RULES, files=folder / "files"
    )
    with EpisodeLog(folder / "episode.jsonl") as log:
        return run_episode(context, of, log)


def test_a_whole_episode_succeeds_in_the_persons_judgement(tmp_path: Path) -> None:
    desk = RecordingPerson()
    result = play(desk, task("heat_milk"), tmp_path)
    assert result.success
    assert result.steps == len(HEAT_MILK)
    events = read_events(tmp_path / "episode.jsonl")
    failed = [e.said for e in events if isinstance(e, Stepped) and not e.outcome.success]
    assert failed == ["open fridge 1"], "it is out of reach there"


def test_no_question_says_which_planner_plays(tmp_path: Path) -> None:
    desk = RecordingPerson()
    play(desk, task("apple_to_table"), tmp_path)
    text = " ".join(question.model_dump_json() for question in desk.asked)
    assert "secret planner" not in text
    assert str(tmp_path) not in text


def test_a_kill_anywhere_loses_no_answer_and_asks_nothing_twice(tmp_path: Path) -> None:
    whole = RecordingPerson()
    result = play(whole, task("heat_milk"), tmp_path / "whole", HEAT_MILK[:4])
    recorded = without_times(read_events(tmp_path / "whole" / "episode.jsonl"))
    assert whole.moments == 3 * len(whole.asked)
    for moment in range(1, whole.moments + 1):
        desk = RecordingPerson()
        desk.killed_at = moment
        folder = tmp_path / str(moment)
        with pytest.raises(Killed):
            play(desk, task("heat_milk"), folder, HEAT_MILK[:4])
        again = play(desk, task("heat_milk"), folder, HEAT_MILK[:4])
        assert again.success == result.success, moment
        assert without_times(read_events(folder / "episode.jsonl")) == recorded, moment
        confirms = [question for question in desk.asked if isinstance(question, Confirm)]
        others = [question for question in desk.asked if not isinstance(question, Confirm)]
        cut = others[(moment - 1) // 3]
        was_safe = moment % 3 == 0
        assert len(others) == len(whole.asked) + (not was_safe), moment
        assert [q.repeated for q in others].count(True) == (not was_safe)
        assert len(confirms) <= 1
        if confirms:
            is_pending = isinstance(cut, Do) and not was_safe
            assert confirms[0].pending == (cut.text if is_pending else ""), moment
        if len(others) > 2 and cut is not others[-1]:
            assert confirms or isinstance(cut, Prepare), moment


def test_a_second_kill_during_the_confirmation_confirms_once(tmp_path: Path) -> None:
    desk = RecordingPerson()
    desk.killed_at = 20
    with pytest.raises(Killed):
        play(desk, task("heat_milk"), tmp_path)
    desk.killed_at = desk.moments + 3  # the confirmation is kept
    with pytest.raises(Killed):
        play(desk, task("heat_milk"), tmp_path)
    confirm = desk.asked[-1]
    assert isinstance(confirm, Confirm)
    assert "The robot is in the kitchen." in confirm.lines
    assert play(desk, task("heat_milk"), tmp_path).success
    assert sum(isinstance(question, Confirm) for question in desk.asked) == 1


def test_a_stand_in_says_what_it_does_not_know() -> None:
    context = {"episode": "1", "number": 1, "step": 1, "step_limit": 9, "criteria": ()}
    with pytest.raises(BadInput, match="add memory=FILE"):
        RulePerson(LAB).ask(Confirm(**context, instruction="-", lines=()))
    with pytest.raises(BadInput, match="has no task 'Dance'; set room="):
        RulePerson(LAB).ask(Prepare(**context, instruction="Dance", lines=()))


def test_a_person_who_leaves_leaves_the_episode_to_be_continued(tmp_path: Path) -> None:
    context = EpisodeContext(
        OperatorAdapter(ScriptedDesk([None, None, None])), script(HEAT_MILK), DIALECT, rules=RULES
    )
    with EpisodeLog(tmp_path / "e.jsonl") as log, pytest.raises(ConnectionLost, match="--resume"):
        run_episode(context, task("heat_milk"), log)


def test_a_further_trial_is_prepared_again_and_recalled_after_a_kill(tmp_path: Path) -> None:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        for trial in range(2):
            for text in HEAT_MILK[:2]:
                yield Act(text)
            if trial == 0:
                yield NewTrial("")
        yield DoneDecision("")

    def play_twice(desk: RecordingPerson, folder: Path) -> None:
        context = EpisodeContext(
            OperatorAdapter(desk),
            Planner("twice", "tries twice", plan),
            DIALECT,
            rules=Rules(ends=Ends.PLANNER_DONE, trials=2),
            files=folder / "files",
        )
        with EpisodeLog(folder / "episode.jsonl") as log:
            run_episode(context, task("heat_milk"), log)

    whole = RecordingPerson()
    play_twice(whole, tmp_path / "whole")
    prepares = [question for question in whole.asked if isinstance(question, Prepare)]
    assert [question.trial for question in prepares] == [1, 2]
    recorded = without_times(read_events(tmp_path / "whole" / "episode.jsonl"))
    for moment in (whole.moments - 1, whole.moments):  # in the second trial
        desk = RecordingPerson()
        desk.killed_at = moment
        with pytest.raises(Killed):
            play_twice(desk, tmp_path / str(moment))
        play_twice(desk, tmp_path / str(moment))
        assert without_times(read_events(tmp_path / str(moment) / "episode.jsonl")) == recorded


def test_lost_answers_are_told_in_one_sentence(tmp_path: Path) -> None:
    desk = RecordingPerson()
    desk.killed_at = 20
    with pytest.raises(Killed):
        play(desk, task("heat_milk"), tmp_path)
    answers = tmp_path / "files" / "1" / "answers.jsonl"
    lines = answers.read_bytes().splitlines(keepends=True)
    answers.write_bytes(b"".join(lines[:5]))
    with pytest.raises(BadInput, match="do not fit its recording"):
        play(desk, task("heat_milk"), tmp_path)
    answers.write_bytes(lines[0] + b"nonsense\n" + lines[1])
    with pytest.raises(BadInput, match="line 2 is damaged"):
        play(desk, task("heat_milk"), tmp_path)


def test_an_answer_counts_no_longer_once_the_episode_went_on_otherwise(tmp_path: Path) -> None:
    def continued(*, first: bool = False) -> tuple[OperatorAdapter, ScriptedDesk]:
        desk = ScriptedDesk(goes_on=True)
        adapter = OperatorAdapter(desk)
        adapter.keep(tmp_path)
        (adapter.reset if first else adapter.resume)(task("apple_to_table"), 0)
        return adapter, desk

    adapter, _ = continued(first=True)
    kitchen, sofa = ids(adapter)["kitchen"], ids(adapter)["sofa"]
    adapter.attempt(actions.go_to(kitchen), 0)
    adapter, desk = continued()
    adapter.attempt(actions.go_to(sofa), 0)  # and not to the kitchen, as before
    assert [question.kind for question in desk.asked] == ["confirm", "do"]
    adapter, desk = continued()
    adapter.attempt(actions.go_to(sofa), 0)
    assert desk.asked == [], "it was answered"
    adapter, desk = continued()
    adapter.attempt(actions.go_to(kitchen), 0)
    assert [question.kind for question in desk.asked] == ["do", "look"], "confirmed already"


def test_a_torn_last_line_is_no_damage(tmp_path: Path) -> None:
    desk = RecordingPerson()
    desk.killed_at = 21
    with pytest.raises(Killed):
        play(desk, task("heat_milk"), tmp_path)
    answers = tmp_path / "files" / "1" / "answers.jsonl"
    answers.write_bytes(answers.read_bytes() + b'{"event": "asked", "dig')
    assert play(desk, task("heat_milk"), tmp_path).success


def test_a_photo_is_the_image_and_survives_a_kill(tmp_path: Path) -> None:
    import numpy as np

    from peephole.models.images import png_bytes

    rgb = np.full((2, 3, 3), 7, np.uint8)
    photo = Seen(criteria=(False,), photo=png_bytes(rgb))
    adapter = OperatorAdapter(ScriptedDesk([None, photo]))
    adapter.keep(tmp_path)
    adapter.reset(task("apple_to_table"), 0)
    assert np.allclose(adapter.image(), rgb, atol=3)
    assert b"photo-" in (tmp_path / "answers.jsonl").read_bytes()
    again = OperatorAdapter(ScriptedDesk([]))
    again.keep(tmp_path)
    again.resume(task("apple_to_table"), 0)
    assert np.allclose(again.image(), rgb, atol=3)
