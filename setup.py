"""Packages and data files by rule: every folder with an `__init__.py`, and what stands in it."""

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

#: In any package.
DATA = ["*.yaml", "*.json", "*.sh", "*.jinja", "*.css", "*.html", "py.typed"]
DATA += ["*.pddl"]
#: In folders of a package that are none themselves.
FOLDERS = [
    *("prompts/*.jinja", "page_script/*.js", "weights/*.gguf"),
    *("procthor/*", "environments/*.txt"),
]


class Modules(build_py):
    """Modules without this file, which stands in the root of the package."""

    def find_package_modules(self, package, package_dir):
        found = super().find_package_modules(package, package_dir)
        return [module for module in found if module[1] != "setup"]


setup(
    package_dir={"peephole": "."},
    packages=[
        "peephole",
        *(f"peephole.{name}" for name in find_packages(exclude=["tests*", "benchmarks*"])),
    ],
    package_data={"": [*DATA, *FOLDERS]},
    cmdclass={"build_py": Modules},
)
