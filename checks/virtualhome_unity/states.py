"""What is assumed of states: opening, closing, switching."""

from __future__ import annotations

from ..assumption import Checks, Topic, expect
from ..bench import Bench
from .errands import Errand, box_errand, switch_errand

CHECKS = Checks("virtualhome_unity")

_DYNAMICS = "skills/dynamics.py: the postcondition"


def _becomes(errand: Errand, label: str, thing: str, state: str, opposite: str) -> str:
    """Check that a step brings a state in place of its opposite."""
    step = errand[label]
    before, after = (graph.states(errand.things[thing]) for graph in (step.before, step.after))
    words = f"{step.text}; {sorted(before)} became {sorted(after)}"
    return expect(state in after and opposite not in after and opposite in before, words)


@CHECKS.assume(Topic.STATES, "OPEN makes CLOSED furniture OPEN.", source=f"{_DYNAMICS} of open")
def open_opens(bench: Bench) -> str:
    return _becomes(box_errand(bench), "open", "box", "OPEN", "CLOSED")


@CHECKS.assume(Topic.STATES, "CLOSE makes OPEN furniture CLOSED.", source=f"{_DYNAMICS} of close")
def close_closes(bench: Bench) -> str:
    return _becomes(box_errand(bench), "close", "box", "CLOSED", "OPEN")


@CHECKS.assume(Topic.STATES, "SWITCHON makes what is OFF ON.", source=f"{_DYNAMICS} of turn_on")
def switchon_switches(bench: Bench) -> str:
    return _becomes(switch_errand(bench), "on", "switch", "ON", "OFF")


@CHECKS.assume(Topic.STATES, "SWITCHOFF makes what is ON OFF.", source=f"{_DYNAMICS} of turn_off")
def switchoff_switches(bench: Bench) -> str:
    return _becomes(switch_errand(bench), "off", "switch", "OFF", "ON")


@CHECKS.assume(
    Topic.STATES,
    "Opening one piece of furniture changes no state of another.",
    source="skills/dynamics.py: open changes one state",
)
def open_changes_one(bench: Bench) -> str:
    errand = box_errand(bench)
    step, box = errand["open"], errand.things["box"]
    other = [
        step.after.named(i)
        for i in step.before.nodes
        if i != box and step.before.states(i) != step.after.states(i)
    ]
    return expect(not other, f"{step.text}; others that changed: {', '.join(other[:4]) or 'none'}")
