"""The reach of the tests in the format of web-platform-tests, whose API is the algorithms themselves.

They run in a page of Chromium.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from modelcontext.ground.checkout import path_in
from modelcontext.judging.coverage.reach import Reach
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.suite import SUITES, run_suite
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.programs.tracing.probes import MARKS, inventory, texts_with_probes
from modelcontext.running.products.chromium import ChromiumEngine
from modelcontext.running.products.page import PageTarget, page_files
from modelcontext.running.serving import bundle
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.judging.wpt.results import Result

_ARCHIVE = "modelcontext.zip"
_ENTRY = "modelcontext.hosts.page.entry"


@dataclass(frozen=True)
class RecordingTarget(PageTarget):
    """The product ``page`` with probes in its algorithms; ``reached`` has the reach of each test by its path.

    ``tests`` has the path of the test that each context has at present.
    """

    root: Path = field(kw_only=True)
    reached: dict[str, set[str]] = field(default_factory=dict, kw_only=True)
    tests: dict[Any, str | None] = field(default_factory=dict, kw_only=True)

    @cached_property
    def _folder(self) -> Path:
        revision = REVISIONS[self.revision]
        files = page_files(revision)
        folder = path_in(self.root, Path("build", "page-with-probes", self.revision))
        files |= {_ARCHIVE: _with_probes(files[_ARCHIVE], revision.package)}
        bundle.write_bundle(folder, files, _ARCHIVE, [_ENTRY])
        return folder

    async def open_page(self, context: Any, url: str, fault: Callable[[str], None], *, leaves: bool = False) -> Any:
        """Open a window as the page does, and collect the steps and sides that its Python reaches."""
        parts = urlsplit(url)
        path = (f"{parts.path}?{parts.query}" if parts.query else parts.path).removeprefix("/")
        if context not in self.tests:
            decode = inventory(REVISIONS[self.revision].package).decode

            def note(source: object, marks: str) -> None:
                if (test := self.tests[context]) is not None:
                    self.reached[test].update(map(decode, marks.split()))

            await context.expose_binding("modelcontextReached", note)
        self.reached.setdefault(path, set())
        self.tests[context] = path
        for page in context.pages:
            await page.evaluate("() => globalThis.modelcontextForget?.()")
        return await super().open_page(context, url, fault, leaves=leaves)

    async def clears(self, context: Any) -> bool:
        """Close the pages of a test, which does not count as its reach: a context that is closed reports nothing."""
        self.tests[context] = None
        return await super().clears(context)


def record_suite(
    root: Path, revision: str, paths: Sequence[str] = (), finished: Callable[[Result], None] = lambda result: None
) -> list[Reach]:
    """Run the suite of a revision in the product ``page``, and return the reach of each test.

    Args:
        root: the checkout.
        revision: the revision.
        paths: the tests to run, or none for all.
        finished: called with each result.

    Raises:
        UnavailableError: if Pyodide, Chromium or testharness.js is missing.
    """
    target = RecordingTarget("page", ChromiumEngine(), revision, "", root=root)
    tree = checkout_tree(root, revision)
    tests = find_tests(tree.root, paths or (SUITES[revision],))
    run = run_suite(tests, tree, target, finished=finished)
    if run.unavailable is not None:
        raise run.unavailable
    return [Reach("wpt", name, frozenset(keys)) for name, keys in sorted(target.reached.items())]


def _with_probes(archive: bytes, package: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(archive)) as parts:
        contents: Mapping[str, bytes] = {name: parts.read(name) for name in parts.namelist()}
    texts = {f"{name.replace('.', '/')}.py": text.encode() for name, text in texts_with_probes(package).items()}
    return bundle.zipped({**contents, **texts, "modelcontext/marks.py": MARKS.encode()})
