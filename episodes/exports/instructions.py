"""Instruction records for small models, from what was recorded of the planners `llm_pop`.

After LLM-POP, section 4.2: a record is one of three questions, what the robot observes with the
rounds before, and the answer, in the form of Alpaca ({"instruction", "input", "output"}). The paper
had a model imagine its observations; here they are those that the simulator gave after the actions
of the same episode, so that observations and answers agree. Only episodes that reached their goal,
and not by luck, are taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ...errors import BadInput
from ...planners.llm_pop.grammar import ACTION, EXPLAIN, NO_OUTPUT
from ...planners.llm_pop.history import Round, question, told
from ..recording import EventData, episode_path, read_episode
from ..runner import finished_result, stored_config

Record = dict[str, str]


def instructions(run: Path) -> tuple[list[Record], int]:
    """The records of a run, and from how many episodes.

    Raises BadInput for a run whose planner was not asked such questions, and where nothing in it
    can be taken.
    """
    config = stored_config(run)
    if not config.planner.startswith("llm_pop"):
        raise BadInput(
            f"{run} was run with the planner {config.planner}; instructions come from runs of "
            f"llm_pop or llm_pop_cot."
        )
    found: list[Record] = []
    episodes = 0
    for number, task in enumerate(config.tasks, start=1):
        path = episode_path(run, number, task)
        result = finished_result(path)
        if result is None or not result.success or result.informed is False:
            continue
        records = list(_records(read_episode(path)))
        found += records
        episodes += bool(records)
    if not found:
        raise BadInput(
            f"{run} has no episode of llm_pop with its evaluator, or of llm_pop_cot, that reached "
            f"its goal other than by luck; run more tasks or another model."
        )
    return found, episodes


def _records(events: Iterable[EventData]) -> Iterator[Record]:
    """The questions of one episode with their answers, in order."""
    task, current = "", ""
    rounds: list[Round] = []
    act: str | None = None  # what was said to be done, until it is known what came of it
    for event in events:
        if event["event"] == "step":
            rounds[-1].done.append((act or event["action"], event["observation"]))
            current, act = event["observation"], None
            continue
        if act is not None and event["event"] == "decision":  # it was refused; nothing moved
            rounds[-1].done.append((act, current))
            act = None
        if event["event"] == "start":
            task, current = event["instruction"], event["observation"]
        elif event["event"] == "decision" and event["kind"] == "act":
            act = event["text"]
        elif event["event"] == "decision" and event["kind"] == "note":
            number = event["data"].get("question")
            if number is not None:
                explain, actions = event["data"]["explain"], event["data"]["actions"]
                listed = f"[{', '.join(actions)}]" if number != 1 else NO_OUTPUT
                yield {
                    "instruction": question(task, number),
                    "input": told(current, rounds),
                    "output": f"{EXPLAIN}: {explain}\n{ACTION}: {listed}",
                }
                rounds.append(Round(explain))
