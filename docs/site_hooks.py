"""What `make docs` writes by itself: generated blocks of pages, and llms.txt.

A comment line of a page, `<!-- generated: NAME ARGUMENT … -->`, is replaced by what the function
`_NAME` below returns, so that lists and options in the pages cannot differ from the program.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"^<!-- generated: (?P<name>\w+)(?P<arguments>[^\n]*?) -->$", re.MULTILINE)

#: The kinds of tasks of a suite take turns; so many tasks have all of them.
_TASKS_LOOKED_AT = 15


# --- what MkDocs calls ---------------------------------------------------------------------------


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fill in the generated blocks of a page."""
    return filled(markdown, page.file.src_uri)


def on_post_build(config: Any) -> None:
    """Write llms.txt beside the site's first page."""
    text = llms_text(config["site_name"], config["nav"], Path(config["docs_dir"]))
    Path(config["site_dir"], "llms.txt").write_text(text, encoding="utf-8")


# --- generated blocks ----------------------------------------------------------------------------


def filled(markdown: str, page: str) -> str:
    """A page with its generated blocks. page: its name, for errors."""

    def block(found: re.Match[str]) -> str:
        try:
            return _GENERATORS[found["name"]](*found["arguments"].split())
        except (KeyError, StopIteration, TypeError) as error:
            raise ValueError(f"{page}: {found[0]} cannot be generated: {error!r}") from error

    return _BLOCK.sub(block, markdown)


def _cli() -> str:
    """Every command with its arguments, options and examples."""
    from typer.main import get_command

    from peephole.cli.main import app

    return "\n\n".join(_commands("peephole", get_command(app)))


def _commands(name: str, command: Any) -> Iterable[str]:
    parts = [f"## {name}" if name.count(" ") < 2 else f"### {name}", inspect.cleandoc(command.help)]
    shown = [each for each in command.params if each.name != "help"]
    if any(not each.opts[0].startswith("-") for each in shown):
        rows = [_argument(each) for each in shown if not each.opts[0].startswith("-")]
        parts.append(_table(("argument", "what it is"), rows))
    panels: dict[str, list[Any]] = {}
    for each in shown:
        if each.opts[0].startswith("-"):
            panels.setdefault(each.rich_help_panel or "Options", []).append(each)
    for panel, options in panels.items():
        parts += [f"**{panel}**", _table(("option", "what it does"), map(_option, options))]
    if examples := _examples(command.epilog):
        parts.append(f"```bash\n{examples}\n```")
    yield "\n\n".join(parts)
    for below, each in getattr(command, "commands", {}).items():
        yield from _commands(f"{name} {below}", each)


def _argument(argument: Any) -> tuple[str, str]:
    many = "…" if argument.nargs == -1 else ""
    return f"`{(argument.metavar or argument.name).upper()}{many}`", argument.help or ""


def _option(option: Any) -> tuple[str, str]:
    names = ", ".join(option.opts)
    value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    default = option.default
    shown = "" if default in (None, "", (), []) or option.is_flag else f" Default: `{default}`."
    return f"`{names}{value}`", f"{option.help or ''}{shown}"


def _examples(epilog: str | None) -> str:
    lines = [line for line in (epilog or "").splitlines() if line.strip()]
    return "\n".join(lines[1:])


def _options(planner: str) -> str:
    """The options of one planner."""
    found = _named("planners", planner)["options"]
    if not found:
        return f"`{planner}` has no options."
    rows = [
        (f"`{each['name']}`", f"`{each['default']}`", each["type"], each["description"])
        for each in found
    ]
    return _table(("`--set`", "default", "type", "what it sets"), rows)


def _planners() -> str:
    """All planners, a row each."""
    rows = [
        (
            f"`{each['name']}`",
            each["summary"],
            ", ".join(["view", *each["grants"]]),
            ", ".join(each["models"]) or "none",
        )
        for each in _listed("planners")
    ]
    return _table(("planner", "what it does", "granted", "models it asks"), rows)


def _plays(planner: str) -> str:
    """Where one planner plays."""
    found = _named("planners", planner)
    rows = [(each, ", ".join(found[each])) for each in ("dialects", "adapters", "suites")]
    return _table(("", "plays with"), rows)


def _adapters() -> str:
    """All adapters, a row each."""
    rows = [
        (f"`{each['name']}`", each["summary"], each["tested_on"]) for each in _listed("adapters")
    ]
    return _table(("adapter", "what it drives", "run against"), rows)


def _suites() -> str:
    """All suites, a row each."""
    rows = [
        (
            f"`{each['name']}`",
            _tasks_of(each),
            f"`{each['adapter']}`" if each["adapter"] else "",
            each["summary"] or each["missing"],
        )
        for each in _listed("suites")
    ]
    return _table(("suite", "tasks", "adapter", "what it asks"), rows)


def _tasks_of(suite: Mapping[str, Any]) -> str:
    """The number of a suite's tasks, or where they come from."""
    from peephole.suites.registry import own_data

    if suite["tasks"]:
        return str(suite["tasks"])
    return "in its package" if own_data(suite["name"]).startswith("takes no") else "your own"


def _limits(*families: str) -> str:
    """The rules and budgets of some families of suites, or of all, a row a suite."""
    found = [each for each in _listed("suites") if not each["missing"]]
    shown = [each for each in found if not families or each["name"].split(":")[0] in families]
    headings = (
        "suite",
        "tasks",
        "adapter",
        "ends",
        "steps",
        "decisions",
        "planning s",
        "a refused text costs",
    )
    return _table(headings, map(_limits_of, shown))


def _limits_of(status: Mapping[str, Any]) -> tuple[str, ...]:
    from peephole.scene_graph.rules import Ends, RefusedText
    from peephole.suites.registry import load_suite

    suite = load_suite(status["name"])
    rules, budgets = suite.rules, suite.budgets
    steps = {(task.budgets or budgets).steps for task in suite.tasks[:_TASKS_LOOKED_AT]}
    ends = "at the goal" if rules.ends is Ends.GOAL_REACHED else "at the planner's word"
    return (
        f"`{status['name']}`",
        f"{status['tasks']:,}",
        f"`{status['adapter']}`",
        ends + ("; fails after an infeasible action" if rules.infeasible_fails else ""),
        ", ".join(map(str, sorted(steps))),
        str(budgets.decisions),
        f"{budgets.planning_s:g}",
        "nothing" if rules.refused is RefusedText.FREE else "a step",
    )


def _models() -> str:
    """All models that a run can serve, a row each."""
    rows = [
        (f"`{each['name']}`", each["summary"], "yes" if each["stand_in"] else "no")
        for each in _listed("models")
    ]
    return _table(("`--model`", "what it is", "stand-in"), rows)


def _python(*names: str) -> str:
    """Functions and classes with their signatures and docstrings."""
    return "\n\n".join(map(_documented, names))


def _methods(name: str) -> str:
    """The public methods and properties of a class, a row each."""
    rows = []
    for method, member in vars(_imported(name)).items():
        if method.startswith("_") or not (text := inspect.getdoc(member)):
            continue
        called = list(inspect.signature(member).parameters)[1:] if callable(member) else None
        shown = method if called is None else f"{method}({', '.join(called)})"
        rows.append((f"`{shown}`", text))
    return _table(("member", "what it does"), rows)


def _fields(*names: str) -> str:
    """The fields of data classes with the strings below them, a table each."""
    return "\n\n".join(map(_fields_of, names))


def _fields_of(name: str) -> str:
    found = _imported(name)
    texts = {field: text for kind in reversed(found.__mro__) for field, text in _said(kind)}
    if not texts:
        return _documented(name)
    fields = dataclasses.fields(found)
    rows = [(f"`{each.name}`", f"`{each.type}`", texts.get(each.name, "")) for each in fields]
    head = f"### {name}\n\n{inspect.getdoc(found) or ''}"
    return f"{head}\n\n{_table(('field', 'type', 'meaning'), rows)}"


def _said(kind: type) -> Iterable[tuple[str, str]]:
    """The fields of a class itself, each with the string that stands below it."""
    if kind.__module__ == "builtins":
        return
    (body,) = ast.parse(inspect.cleandoc(f"\n{inspect.getsource(kind)}")).body
    assert isinstance(body, ast.ClassDef)
    for each, below in pairwise(body.body):
        if isinstance(each, ast.AnnAssign) and isinstance(below, ast.Expr):
            assert isinstance(each.target, ast.Name)
            assert isinstance(below.value, ast.Constant)
            yield each.target.id, str(below.value.value)


def _events() -> str:
    """The kinds of events in a recording, a row each."""
    from typing import get_args

    from peephole.episodes.events import Perceived, RecordedEvent

    perceived = {each.name for each in dataclasses.fields(Perceived)}
    rows = []
    for kind in get_args(RecordedEvent):
        fields = {each.name: each for each in dataclasses.fields(kind)}
        common = perceived if issubclass(kind, Perceived) else {"event", "step", "t"}
        own = [f"`{each}`" for each in fields if each not in common]
        first = re.split(r"(?<=\.)\s", inspect.getdoc(kind) or "", maxsplit=1)[0]
        rows.append((f"`{fields['event'].default}`", first, ", ".join(own)))
    return _table(("event", "what it says", "its own fields"), rows)


def _imported(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _documented(name: str) -> str:
    found = _imported(name)
    attribute = name.rpartition(".")[2]
    signature = inspect.signature(found)
    parts = "".join(f"    {each},\n" for each in signature.parameters.values())
    empty = inspect.Signature.empty
    result = "" if signature.return_annotation is empty else f" -> {signature.return_annotation}"
    shown = re.sub(r": '([^']+)'", r": \1", f"{attribute}(\n{parts}){result}")
    return f"### {name}\n\n```python\n{shown}\n```\n\n{inspect.getdoc(found) or ''}"


_GENERATORS: Mapping[str, Callable[..., str]] = {
    "adapters": _adapters,
    "cli": _cli,
    "events": _events,
    "fields": _fields,
    "limits": _limits,
    "methods": _methods,
    "models": _models,
    "options": _options,
    "planners": _planners,
    "plays": _plays,
    "python": _python,
    "suites": _suites,
}


@cache
def _listed(kind: str) -> list[dict[str, Any]]:
    """What `peephole KIND --json` prints."""
    command = [sys.executable, "-m", "peephole", kind, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def _named(kind: str, name: str) -> dict[str, Any]:
    return next(each for each in _listed(kind) if each["name"] == name)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())


# --- llms.txt ------------------------------------------------------------------------------------


def llms_text(name: str, nav: Sequence[Any], docs: Path) -> str:
    """An index of the site for language models: each page with its first sentence or two."""
    lines = [f"# {name}", "", f"> {first_lines(docs / 'index.md')}"]
    for section in nav:
        for title, entries in section.items():
            lines += ["", f"## {title}", ""]
            lines += [_entry(label, path, docs) for label, path in _pages(title, entries)]
    return "\n".join(lines) + "\n"


def _pages(title: str, entries: Any) -> Iterable[tuple[str, str]]:
    if isinstance(entries, str):
        yield title, entries
        return
    for entry in entries:
        for label, below in entry.items():
            yield from _pages(label, below)


def _entry(label: str, path: str, docs: Path) -> str:
    return f"- [{label}]({path.removesuffix('.md')}.html): {first_lines(docs / path)}"


def first_lines(page: Path) -> str:
    """The first paragraph of a page, its links as plain words."""
    if not page.is_file():
        return ""  # MkDocs itself reports it
    _, _, body = page.read_text(encoding="utf-8").partition("\n")
    paragraph = body.strip().partition("\n\n")[0]
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
