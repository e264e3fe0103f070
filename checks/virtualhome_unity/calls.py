"""What is assumed of the protocol: calls, answers, script lines, cameras and their time."""

from __future__ import annotations

import json
import time
from base64 import b64decode
from collections.abc import Collection, Iterable
from functools import partial

from ...adapters.virtualhome.commands import VERB_OF
from ...adapters.virtualhome.unity.client import CALL_S, LOAD_S, SCRIPT_OPTIONS, image_settings
from ...skills.actions import WITH_PLACE, WITHOUT_TARGET
from ..assumption import CannotTell, Checks, Differs, Topic, expect
from ..bench import Bench
from .engine import CHARACTER, ask, connection, graph_now, line_of, load, send
from .errands import box_errand, hands_errand, switch_errand

CHECKS = Checks("virtualhome_unity")

_CLIENT = "adapters/virtualhome/unity/client.py"
_ADAPTER = "adapters/virtualhome/unity/adapter.py"
_THEIRS = "comm_unity.py"
#: Seconds of a line without animation, of loading an apartment, and of a graph.
_LINE_S, _LOADING_S, _GRAPH_S = 10.0, LOAD_S / 2, CALL_S / 6
_PNG = b"\x89PNG"


@CHECKS.assume(
    Topic.CALLS,
    "An idle executable answers `idle` with success.",
    source=f"{_THEIRS}: check_connection; adapters/virtualhome/unity/process.py: answers",
)
def idle_is_answered(bench: Bench) -> str:
    answer = ask(bench, "idle")
    return expect(answer["success"] is True, f"{answer!r:.200}")


@CHECKS.assume(
    Topic.CALLS,
    "Answers have success (a boolean), message (a text or null), value and message_list.",
    source=f"{_CLIENT}: _exchange; Communication.cs",
)
def answers_have_their_fields(bench: Bench) -> str:
    answer = ask(bench, "camera_count")
    fields = {name: type(value).__name__ for name, value in answer.items()}
    right = (
        fields.get("success") == "bool"
        and fields.get("message") in ("str", "NoneType")
        and "value" in fields
        and "message_list" in fields
    )
    return expect(right, ", ".join(f"{name}: {kind}" for name, kind in fields.items()))


@CHECKS.assume(
    Topic.CALLS,
    "The graph comes as a JSON text in `message`, with nodes and edges and nothing else.",
    source=f"{_CLIENT}: environment_graph; adapters/virtualhome/unity/graph_text.py",
)
def graph_is_a_text(bench: Bench) -> str:
    answer = ask(bench, "environment_graph")
    try:
        graph = json.loads(answer["message"])
    except (TypeError, ValueError) as error:
        raise Differs(f"{answer['message']!r:.120}: {error}") from None
    keys = sorted(graph) if isinstance(graph, dict) else [type(graph).__name__]
    return expect(keys == ["edges", "nodes"], f"a text with {', '.join(keys)}")


@CHECKS.assume(
    Topic.CALLS,
    "An apartment that does not exist is refused: `environment` answers success false.",
    source=f"{_ADAPTER}: _load",
)
def unknown_apartment_is_refused(bench: Bench) -> str:
    answer = ask(bench, "environment", [999])
    return expect(not answer["success"], f"environment 999: {answer['success']}")


@CHECKS.assume(
    Topic.CALLS,
    "The answer to a line that succeeds lacks the word ScriptExcutor.",
    source=f"recorded; {_ADAPTER}: words_of, _do",
)
def success_has_its_words(bench: Bench) -> str:
    step = box_errand(bench)["open"]
    return expect(step.success and "ScriptExcutor" not in step.said.words, step.text)


@CHECKS.assume(
    Topic.REFUSALS,
    "A line that is refused is answered with success false.",
    source=f"{_ADAPTER}: _do; TestDriver.cs",
)
def refusal_is_no_success(bench: Bench) -> str:
    step = box_errand(bench)["grab enclosed"]
    return expect(not step.success, step.text)


@CHECKS.assume(
    Topic.REFUSALS,
    "A refused line says 'ScriptExcutor 0: EXECUTION_GENERAL: Script is impossible to execute'.",
    source=f"recorded; {_ADAPTER}: _why counts it as refused",
)
def refusal_has_its_words(bench: Bench) -> str:
    step = box_errand(bench)["grab enclosed"]
    if step.success:
        raise CannotTell(f"it was not refused: {step.text}")
    wanted = ("ScriptExcutor 0", "EXECUTION_GENERAL", "impossible to execute")
    return expect(all(words in step.said.words for words in wanted), step.text)


@CHECKS.assume(
    Topic.REFUSALS,
    "A walk to what nobody can get at says 'No interaction positions'.",
    source=f"recorded; {_ADAPTER}: _why counts it as unreachable",
)
def no_way_has_its_words(bench: Bench) -> str:
    step = box_errand(bench)["walk to enclosed"]
    return expect(not step.success and "No interaction positions" in step.said.words, step.text)


@CHECKS.assume(
    Topic.REFUSALS,
    "A line that is no script says 'Error parsing script'.",
    source=f"{_ADAPTER}: _why counts it as not supported; ScriptReader.cs",
)
def bad_line_has_its_words(bench: Bench) -> str:
    said = send(bench, "<char0> [fly] <moon>")
    return expect(not said.success and "Error parsing script" in said.words, said.text)


@CHECKS.assume(
    Topic.REFUSALS,
    "An id that no node has is refused, and the executable lives on.",
    source=f"{_ADAPTER}: attempt",
)
def unknown_id_is_refused(bench: Bench) -> str:
    said = send(bench, "<char0> [walk] <fridge> (987654)")
    left = graph_now(bench)
    return expect(not said.success and bool(left.nodes), said.text)


@CHECKS.assume(
    Topic.REFUSALS,
    "A line without any character says 'No character added yet'.",
    source=f"{_ADAPTER}: _do counts it as the loss of the simulator",
)
def no_character_has_its_words(bench: Bench) -> str:
    load(bench)
    graph = graph_now(bench)
    said = send(bench, line_of(graph, "WALK", graph.rooms[0]))
    return expect(not said.success and "No character added yet" in said.words, said.text)


# --- commands ------------------------------------------------------------------------------------

#: The commands of watch-and-help's tasks, and those with which a body rests or looks.
_MAIN = ("WALK", "GRAB", "OPEN", "CLOSE", "SWITCHON", "SWITCHOFF", "PUTBACK", "PUTIN")
_BODY = ("SIT", "STANDUP", "TURNTO", "LOOKAT", "DRINK", "TOUCH", "READ", "LIE", "SLEEP", "WAKEUP")


def _understood(bench: Bench, commands: Iterable[str]) -> str:
    """Check that each command is understood, whether or not it can be done."""
    graph = graph_now(bench)
    one, other = [*graph.things("GRABBABLE")][:2]
    unknown = []
    for command in commands:
        verb = VERB_OF.get(command)
        two = command in ("PUTBACK", "PUTIN") or verb in WITH_PLACE
        things = (one, other) if two else () if verb in WITHOUT_TARGET else (one,)
        said = send(bench, line_of(graph, command, *things))
        if "Error parsing script" in said.words:
            unknown.append(command)
    words = f"not understood: {', '.join(unknown)}" if unknown else "all were understood"
    return expect(not unknown, words)


@CHECKS.assume(
    Topic.CALLS,
    f"The commands {', '.join(_MAIN)} are understood.",
    source="adapters/virtualhome/commands.py; actions.md of VirtualHome",
)
def main_commands_are_known(bench: Bench) -> str:
    return _understood(bench, _MAIN)


@CHECKS.assume(
    Topic.CALLS,
    f"The commands {', '.join(_BODY)} are understood.",
    source="adapters/virtualhome/commands.py; actions.md of VirtualHome",
)
def body_commands_are_known(bench: Bench) -> str:
    return _understood(bench, _BODY)


@CHECKS.assume(
    Topic.CALLS,
    "All other commands of the adapter are understood, such as PLUGIN, WASH, CUT and POUR.",
    source="adapters/virtualhome/commands.py: the adapter offers every household verb",
)
def other_commands_are_known(bench: Bench) -> str:
    return _understood(bench, sorted({*VERB_OF} - {*_MAIN, *_BODY, "RELEASE"}))


@CHECKS.assume(
    Topic.CALLS,
    "Lines run without animation and pictures: the settings of our scripts are accepted.",
    source=f"{_CLIENT}: SCRIPT_OPTIONS; {_THEIRS}: render_script",
)
def script_settings_are_accepted(bench: Bench) -> str:
    graph = graph_now(bench)
    line = line_of(graph, "WALK", graph.rooms[-1])
    answer = ask(bench, "render_script", (), [json.dumps(dict(SCRIPT_OPTIONS)), line])
    return expect(answer["success"] is True, f"{line}: {answer['message']!r:.160}")


# --- time ----------------------------------------------------------------------------------------


@CHECKS.assume(
    Topic.TIMING,
    "The graph that is read right after a line shows what the line did.",
    source=f"{_ADAPTER}: _await reads again for 0.12 s; virtualhome issue 89",
)
def graph_is_fresh(bench: Bench) -> str:
    steps = [
        step
        for errand in (box_errand(bench), hands_errand(bench), switch_errand(bench))
        for step in errand.steps()
        if step.success and step.after != step.before
    ]
    if not steps:
        raise CannotTell("no line changed the graph")
    late = [step.text for step in steps if step.at_once == step.before]
    words = f"{len(steps) - len(late)} of {len(steps)} changes showed at once"
    return expect(not late, "; ".join([words, *late[:2]]))


@CHECKS.assume(
    Topic.TIMING,
    f"A line without animation takes less than {_LINE_S:g} s.",
    source=f"{_CLIENT}: CALL_S, a time-out of {CALL_S:g} s; processing_time_limit",
)
def lines_are_quick(bench: Bench) -> str:
    steps = box_errand(bench).steps()
    if not steps:
        raise CannotTell("no line was answered")
    longest = max(steps, key=lambda step: step.took_s)
    words = f"{longest.said.line} took {longest.took_s:.2f} s, the longest of {len(steps)}"
    return expect(longest.took_s < _LINE_S, words)


@CHECKS.assume(
    Topic.TIMING,
    f"An apartment loads within {_LOADING_S:g} s, and its graph comes within {_GRAPH_S:g} s.",
    source=f"{_CLIENT}: LOAD_S and CALL_S, time-outs of {LOAD_S:g} s and {CALL_S:g} s",
)
def loading_is_quick(bench: Bench) -> str:
    began = time.monotonic()
    load(bench)
    loaded = time.monotonic()
    graph_now(bench)
    loading, reading = loaded - began, time.monotonic() - loaded
    words = f"it loaded in {loading:.2f} s, its graph came in {reading:.2f} s"
    return expect(loading <= _LOADING_S and reading <= _GRAPH_S, words)


# --- cameras -------------------------------------------------------------------------------------


def _cameras(bench: Bench, *, characters: Collection[str] = ()) -> list[int]:
    """The number of cameras of the apartment, then after each further character."""
    load(bench)
    unity = connection(bench)
    counts = [bench.call("camera_count", unity.camera_count)]
    for room in characters:
        added = bench.call(
            "add_character", partial(unity.add_character, CHARACTER, room), CALL_S, changes=True
        )
        if not added:
            raise CannotTell("a character could not be added")
        counts.append(bench.call("camera_count", unity.camera_count))
    return counts


@CHECKS.assume(
    Topic.IMAGES,
    "A character brings at least two cameras of its own; the scene's keep their numbers.",
    source=f"{_ADAPTER}: image asks for the second one after the scene's",
)
def characters_bring_cameras(bench: Bench) -> str:
    scene, first, second = _cameras(bench, characters=("", ""))
    words = f"{scene} cameras, {first} with a character, {second} with two"
    return expect(first - scene >= 2 and second - first == first - scene, words)


@CHECKS.assume(
    Topic.IMAGES,
    "A camera's image is one PNG of the wanted size, as base64 in message_list.",
    source=f"{_CLIENT}: image_of; {_THEIRS}: camera_image",
)
def images_are_png(bench: Bench) -> str:
    count = ask(bench, "camera_count")["value"]
    answer = ask(bench, "camera_image", [count - 1], [json.dumps(image_settings(64, 48))])
    listed = answer.get("message_list")
    if not isinstance(listed, list) or len(listed) != 1:
        raise Differs(f"message_list is {listed!r:.80}")
    content = b64decode(listed[0])
    size = int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    words = f"{content[:4]!r}, {size[0]} x {size[1]}"
    return expect(content.startswith(_PNG) and size == (64, 48), words)
