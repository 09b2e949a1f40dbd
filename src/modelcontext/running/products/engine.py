"""Makes of browsers, and how each is found and started, for programs and for tests."""

from __future__ import annotations

import os
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from modelcontext.ground.problems import UnavailableError

if TYPE_CHECKING:
    import asyncio


#: The complaint of the dynamic linker about a library that is missing or too old.
_LACKING = re.compile(r"error while loading shared libraries: .*|version `[^']*' not found.*")


class Engine(ABC):
    """One make of browser, as Playwright drives it.

    Attributes:
        name: Playwright's name of the browser type.
        title: the name for people.
        variable: the environment variable that names a binary.
        binaries: the usual names of a binary.
        remedy: what to do where there is none.
        package: Debian's package.
        sets_permissions: whether tests can set permissions.
        shell: Debian's package of the browser without a user interface, in which most tests run faster.
        is_playwrights: whether Playwright's own build has the API as well.
        host: the name under which pages with frames for programs are served, if not that of origin A.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    variable: ClassVar[str]
    binaries: ClassVar[Sequence[str]]
    remedy: ClassVar[str]
    package: ClassVar[str]
    sets_permissions: ClassVar[bool] = False
    shell: ClassVar[str | None] = None
    is_playwrights: ClassVar[bool] = False
    host: ClassVar[str | None] = None

    def find_binary(self, given: str | None = None) -> Path | None:
        """Return the binary to run, as :func:`find_program` does; ``None`` stands for Playwright's own."""
        return find_program(given, self.variable, self.binaries, self.remedy)

    @abstractmethod
    def options(self, hosts: Sequence[str], *, for_tests: bool) -> Mapping[str, Any]:
        """Return further arguments of Playwright's ``launch``, by which ``hosts`` lead to the loopback address.

        With ``for_tests`` a page may close itself, as web-platform-tests need.
        """

    async def evaluator(self, context: Any, page: Any) -> Callable[[str], Awaitable[Any]]:
        """Return a function that evaluates an expression in a page of Playwright's and waits for its promise."""
        return lambda expression: page.evaluate(f"() => {expression}")

    def devtools_flags(self, hosts: Sequence[str], *, for_tests: bool) -> Sequence[str] | None:
        """Return the command line without Playwright, or ``None`` where only Playwright can drive the browser."""
        return None

    def find_shell(self, given: str | None, binary: Path) -> Path | None:
        """Return the same version as ``binary`` without a user interface, unless the user has chosen what to run."""
        return None

    async def launch(
        self,
        playwright: Any,
        binary: Path | None,
        hosts: Sequence[str],
        *,
        for_tests: bool = False,
        headed: bool = False,
    ) -> Any:
        """Start a browser, with windows if it is ``headed``. Raises :class:`UnavailableError`."""
        from playwright.async_api import Error

        try:
            return await getattr(playwright, self.name).launch(
                executable_path=binary,
                # The other signals end the driver as well as this process, and then only the driver can close the browser.
                handle_sigint=False,
                headless=not headed,
                **self.options(hosts, for_tests=for_tests),
            )
        except Error as error:
            first_line = next((line for line in error.message.splitlines() if line.strip()), "")
            if (lacking := _LACKING.search(error.message)) is not None:
                first_line = f"this machine lacks a library that the browser needs: {lacking[0].strip()}"
            if headed and "DISPLAY" in error.message:
                first_line = "a window needs a display, and this machine has none"
            what = binary or "the browser of Playwright"
            raise UnavailableError(f"{what} does not start: {first_line}", self.remedy) from None


def find_program(given: str | None, variable: str, names: Sequence[str], remedy: str) -> Path | None:
    """Return the given program, else the environment variable's, else the first that is found of these names, else ``None``.

    Raises:
        UnavailableError: if the given program or the variable's does not exist.
    """
    for source, name in (("--binary", given), (variable, os.environ.get(variable))):
        if name:
            found = shutil.which(name)
            if found is None:
                if not Path(name).exists():
                    what = "does not exist, and is not a program on the PATH"
                else:
                    what = "is a folder" if Path(name).is_dir() else "is not a program that can be run"
                raise UnavailableError(f"{source} names {name}, which {what}", remedy)
            return Path(found)
    return next((Path(found) for found in map(shutil.which, names) if found), None)


async def start_playwright() -> Any:
    """Start Playwright's driver. Raises :class:`UnavailableError` if it is not installed."""
    import asyncio  # It takes long to import, and most commands start no browser.

    try:
        from playwright.async_api import async_playwright
    except ModuleNotFoundError:
        raise UnavailableError("Playwright is not installed", "pip install 'modelcontext[tools]'") from None
    asyncio.get_running_loop().set_exception_handler(_ignore_target_closed)
    return await async_playwright().start()


def is_driver_gone(error: Exception) -> bool:
    """Return whether Playwright's driver process died (it then raises a bare ``Exception``)."""
    return type(error) is Exception


def _ignore_target_closed(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    # A driver that ends leaves futures behind that nothing awaits. Code that does await one gets the error there.
    if type(context.get("exception")).__name__ != "TargetClosedError":
        loop.default_exception_handler(context)
