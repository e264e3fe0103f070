"""Every name and signature of omnigibson that the adapter uses exists in the source of 1.1.1.

Both are read as source: `simulator.py`, and the installed package, which is not imported. What the
current line has instead is asked for by `hasattr` and must not be there.
"""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from peephole.adapters.omnigibson import simulator

#: What expressions of simulator.py are: a class of omnigibson, or a module by its path.
KINDS = {
    "og": "omnigibson/__init__.py",
    "self._og": "omnigibson/__init__.py",
    "self._env": "Environment",
    "env": "Environment",
    "self._scene()": "InteractiveTraversableScene",
    "scene": "InteractiveTraversableScene",
    "scene.seg_map": "SegmentationMap",
    "scene.system_registry": "SerializableRegistry",
    "self._robot()": "Tiago",
    "robot": "Tiago",
    "self._env.task": "BehaviorTask",
    "task": "BehaviorTask",
    "self._control": "SymbolicSemanticActionPrimitives",
    "thing": "DatasetObject",
    "entity": "BDDLEntity",
    "sensor": "VisionSensor",
    "settings": "omnigibson/utils/config_utils.py",
    "states": "omnigibson/object_states/__init__.py",
    "thing.states[state]": "BaseObjectState",
    "last": "ActionPrimitiveError",
}
#: What the current line has, and 1.1.1 not.
CURRENT = {"Environment.scenes", "BehaviorTask.object_scopes"}


@dataclass
class Members:
    """The names of a class or module, and the signatures of those that can be called."""

    names: set[str] = field(default_factory=set)
    calls: dict[str, inspect.Signature] = field(default_factory=dict)
    bases: list[str] = field(default_factory=list)


class Source:
    """The package as source: its classes by name, its modules by path."""

    def __init__(self, root: Path) -> None:
        self.classes: dict[str, Members] = {}
        self.modules: dict[str, Members] = {}
        for path in sorted((root / "omnigibson").rglob("*.py")):
            if "examples" in path.parts:
                continue
            with warnings.catch_warnings():  # of escapes in its texts
                warnings.simplefilter("ignore")
                tree = ast.parse(path.read_text(encoding="utf-8"))
            where = path.relative_to(root).as_posix()
            self.modules[where] = members(tree.body)
            for node in tree.body:
                if isinstance(node, ast.ImportFrom):
                    self.modules[where].names |= {n.asname or n.name for n in node.names}
                if isinstance(node, ast.ClassDef):
                    self.classes[node.name] = members(node.body, method=True)
                    self.classes[node.name].bases = [ast.unparse(base) for base in node.bases]

    def of(self, kind: str) -> Iterator[Members]:
        """The members of a class and its bases, or of a module."""
        if kind in self.modules:
            yield self.modules[kind]
            return
        pending, seen = [kind], set()
        while pending:
            name = pending.pop(0)
            if name in self.classes and name not in seen:
                seen.add(name)
                yield self.classes[name]
                pending += self.classes[name].bases

    def has(self, kind: str, name: str) -> bool:
        return any(name in found.names for found in self.of(kind))

    def signature(self, kind: str, name: str) -> inspect.Signature | None:
        return next((m.calls[name] for m in self.of(kind) if name in m.calls), None)


def members(body: list[ast.stmt], method: bool = False) -> Members:
    found = Members()
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.names.add(node.name)
            decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
            static = "staticmethod" in decorators
            if "property" not in decorators:
                found.calls[node.name] = signature(node.args, method and not static)
            if method:
                found.names |= {
                    target.attr
                    for inner in ast.walk(node)
                    if isinstance(inner, (ast.Assign, ast.AnnAssign))
                    for target in (
                        inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                    )
                    if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self"
                }
        elif isinstance(node, ast.Assign):
            found.names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.ClassDef):
            found.names.add(node.name)
    return found


def signature(arguments: ast.arguments, method: bool) -> inspect.Signature:
    """Without self. An argument is required or not; what its default is does not matter."""
    plain = [*arguments.posonlyargs, *arguments.args]
    required = len(plain) - len(arguments.defaults)
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    made = [parameter(a.arg, either, i >= required) for i, a in enumerate(plain)]
    if arguments.vararg is not None:
        made.append(parameter(arguments.vararg.arg, inspect.Parameter.VAR_POSITIONAL))
    for a, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        made.append(parameter(a.arg, inspect.Parameter.KEYWORD_ONLY, default is not None))
    if arguments.kwarg is not None:
        made.append(parameter(arguments.kwarg.arg, inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(made[1:] if method else made)


def parameter(name: str, kind: inspect._ParameterKind, optional: bool = False) -> inspect.Parameter:
    return inspect.Parameter(name, kind, default=None if optional else inspect.Parameter.empty)


@pytest.fixture(scope="module")
def package() -> Source:
    try:
        root = distribution("omnigibson").locate_file("")
    except PackageNotFoundError:
        pytest.skip("omnigibson is not installed (environments/no-deps.txt)")
    return Source(Path(str(root)))


def ours() -> str:
    assert simulator.__file__ is not None
    return Path(simulator.__file__).read_text()


def uses(text: str, package: Source) -> tuple[set[str], list[str]]:
    """What a source uses of the package, as "Class.name", and what is wrong with it."""
    seen, wrong = set(), []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in KINDS:
            kind = KINDS[ast.unparse(node.value)]
            seen.add(f"{kind}.{node.attr}")
            if not package.has(kind, node.attr):
                wrong.append(f"{kind}.{node.attr}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            told = package.signature(KINDS.get(ast.unparse(node.func.value), ""), node.func.attr)
            values = {k.arg: k.value for k in node.keywords if k.arg is not None}
            plain = [a for a in node.args if not isinstance(a, ast.Starred)]
            if told is not None:
                try:
                    told.bind(*plain, **values)
                except TypeError as error:
                    wrong.append(f"{ast.unparse(node.func)}: {error}")
    return seen, wrong


def test_everything_that_is_used_exists_with_that_signature(package: Source) -> None:
    seen, wrong = uses(ours(), package)
    assert set(wrong) == CURRENT
    assert len(seen) > 30
    for name in CURRENT:
        assert f'"{name.partition(".")[2]}")' in ours(), "asked for by hasattr"


@pytest.mark.parametrize(
    ("right", "false", "says"),
    [
        (".apply_ref(", ".apply_reference(", "SymbolicSemanticActionPrimitives.apply_reference"),
        ("attempts=1", "tries=1", "unexpected keyword argument 'tries'"),
        ("thing.aabb", "thing.bounding_box", "DatasetObject.bounding_box"),
        (".seg_map", "._segmentation", "InteractiveTraversableScene._segmentation"),
        ("task.object_scope", "task.scope", "BehaviorTask.scope"),
        ("states.ObjectsInFOVOfRobot", "states.InFOV", "object_states/__init__.py.InFOV"),
        ("last.reason", "last.why", "ActionPrimitiveError.why"),
    ],
)
def test_what_does_not_exist_is_found(package: Source, right: str, false: str, says: str) -> None:
    assert right in ours()
    _, wrong = uses(ours().replace(right, false), package)
    assert any(says in found for found in wrong), wrong


def test_what_is_named_in_texts_exists(package: Source) -> None:
    """Modules, states, settings, registered names and the arguments of configs."""
    for name in (
        simulator.PRIMITIVES,
        simulator.ERRORS,
        *re.findall(r'"(omnigibson\.[\w.]+)"', ours()),
    ):
        path = name.replace(".", "/")
        assert {f"{path}.py", f"{path}/__init__.py"} & package.modules.keys(), name
    states = package.modules["omnigibson/object_states/__init__.py"].names
    assert {*simulator.STATES, "Inside", "OnTop"} <= states
    made = package.classes["SymbolicSemanticActionPrimitives"].calls["__init__"]
    assert list(made.parameters) == ["env"], "told from the current line by having no robot"
    root = Path(str(distribution("omnigibson").locate_file("omnigibson")))
    assert "DATASET_PATH" in (root / "macros.py").read_text()
    assert (root / "configs" / simulator.ROBOT).is_file()
    assert 'os.environ["ISAAC_PATH"]' in (root / "simulator.py").read_text()
    for kind in ("InteractiveTraversableScene", "BehaviorTask"):
        assert f'"type": "{kind}"' in ours()
        taken = set(package.classes[kind].calls["__init__"].parameters)
        block = re.search(rf'"type": "{kind}",(.*?)\n        }}', ours(), re.DOTALL)
        assert block is not None
        given = set(re.findall(r'^            "(\w+)":', block.group(1), re.MULTILINE))
        assert given <= taken
        assert given
    known = re.search(
        r"STRUCTURE_CATEGORIES = frozenset\((.*?)\)", (root / "utils/constants.py").read_text()
    )
    assert known is not None
    assert ast.literal_eval(known.group(1)) == simulator.STRUCTURE | simulator.GROUND
