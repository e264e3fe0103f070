"""Approval by rules of a file: what is denied, and how the planner and the recording show it."""

from __future__ import annotations

from pathlib import Path

import pytest

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.approval.approver import Answer, Proposal
from peephole.episodes.approval.rules import Rule, RulesApprover, read_rules
from peephole.episodes.environment import Environment
from peephole.episodes.events import ApprovalGiven, Stepped
from peephole.episodes.recording import episode_files, read_episode, without_times
from peephole.episodes.resolve import installed_dialects
from peephole.episodes.run_file import read_run
from peephole.errors import BadInput
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import Grant
from peephole.results.failures.classify import FailureKind, diagnose
from peephole.scene_graph.node import Relation
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.actions import Action, Verb
from peephole.skills.outcomes import Failure, Outcome, RawResult, Reason

WASHING = "version: 1\nrules:\n- {verbs: [open], things: [Washing_Machine], reason: It runs.}\n"


class Watched(SymbolicAdapter):
    """The built-in world, which notes what reaches it."""

    def __init__(self) -> None:
        super().__init__()
        self.tried: list[Action] = []

    def attempt(self, action: Action, variation: int) -> RawResult:
        self.tried.append(action)
        return super().attempt(action, variation)


def begun(task: Task, *rules: Rule) -> tuple[Environment, Watched]:
    adapter = Watched()
    approver = RulesApprover(rules)
    environment = Environment(adapter, task, DIALECT, approver=approver)
    environment.reset()
    return environment, adapter


def test_a_denied_action_fails_with_the_reason_and_never_reaches_the_world(task: Task) -> None:
    rule = Rule((Verb.OPEN,), things=("fridge",), reason="It is being cleaned")
    environment, adapter = begun(task, rule)
    environment.step("go to fridge 1")
    percept = environment.step("open fridge 1")
    outcome = percept.outcome
    assert outcome is not None
    assert outcome.failure is not None
    assert (outcome.failure.reason, outcome.attempts) == (Reason.DENIED, ())
    assert "It is being cleaned." in percept.text
    assert [each.verb for each in adapter.tried] == [Verb.GO_TO]
    assert environment.score().failures == {"denied": 1}
    assert environment.steps == 2


class AtStep(RulesApprover):
    """A rule that holds at one step."""

    def __init__(self, step: int, rule: Rule) -> None:
        super().__init__((rule,))
        self.step = step

    def answer(self, proposal: Proposal) -> Answer:
        return super().answer(proposal) if proposal.step == self.step else Answer(True)


FRIDGE, TABLE, LIVING_ROOM, APPLE = actions.go_to(2), actions.go_to(3), actions.go_to(5), 1


@pytest.mark.parametrize(
    ("rule", "denied"),
    [
        (Rule((Verb.PICK_UP,)), [2]),
        (Rule(things=("apple",)), [2, 5]),
        (Rule(places=("fridge",)), [0, 1, 2]),
        (Rule(places=("Living_Room",)), [3, 4, 5]),
        (Rule(places=("table",)), [4, 5]),
        (Rule((Verb.PUT,), places=("fridge",)), []),
        (Rule((Verb.PUT,), ("apple",), ("table",)), [5]),
        (Rule(holding=("apple",)), [3, 4, 5]),
        (Rule((Verb.GO_TO,), holding=("apple",), places=("living room",)), [3, 4]),
        (Rule((Verb.OPEN,), things=("fridge",), holding=("apple",)), []),
    ],
    ids=lambda value: "" if isinstance(value, list) else None,
)
def test_a_rule_denies_if_all_that_it_names_fits(task: Task, rule: Rule, denied: list[int]) -> None:
    """Each action is proposed where the whole plan has brought the agent."""
    plan = [
        FRIDGE,
        actions.open_(2),
        actions.pick_up(APPLE),
        LIVING_ROOM,
        TABLE,
        actions.put(APPLE, Relation.ON, 3),
    ]
    found = []
    for number in range(len(plan)):
        environment = Environment(
            SymbolicAdapter(),
            task,
            DIALECT,
            grants=frozenset({Grant.TRUTH}),
            approver=AtStep(number + 1, rule),
        )
        environment.reset()
        outcomes = [environment.step(each).outcome for each in plan[: number + 1]]
        assert all(outcome is not None and outcome.success for outcome in outcomes[:-1])
        failure = outcomes[-1] and outcomes[-1].failure
        if failure is not None:
            assert failure.reason is Reason.DENIED
            found.append(number)
    assert found == denied


def test_rules_go_by_what_the_agent_saw_and_not_by_what_is_hidden(task: Task) -> None:
    """The apple was seen in the fridge; that it is on the table now, nobody knows."""
    environment, adapter = begun(task, Rule(places=("table",), reason="no"))
    for text in ("go to fridge 1", "open fridge 1", "go to living room 1"):
        assert environment.step(text).succeeded
    adapter.attempt(actions.go_to(2), 0)
    for action in (actions.pick_up(1), actions.go_to(5), actions.go_to(3)):
        assert adapter.attempt(action, 0).success
    assert adapter.attempt(actions.put(1, Relation.ON, 3), 0).success
    environment.step("go to kitchen 1" if adapter.view().get(1) else "go to living room 1")
    adapter.tried.clear()
    environment.step("go to apple 1")
    assert [each.verb for each in adapter.tried] == [Verb.GO_TO], "it was denied"


def test_a_run_records_its_rules_and_goes_on_without_the_file(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(WASHING)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for out in (whole, cut):
        peephole.run("expert", "robothow", tasks=1, adapter="symbolic", approve=file, out=out)
    file.unlink()
    (path,) = episode_files(cut)
    steps = [event for event in read_episode(path) if isinstance(event, Stepped)]
    denied = [step.outcome for step in steps if step.outcome.failure is not None]
    assert len(denied) == 1, "what is denied is not tried again"
    assert {(o.failure.reason, o.failure.detail, o.attempts) for o in denied if o.failure} == {
        (Reason.DENIED, "It runs", ())
    }
    assert not any(isinstance(event, ApprovalGiven) for event in read_episode(path))
    why = diagnose(read_episode(path))
    assert why is not None
    assert why.kind is FailureKind.DENIED
    content = read_run(cut)
    assert content.label == "expert, approved by rules.yaml"
    assert content.config.approval is not None
    assert content.config.approval.rules == (
        Rule((Verb.OPEN,), ("Washing_Machine",), reason="It runs."),
    )
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-4]) + lines[-4][:10])
    peephole.resume(cut)
    (other,) = episode_files(whole)
    assert without_times(read_episode(path)) == without_times(read_episode(other))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("rules: [", "is not YAML"),
        ("version: 2\nrules: []", "'version' is wrong"),
        ("version: 1\nrules: []", "'rules' is wrong"),
        ("version: 1\nrules:\n- {verbs: [opn], reason: x}", "'opn' is no verb, but 'open' is one"),
        ("version: 1\nrules:\n- {verbs: [open]}", "'rules.0.reason' is wrong: field required"),
        ("version: 1\nrules:\n- {verbs: [open], reason: ' '}", "it is empty"),
        ("version: 1\nrules:\n- {reason: x}", "it forbids everything"),
        (
            "version: 1\nrules:\n- {verb: [open], reason: x}",
            "There is no field 'verb' in 'rules.0'; correct its name",
        ),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(text)
    with pytest.raises(BadInput) as caught:
        read_rules(file)
    assert problem in str(caught.value)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
    out = tmp_path / "run"
    with pytest.raises(BadInput):
        peephole.run("expert", "robothow", tasks=1, adapter="symbolic", approve=file, out=out)
    assert not out.exists()


def test_every_dialect_tells_the_reason(task: Task) -> None:
    """Of the household here; tests/observation_text/dialects has the arm's."""
    environment, adapter = begun(task)
    denied = Outcome(Failure(Reason.DENIED, 2, "The door is hot"))
    view = adapter.view()
    for name, dialect in installed_dialects(adapter.spec):
        names = environment._names
        _, state = dialect.start(names, view)
        text, _ = dialect.after(names, view, actions.open_(2), denied, state)
        assert "The door is hot." in text, name
