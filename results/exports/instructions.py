"""Instruction records for small models, from recordings of the planner `llm_pop`.

After LLM-POP, section 4.2: a record is one of three questions, the observation with the rounds
before, and the answer, in Alpaca's form ({"instruction", "input", "output"}). The paper let a model
imagine its observations. Here they are the simulator's own after the actions of the same episode,
so observations and answers agree. Only successful episodes are used, lucky ones left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ...data_files import json_text
from ...episodes.events import Decided, RecordedEvent, Started, Stepped, TextRefused
from ...episodes.recording import episode_path, read_episode
from ...episodes.run_file import read_run
from ...episodes.runner import finished_result
from ...errors import BadInput
from ...planners.contract import Note
from ...planners.llm_pop.grammar import write_answer
from ...planners.llm_pop.records import Round, question, record_input
from .export import ExportSummary, Source, succeeded

Record = dict[str, str]


def write(source: Source, out: Path) -> ExportSummary:
    """Write the records of a run as one JSON document."""
    records, episodes = instructions(source.run)
    text = json_text(records, indent=1) + "\n"
    out.write_text(text, encoding="utf-8")
    return ExportSummary({"records": len(records), "episodes": episodes})


def instructions(run: Path) -> tuple[list[Record], int]:
    """The records of a run, and the number of their episodes.

    Raises BadInput for a run of another planner, and for one without usable episodes.
    """
    config = read_run(run).config
    if not config.planner.startswith("llm_pop"):
        raise BadInput(
            f"{run} was run with the planner {config.planner}; export a run of llm_pop instead."
        )
    found: list[Record] = []
    episodes = 0
    for episode in config.episodes:
        path = episode_path(run, episode.number, episode.task)
        result = finished_result(path)
        if result is None or not succeeded(result):
            continue
        records = list(_records(read_episode(path)))
        found += records
        episodes += bool(records)
    if not found:
        raise BadInput(
            f"{run} has no episode of llm_pop, with its evaluator or with questions=cot, that "
            f"reached its goal other than by luck; run more tasks or another model."
        )
    return found, episodes


def _records(events: Iterable[RecordedEvent]) -> Iterator[Record]:
    """The questions of one episode with their answers, in order."""
    task, current = "", ""
    rounds: list[Round] = []
    for event in events:
        match event:
            case Started():
                task, current = event.instruction, event.observation
            case Stepped():
                rounds[-1].done.append((event.said or event.wording, event.observation))
                current = event.observation
            case TextRefused():  # nothing moved
                rounds[-1].done.append((event.said, current))
            case Decided(decision=Note(data=data)) if data.get("question") is not None:
                number, explain, actions = data["question"], data["explain"], data["actions"]
                yield {
                    "instruction": question(task, number),
                    "input": record_input(current, rounds),
                    "output": write_answer(explain, actions or None),
                }
                rounds.append(Round(explain))
