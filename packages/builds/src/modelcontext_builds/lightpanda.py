"""Product ``lightpanda``: a browser without windows, which loads one page in a process of its own and prints it.

A program's page leaves its result in an attribute, where it is found in the printed page.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.problems import UnavailableError
from modelcontext.programs.program.render import HttpResponse, pages
from modelcontext.running.products.base import Ending, Observation, Product
from modelcontext.running.products.program_page import RESULT, observation_of
from modelcontext.running.serving.http import HOSTS, Server
from modelcontext_builds.probing import HAS, PATH, build_of

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext_builds.build import Build

REMEDY: Final = "pip install lightpanda"
#: Seconds after which a run that has not come to rest is given up, and after which its process is.
PATIENCE, ENDING = 5.0, 10.0

#: The origins whose hosts are names of this machine for every program.
LOCAL: Final = tuple(letter for letter, host in HOSTS.items() if host.endswith(".localhost"))

#: The attribute of the root element with the result.
ATTRIBUTE: Final = "data-result"
_LEAVING: Final = (
    f"<script>{RESULT}.then((result) => "
    f"document.documentElement.setAttribute('{ATTRIBUTE}', JSON.stringify(result)));</script>"
)
#: Until the page has left its result; without the last, frames stay empty.
_OPTIONS: Final = ("--wait-selector", f"[{ATTRIBUTE}]", "--load-resources", "iframe")
_LEFT: Final = re.compile(f'{ATTRIBUTE}="([^"]*)"')


class Lightpanda(Product):
    """Lightpanda, which has the API of the revision 2026-03."""

    name = "lightpanda"
    revision = "2026-03"
    version = ""
    #: What it has, once launched.
    build: Build

    def __init__(self) -> None:
        self._program = ""
        self._server: Server | None = None
        self._runs = 0

    def implements(self, revision: str) -> bool:
        """Return whether this is its revision."""
        return revision == self.revision

    def launch(self) -> None:
        """Find the program, start the server, and find out what the browser has. Raises :class:`UnavailableError`."""
        # pip puts it beside the interpreter, whose folder need not be in PATH.
        found = shutil.which("lightpanda") or shutil.which("lightpanda", path=str(Path(sys.executable).parent))
        if found is None:
            raise UnavailableError("there is no lightpanda on this machine", REMEDY)
        run = subprocess.run([found, "version"], capture_output=True, text=True, check=False)
        if run.returncode:
            said = run.stderr.strip().splitlines()
            raise UnavailableError(f"{found} does not start{f': {said[-1]}' if said else ''}", REMEDY)
        self._program = found
        self.version = (run.stdout or run.stderr).strip()
        self._server = Server()
        try:
            self.build = build_of(self.name, self.version, self._found(self._server), REMEDY)
            if self.build.revision != self.revision:
                raise UnavailableError(
                    f"{self.name} {self.version} does not implement the revision {self.revision}", REMEDY
                )
        except BaseException:
            self.close()
            raise

    def _found(self, server: Server) -> dict[str, Any]:
        """Return what a page has found."""
        leaving = _LEAVING.replace(RESULT, f"({HAS})()")
        server.serve(PATH, HttpResponse(f"<!DOCTYPE html><title>probe</title>{leaving}", {}))
        left = _LEFT.search(self._print(server.origins["A"] + PATH).stdout)
        if left is None:
            raise UnavailableError(f"a page of {self.name} {self.version} does not answer", REMEDY)
        found: dict[str, Any] = json.loads(html.unescape(left[1]))
        return found

    def reads(self, program: Program) -> Program | None:
        """Return a program of its revision whose origins are names of this machine anyway, or else ``None``."""
        is_local = all(document.origin in LOCAL for document in program.documents.values())
        return program if self.implements(program.revision) and is_local else None

    def run(self, program: Program) -> Observation:
        """Run the program once, in a process of its own."""
        server = self._server
        if server is None:
            raise RuntimeError("launch the product before running a program")
        if self.reads(program) is None:
            detail = f"{self.name} runs only programs of the revision {self.revision} that need no other host names"
            return Observation(Ending.ERROR, detail=detail)
        self._runs += 1
        key = self._runs

        def url(document: str) -> str:
            return f"{server.origins[program.documents[document].origin]}/{key}/{document}"

        rendered = pages(program, server.origins, url, PATIENCE)
        for document, page in rendered.items():
            body = page.body + _LEAVING if document == "top" else page.body
            server.serve(f"/{key}/{document}", HttpResponse(body, page.headers))
        begun = time.perf_counter()
        try:
            return replace(self._observe(url("top")), seconds=time.perf_counter() - begun)
        finally:
            for document in rendered:
                server.forget(f"/{key}/{document}")

    def _print(self, url: str) -> subprocess.CompletedProcess[str]:
        command = [self._program, "fetch", "--dump", "html", *_OPTIONS, "--terminate-ms", f"{PATIENCE * 1000:.0f}", url]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=ENDING)

    def _observe(self, url: str) -> Observation:
        try:
            run = self._print(url)
        except subprocess.TimeoutExpired:
            return Observation(Ending.TIMEOUT, detail=f"the process did not end in {ENDING:g} seconds")
        if run.returncode < 0:
            return Observation(Ending.CRASH, detail=f"the process ended by signal {-run.returncode}")
        left = _LEFT.search(run.stdout)
        if left is None:
            return Observation(Ending.TIMEOUT, detail=f"the run did not come to rest in {PATIENCE:g} seconds")
        return observation_of(json.loads(html.unescape(left[1])))

    def close(self) -> None:
        """Stop the server."""
        if self._server is not None:
            self._server.close()
            self._server = None
