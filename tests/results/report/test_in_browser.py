"""The page in Chromium: what its script draws, and how one moves about."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.adapters.kitchens.furnished.scenes import scene_of
from peephole.adapters.scenes import load_scene
from peephole.episodes.events import Stepped
from peephole.episodes.recording import episode_files, read_episode
from peephole.results.report import page as page_module
from peephole.results.report.page import write_report
from peephole.scene_graph.goals import And
from peephole.scene_graph.node import Kind
from peephole.scene_graph.rules import Budgets
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite

from ...opened_page import CHROMIUM, OpenedPage, shown_in_chromium, visible_text

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]

#: Helpers for scripts: a key is pressed; the page has time to draw; what is found is told.
HELPERS = """
const press = (key) =>
  document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
const later = () => new Promise((done) => setTimeout(done, 300));
const all = (selector) => [...document.querySelectorAll(selector)];
const told = {};
const tell = () => { const at = document.createElement('pre'); at.id = 'told';
  at.textContent = JSON.stringify(told); document.body.append(at); };
"""


@pytest.fixture(scope="module")
def page(houses: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("browser") / "page.html"
    write_report(list(houses.values()), path)
    return path


def found(page: Path, script: str, address: str = "") -> dict[str, Any]:
    html = shown_in_chromium(page, address, f"{HELPERS}{script}\ntell();")
    match = re.search(r'<pre id="told">(.*?)</pre>', html, re.DOTALL)
    assert match is not None, "the script broke"
    told: dict[str, Any] = json.loads(unescape(match[1]))
    return told


def test_an_address_opens_an_episode_at_a_step_with_its_picture(
    page: Path, houses: Mapping[str, Path]
) -> None:
    html = shown_in_chromium(page, "run1/2/3")
    events = read_episode(list(episode_files(houses["explore"]))[1])
    steps = [event for event in events if isinstance(event, Stepped)]
    text = " ".join(visible_text(html).split())
    assert all(" ".join(step.observation.split()) in text for step in steps)
    assert f"step 3 of {len(steps)}" in text
    assert "World after step 3" in text
    assert "the robot is here" in text
    assert html.count("aria-current=") == 1
    assert "undefined" not in text, "a part that an episode does not have, such as a film"


def test_the_list_has_failures_first_and_is_searched_and_filtered(page: Path) -> None:
    script = """
    const marks = () => all('#rows .row-figures span').map((each) => each.className);
    const who = () => all('#rows .row-who').map((each) => each.textContent);
    told.all = marks();
    const field = (name) => document.getElementById('filters').elements[name];
    const set = async (name, value) => { field(name).value = value;
      field(name).dispatchEvent(new Event('input', {bubbles: true})); await later(); };
    await set('result', 'success'); told.successes = marks(); told.address = location.hash;
    await set('result', ''); await set('planner', 'random'); told.random = who();
    await set('planner', ''); await set('q', 'no such text'); told.none = marks();
    all('table.rates td a')[1].click(); await later(); told.cell = who();
    """
    told = found(page, script)
    index = OpenedPage(page).index["episodes"]
    marks = [row["mark"] for row in index]
    assert told["all"] == sorted(marks, key=["failure", "open", "success"].index)
    assert marks.count("failure") > 0
    assert told["successes"] == ["success"] * marks.count("success")
    assert told["address"] == "#episodes?result=success"
    assert told["random"] == ["randomhouses"] * 3
    assert told["none"] == []
    assert told["cell"] == ["explorerobothow"] * 3, "a cell of the matrix leads to its episodes"


def test_keys_move_through_steps_and_episodes_and_back(page: Path) -> None:
    script = """
    const at = () => all('[aria-current=step]').map((each) => each.dataset.step)[0];
    await later(); await later();
    press('j'); press('ArrowRight'); told.two = at(); told.address = location.hash;
    press('k'); told.one = at(); press('End'); told.end = at(); press('Home'); told.start = at();
    const box = document.querySelector('.key input');
    const hidden = () => all('.rooms .hidden-thing').length;
    if (box.checked) box.click(); told.few = hidden();
    document.querySelector('.key input').click(); told.many = hidden();
    press('n'); await later(); await later(); told.next = location.hash;
    press('?'); told.help = document.getElementById('help').open;
    document.getElementById('help').close();
    press('u'); await later(); told.back = location.hash;
    told.overview = !document.getElementById('overview').hidden;
    press('/'); await later(); told.search = document.activeElement.name;
    """
    told = found(page, script, "run1/1")
    steps = len(OpenedPage(page).episode("run1/1")["steps"])
    assert (told["two"], told["one"], told["end"], told["start"]) == ("2", "1", str(steps), "0")
    assert told["address"] == "#run1/1/2"
    assert re.fullmatch(r"#run\d/\d", str(told["next"]))
    assert (told["help"], told["back"], told["overview"]) == (True, "#episodes", True)
    assert told["search"] == "q"
    first = OpenedPage(page).episode("run1/1")["world"]["moments"][0]["things"]
    hidden = [thing for thing in first if thing["sight"] == "hidden"]
    assert told["few"] < told["many"] <= len(hidden)
    assert told["many"] >= sum(thing["kind"] == "object" for thing in hidden)


def test_episodes_in_files_beside_the_page_are_loaded_when_opened(
    houses: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "_EMBEDDED", 0)
    write_report([houses["explore"]], tmp_path / "page.html")
    assert len(list((tmp_path / "page_files").iterdir())) == 3
    opened = OpenedPage(tmp_path / "page.html")
    assert opened.episode("run1/2")["instruction"] not in opened.text
    (tmp_path / "page_files" / "run1-3.js").unlink()
    script = """
    const article = () => document.getElementById('episode').textContent;
    await later(); await later(); told.there = article();
    location.hash = 'run1/3'; await later(); await later(); told.missing = article();
    """
    told = found(tmp_path / "page.html", script, "run1/2/1")
    assert "World after step 1" in told["there"]
    assert "page_files/run1-3.js is missing; keep it beside this page." in told["missing"]


def test_the_instruction_stays_in_sight_and_the_goal_is_told_in_words(page: Path) -> None:
    script = """
    await later(); await later(); press('End'); await later(); scrollTo(0, 99999); await later();
    const bar = document.querySelector('.bar');
    told.top = bar.getBoundingClientRect().top; told.bar = bar.innerText;
    told.goal = document.querySelector('.goal').innerText;
    """
    told = found(page, script, "run1/1/0")
    episode = OpenedPage(page).episode("run1/1")
    assert told["top"] == 0
    assert episode["instruction"] in told["bar"]
    assert told["goal"] == f"⚑ Goal: {episode['world']['goal_text']}."


def test_the_room_of_a_robot_on_a_bed_and_what_is_in_its_reach_are_marked(tmp_path: Path) -> None:
    peephole.run("expert", "robothow", tasks="go_to_sleep/1027_2", out=tmp_path / "run")
    write_report([tmp_path / "run"], tmp_path / "page.html")
    script = """
    await later(); await later();
    told.here = all('.room.here').map((each) => each.querySelector('h4').innerText);
    told.near = all('.rooms .at').length; told.key = document.querySelector('.key').innerText;
    """
    told = found(tmp_path / "page.html", script, "run1/1/4")
    assert len(told["here"]) == 1
    assert "bedroom" in told["here"][0]
    assert "the robot is here" in told["here"][0]
    assert told["near"] > 1
    assert "in reach" in told["key"]


def test_drawn_blocks_are_told_apart_and_every_mark_is_in_the_legend(tmp_path: Path) -> None:
    peephole.run("expert", "blocks", tasks=1, adapter="symbolic_blocks", out=tmp_path / "run")
    write_report([tmp_path / "run"], tmp_path / "page.html")
    script = """
    await later(); await later();
    told.labels = all('.plan text:not(.view)').map((each) => each.textContent);
    told.key = document.querySelector('.key').innerText;
    """
    told = found(tmp_path / "page.html", script, "run1/1/1")
    assert sorted(told["labels"]) == ["A", "A", "B", "B"]
    assert {"block of the goal", "gripper"} <= {line.strip() for line in told["key"].splitlines()}


def test_names_on_the_plan_of_a_room_cover_no_other_name(tmp_path: Path) -> None:
    run = tmp_path / "run"
    peephole.run("explore", "kitchen_physics", tasks=1, adapter="symbolic_gripper", out=run)
    write_report([run], tmp_path / "page.html")
    script = """
    await later(); await later();
    const names = all('svg.room-plan text');
    told.names = names.map((each) => each.textContent);
    told.about = all('svg.room-plan text.about').map((each) => each.textContent);
    told.boxes = names.map((each) => { const box = each.getBBox();
      return [box.x, box.y, box.x + box.width, box.y + box.height]; });
    told.key = document.querySelector('.key').innerText;
    """
    told = found(tmp_path / "page.html", script, "run1/1/2")
    assert len(told["names"]) > 5
    assert told["about"] == ["wall cabinet 1"], "what the step opens, though it hangs over others"
    for number, (left, top, right, bottom) in enumerate(told["boxes"]):
        for other in told["boxes"][:number]:
            across = min(right, other[2]) - max(left, other[0])
            along = min(bottom, other[3]) - max(top, other[1])
            assert min(across, along) < 3, (told["names"][number], other)
    assert "on the wall" in told["key"]


def test_a_worktop_around_a_corner_is_drawn_with_both_legs(tmp_path: Path) -> None:
    task = Task("t", "", And(()), scene_of(2, {"apple_1": "counter_1"}, layout="U"))
    suite = Suite("one", "", (task,), "symbolic_gripper", budgets=Budgets(steps=1))
    run = tmp_path / "run"
    peephole.run("explore", suite, out=run)
    write_report([run], tmp_path / "page.html")
    script = """
    await later(); await later();
    told.titles = all('svg.plan rect.footprint').map((each) => each.textContent);
    """
    titles = found(tmp_path / "page.html", script, "run1/1/0")["titles"]
    named = Counter(title.partition(":")[0] for title in titles)
    boxes = [node.box for node in load_scene(task.scene).nodes(Kind.FIXTURE) if node.box]
    assert len(titles) == len(boxes) + sum(len(box.more) for box in boxes)
    assert sorted(count for count in named.values() if count > 1) == [2, 2]
