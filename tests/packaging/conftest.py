"""The wheel, and a fresh environment with the installed wheel. Nothing is downloaded."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Environment:
    """A virtual environment with the wheel; the folder ``packages`` has links to the packages of the tests' environment."""

    bin: Path
    packages: Path

    def without(self, distributions: Iterable[str], folder: Path) -> Environment:
        """Return the environment without some distributions; the folder gets the links to all other packages."""
        hidden = files(distributions)
        link_all((path for path in self.packages.iterdir() if path.name not in hidden), folder)
        return Environment(self.bin, folder)

    def run(
        self, *command: str, folder: Path, variables: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in a folder."""
        environ = {**os.environ, "PYTHONPATH": str(self.packages), "COLUMNS": "120", **(variables or {})}
        program = [str(self.bin / command[0]), *command[1:]]
        return subprocess.run(program, cwd=folder, env=environ, capture_output=True, text=True, check=False)


def files(distributions: Iterable[str]) -> set[str]:
    """Return the names of the files and folders that distributions have put beside those of others."""
    return {file.parts[0] for name in distributions for file in distribution(name).files or ()}


def modules(distributions: Iterable[str]) -> set[str]:
    """Return the names of the modules that distributions bring, without those inside of packages."""
    return {name.partition(".")[0] for name in files(distributions) if not name.endswith((".dist-info", ".."))}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of this checkout."""
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Make a fresh environment: ``modelcontext`` is the wheel, all other packages are those of the tests' environment."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    programs = folder / "bin"
    pip("--python", str(programs / "python"), "install", "--no-deps", str(wheel))
    installed = Path(sysconfig.get_path("purelib"))
    packages = tmp_path_factory.mktemp("packages")
    link_all((path for path in installed.iterdir() if "modelcontext" not in path.name), packages)
    return Environment(programs, packages)


def build_wheel(source: Path, out: Path) -> Path:
    """Build the wheel of a source tree."""
    pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(out), str(source))
    [wheel] = out.glob("*.whl")
    return wheel


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
