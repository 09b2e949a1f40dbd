"""``modelcontext setup``: install what this machine lacks to run the products."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys

import click

from modelcontext.cli.problems import USAGE
from modelcontext.harness.server import PortError
from modelcontext.products.base import UnavailableError
from modelcontext.products.chromium import Chromium, find_binary

BROWSERS = ("chromium",)


@click.command(epilog="\b\nExample:\n  modelcontext setup chromium\n  modelcontext setup --check")
@click.argument("browsers", nargs=-1, type=click.Choice(BROWSERS), metavar="[BROWSER]...")
@click.option("--check", is_flag=True, help="Install nothing; only say what is there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(browsers: tuple[str, ...], check: bool, as_json: bool) -> None:
    """Install the BROWSERs (all of them, unless some are named) that are missing here.

    Debian's package comes first; where there is none, or no right to install it, Playwright downloads a browser of its
    own into the user's cache. Exit code 0 if everything is there at the end, else 2.
    """
    problems = {browser: _set_up_chromium(check=check) for browser in browsers or BROWSERS}
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


def _problem() -> str | None:
    """Why Chromium does not run here, or ``None`` if it does."""
    try:
        with Chromium():
            return None
    except UnavailableError as error:
        return f"{error.reason}; {error.remedy}"
    except PortError as error:
        return str(error)


def _set_up_chromium(*, check: bool) -> str | None:
    problem = _problem()
    if problem is None or check:
        return problem
    try:
        missing = find_binary() is None
    except UnavailableError:
        # The user named a binary: what to do about that one is theirs to say.
        return problem
    attempts = []
    if missing and _is_debian() and (apt := _apt()) is not None:
        attempts.append(
            [[*apt, "update", "-qq"], [*apt, "install", "-y", "-qq", "--no-install-recommends", "chromium"]]
        )
    dependencies = ["--with-deps"] if os.geteuid() == 0 and shutil.which("apt-get") else []
    attempts.append([[sys.executable, "-m", "playwright", "install", *dependencies, "chromium"]])
    for commands in attempts:
        if all(_succeeds(command) for command in commands):
            problem = _problem()
            if problem is None:
                return None
    return f"{problem}. Nothing that was tried helped: install Chromium 156 or later by hand"


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
