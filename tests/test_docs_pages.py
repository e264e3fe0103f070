"""The README and the pages in docs/: links, files they name, words and lengths."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from .doc_pages import DOCS, PAGES, ROOT, page_id, prose

HOWTO = sorted((DOCS / "howto").glob("*.md"))
#: Words that the house does not use.
AVOIDED = re.compile(r"\b(whoever|anew|told by|mended)\b", re.IGNORECASE)
_FILE = re.compile(r"\b((?:benchmarks|grids|tests|examples)/\w[\w/]*\.\w+)")
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


def hooks() -> ModuleType:
    """The part that makes generated blocks; it stands in no package."""
    spec = importlib.util.spec_from_file_location("site_hooks", DOCS / "site_hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def nav_pages(entries: Any) -> list[str]:
    """The pages of a navigation, in its order."""
    if isinstance(entries, str):
        return [entries]
    below = entries if isinstance(entries, list) else entries.values()
    return [page for each in below for page in nav_pages(each)]


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for found in _LINK.finditer(prose(page)):
        target = found["target"].partition("#")[0]
        if target and not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), found["target"]


def test_the_navigation_has_every_page() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    there = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert sorted(nav_pages(site["nav"])) == sorted(there)


def test_the_command_line_is_described_by_the_program() -> None:
    page = hooks().filled((DOCS / "reference" / "cli.md").read_text(), "cli.md")
    assert "## peephole run" in page
    assert "| `--suite NAME` | " in page
    assert "### peephole memory build" in page


@pytest.mark.slow
def test_generated_blocks_are_filled() -> None:
    made = hooks()
    for page in PAGES:
        assert "<!-- generated" not in made.filled(page.read_text(), page_id(page))


def test_the_index_for_language_models_says_a_sentence_of_each_page() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    text = hooks().llms_text(site["site_name"], site["nav"], DOCS)
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(lines) == len(nav_pages(site["nav"]))
    for line in lines:
        assert re.fullmatch(r"- \[.+\]\(\S+\.html\): .{20,}", line), line


def test_files_that_pages_name_are_there() -> None:
    for page in PAGES:
        for name in re.findall(
            r"\b((?:benchmarks|grids|tests|examples)/\w[\w/]*\.\w+)", prose(page)
        ):
            assert (ROOT / name).is_file(), f"{page_id(page)}: {name}"


def test_pages_that_the_program_names_are_there() -> None:
    for file in [*ROOT.glob("*/**/*.py"), *ROOT.glob("grids/*")]:
        if file.relative_to(ROOT).parts[0] in (".venv", "build") or not file.is_file():
            continue
        for name in re.findall(
            r"(?<![/\w])docs/[\w/]+\.(?:md|svg|png)", file.read_text(encoding="utf-8")
        ):
            assert (ROOT / name).is_file(), f"{file.relative_to(ROOT)}: {name}"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 200


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_a_page_has_none_of_the_words_that_the_house_avoids(page: Path) -> None:
    assert not AVOIDED.findall(prose(page))


@pytest.mark.parametrize("page", HOWTO, ids=page_id)
def test_the_sentences_of_a_page_are_short(page: Path) -> None:
    text = re.sub(r"^(\||#|!).*$", "", prose(page), flags=re.MULTILINE)
    paragraphs = re.split(r"\n\s*\n|\n(?=\s*(?:-|\d+\.) )", text)
    for paragraph in paragraphs:
        for sentence in re.split(r"(?<=[.!?:;])\s+", " ".join(paragraph.split())):
            assert len(sentence.split()) <= 35, sentence
