"""``modelcontext setup``: install what this machine lacks to run the products."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass

import click

from modelcontext.cli.exit_codes import USAGE
from modelcontext.problems import PortError, UnavailableError
from modelcontext.products import Target, chromium, make_target
from modelcontext.products.browser import BrowserProduct
from modelcontext.products.engine import find_program


@dataclass(frozen=True)
class Source:
    """Where a browser comes from: Debian's package, and Playwright's name of its own build if that has the API.

    ``shell`` is Debian's package of the same browser without a user interface, in which most tests run faster.
    """

    target: Target
    package: str
    shell: str | None
    from_playwright: str | None


BROWSERS = {
    "chromium": Source(make_target("chromium"), "chromium", chromium.SHELL, from_playwright="chromium"),
    "firefox": Source(make_target("firefox"), "firefox-esr", shell=None, from_playwright=None),
}

#: The browsers of the products that run unless others are named.
DEFAULT = ("chromium",)


@click.command(epilog="\b\nExample:\n  modelcontext setup chromium\n  modelcontext setup --check")
@click.argument("browsers", nargs=-1, type=click.Choice(list(BROWSERS)), metavar="[BROWSER]...")
@click.option("--check", is_flag=True, help="Install nothing; only say what is there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(browsers: tuple[str, ...], check: bool, as_json: bool) -> None:
    """Install the BROWSERs that are missing here: Chromium, unless others are named.

    Debian's package comes first, and that of the headless shell for tests; where there is none, or no right to install it,
    Playwright downloads a Chromium of its own into the user's cache. Exit code 0 if everything is there at the end, else 2.
    """
    problems = {browser: _set_up(BROWSERS[browser], check=check) for browser in browsers or DEFAULT}
    if as_json:
        click.echo(
            json.dumps(
                {browser: {"ready": problem is None, "problem": problem} for browser, problem in problems.items()}
            )
        )
    for browser, problem in problems.items():
        if problem is not None:
            click.echo(f"modelcontext: {browser} is not ready: {problem}", err=True)
        elif not as_json:
            click.echo(f"{browser} is ready")
    sys.exit(USAGE if any(problems.values()) else 0)


def _problem(source: Source) -> str | None:
    """Why the browser does not run here, or ``None`` if it does."""
    try:
        with BrowserProduct(source.target):
            return None
    except UnavailableError as error:
        return f"{error.reason}; {error.remedy}"
    except PortError as error:
        return str(error)


def _set_up(source: Source, *, check: bool) -> str | None:
    problem = _problem(source)
    if check:
        return problem
    if problem is None:
        _add_shell(source)
        return None
    try:
        engine = source.target.engine
        missing = find_program(None, engine.variable, engine.binaries, engine.remedy) is None
    except UnavailableError:
        # The user named a binary: what to do about that one is theirs to say.
        return problem
    attempts = []
    if missing and _is_debian() and (apt := _apt()) is not None:
        install = [*apt, "install", "-y", "-qq", "--no-install-recommends", source.package]
        attempts.append([[*apt, "update", "-qq"], install])
    if source.from_playwright is not None:
        dependencies = ["--with-deps"] if os.geteuid() == 0 and shutil.which("apt-get") else []
        attempts.append([[sys.executable, "-m", "playwright", "install", *dependencies, source.from_playwright]])
    for commands in attempts:
        if all(_succeeds(command) for command in commands):
            problem = _problem(source)
            if problem is None:
                _add_shell(source)
                return None
    return f"{problem}. Nothing that was tried helped ({source.target.expected}): install it by hand"


def _add_shell(source: Source) -> None:
    """Install the package without a user interface beside the other, in the same version; nothing needs it."""
    if source.shell is None or shutil.which(source.shell) is not None or not _is_debian():
        return
    query = ["dpkg-query", "-W", "-f", "${Version}", source.package]
    version = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    if version and (apt := _apt()) is not None:
        install = [*apt, "install", "-y", "-qq", "--no-install-recommends", f"{source.shell}={version}"]
        # The lists of packages may be of that version, or older, or not there at all.
        if not _succeeds(install) and not (_succeeds([*apt, "update", "-qq"]) and _succeeds(install)):
            click.echo(f"modelcontext: without {source.shell} most tests run in {source.package}, slower", err=True)


def _is_debian() -> bool:
    # Ubuntu's package of that name only leads to a snap, which cannot run in containers.
    try:
        return platform.freedesktop_os_release().get("ID") == "debian"
    except OSError:
        return False


def _apt() -> list[str] | None:
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    if shutil.which("sudo") is not None and _succeeds(["sudo", "-n", "true"], quiet=True):
        return ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    return None


def _succeeds(command: list[str], *, quiet: bool = False) -> bool:
    if quiet:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    click.echo("+ " + " ".join(command), err=True)
    # What the command has to say goes to standard error: standard output belongs to --json.
    return subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0
