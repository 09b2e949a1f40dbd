"""``modelcontext setup``: install the browsers that this machine lacks."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys

import click

from modelcontext.ground.problems import PortError, UnavailableError
from modelcontext.people.cli import command_of, options
from modelcontext.people.cli.exit_codes import USAGE
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json
from modelcontext.running.products import Target, make_target
from modelcontext.running.products.browser_product import BrowserProduct
from modelcontext.running.products.engine import Engine, find_program

BROWSERS = {name: make_target(name) for name in ("chromium", "firefox")}

#: The browsers to install unless others are named.
DEFAULT = ("chromium",)


@verb(epilog="\b\nExample:\n  modelcontext setup chromium\n  modelcontext setup --check")
@click.argument("browsers", nargs=-1, type=click.Choice(list(BROWSERS)), metavar="[BROWSER]...")
@click.option("--version", metavar="N", help="Install this build of BROWSER, as the product BROWSER:N.")
@click.option("--check", is_flag=True, help="Only say which browsers are ready.")
@options.as_json
def command(browsers: tuple[str, ...], version: str | None, check: bool, as_json: bool) -> None:
    """Install each BROWSER that this machine lacks. The default is Chromium.

    On Debian the command installs the browser's package, and the headless shell for tests. On other systems, or without
    the right to install packages, Playwright downloads its own Chromium into the user's cache.

    With --version, npm downloads an earlier build of Chromium into the user's cache.

    Exit code 0: every browser is ready; 2: a browser is not ready.
    """
    names = browsers or DEFAULT
    if version is None:
        problems = {browser: _set_up(BROWSERS[browser], check=check) for browser in names}
    else:
        build = command_of("modelcontext-builds", "setup.build")
        problems = {f"{browser}:{version}": build(browser, version, check=check) for browser in names}
    if as_json:
        print_json({browser: {"ready": problem is None, "problem": problem} for browser, problem in problems.items()})
    for browser, problem in problems.items():
        if problem is not None:
            click.echo(f"modelcontext: {browser} is not ready: {problem}", err=True)
        elif not as_json:
            click.echo(f"{browser} is ready")
    sys.exit(USAGE if any(problems.values()) else 0)


def _problem(target: Target) -> str | None:
    """Return the reason why the browser does not run here, or None if it does."""
    try:
        with BrowserProduct(target):
            return None
    except UnavailableError as error:
        return f"{error.reason}; {error.remedy}"
    except PortError as error:
        return str(error)


def _set_up(target: Target, *, check: bool) -> str | None:
    engine = target.engine
    problem = _problem(target)
    if check:
        return problem
    if problem is None:
        _add_shell(target.engine)
        return None
    try:
        missing = find_program(None, engine.variable, engine.binaries, engine.remedy) is None
    except UnavailableError:
        # The user named a binary, and has to repair this one.
        return problem
    attempts = []
    if missing and _is_debian() and (apt := _apt()) is not None:
        install = [*apt, "install", "-y", "-qq", "--no-install-recommends", engine.package]
        attempts.append([[*apt, "update", "-qq"], install])
    if engine.is_playwrights:
        dependencies = ["--with-deps"] if os.geteuid() == 0 and shutil.which("apt-get") else []
        attempts.append([[sys.executable, "-m", "playwright", "install", *dependencies, engine.name]])
    for commands in attempts:
        if all(_succeeds(command) for command in commands):
            problem = _problem(target)
            if problem is None:
                _add_shell(target.engine)
                return None
    return f"{problem}. All attempts to install it failed ({target.expected}): install it by hand"


def _add_shell(engine: Engine) -> None:
    """Install the package of the headless shell, in the browser's version. It makes tests faster, and is not needed."""
    if engine.shell is None or shutil.which(engine.shell) is not None or not _is_debian():
        return
    query = ["dpkg-query", "-W", "-f", "${Version}", engine.package]
    version = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    if version and (apt := _apt()) is not None:
        install = [*apt, "install", "-y", "-qq", "--no-install-recommends", f"{engine.shell}={version}"]
        # The lists of packages may be current, older than the browser, or missing.
        if not _succeeds(install) and not (_succeeds([*apt, "update", "-qq"]) and _succeeds(install)):
            click.echo(
                f"modelcontext: without {engine.shell} most tests run in {engine.package}, which is slower", err=True
            )


def _is_debian() -> bool:
    # Ubuntu's package of that name only installs a snap, which cannot run in containers.
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
    # The command's output goes to standard error: standard output belongs to --json.
    return subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0
