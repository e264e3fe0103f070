"""The files that environments are made from name every package, in ranges that agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
SIMULATORS_AND_TOOLS = (
    *("omnigibson", "ai2thor", "virtualhome", "isaacgym"),
    *("openai", "numpy", "pytest"),
)


def requirements(document: dict[str, Any]) -> dict[str, str]:
    """The packages of a conda environment, with their ranges."""
    lines = [line for line in document["dependencies"] if isinstance(line, str)]
    for section in document["dependencies"]:
        if isinstance(section, dict):
            lines += section["pip"]
    return split(lines)


def split(lines: list[str]) -> dict[str, str]:
    found = (re.fullmatch(r"([\w-]+)(?:\[.*\])?(.*)", line.strip()) for line in lines)
    return {match[1]: match[2] for match in found if match}


def environment(path: str) -> dict[str, Any]:
    return yaml.safe_load((ROOT / path).read_text())


@pytest.mark.parametrize("package", SIMULATORS_AND_TOOLS)
def test_each_package_is_a_dependency_or_named_with_the_file_that_has_it(package):
    if package in requirements(environment("environment.yml")):
        return
    text = (ROOT / "environment.yml").read_text()
    (file,) = re.findall(rf"^#   {package}: (environments/\S+) \(.+\)$", text, re.MULTILINE)
    assert re.search(rf"\b{package}\b", (ROOT / file).read_text())


def test_ranges_are_those_that_setup_installs_and_tests():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    declared = split([*project["dependencies"], *extras["dev"], *extras["ai2thor"]])
    told = requirements(environment("environment.yml"))
    shared = told.keys() & declared.keys()
    assert {"numpy", "openai", "pytest", "ai2thor"} <= shared
    assert {name: told[name] for name in shared} == {name: declared[name] for name in shared}
    assert told["python"].lstrip("=") == project["requires-python"].lstrip(">=")


@pytest.mark.parametrize("file", ["isaacgym", "omnigibson"])
def test_an_interpreter_of_its_own_has_a_file_of_its_own(file):
    document = environment(f"environments/{file}.yml")
    assert document["name"] == f"peephole-{file}"
    shared = requirements(environment("environment.yml"))
    assert requirements(document)["python"] != shared["python"]
