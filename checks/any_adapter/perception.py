"""What an adapter lets the agent perceive: views, images and films."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ...adapters.contract import Capability
from ...errors import Missing
from ...observation_text.view import Visibility, visible
from ...skills.actions import Verb, wait
from ..assumption import CannotTell, Checks, Differs, Topic, expect
from ..bench import Bench
from .walk import walk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHECKS = Checks("")

_CONTRACT = "adapters/contract.py"
_VIEW = "observation_text/view.py"


@CHECKS.assume(
    Topic.VISIBILITY,
    "A view shows nothing that is not so: its nodes, states and relations are in the true state.",
    source=f"{_CONTRACT}: Adapter.view",
)
def view_is_true(bench: Bench) -> str:
    walked = walk(bench)
    walked.states()
    for when, truth, view in walked.moments():
        assert truth is not None
        for node in view.graph.nodes():
            if truth.get(node.id) is None:
                raise Differs(f"{when}: it shows {node.category} {node.id}, which does not exist")
            extra = node.states - truth[node.id].states
            if extra:
                raise Differs(f"{when}: {node.category} {node.id} is not {', '.join(extra)}")
        for edge in view.graph.edges():
            if not truth.has_edge(*edge):
                raise Differs(
                    f"{when}: {view.graph[edge.source].category} {edge.source} is not "
                    f"{edge.relation} {edge.target}"
                )
    return f"true at {len(walked.moments())} moments"


@CHECKS.assume(
    Topic.VISIBILITY,
    "What is inside a closed container is not in the view, unless it is held.",
    source=f"{_VIEW}; DESIGN, section 3",
)
def closed_hides(bench: Bench) -> str:
    walked = walk(bench)
    walked.states()
    hidden = 0
    for when, truth, view in walked.moments():
        assert truth is not None
        for node in truth.nodes():
            around = truth.closed_around(node.id)
            hidden += around is not None
            if around is not None and view.get(node.id) is not None:
                raise Differs(
                    f"{when}: it shows {node.category} {node.id}, which is inside the closed "
                    f"{truth[around].category} {around}"
                )
    if not hidden:
        raise CannotTell("nothing in the scene is inside a closed container")
    return f"{hidden} times something was enclosed, and never shown"


@CHECKS.assume(
    Topic.VISIBILITY,
    "Under the profiles room and near, the view is what the profile gives of the true state.",
    source=f"{_VIEW}: visible",
)
def view_follows_the_profile(bench: Bench) -> str:
    profile = bench.spec.visibility
    if profile is Visibility.CAMERA:
        raise CannotTell("under the profile camera the simulator decides what is visible")
    walked = walk(bench)
    walked.states()
    for when, truth, view in walked.moments():
        assert truth is not None
        wanted = visible(truth, profile)
        shown, due = ({n.id for n in each.graph.nodes()} for each in (view, wanted))
        if shown != due:
            more = [f"{truth[i].category} {i}" for i in sorted(shown - due) if i in truth]
            less = [f"{truth[i].category} {i}" for i in sorted(due - shown)]
            raise Differs(
                f"{when}: too much: {', '.join(more[:4]) or 'nothing'}; "
                f"too little: {', '.join(less[:4]) or 'nothing'}"
            )
        if dict(view.covered) != dict(wanted.covered):
            raise Differs(f"{when}: other places count as looked at")
    return f"as {profile} gives it at {len(walked.moments())} moments"


@CHECKS.assume(
    Topic.VISIBILITY,
    "A view has the agent, and every place that counts as looked at.",
    source=f"{_VIEW}: View",
)
def view_is_whole(bench: Bench) -> str:
    for when, _, view in walk(bench).moments():
        view.agent()
        unseen = [place for place in view.covered if view.get(place) is None]
        if unseen:
            raise Differs(f"{when}: place {unseen[0]} was looked at, and is not in the view")
    return "it has"


@CHECKS.assume(
    Topic.VISIBILITY,
    "With the capability wrench, views have the readings of the arm; without it, none.",
    source=f"{_CONTRACT}: Capability.WRENCH",
)
def wrench_is_as_said(bench: Bench) -> str:
    said = Capability.WRENCH in bench.spec.capabilities
    arm = bench.view().arm
    return expect((arm is not None) is said, f"arm is {arm}")


@CHECKS.assume(
    Topic.IMAGES,
    "Images are RGB arrays of bytes, of one shape for the whole episode.",
    source=f"{_CONTRACT}: Adapter.image",
)
def images_are_rgb(bench: Bench) -> str:
    first = _image(bench)
    for action in [step.action for step in walk(bench).steps[:2]]:
        bench.do(action)
    second = _image(bench)
    return expect(first == second, f"{first}, then {second}")


def _image(bench: Bench) -> str:
    """The shape of an image in words. Raises Differs where it is none."""
    frame = bench.image()
    shape: tuple[int, ...] = getattr(frame, "shape", ())
    kind = str(getattr(frame, "dtype", type(frame).__name__))
    if len(shape) != 3 or shape[2] != 3 or kind != "uint8":
        raise Differs(f"an image of shape {shape} and type {kind}")
    return f"{shape[0]} x {shape[1]}"


@CHECKS.assume(
    Topic.IMAGES,
    "A film gets at least a frame from each reset and each try.",
    source=f"{_CONTRACT}: Adapter._capture",
)
def films_have_frames(bench: Bench) -> str:
    bench.image()  # without any, a film cannot tell
    short = [wait()] if Verb.WAIT in bench.spec.actions else []  # films of physics take long
    tries = short or [step.action for step in walk(bench).steps[:1]]
    with tempfile.TemporaryDirectory() as folder:
        try:
            film = bench.adapter.film(Path(folder) / "film.mp4")
        except Missing as error:
            raise CannotTell(str(error)) from None
        frames = 0

        def count(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
            nonlocal frames
            frames += 1
            return frame

        film.dress = count
        try:
            bench.begin(again=True)
            for action in tries:
                bench.do(action)
        finally:
            film.close()
    due = 1 + len(tries)
    return expect(frames >= due, f"{frames} frames of a reset and {len(tries)} tries")
