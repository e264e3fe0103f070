"""The planner `progprompt`: programs with assertions, and a new program where one ends.

After Singh et al., ProgPrompt (2023), with replanning as in the baseline of Chen et al., LLM-State
(2023), section V-A. Programs run in Peephole's interpreter, never in Python. The wording is
Peephole's own.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field, model_validator

from ...data_files import lines_of
from ...models.contract import LONG_ANSWER, Unusable
from ...observation_text.dialects.llm_state.dialect import ALREADY, SUCCESS, failure_in, observed
from ...observation_text.dialects.llm_state.grammar import PAPER_VERBS, paper_calls
from ...observation_text.dialects.lookplangraph.node_names import states_of
from ...observation_text.names import Named
from ...scene_graph.node import Kind
from ...scene_graph.rules import Ends
from ..contract import (
    HOMES,
    Act,
    Brief,
    Decisions,
    Done,
    GiveUp,
    Internal,
    Note,
    Percept,
    Planner,
    SubPlan,
)
from ..kits.programs.checks import load
from ..kits.programs.program import BadProgram, Program, ProgramFunction, ProgramLimits, Value
from ..kits.programs.run import Assertion, HostCall, Interpreter
from ..kits.prompting.body import body_values
from ..kits.prompting.conversation import ask_within_context, giving_up, prompt
from ..kits.prompting.templates import Templates
from ..kits.written_plans.house import dialect_of

_CALL = re.compile(r"(\w+)\((\w*(?:,\w+)*)\)")
_NAME = re.compile(r"\b(?:[Tt]hing|[Pp]lace) (?:1\b|\(1\))")
#: The most characters of a name.
_LONGEST = 100


@dataclass(frozen=True)
class ActionFunction:
    """A function that is an action.

    wordings: the action in the dialect, with {} for names, by the number of names.
    """

    name: str
    wordings: dict[int, str]

    def __str__(self) -> str:
        most = max(self.wordings)
        return f"{self.name}({', '.join('abc'[:most])})" if most else f"{self.name}()"

    def action(self, names: Sequence[Value]) -> str:
        """The action in the words of the dialect."""
        return self.wordings[len(names)].format(*(str(name)[:_LONGEST] for name in names))


def action_functions(forms: Iterable[str]) -> dict[str, ActionFunction]:
    """The functions for the forms of actions, by name."""
    functions: dict[str, ActionFunction] = {}
    for form in forms:
        call = _CALL.fullmatch(form)
        if call is not None:
            name, count = call[1], len([letter for letter in call[2].split(",") if letter])
            wording = f"{name}({', '.join(['{}'] * count)})"
        else:
            wording, count = _NAME.subn("{}", form)
            name = "_".join(re.findall(r"\w+", wording))
        functions.setdefault(name, ActionFunction(name, {})).wordings[count] = wording
    return functions


_PROMPTS = Templates(__file__)
_CALLS = "llm_state"  # the dialect whose actions are calls
#: The things of the example in the prompts.
_EXAMPLE = {
    "garage": "garage",
    "shed": "shed",
    "shelf": "shelf",
    "can": "watering can",
    "lamp": "lamp",
}
_DONE = "done"
_HOLDS = ("True", "False")
_FENCED = re.compile(r"```(?:python|py)?[ ]*\n(.*?)(?:```|\Z)", re.DOTALL)
#: The most errors of a program in one message to the model.
_COMPLAINTS = 3


class Options(BaseModel):
    """Options of `progprompt`."""

    assertions: bool = Field(
        True,
        description="let the model write and judge assertions; false: none is shown or asked for, "
        "and one that it writes holds",
    )
    recovery: bool = Field(
        True,
        description="ask for another program where one fails or ends, as LLM-State's baseline; "
        "false: one program is carried out past failed actions, as in ProgPrompt's own paper",
    )
    steps: int = Field(10_000, ge=100, description="most calculation steps of one program")
    idle: int = Field(
        3, ge=1, description="number of programs in a row without an action that ends the episode"
    )
    actions: Literal["paper", "all"] = Field(
        "paper",
        description="actions in the dialect llm_state: its paper's nine, or all of the simulator",
    )

    @model_validator(mode="after")
    def _not_void(self) -> Options:
        if not self.recovery and "idle" in self.model_fields_set:
            raise ValueError("idle has no meaning with recovery=false, which asks for one program")
        return self


class _Written(NamedTuple):
    """A program and its text. entry: the function to call, None to run the whole program."""

    text: str
    program: Program
    entry: str | None


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Write a program, carry it out, and write another, until the task is done."""
    episode = _Episode(brief, percept)
    if not episode.options.recovery:
        yield from episode.once()
        return
    idle = 0
    while idle < episode.options.idle:
        written = yield from episode.write()
        before = episode.acted
        if (yield from episode.carry_out(written)):
            return
        idle = 0 if episode.acted > before else idle + 1
    yield GiveUp(f"{idle} programs in a row did nothing.")


class _Episode:
    """The actions and observations so far. acted: the number of actions tried."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        self.options = options = brief.options_of(Options)
        self.acted = 0
        self._percept = percept
        self._model = brief.model
        self._calls = brief.dialect == _CALLS
        self._dialect = dialect_of(brief)
        self._history: list[str] = []
        self._first = "" if self._calls else percept.text
        self._limits = ProgramLimits(steps=options.steps)
        self._task = brief.instruction
        paper = self._calls and options.actions == "paper"
        self._functions = action_functions(paper_calls(brief.actions) if paper else brief.forms)
        self._declared = [
            ProgramFunction(each.name, min(each.wordings), max(each.wordings))
            for each in self._functions.values()
        ]
        self._may_end = may_end = brief.rules.ends is Ends.PLANNER_DONE
        if may_end:
            self._declared.append(ProgramFunction(_DONE, 0, 0))
        self._header = "_".join(re.findall(r"[a-z0-9]+", brief.instruction.lower())[:12]) or "task"
        self._example = {name: self._written(f"{kind} 1") for name, kind in _EXAMPLE.items()}
        self._system = _PROMPTS.render(
            "system",
            functions=[*map(str, self._functions.values()), *([f"{_DONE}()"] * may_end)],
            **self._example,
            calls=self._calls,
            may_end=may_end,
            assertions=options.assertions,
            recovery=options.recovery,
            **body_values(brief, PAPER_VERBS if paper else None),
        )

    # --- questions ----------------------------------------------------------------------------

    def write(self) -> SubPlan[_Written]:
        """Ask for a program."""

        def ask() -> _Written:
            values = {"header": f"do_{self._header}", "task": self._task, **self._situation()}
            user = _PROMPTS.render("program", **values)
            functions = {name: each.wordings for name, each in self._functions.items()}
            about = {"kind": "program", "functions": functions, "may_end": self._may_end}
            return self._model.read(
                prompt(self._system, user),
                self._read,
                purpose="program",
                needs=LONG_ANSWER,
                about=lambda: about,
            )

        written = yield from ask_within_context(self._history, ask, "lines of history")
        yield Internal("plan", written.text)
        return written

    def _holds(self, condition: str) -> SubPlan[bool]:
        """Ask whether an assertion holds."""
        if not self.options.assertions:
            return True

        def ask() -> str:
            user = _PROMPTS.render("assertion", condition=condition, **self._situation())
            messages = prompt(_PROMPTS.render("assertion_system", **self._example), user)
            return self._model.choose(
                messages,
                _HOLDS,
                purpose="assertion",
                about=lambda: {"kind": "assertion", "condition": condition},
            )

        holds = (yield from ask_within_context(self._history, ask, "lines of history")) == _HOLDS[0]
        yield Internal("assert", condition, {"holds": holds})
        return holds

    def _situation(self) -> dict[str, object]:
        percept = self._percept
        observation = observed(percept.text) if self._calls else percept.overview()
        return {
            "objects": [repr(name) for name in self._objects()],
            "first": lines_of(self._first),
            "history": self._history,
            "observation": lines_of(observation),
            "states": self._states(),
        }

    def _states(self) -> list[str]:
        """What is open, on and so on, of all that is in reach: "'shed1' is closed"."""
        percept = self._percept
        known = [
            (percept.names[thing], states_of(percept.view.graph[thing]))
            for thing in percept.view.within_reach()
            if thing in percept.names
        ]
        return [f"{self._written(name)!r} is {', '.join(so)}" for name, so in known if so]

    def _objects(self) -> list[str]:
        """The names of all perceived things, as programs write them."""
        graph = self._percept.view.graph
        names = [
            name
            for node, name in self._percept.names.items()
            if (known := graph.get(node)) is None or known.kind is not Kind.AGENT
        ]
        return [*map(self._written, names)]

    def _written(self, name: str) -> str:
        """A name as the dialect's actions have it: "coffeetable2" for "coffee table 2"."""
        category, _, number = name.rpartition(" ")
        return self._dialect.called(Named(category, int(number)))

    # --- programs -----------------------------------------------------------------------------

    def _read(self, reply: str) -> _Written:
        """The program of a reply. Raises Unusable."""
        text = _body(reply)
        try:
            program = load(text, self._declared, self._limits)
        except BadProgram as error:
            raise Unusable(" ".join(error.complaints[:_COMPLAINTS])) from None
        called = {
            node.func.id
            for node in ast.walk(program.tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        if called.isdisjoint({function.name for function in self._declared}):
            raise Unusable("The program does nothing; call an action.")
        return _Written(text, program, _entry(program.tree))

    def once(self) -> Decisions:
        """Write one program, and carry it out to its end."""
        written = yield from self.write()
        if (yield from self.carry_out(written)):
            return
        percept = yield Done("The program was carried out.")
        if percept.feedback is not None:
            yield GiveUp("The program came to its end and did not reach the goal.")

    def carry_out(self, written: _Written) -> SubPlan[bool]:
        """Run a program, with recovery up to the first action that fails; whether all ends."""
        run = Interpreter(written.program).run(written.entry)
        answer: bool | None = None
        try:
            while True:
                asked = run.send(answer) if answer is not None else next(run)
                if isinstance(asked, Assertion):
                    answer = yield from self._holds(asked.condition)
                elif asked.function == _DONE and _DONE not in self._functions:
                    percept = yield Done()
                    if percept.feedback is None:
                        return True
                    self._history.append(f"done()  # {percept.feedback}")
                    return False
                else:
                    answer = yield from self._act(asked)
                    if not answer and self.options.recovery:
                        return False
        except StopIteration:
            self._history.append("the program came to its end")
        except BadProgram as error:
            self._history.append(f"the program was stopped: {error}")
            yield Note("plan", f"The program was stopped: {error}", {"stopped": str(error)})
        return False

    def _act(self, call: HostCall) -> SubPlan[bool]:
        """Carry out an action; whether it succeeded, or its effect held already."""
        said = self._functions[call.function].action(call.arguments)
        percept = yield Act(said, continued=True)
        self.acted += 1
        written = f"{call.function}({', '.join(map(repr, call.arguments))})"
        if percept.refused is None:
            self._percept = percept
        holds = percept.succeeded or percept.already_so
        if self._calls:
            result = (
                SUCCESS if percept.succeeded else ALREADY if holds else failure_in(percept.text)
            )
        else:
            result = "ok" if percept.succeeded else "so already" if holds else "FAILED"
            result += f": {' '.join(percept.text.split())}"
        self._history.append(f"{written}  {result}")
        return holds


def _body(reply: str) -> str:
    """The program in a reply, from its code fence if it has one, without indentation."""
    fence = _FENCED.search(reply)
    lines = lines_of((fence[1] if fence else reply).strip("\n").expandtabs(4))
    further = [line for line in lines[1:] if line.strip()]
    first = lines[0] if lines else ""
    if first[:1].strip() and not first.rstrip().endswith(":"):
        # The first line continues the indented function that the prompt begins.
        edge = min((len(line) - len(line.lstrip()) for line in further), default=0)
        if edge >= 4 and not further[0].lstrip().startswith("else"):
            lines[0] = " " * edge + first
    return textwrap.dedent("\n".join(lines)).rstrip()


def _entry(tree: ast.Module) -> str | None:
    """The name of the function, where a reply is one whole function and nothing else."""
    rest = [node for node in tree.body if not isinstance(node, ast.Assign)]
    if len(rest) == 1 and isinstance(rest[0], ast.FunctionDef) and not rest[0].args.args:
        return rest[0].name
    return None


PLANNER = Planner(
    name="progprompt",
    summary="a language model that writes programs with assertions (ProgPrompt, with replanning)",
    plan=plan,
    dialects=(_CALLS, *HOMES),
    models=("planner",),
    options=Options,
)
