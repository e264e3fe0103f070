"""What an adapter says of itself, before any simulator runs."""

from __future__ import annotations

import json
import time

from ... import plugins
from ...adapters.contract import STAND_IN, Adapter, AdapterSpec, Capability
from ...adapters.process.isolated import IsolatedAdapter
from ...errors import PeepholeError
from ...observation_text.dialect import Dialect
from ...observation_text.view import Visibility
from ...skills.actions import Verb
from ..assumption import CannotTell, Checks, Differs, Topic, expect, task_in
from ..bench import Bench, Refused

CHECKS = Checks("")

#: Seconds in which an adapter is made.
_MADE_S = 2.0
_CONTRACT = "adapters/contract.py"


@CHECKS.assume(
    Topic.CONTRACT,
    "The spec has a name, a summary, verbs, loaders and what it was tested on.",
    source=f"{_CONTRACT}: AdapterSpec",
    bare=True,
)
def spec_is_whole(bench: Bench) -> str:
    spec = bench.spec
    if not isinstance(spec, AdapterSpec):
        raise Differs(f"spec is {spec!r}")
    fields = ("name", "summary", "actions", "loaders", "tested_on")
    empty = [name for name in fields if not getattr(spec, name)]
    strange = [repr(each) for each in spec.actions if not isinstance(each, Verb)]
    wrong = [f"no {name}" for name in empty] + [f"{each} is no verb" for each in strange]
    wrong += [
        f"{name} is {getattr(spec, name)}"
        for name in ("attempt_s", "reset_s")
        if not getattr(spec, name) > 0
    ]
    return expect(not wrong, "; ".join(wrong) or f"{spec.name}: {len(spec.actions)} verbs")


@CHECKS.assume(
    Topic.CONTRACT,
    "The spec of the class, read without the simulator, is that of the running adapter.",
    source=f"{_CONTRACT}: Adapter.configured_spec",
)
def spec_is_known_before(bench: Bench) -> str:
    before = _class(bench).configured_spec()
    now = bench.spec
    other = [name for name in vars(before) if getattr(before, name) != getattr(now, name)]
    return expect(not other, f"other {', '.join(other)}" if other else "the same")


@CHECKS.assume(
    Topic.CONTRACT,
    "Every dialect that the spec names is registered, and has words for the adapter's verbs.",
    source=f"{_CONTRACT}: AdapterSpec.dialects",
    bare=True,
)
def dialects_are_registered(bench: Bench) -> str:
    named = bench.spec.dialects
    wrong = []
    for name in named:
        try:
            found = plugins.load("dialect", name)
        except PeepholeError as error:
            wrong.append(str(error))
        else:
            if not isinstance(found, Dialect):
                wrong.append(f"{name} is no dialect")
            elif not found.supports(bench.spec.actions):
                wrong.append(f"{name} has no words for the verbs")
    return expect(not wrong, "; ".join(wrong) or ", ".join(named) or "it names none")


#: What an adapter with a capability has of its own.
_METHODS = {
    Capability.IMAGES: "image",
    Capability.JUDGE: "judge",
    Capability.SNAPSHOT: "restore",
}


@CHECKS.assume(
    Topic.CONTRACT,
    "What the spec says that the adapter can do has a method: image, judge, restore, resume, view.",
    source=f"{_CONTRACT}: Capability",
    bare=True,
)
def abilities_have_methods(bench: Bench) -> str:
    kind, can = _class(bench), bench.spec.capabilities
    needed = {method: f"{ability}" for ability, method in _METHODS.items() if ability in can}
    if Capability.REPLAYABLE not in can:
        needed["resume"] = "a world that is not replayed"
    if Capability.GRAPH not in can or bench.spec.visibility is Visibility.CAMERA:
        needed["view"] = "views that no true state gives"
    wrong = [
        f"{method} is missing for {why}"
        for method, why in needed.items()
        if getattr(kind, method, None) in (None, getattr(Adapter, method, None))
    ]
    return expect(not wrong, "; ".join(wrong) or ", ".join(sorted(can)) or "it can nothing more")


@CHECKS.assume(
    Topic.CONTRACT,
    f"An adapter is made in {_MADE_S:g} s, without its simulator, and closes before any reset.",
    source=f"{_CONTRACT}: Adapter",
    bare=True,
)
def making_is_cheap(bench: Bench) -> str:
    began = time.monotonic()
    made = bench.call("make", bench.another, said=False)
    took = time.monotonic() - began
    for _ in range(2):
        try:
            bench.call("close before reset", made.close)
        except CannotTell as error:
            raise Differs(str(error)) from None
    return expect(took <= _MADE_S, f"made in {took:.2f} s, closed twice")


@CHECKS.assume(
    Topic.CONTRACT,
    "`missing` is None, or a sentence that says what to do.",
    source=f"{_CONTRACT}: Adapter.missing",
    bare=True,
)
def missing_is_a_sentence(bench: Bench) -> str:
    found = _class(bench).missing()
    sentence = isinstance(found, str) and len(found) > 10
    return expect(found is None or sentence, f"missing is {found!r}")


@CHECKS.assume(
    Topic.CONTRACT,
    "A scene of a loader that the spec does not name raises BadInput.",
    source=f"{_CONTRACT}: Adapter.scene_of",
    bare=True,
)
def foreign_scene_is_refused(bench: Bench) -> str:
    foreign = task_in("no_such_loader:1")
    made = bench.another()
    try:
        bench.call("reset to no_such_loader:1", lambda: made.reset(foreign, 0), changes=True)
    except Refused as error:
        return str(error)
    except CannotTell as error:
        raise Differs(str(error)) from None
    finally:
        made.close()
    raise Differs("it was loaded; call self.scene_of(task) in reset")


@CHECKS.assume(
    Topic.CONTRACT,
    "`facts` are JSON data; one that names a stand-in names it by a text.",
    source=f"{_CONTRACT}: Adapter.facts",
)
def facts_are_data(bench: Bench) -> str:
    facts = bench.facts
    try:
        written = json.dumps(facts)
    except (TypeError, ValueError) as error:
        raise Differs(f"{error} in {facts!r:.200}") from None
    if not isinstance(facts, dict):
        raise Differs(f"facts are {written}")
    named = STAND_IN not in facts or (isinstance(facts[STAND_IN], str) and facts[STAND_IN])
    return expect(bool(named), written)


def _class(bench: Bench) -> type[Adapter]:
    kind = type(bench.adapter)
    if kind is IsolatedAdapter:
        raise CannotTell("the adapter is in a process of its own; check it without --isolate")
    return kind
