"""Products ``page`` and ``page-REVISION``: the algorithms as the API of a Chromium, by Python in the page (Pyodide).

A window of the tests' own origin starts Python and opens the window of the tests. An init script of every document finds
Python there, synchronously, before any script of the page. The same script removes Chromium's own API, which is switched
on because the permissions policy knows the feature only then.

Documents of other origins reach that Python by messages, which suffices where every operation returns a promise. So do
pages that go into the back/forward cache, because no window can have opened them. A document of another site waits for
the end of each of its tasks (see ``running/serving/turns.py``). One that may share the process with Python cannot wait, so its
tasks begin and end apart.

Where an operation does not return a promise, as in the revision 2026-03, a frame of the first window starts another
Python for each origin, before its first document loads; documents of different origins do not interact there.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from modelcontext.ground.checkout import PACKAGE, path_in, project_root
from modelcontext.ground.joining import function_of_modules
from modelcontext.platform.webidl import javascript
from modelcontext.running.products.target import Target, origin_of
from modelcontext.running.serving import bundle
from modelcontext.running.serving.turns import FOLDER
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision

_SOURCE = PACKAGE / "hosts" / "page"
_STATIC = ("bootstrap.*", "wire.js", "hub/*.js")
_ADD_FRAME = """(url) => new Promise((resolve) => {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.src = url;
  frame.onload = () => resolve(frame);
  document.body.append(frame);
})"""


def init_script(revision: Revision) -> str:
    """Return the script that has to run first in every document."""
    definitions = revision.definitions
    own = own_interfaces(revision)
    # The browser's own API can be of any revision.
    accessors = sorted({accessor for one in REVISIONS.values() for accessor in _accessors(one)})
    given = {
        "names": own,
        "accessors": accessors,
        "members": {
            name: [member.name for member in definitions.members_of(dictionary)]
            for name, dictionary in definitions.dictionaries.items()
        },
        "relays": not answers_at_once(revision),
        "forms": has_forms(revision),
    }
    interfaces = f"if (hub !== null) {{\n{javascript.bindings(definitions, own)}\n}}"
    return f"{function_of_modules(_SOURCE / 'realm' / 'main.js', 'given', interfaces)}({json.dumps(given)});\n"


def _accessors(revision: Revision) -> Iterator[tuple[str, str]]:
    own = own_interfaces(revision)
    for interface in revision.definitions.interfaces.values():
        for attribute in interface.attributes.values():
            if interface.name not in own and attribute.type.name in own:
                yield interface.name, attribute.name


def answers_at_once(revision: Revision) -> bool:
    """Return whether an operation does not return a promise, so that a message to Python would take too long."""
    own = own_interfaces(revision)
    interfaces = [revision.definitions.interfaces[name] for name in own]
    return any(one.returns.name != "Promise" for interface in interfaces for one in interface.operations.values())


def has_forms(revision: Revision) -> bool:
    """Return whether forms can be tools."""
    return "schedule-a-tool-update" in revision.algorithms


def own_interfaces(revision: Revision) -> list[str]:
    """Return the names of the interfaces that a revision defines itself."""
    definitions = revision.definitions
    return [name for name, interface in definitions.interfaces.items() if interface.secure_context]


def page_files(revision: Revision) -> dict[str, bytes]:
    """Return the files that a page needs besides Pyodide, by name."""
    static = [path for pattern in _STATIC for path in sorted(_SOURCE.glob(pattern))]
    files = {path.relative_to(_SOURCE).as_posix(): path.read_bytes() for path in static}
    return files | {
        # A test gets an agent cluster that is not origin-keyed only if the first page of its origin asked for one.
        "bootstrap.html.headers": b"Origin-Agent-Cluster: ?0\n",
        "modelcontext.zip": bundle.archive((*bundle.PLATFORM, "hosts/page"), REVISIONS.in_memory),
        "shapes.json": javascript.shapes(revision.definitions).encode(),
        "revision.txt": revision.name.encode(),
        "init.js": init_script(revision).encode(),
    }


def build(out: Path, revision: Revision, pyodide: Path | None = None) -> None:
    """Write everything that a page needs into a folder, for a static server; raises as :func:`bundle.write_bundle`."""
    bundle.write_bundle(out, page_files(revision), "modelcontext.zip", ["modelcontext.hosts.page.entry"], pyodide)


@dataclass(frozen=True)
class PageTarget(Target):
    """The model in a page of Chromium."""

    binds_page_to_origin = True
    is_compared = False

    @cached_property
    def _folder(self) -> Path:
        revision = REVISIONS[self.revision]
        name = "other-text" if self.revision in REVISIONS.stand_ins else revision.name
        folder = path_in(project_root(), Path("build", "page", name))
        build(folder, revision)
        return folder

    def scripts(self) -> list[str]:
        """Return the script that makes the API first. Raises :class:`UnavailableError` if Pyodide is not installed."""
        return [(self._folder / "init.js").read_text(encoding="utf-8"), *super().scripts()]

    @property
    def runs_anywhere(self) -> bool:
        """True if operations return promises; else each origin needs a Python of its own, whose window opens the page."""
        return not answers_at_once(REVISIONS[self.revision])

    def folders(self) -> Mapping[str, Path]:
        """Return the folder of the bundle."""
        return {FOLDER: self._folder}

    async def open_page(self, context: Any, url: str, fault: Callable[[str], None], *, leaves: bool = False) -> Any:
        """Open a window from the one with Python, or beside it if it is to go into the back/forward cache.

        A context that has served a test before has a Python already, of the same origin.
        """
        bootstrap = next(filter(_has_python, context.pages), None)
        if bootstrap is None:
            bootstrap = await self._start_python(context, origin_of(url), fault)
        if leaves:
            return await context.new_page()
        async with context.expect_page() as opened:
            await bootstrap.evaluate("() => { open('about:blank'); }")
        return await opened.value

    async def clears(self, context: Any) -> bool:
        """Close all pages but the one with Python."""
        for page in context.pages:
            if not _has_python(page):
                await page.close()
        return True

    async def _start_python(self, context: Any, origin: str, fault: Callable[[str], None]) -> Any:
        bootstrap = await context.new_page()
        await bootstrap.expose_binding("modelcontextFault", lambda source, message: fault(message))
        await bootstrap.goto(f"{origin}{FOLDER}bootstrap.html")
        await bootstrap.evaluate("() => modelcontextReady")
        if answers_at_once(REVISIONS[self.revision]):
            await context.route("**/*", _Origins(bootstrap, origin, fault).wait_for_python)
        return bootstrap

    def version(self, browser: Any) -> str:
        """Return the versions of Pyodide and of the browser."""
        return f"Pyodide {bundle.runtime_version()} on {self.engine.title} {browser.version}"


def _has_python(page: Any) -> bool:
    return urlsplit(str(page.url)).path == f"{FOLDER}bootstrap.html"


class _Origins:
    """The origins that have a Python: that of the first window, and each that a document is loaded from."""

    def __init__(self, bootstrap: Any, origin: str, fault: Callable[[str], None]) -> None:
        import asyncio  # It takes long to import, and most commands start no browser.

        self._bootstrap = bootstrap
        self._fault = fault
        self._scheme = urlsplit(origin).scheme
        self._started = {origin: asyncio.ensure_future(asyncio.sleep(0))}

    async def wait_for_python(self, route: Any) -> None:
        """Let a request continue once its document would find Python."""
        import asyncio

        from playwright.async_api import Error

        request = route.request
        parts = urlsplit(request.url)
        # (A page over HTTPS cannot have frames over HTTP, which would not be secure contexts.)
        is_served = parts.scheme in ("https", self._scheme) and not parts.path.startswith(FOLDER)
        try:
            if is_served and request.is_navigation_request():
                origin = origin_of(request.url)
                if origin not in self._started:
                    self._started[origin] = asyncio.ensure_future(self._start(origin))
                await self._started[origin]
        except Error as error:
            self._fault(f"the product itself failed: {request.url} finds no Python: {error.message}")
        with contextlib.suppress(Error):  # The page may have gone away.
            await route.continue_()

    async def _start(self, origin: str) -> None:
        element = await self._bootstrap.evaluate_handle(_ADD_FRAME, f"{origin}{FOLDER}bootstrap.html")
        frame = await element.content_frame()
        await frame.evaluate("() => modelcontextReady")
