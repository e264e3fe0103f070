"""Every call of gymapi that the server makes is one that gymapi has, by its published signatures.

Both are read as source: the server, and gymapi.pyi of the package isaacgym-stubs. The stubs' own
`*args, **kwargs` hide what the docstring below them tells, so the docstring's signature counts.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from peephole.adapters.isaacgym import server, stand_in

#: Fields of the array of DOF properties, which the stubs do not tell:
#: https://forums.developer.nvidia.com/t/carb-gymdofproperties-documentation/196552
DOF_FIELDS = {"hasLimits", "lower", "upper", "driveMode", "velocity", "effort", "friction"}
DOF_FIELDS |= {"stiffness", "damping", "armature"}


@dataclass
class Class:
    """A class of gymapi. attributes: their types. methods: their signatures."""

    attributes: dict[str, str] = field(default_factory=dict)
    methods: dict[str, inspect.Signature] = field(default_factory=dict)
    returns: dict[str, str] = field(default_factory=dict)


@dataclass
class Api:
    """gymapi as its stubs tell it."""

    names: set[str]
    classes: dict[str, Class]
    fields: set[str]

    def attribute(self, owner: str, name: str) -> str | None:
        """The type of an attribute, or None where there is no such attribute."""
        return self.classes[owner].attributes.get(name)


@pytest.fixture(scope="module")
def api() -> Api:
    try:
        path = distribution("isaacgym-stubs").locate_file("isaacgym-stubs/gymapi.pyi")
    except PackageNotFoundError:
        pytest.skip("isaacgym-stubs is not installed (environments/no-deps.txt)")
    source = Path(str(path)).read_text(encoding="utf-8")
    # It is not Python where it has a property called lambda.
    return read_api(re.sub(r"\bdef lambda\b", "def lambda_", source))


def read_api(source: str) -> Api:
    tree = ast.parse(source)
    names: set[str] = set()
    classes: dict[str, Class] = {}
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            names.add(node.name)
            classes[node.name] = read_class(node)
    dtypes = re.findall(r"dtype = dtype\((.*)\)", source)
    return Api(names, classes, set(re.findall(r"'(\w+)'", " ".join(dtypes))))


def read_class(node: ast.ClassDef) -> Class:
    found = Class()
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            found.attributes[part.target.id] = ast.unparse(part.annotation)
        elif isinstance(part, ast.FunctionDef) and any(
            isinstance(d, ast.Name) and d.id == "property" for d in part.decorator_list
        ):
            found.attributes[part.name] = ast.unparse(part.returns) if part.returns else "Any"
        elif isinstance(part, ast.FunctionDef):
            found.methods[part.name] = signature(part)
            found.returns[part.name] = ast.unparse(part.returns) if part.returns else "Any"
    return found


def signature(function: ast.FunctionDef) -> inspect.Signature:
    """Without self."""
    told = (ast.get_docstring(function) or "").split("\n")[0]
    match = re.match(rf"(?:static )?{function.name}\((.*)\) ->", told)
    if match is not None and function.args.vararg is not None:
        return signature_of_text(match.group(1))
    arguments = function.args.args[1:]
    required = len(arguments) - len(function.args.defaults)
    return inspect.Signature([parameter(a.arg, i < required) for i, a in enumerate(arguments)])


def signature_of_text(text: str) -> inspect.Signature:
    parts = [part.strip() for part in re.split(r",\s*(?=\w+: )", text)]
    told = [part for part in parts if part and not part.startswith("self")]
    return inspect.Signature([parameter(part.split(":")[0], " = " not in part) for part in told])


def parameter(name: str, required: bool) -> inspect.Parameter:
    default = inspect.Parameter.empty if required else None
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)


class Reader(ast.NodeVisitor):
    """Goes through one function of the server, and knows which names are what of gymapi.

    problems: what gymapi has not. seen: the methods of Gym that are called.
    """

    def __init__(self, api: Api) -> None:
        self.api = api
        self.types: dict[str, str] = {}
        self.problems: list[str] = []
        self.seen: set[str] = set()

    def type_of(self, node: ast.expr) -> str:
        """The class of gymapi that an expression is of, or ""."""
        found = ""
        if isinstance(node, ast.Name):
            return {"gymapi": "gymapi", "gym": "Gym"}.get(node.id, self.types.get(node.id, ""))
        if isinstance(node, ast.Attribute):
            if ast.unparse(node) in ("self._gym", "self._gymapi"):
                return {"_gym": "Gym", "_gymapi": "gymapi"}[node.attr]
            owner = self.type_of(node.value)
            if owner in self.api.classes:
                found = self.api.attribute(owner, node.attr) or ""
        elif isinstance(node, ast.Subscript):
            found = self.type_of(node.value)
            inner = re.fullmatch(r"List\[(\w+)\]", found)
            found = inner.group(1) if inner else ""
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner, name = self.type_of(node.func.value), node.func.attr
            if owner == "gymapi":
                found = name
            elif owner in self.api.classes:
                found = self.api.classes[owner].returns.get(name, "")
        return found

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.types[target.id] = self.type_of(node.value)

    def visit_For(self, node: ast.For) -> None:
        inner = re.fullmatch(r"List\[(\w+)\]", self.type_of(node.iter))
        if inner is not None and isinstance(node.target, ast.Name):
            self.types[node.target.id] = inner.group(1)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        owner = self.type_of(node.value)
        if owner == "gymapi":
            if node.attr not in self.api.names:
                self.problems.append(f"gymapi has no {node.attr}")
        elif owner in self.api.classes:
            known = self.api.classes[owner]
            if node.attr not in known.attributes and node.attr not in known.methods:
                self.problems.append(f"{owner} has no {node.attr}")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute):
            return
        owner, name = self.type_of(node.func.value), node.func.attr
        told = None
        if owner == "gymapi" and name in self.api.classes:
            told = self.api.classes[name].methods.get("__init__")
        elif owner in self.api.classes:
            told = self.api.classes[owner].methods.get(name)
            if owner == "Gym":
                self.seen.add(name)
        if told is not None:
            try:
                told.bind(*node.args, **{k.arg or "**": k.value for k in node.keywords})
            except TypeError as error:
                self.problems.append(f"{owner}.{name}: {error}")


def functions(source: str) -> Iterator[ast.FunctionDef]:
    return (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef))


def read_calls(source: str, api: Api) -> tuple[list[str], set[str]]:
    """What is wrong with the calls of a source, and the methods of Gym that it calls."""
    problems, seen = [], set()
    for function in functions(source):
        reader = Reader(api)
        reader.visit(function)
        problems += reader.problems
        seen |= reader.seen
    return problems, seen


def test_every_call_of_the_server_is_one_that_gymapi_has(api: Api) -> None:
    problems, seen = read_calls(Path(server.__file__).read_text(), api)
    assert not problems
    assert {"create_sim", "create_actor", "set_actor_dof_position_targets", "simulate"} <= seen


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("gym.prepare_sim(", "gym.prepare_simulation(", "Gym has no prepare_simulation"),
        ("fetch_results(self._sim, True)", "fetch_results(self._sim)", "missing a required"),
        ("gymapi.STATE_POS", "gymapi.STATE_POSE", "gymapi has no STATE_POSE"),
        ("params.physx.use_gpu", "params.physx.gpu", "PhysXParams has no gpu"),
        ("settings.density", "settings.mass", "AssetOptions has no mass"),
        ("body.inertia.x", "body.inertia.xx", "Mat33 has no xx"),
        ("shape.friction", "shape.grip", "RigidShapeProperties has no grip"),
        (".get_actor_dof_properties(self._env, ", ".get_actor_dof_properties(", "missing a req"),
    ],
)
def test_a_call_that_gymapi_has_not_is_found(api: Api, right: str, wrong: str, says: str) -> None:
    source = Path(server.__file__).read_text()
    assert right in source
    problems, _ = read_calls(source.replace(right, wrong), api)
    assert any(says in problem for problem in problems)


def test_the_fields_of_its_arrays_are_those_that_gymapi_tells(api: Api) -> None:
    """Of the states of bodies and joints, from their dtypes in the stubs."""
    used = set()
    for node in ast.walk(ast.parse(Path(server.__file__).read_text())):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            name = ast.unparse(node.value).split("[")[0]
            if name in ("states", "properties") and isinstance(node.slice.value, str):
                used.add((name, node.slice.value))
    assert {name for kind, name in used if kind == "states"} == {"pos", "vel", "pose", "p", "r"}
    assert {name for kind, name in used if kind == "states"} <= api.fields
    assert {name for kind, name in used if kind == "properties"} <= DOF_FIELDS


def test_the_stand_in_has_the_signatures_of_gymapi(api: Api, monkeypatch) -> None:
    pytest.importorskip("mujoco")
    monkeypatch.syspath_prepend(str(Path(stand_in.__file__).parent))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))  # to forget it afterwards
    gymapi = importlib.import_module("isaacgym.gymapi")
    public = {
        name
        for name, value in vars(gymapi).items()
        if name.isupper() or getattr(value, "__module__", "") == gymapi.__name__
        if not name.startswith("_")
    }
    assert {"Gym", "Vec3", "SIM_PHYSX", "acquire_gym"} <= public <= api.names
    for name in public:
        ours, theirs = getattr(gymapi, name), api.classes.get(name)
        if theirs is None or not isinstance(ours, type):
            continue
        assert set(getattr(ours, "__slots__", ())) <= set(theirs.attributes), name
        for method, function in inspect.getmembers(ours, inspect.isfunction):
            if method.startswith("_") and method != "__init__":
                continue
            mine = list(inspect.signature(function).parameters.values())[1:]
            told = list(theirs.methods[method].parameters.values())
            if name == "Gym" and method == "__init__":
                continue
            assert [p.name for p in mine] == [p.name for p in told], f"{name}.{method}"
            assert [p.default is p.empty for p in mine] == [p.default is p.empty for p in told]
