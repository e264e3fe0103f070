"""Packages and data files by rule: every folder with an `__init__.py`, and what stands in it."""

from setuptools import find_packages, setup

#: In any package.
DATA = ["*.yaml", "*.json", "*.sh", "*.jinja", "*.css", "py.typed"]
#: In folders of a package that are none themselves.
FOLDERS = [
    *("prompts/*.jinja", "page_script/*.js", "weights/*.gguf"),
    *("procthor/*", "environments/*.txt"),
]

setup(
    package_dir={"peephole": "."},
    packages=[
        "peephole",
        *(f"peephole.{name}" for name in find_packages(exclude=["tests*", "benchmarks*"])),
    ],
    package_data={"": [*DATA, *FOLDERS]},
)
