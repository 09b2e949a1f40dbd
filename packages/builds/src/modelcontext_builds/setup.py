"""Installing a build: ``modelcontext setup chromium --version N``."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import click

from modelcontext.ground.problems import UnavailableError
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_builds.build import PROGRAM, cache_folder, folder_of, installed
from modelcontext_builds.npm_package import LOADED, PACKAGE, UNPACKED, find_package, load_package, unpack
from modelcontext_builds.probing import probe
from modelcontext_builds.products import target_of


def set_up(browser: str, version: str, *, check: bool) -> str | None:
    """Install a build as a product, unless it is there and starts; return why it is not ready, or ``None``.

    With ``check`` nothing is installed.
    """
    name = f"{browser}:{version}"
    if browser != "chromium":
        return f"only chromium has builds that can be installed, and {browser} does not"
    try:
        if any(build.name == name for build in installed()):
            probe(target_of(name, CURRENT.name))
        elif check:
            return f"it is not installed; run `modelcontext setup {browser} --version {version}`"
        else:
            _install(name, version)
    except UnavailableError as error:
        return f"{error.reason}; {error.remedy}"
    return None


def _install(name: str, version: str) -> None:
    """Load a build, and make it a product once it has shown what it has. Raises :class:`UnavailableError`."""
    package = find_package(version)
    click.echo(
        f"{name}: loading {PACKAGE} {package.version}, about {LOADED} MB, which takes {UNPACKED} MB in {cache_folder()}",
        err=True,
    )
    folder = folder_of(name)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            unpack(load_package(package, Path(scratch)), folder / PROGRAM)
        probe(target_of(name, CURRENT.name)).save(folder)
    except BaseException:
        # What is not complete would be a build that does not start.
        shutil.rmtree(folder)
        raise
