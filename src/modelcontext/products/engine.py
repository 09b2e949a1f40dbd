"""How a browser is found and started, whatever then runs in it: what programs and tests share."""

from __future__ import annotations

import asyncio
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from modelcontext.problems import UnavailableError


class Capability(StrEnum):
    """What a browser can do for tests beyond loading pages."""

    CLICK = "click"
    SEND_KEYS = "send_keys"
    SET_PERMISSION = "set_permission"


class Engine(ABC):
    """One make of browser, as Playwright drives it.

    ``name`` is Playwright's name of the browser type, ``title`` the one for people. ``variable`` is the environment
    variable that names a binary, ``binaries`` are the usual names of one; ``remedy`` says what to do where there is none.
    ``host`` is the name under which pages with frames for programs are served, if they are not to be of origin A.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    variable: ClassVar[str]
    binaries: ClassVar[Sequence[str]]
    remedy: ClassVar[str]
    capabilities: ClassVar[frozenset[Capability]]
    host: ClassVar[str | None] = None

    def find_binary(self, given: str | None = None) -> Path | None:
        """The browser to run: the given one, the environment variable's, the system's, else ``None``: Playwright's own.

        Raises :class:`UnavailableError` if the given one or the variable's does not exist.
        """
        return find_program(given, self.variable, self.binaries, self.remedy)

    @abstractmethod
    def options(self, hosts: Sequence[str], *, for_tests: bool) -> Mapping[str, Any]:
        """The further arguments of Playwright's ``launch``. Names in ``hosts`` lead to the loopback address.

        With ``for_tests`` it is what web-platform-tests need: a page may close itself, and there is a back/forward cache.
        """

    async def evaluator(self, context: Any, page: Any) -> Callable[[str], Awaitable[Any]]:
        """Return what evaluates an expression in a page of Playwright's, and waits for its promise."""
        return lambda expression: page.evaluate(f"() => {expression}")

    def devtools_flags(self, hosts: Sequence[str], *, for_tests: bool) -> Sequence[str] | None:
        """The command line without Playwright; ``None`` where only Playwright can drive it."""
        return None

    def find_shell(self, given: str | None, binary: Path) -> Path | None:
        """A build of what is in ``binary`` without a user interface, unless the user has chosen what to run."""
        return None

    async def launch(
        self, playwright: Any, binary: Path | None, hosts: Sequence[str], *, for_tests: bool = False
    ) -> Any:
        """Start a browser. Raises :class:`UnavailableError`."""
        from playwright.async_api import Error

        try:
            return await getattr(playwright, self.name).launch(
                executable_path=binary,
                # The others end the driver as well as this process, and then only the driver can close the browser.
                handle_sigint=False,
                **self.options(hosts, for_tests=for_tests),
            )
        except Error as error:
            first_line = next((line for line in error.message.splitlines() if line.strip()), "")
            what = binary or "the browser of Playwright"
            raise UnavailableError(f"{what} does not start: {first_line}", self.remedy) from None


def find_program(given: str | None, variable: str, names: Sequence[str], remedy: str) -> Path | None:
    """The program to run: the given one, the environment variable's, the first of these names; ``None`` if there is none.

    Raises :class:`UnavailableError` if the given one or the variable's does not exist.
    """
    for source, name in (("--binary", given), (variable, os.environ.get(variable))):
        if name:
            found = shutil.which(name)
            if found is None:
                raise UnavailableError(f"{source} names {name}, which is no program that can be run", remedy)
            return Path(found)
    return next((Path(found) for found in map(shutil.which, names) if found), None)


async def start_playwright() -> Any:
    """Start Playwright's driver. Raises :class:`UnavailableError` if it is not installed."""
    try:
        from playwright.async_api import async_playwright
    except ModuleNotFoundError:
        raise UnavailableError("Playwright is not installed", "pip install 'modelcontext[tools]'") from None
    asyncio.get_running_loop().set_exception_handler(_leave_out_what_is_gone)
    return await async_playwright().start()


def _leave_out_what_is_gone(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    # A driver that goes leaves futures behind that nobody waits for. Whoever does wait for one is told by itself.
    if type(context.get("exception")).__name__ != "TargetClosedError":
        loop.default_exception_handler(context)
