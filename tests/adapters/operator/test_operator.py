"""A person in a room: what is asked, what an agent perceives, and going on after a kill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from peephole.adapters.operator.adapter import OperatorAdapter
from peephole.adapters.operator.questions import (
    Answer,
    Confirm,
    Do,
    Done,
    Failed,
    Look,
    Prepare,
    Question,
    Refused,
    Seen,
    Sighting,
)
from peephole.adapters.operator.stand_in.person import RulePerson
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.events import Stepped
from peephole.episodes.recording import EpisodeLog, read_events, without_times
from peephole.episodes.result import EpisodeResult
from peephole.errors import BadInput, PeepholeError
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import Act, Brief, Decisions, NewTrial, Percept, Planner
from peephole.planners.contract import Done as DoneDecision
from peephole.scene_graph.node import Kind, Relation, State
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.executor import ConnectionLost
from peephole.skills.outcomes import Failure, Reason
from peephole.suites.registry import load_suite

from ...scripted_desk import ScriptedDesk, criteria_of

LAB = Path(__file__).parents[2] / "lab.yaml"
RULES = Rules(ends=Ends.PLANNER_DONE)


def task(name: str) -> Task:
    return next(task for task in load_suite("room", LAB).tasks if task.id == name)


def ids(adapter: OperatorAdapter) -> dict[str, int]:
    """What is in view now, by label."""
    return {str(node.native_id): node.id for node in adapter.view().graph.nodes()}


Written = Answer | Callable[[Question], Answer] | None


def begun(*answers: Written) -> tuple[OperatorAdapter, ScriptedDesk]:
    desk = ScriptedDesk([None, None, *answers], goes_on=True)
    adapter = OperatorAdapter(desk)
    adapter.reset(task("apple_to_table"), 0)
    return adapter, desk


def sees(*sightings: Sighting, unseen: Sequence[str] = ()) -> Callable[[Question], Answer]:
    return lambda question: Seen(
        criteria=criteria_of(question), sightings=sightings, unseen=tuple(unseen)
    )


def on(thing: str, place: str, *states: State) -> Sighting:
    return Sighting(thing=thing, relation=Relation.ON, place=place, states=states)


def inside(thing: str, place: str) -> Sighting:
    return Sighting(thing=thing, relation=Relation.INSIDE, place=place)


KITCHEN = sees(on("cup 1", "counter"), on("Plate", "table"), inside("ball", "kitchen"))


def in_kitchen(*answers: Written) -> tuple[OperatorAdapter, ScriptedDesk]:
    adapter, desk = begun(None, KITCHEN, *answers)
    kitchen = adapter.view().graph.room_ids[0]
    assert adapter.attempt(actions.go_to(kitchen), 0).success
    return adapter, desk


# --- what is asked -------------------------------------------------------------------------------


def test_the_start_is_prepared_and_nothing_is_known_before_it_is_seen() -> None:
    adapter, desk = begun()
    prepare, look = desk.asked
    assert isinstance(prepare, Prepare)
    assert "In the fridge: apple, milk." in prepare.lines
    assert "The robot starts in the living room, with empty hands." in prepare.lines
    assert "The fridge is closed." in prepare.lines
    assert isinstance(look, Look)
    assert [place.label for place in look.places] == ["living room", "sofa"]
    assert look.text == "Look around in the living room."
    assert set(ids(adapter)) == {"kitchen", "living room", "sofa", "robot"}
    assert desk.saved == desk.asked


def test_no_question_says_which_planner_plays(tmp_path: Path) -> None:
    desk = RecordingPerson()
    play(desk, task("apple_to_table"), tmp_path)
    text = " ".join(question.model_dump_json() for question in desk.asked)
    assert "secret planner" not in text
    assert str(tmp_path) not in text


def test_a_new_room_is_looked_at_and_things_have_ids_by_label() -> None:
    adapter, desk = in_kitchen()
    look = desk.asked[-1]
    assert isinstance(look, Look)
    places = {place.label: place for place in look.places}
    assert places["fridge"].relations == ()
    assert places["fridge"].states == (State.OPEN, State.CLOSED)
    assert places["table"].relations == (Relation.ON,)
    known = ids(adapter)
    view = adapter.view()
    assert view.graph[known["Plate"]].category == "plate"
    assert {"cup 1", "ball"} <= set(known)
    assert "apple" not in known
    covered = {str(view.graph[i].native_id) for i in view.covered}
    assert {"kitchen", "counter", "table"} <= covered
    assert "fridge" not in covered


def test_what_could_not_be_looked_at_is_not_seen_empty() -> None:
    adapter, _ = begun(None, sees(unseen=["table"]))
    kitchen = adapter.view().graph.room_ids[0]
    adapter.attempt(actions.go_to(kitchen), 0)
    view = adapter.view()
    assert view.covered.get(ids(adapter)["counter"])
    assert ids(adapter)["table"] not in view.covered


def test_an_opened_container_is_looked_into_and_a_gone_thing_is_forgotten() -> None:
    adapter, desk = in_kitchen(None, None, sees(inside("apple", "fridge")), None, None, sees())
    fridge = ids(adapter)["fridge"]
    adapter.attempt(actions.go_to(fridge), 0)
    assert isinstance(desk.asked[-1], Do), "a closed fridge shows nothing new"
    adapter.attempt(actions.open_(fridge), 0)
    look = desk.asked[-1]
    assert isinstance(look, Look)
    assert look.places[0].relations == (Relation.INSIDE,)
    apple = ids(adapter)["apple"]
    assert adapter.view().graph.places(apple) == [(Relation.INSIDE, fridge)]
    adapter.attempt(actions.close(fridge), 0)
    assert "apple" not in ids(adapter)
    adapter.attempt(actions.open_(fridge), 0)
    assert "apple" not in ids(adapter), "it was not seen again"
    assert adapter.view().covered[fridge]


def test_done_actions_have_their_effects_and_the_same_thing_keeps_its_id() -> None:
    adapter, desk = in_kitchen()
    known = ids(adapter)
    adapter.attempt(actions.go_to(known["table"]), 0)
    adapter.attempt(actions.pick_up(known["Plate"]), 0)
    assert adapter.view().held() == [known["Plate"]]
    adapter.attempt(actions.go_to(known["counter"]), 0)
    adapter.attempt(actions.put(known["Plate"], Relation.ON, known["counter"]), 0)
    do = desk.asked[-1]
    assert isinstance(do, Do)
    assert do.text == "Put Plate on the counter."
    assert adapter.view().graph.places(known["Plate"]) == [(Relation.ON, known["counter"])]


def test_the_body_is_not_asked_for_what_it_cannot_do() -> None:
    adapter, desk = in_kitchen()
    before = len(desk.asked)
    plate = ids(adapter)["Plate"]
    result = adapter.attempt(actions.pick_up(plate), 0)
    assert result.failure == Failure(Reason.NOT_CLOSE, plate)
    assert len(desk.asked) == before


def test_a_failure_is_typed_and_a_refusal_is_denied_with_its_words() -> None:
    reason = Failed(criteria=(False,), reason=Reason.BLOCKED, words="a chair")
    no = Refused(criteria=(False,), words="It is too hot.")
    adapter, _ = in_kitchen(reason, no)
    table = ids(adapter)["table"]
    result = adapter.attempt(actions.go_to(table), 0)
    assert result.failure == Failure(Reason.BLOCKED), "by what, nobody said"
    assert result.message == "a chair"
    result = adapter.attempt(actions.go_to(table), 0)
    assert result.failure == Failure(Reason.DENIED, detail="It is too hot")


def test_after_a_slip_the_person_says_where_the_thing_is() -> None:
    slipped = Failed(criteria=(False,), reason=Reason.SLIPPED)
    floor = sees(inside("Plate", "kitchen"), inside("ball", "kitchen"))
    adapter, desk = in_kitchen(None, slipped, floor)
    known = ids(adapter)
    adapter.attempt(actions.go_to(known["table"]), 0)
    assert not adapter.attempt(actions.pick_up(known["Plate"]), 0).success
    look = desk.asked[-1]
    assert isinstance(look, Look)
    assert look.text == "Say where things are now."
    kitchen = known["kitchen"]
    assert adapter.view().graph.places(known["Plate"]) == [(Relation.INSIDE, kitchen)]


def test_what_is_not_there_is_forgotten() -> None:
    gone = Failed(criteria=(False,), reason=Reason.NOT_HERE)
    adapter, _ = in_kitchen(None, gone)
    known = ids(adapter)
    adapter.attempt(actions.go_to(known["table"]), 0)
    adapter.attempt(actions.pick_up(known["Plate"]), 0)
    assert "Plate" not in ids(adapter)


def test_the_criteria_judge_without_a_question_of_their_own() -> None:
    yes = Done(criteria=(True,))
    adapter, desk = in_kitchen(yes)
    progress = adapter.judge(task("apple_to_table"))
    assert progress is not None
    assert progress.value == 0
    adapter.attempt(actions.go_to(ids(adapter)["table"]), 0)
    progress = adapter.judge(task("apple_to_table"))
    assert progress is not None
    assert progress.value == 1
    assert [each.text for each in progress.subgoals] == ["The apple is on the table."]
    assert desk.asked[-1].criteria[0].holds is False, "asked before the answer"


def test_a_desk_that_gives_nonsense_is_told_apart_from_the_person() -> None:
    class Broken(ScriptedDesk):
        def ask(self, question: Question) -> Answer:
            return Done(criteria=())

    with pytest.raises(PeepholeError, match="gave an answer that is none"):
        OperatorAdapter(Broken()).reset(task("apple_to_table"), 0)


# --- going on after a kill -----------------------------------------------------------------------


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
    with pytest.raises(BadInput, match="do not go as far as its recording"):
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


def test_kinds_of_nodes() -> None:
    adapter, _ = in_kitchen()
    kinds = {str(node.native_id): node.kind for node in adapter.view().graph.nodes()}
    assert kinds["kitchen"] is Kind.ROOM
    assert kinds["table"] is Kind.FIXTURE
    assert kinds["ball"] is Kind.OBJECT
