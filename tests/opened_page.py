"""A report page as a test reads it: its elements, and the episodes that its script unpacks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cached_property
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from peephole.results.report.episode_data import unpacked

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
_VOID = {"meta", "link", "br", "hr", "img", "input"}


class OpenedPage(HTMLParser):
    """The elements and the text of a page; unbalanced ones are a mistake."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.text = ""
        self.scripts: dict[str, str] = {}
        self._open: list[str] = []
        self._script = ""
        self.feed(path.read_text(encoding="utf-8"))
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if tag == "a" else []
        self.fetched += [found[key] for key in ("src", "data") if key in found]
        self.fetched += [found.get("href", "")] if tag == "link" else []
        self._script = found.get("id", "") if tag == "script" else ""
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        opened = self._open.pop()
        # A list item and the like may be closed by their parent's end; ours never are.
        assert opened == tag, (opened, tag, self.getpos())
        self.text += " " if tag in ("td", "th", "b", "small") else ""

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            self.scripts[self._script] = self.scripts.get(self._script, "") + data
        elif self._open and self._open[-1] != "style":
            self.text += data

    @cached_property
    def index(self) -> dict[str, Any]:
        """What the list of episodes is made of."""
        found: dict[str, Any] = json.loads(self.scripts["index"])
        return found

    def episode(self, key: str) -> dict[str, Any]:
        """All that is told of an episode; from the page or from the script beside it."""
        if self.index["folder"]:
            script = self.path.parent / self.index["folder"] / f"{key.replace('/', '-')}.js"
            named, data = json.loads(f"[{script.read_text()[len('peepholeEpisode(') : -3]}]")
            assert named == key
        else:
            data = self.scripts[f"data-{key}"]
        found: dict[str, Any] = unpacked(data)
        return found

    @property
    def episodes(self) -> dict[str, dict[str, Any]]:
        return {row["key"]: self.episode(row["key"]) for row in self.index["episodes"]}

    @property
    def told(self) -> str:
        """All texts: of the page, of the list, and of the episodes."""
        return "\n".join([self.text, *strings(self.index), *strings(list(self.episodes.values()))])


def strings(data: Any) -> Iterator[str]:
    """All texts in JSON data."""
    match data:
        case str():
            yield data
        case dict():
            for value in data.values():
                yield from strings(value)
        case list():
            for value in data:
                yield from strings(value)


def shown_in_chromium(page: Path, address: str = "", script: str = "") -> str:
    """The page's HTML as Chromium has it in the end.

    address: what follows `#`. script: more of it, in a copy of the page; what it awaits is awaited.
    """
    assert CHROMIUM is not None
    file = page
    if script:
        file = page.with_name(f"{page.stem}_scripted.html")
        more = f"<script>addEventListener('load', async () => {{{script}}});</script></body>"
        file.write_text(page.read_text(encoding="utf-8").replace("</body>", more), encoding="utf-8")
    done = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu"),
            *("--virtual-time-budget=6000", "--window-size=1280,900", "--dump-dom"),
            f"file://{file}#{address}" if address else f"file://{file}",
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def visible_text(html: str) -> str:
    """The text of HTML, without scripts and styles."""
    text = re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", text))
