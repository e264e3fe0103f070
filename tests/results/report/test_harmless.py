"""Whatever texts a recording has, the page has them as texts and nothing else."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peephole.results.report.episode_data import packed, script_json, unpacked
from peephole.results.report.page import write_report

from ...opened_page import CHROMIUM, OpenedPage, shown_in_chromium

Spoil = Callable[[Path, str], Path]
EVIL = "</script></dialog><img src=x onerror=document.body.id='owned'><b>&amp;{{7*7}}<!--"
#: Texts made of what ends elements, attributes, strings, comments and templates.
texts = st.lists(
    st.sampled_from(
        ["</script>", "<!--", "-->", "<b>", "&amp;", '"', "'", "\\", "{{", "}}", "]]>", "\u2028"]
    )
    | st.text(max_size=8),
    max_size=8,
).map("".join)


@pytest.fixture(scope="module")
def tags(spoiled: Spoil, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The elements of a page whose recording has a harmless text everywhere."""
    folder = tmp_path_factory.mktemp("plain")
    write_report([spoiled(folder / "run", "plain")], folder / "page.html")
    return OpenedPage(folder / "page.html").tags


@given(text=texts)
@settings(max_examples=15)
def test_texts_of_a_recording_make_no_elements(
    spoiled: Spoil, tags: Sequence[str], text: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        write_report([spoiled(Path(folder, "spoiled"), text)], page)
        found = OpenedPage(page)
    assert found.tags == tags
    assert found.index["episodes"][0]["instruction"] == text
    data = found.episode("run1/1")
    assert data.get("instruction", "") == text
    assert {step["action"] for step in data["steps"] if "action" in step} <= {text}


@given(data=st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_data_comes_out_of_a_page_as_it_went_in(data: object) -> None:
    assert unpacked(packed(data)) == data
    text = script_json(data)
    assert not set("<>&\u2028\u2029") & set(text)


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_browser_runs_nothing_of_a_recording(spoiled: Spoil, tmp_path: Path) -> None:
    write_report([spoiled(tmp_path / "run", EVIL)], tmp_path / "page.html")
    html = shown_in_chromium(tmp_path / "page.html", "run1/1/2")
    assert 'id="owned"' not in html
    assert "<img" not in html
    assert "&lt;img src=x onerror" in html, "it is told as it stands"
