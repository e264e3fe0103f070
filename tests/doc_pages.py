"""The pages of the documentation, their blocks and their command lines, for the tests of them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from peephole import plugins
from peephole.suites.registry import suite_names

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(DOCS.rglob("*.md")),
]

_BLOCK = re.compile(
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"\n]+)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_NEEDS = re.compile(r"<!-- needs: [^>]+ -->\n+\Z")
_SLOW = re.compile(r"<!-- slow -->\n+\Z")


@dataclass(frozen=True)
class Block:
    """A block of code of a page."""

    language: str
    """bash, python, text …"""
    title: str
    """The name of the file that it is, or empty."""
    text: str
    needs: bool
    """Whether it needs something that tests do not have: it is parsed and not typed."""
    slow: bool
    """Whether typing it takes long."""


def page_id(page: Path) -> str:
    """The name of a page in the ids of tests."""
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            found["language"],
            found["title"] or "",
            found["text"],
            needs=bool(_NEEDS.search(text, 0, found.start())),
            slow=bool(_SLOW.search(text, 0, found.start())),
        )
        for found in _BLOCK.finditer(text)
    ]


def prose(page: Path) -> str:
    """A page without its blocks and comments."""
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def command_lines(block: Block) -> list[list[str]]:
    """The lines of a block of commands that the tests know, in words: `peephole …`, `export …`."""
    if block.language != "bash" or block.title:
        return []
    text = re.sub(r"\\\n +", "", block.text)
    text = re.sub(r"\$\(.*?\)", "1", text)  # what another command prints
    words = (shlex.split(line, comments=True) for line in text.splitlines())
    return [line for line in words if line and line[0] in ("peephole", "export")]


def inline_commands(page: Path) -> list[list[str]]:
    """The commands within sentences, in words, without `peephole`."""
    found = re.findall(r"`peephole ([^`]+)`", prose(page))
    return [shlex.split(text, comments=True) for text in found]


def small(arguments: Sequence[str]) -> list[str]:
    """A command with small counts, and with stand-ins for the reader's own models."""
    words = list(arguments)
    for position, word in enumerate(words[:-1]):
        value = words[position + 1]
        if (word == "--tasks" and value.isdigit()) or word in ("--workers", "--model-threads"):
            words[position + 1] = "1"
        elif word == "--model":
            words[position + 1] = _model(value)
    command, *rest = words
    if command in ("show", "replay", "film"):
        words = [command, *("1" if word.isdigit() else word for word in rest)]
    if command in ("run", "audit") and not {"--tasks", "--resume", "--replay-replies"} & {*rest}:
        words += ["--tasks", "1"]
    return words


def _model(value: str) -> str:
    found = re.fullmatch(r"((?P<role>\w+)=)?(NAME|gpt-.*)", value)
    if found is None:
        return value
    stand_in = "scripted_detector" if found["role"] == "vision" else "scripted"
    return f"{found['role']}={stand_in}" if found["role"] else stand_in


def python_blocks(page: Path) -> list[tuple[str, str]]:
    """The Python of a page that is no file, each with the output that is shown right after it."""
    found = blocks(page)
    shown = [block.text if block.language == "text" else "" for block in found[1:]]
    return [
        (block.text, output)
        for block, output in zip(found, [*shown, ""], strict=False)
        if block.language == "python" and not block.title
    ]


def registered() -> dict[str, set[str]]:
    """The names that options of commands may have as values."""
    found = {f"--{kind}": set(plugins.names(kind)) for kind in ("adapter", "dialect")}
    return found | {"--suite": set(suite_names())}
