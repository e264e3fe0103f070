"""A suite as a task of inspect_ai: its model, or any of its agents, plays by tools.

    inspect eval peephole/suite -T suite=houses -T tasks=10 --model openai/NAME

A sample is an episode. It is played from a seat, as over MCP, and recorded as a run of one episode.
The score is the referee's. See https://inspect.aisi.org.uk/tasks.html and /tools.html.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, execute_tools, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, ToolError, ToolParams

from ...adapters.contract import Capability
from ...episodes.resolve import Run, select_tasks
from ...episodes.result import EpisodeResult
from ...episodes.run_file import new_folder
from ...episodes.runner import new_run
from ...planners.external.seat import Seat
from ...planners.kits.tools import TOOLS, Tool, argument_of
from ...suites.registry import load_suite
from ..seat_run import Wanted, new_run_of, play_from

_INSTRUCTIONS = (
    "You control a household robot by tools. Call task first: it tells you what to do. Then call "
    "act until the task is fulfilled, and call done."
)
_CALL = "Call a tool. The episode goes on until you call done or give_up."
#: Replies in a row without a call after which the agent has left.
_MOST_IDLE = 3
_one_by_one = threading.Lock()


@dataclass
class _Episode:
    """The episode of a sample, which a thread plays."""

    seat: Seat
    run: Run
    folder: Path
    result: EpisodeResult | None = None
    error: BaseException | None = None
    thread: threading.Thread = field(init=False)
    #: Its own, since waiting episodes would use up all threads that anyio shares.
    limiter: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(1))

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._play, daemon=True)
        self.thread.start()

    def _play(self) -> None:
        alone = Capability.THREADS not in self.run.adapter.spec.capabilities
        try:
            if alone:
                _one_by_one.acquire()
            with new_run(self.run, self.folder):
                self.result = play_from(self.seat, self.run, self.folder)
        except BaseException as error:
            self.error = error
        finally:
            if alone:
                _one_by_one.release()
            self.run.adapter.close()
            self.seat.close()

    async def call(self, tool: str, argument: str) -> str:
        """The answer to a call of the agent."""
        call = self.seat.call
        reply = await anyio.to_thread.run_sync(call, tool, argument, limiter=self.limiter)
        return reply.text

    async def end(self) -> None:
        """End the episode, where the agent has stopped before."""
        self.seat.leave()
        await anyio.to_thread.run_sync(self.thread.join, limiter=self.limiter)


#: The episodes that are played, by the identity of their sample.
_episodes: dict[str, _Episode] = {}


@task
def suite(
    suite: str = "houses",
    tasks: str = "",
    adapter: str = "",
    dialect: str = "",
    data: str = "",
    seed: int = 0,
    out: str = "",
) -> Task:
    """The tasks of a suite, each a sample.

    suite, adapter, dialect, data, tasks, seed: as options of `peephole run`; epochs have the next
    seeds. out: folder of the recordings; by default a new one in runs/.
    """
    loaded = load_suite(suite, Path(data) if data else None)
    wanted = Wanted(suite, "", adapter, dialect, str(Path(data).resolve()) if data else "", seed)
    folder = Path(out) if out else new_folder(suite, "inspect")
    ids = select_tasks(loaded, str(tasks))
    labels = {each.id: dict(each.labels) for each in loaded.tasks if each.id in set(ids)}
    return Task(
        dataset=MemoryDataset(
            [Sample(input=_INSTRUCTIONS, id=name, metadata=labels[name]) for name in ids], suite
        ),
        setup=take_seat(wanted, folder),
        solver=play_by_tools(),
        scorer=referee(),
        cleanup=_leave,
        metadata={"peephole": str(folder)},
    )


@solver
def take_seat(wanted: Wanted, folder: Path) -> Solver:
    """Begin the episode of a sample, and give the agent its tools."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = await anyio.to_thread.run_sync(_begun, wanted, folder, state)
        _episodes[state.uuid] = episode
        state.tools = [_tool(each, episode).as_tool() for each in TOOLS]
        return state

    return solve


def _begun(wanted: Wanted, folder: Path, state: TaskState) -> _Episode:
    seat = Seat()
    name, epoch = str(state.sample_id), state.epoch
    own = Wanted(
        wanted.suite,
        name,
        wanted.adapter,
        wanted.dialect,
        wanted.data,
        wanted.seed + epoch - 1,
        options={"agent": str(state.model)[:60]},
    )
    run = new_run_of(own, seat)
    return _Episode(seat, run, folder / f"{name.replace('/', '-')}-{own.seed}")


def _tool(tool: Tool, episode: _Episode) -> ToolDef:
    """A tool of an agent in the form of inspect_ai."""

    async def call(**arguments: Any) -> str:
        try:
            argument = argument_of(tool.name, arguments)
        except ValueError as error:
            raise ToolError(str(error)) from None
        return await episode.call(tool.name, argument)

    params = ToolParams.model_validate(tool.schema)
    return ToolDef(call, tool.name, tool.description, params, parallel=False)


@solver
def play_by_tools() -> Solver:
    """The plain loop of a model with tool calls, until the episode is over."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        seat, idle = _episodes[state.uuid].seat, 0
        while seat.over is None and idle < _MOST_IDLE and not state.completed:
            state.output = await get_model().generate(state.messages, state.tools)
            state.messages.append(state.output.message)
            if state.output.message.tool_calls:
                idle = 0
                done = await execute_tools(state.messages, state.tools)
                state.messages.extend(done.messages)
            else:
                idle += 1
                state.messages.append(ChatMessageUser(content=_CALL))
        return state

    return solve


@scorer(metrics={"*": [mean(), stderr()]})
def referee() -> Scorer:
    """What the referee says of an episode: success, the share of the goal, and steps."""

    async def score(state: TaskState, target: Target) -> Score:
        episode = _episodes[state.uuid]
        await episode.end()
        if episode.error is not None:
            raise episode.error
        result = episode.result
        assert result is not None
        values = {"success": result.success, "progress": result.progress, "steps": result.steps}
        known = {name: float(value) for name, value in values.items() if value is not None}
        return Score(value=known, explanation=result.ended, metadata={"run": str(episode.folder)})

    return score


async def _leave(state: TaskState) -> None:
    """End the episode of a sample that was not scored, such as one that was interrupted."""
    episode = _episodes.pop(state.uuid, None)
    if episode is not None:
        await episode.end()
