"""The wheels of this repository, and fresh environments with installed wheels. Nothing is downloaded."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.sharing import made_once

ROOT = Path(__file__).resolve().parents[2]


def project(folder: Path) -> dict[str, Any]:
    """Return the table ``project`` of the distribution in a folder."""
    table: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


#: The folders of the other distributions of this repository, by name.
LOCAL = {project(path.parent)["name"]: path.parent for path in sorted(ROOT.glob("packages/*/pyproject.toml"))}


@dataclass(frozen=True)
class Environment:
    """A virtual environment with the core's wheel; the folder ``packages`` has all other packages."""

    bin: Path
    packages: Path

    def without(self, distributions: Iterable[str], folder: Path) -> Environment:
        """Return the environment without some distributions; the folder gets the links to all other packages."""
        hidden = self.files(distributions)
        link_all((path for path in self.packages.iterdir() if path.name not in hidden), folder)
        return Environment(self.bin, folder)

    def only(self, requirement: str, folder: Path) -> Environment:
        """Return the environment with what pip would install for a requirement; the folder gets the links to it."""
        link_all((self.packages / name for name in self.files(self.required(requirement))), folder)
        return Environment(self.bin, folder)

    def required(self, requirement: str) -> set[str]:
        """Return the names of the distributions that a requirement needs, itself and by way of others, without the core."""
        wanted, seen, names = [requirement], set[tuple[str, str]](), set[str]()
        while wanted:
            one = Requirement(wanted.pop())
            name = canonicalize_name(one.name)
            found = self.distribution(name)
            for extra in {"", *one.extras}:
                if (name, extra) not in seen:
                    seen.add((name, extra))
                    needed = [Requirement(line) for line in found.requires or ()]
                    wanted += [
                        str(each) for each in needed if each.marker is None or each.marker.evaluate({"extra": extra})
                    ]
            names.add(name)
        return names - {"modelcontext"}

    def distribution(self, name: str) -> Distribution:
        """Return an installed distribution."""
        core = self.bin.parent / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
        [found] = Distribution.discover(name=name, path=[str(self.packages), str(core)])
        return found

    def files(self, distributions: Iterable[str]) -> set[str]:
        """Return the names of the files and folders that distributions have put beside those of others."""
        parts = {file.parts[0] for name in distributions for file in self.distribution(name).files or ()}
        return {name for name in parts if (self.packages / name).exists()} - {".."}

    def modules(self, distributions: Iterable[str]) -> set[str]:
        """Return the names of the modules that distributions bring, without those inside of packages."""
        return {name.partition(".")[0] for name in self.files(distributions) if not name.endswith(".dist-info")}

    def run(
        self, *command: str, folder: Path, variables: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in a folder."""
        environ = {**os.environ, "PYTHONPATH": str(self.packages), "COLUMNS": "120", **(variables or {})}
        program = [str(self.bin / command[0]), *command[1:]]
        return subprocess.run(program, cwd=folder, env=environ, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def wheels(shared_folder: Path, takes_long: None) -> Mapping[str, Path]:
    """Build the wheels of this checkout, by the names of their distributions."""
    out = made_once(shared_folder / "wheels", lambda folder: build_wheels([ROOT, *LOCAL.values()], folder))
    return {path.name.partition("-")[0].replace("_", "-"): path for path in out.glob("*.whl")}


@pytest.fixture(scope="session")
def wheel(wheels: Mapping[str, Path]) -> Path:
    """Return the wheel of the core."""
    return wheels["modelcontext"]


@pytest.fixture(scope="session")
def environment(wheels: Mapping[str, Path], shared_folder: Path, starts_a_browser: None) -> Environment:
    """Make a fresh environment: this repository's packages are wheels, all others are those of the tests' environment."""

    def make(folder: Path) -> None:
        venv.create(folder, symlinks=True)
        pip("--python", str(folder / "bin/python"), "install", "--no-deps", str(wheels["modelcontext"]))
        installed = Path(sysconfig.get_path("purelib"))
        names = [name.replace("-", "_") for name in wheels]
        packages = folder / "packages"
        link_all((path for path in installed.iterdir() if not path.name.lstrip("_").startswith((*names,))), packages)
        pip("install", "--no-deps", "--target", str(packages), *(str(wheels[name]) for name in LOCAL))

    folder = made_once(shared_folder / "environment", make)
    return Environment(folder / "bin", folder / "packages")


def build_wheels(sources: Iterable[Path], out: Path) -> None:
    """Build the wheels of source trees."""
    pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(out), *map(str, sources))


def pip(*arguments: str) -> None:
    """Run pip without an index."""
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    finished = subprocess.run(
        command, env={**os.environ, "PIP_NO_INDEX": "1"}, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr


def link_all(paths: Iterable[Path], folder: Path) -> None:
    """Make links to files and folders, under their own names."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        (folder / path.name).symlink_to(path)
