"""Discovery of tests in a folder in the format of web-platform-tests."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from modelcontext.ground.files import read_whole
from modelcontext.ground.problems import UserError
from modelcontext.ground.tables import nearest
from modelcontext.judging.wpt.metadata import broken_metadata, page_metadata, script_metadata
from modelcontext.judging.wpt.wrappers import WRAPPED

# Folders of files that tests use, and that are not tests.
_SUPPORT = {"resources", "support", "tools", "common", "node_modules"}
_PAGES = {".html", ".htm", ".xht", ".xhtml", ".svg"}
# Seconds that testharness.js waits for a test; the second is for those that say that they take long.
HARNESS_TIMEOUT = 10.0
LONG_HARNESS_TIMEOUT = 60.0
_HARNESS = re.compile(
    r"""<(?:\w+:)?script[^>]*\s(?:src|href)\s*=\s*["']?/resources/testharness\.js["'\s>/]""", re.IGNORECASE
)
# The names of tests of the back/forward cache, and of the helpers that they load; and what shows the history of a tab.
_LOOKS_BACK = re.compile(r"bfcache|back-?forward-?cache|\bhistory\.", re.IGNORECASE)
# Agent clusters whose key a test chooses.
_CHOOSES_CLUSTER = re.compile(r"document\.domain\b|originAgentCluster\b")


class DiscoveryError(UserError, ValueError):
    """A path does not name a test; the message says what to name instead."""


@dataclass(frozen=True)
class Test:
    """One page to open. ``path`` is that of its URL, with the variant's query.

    A test that ``looks_back`` is about the back/forward cache, or about the history of its tab. One that ``is_first`` needs a
    browser that has loaded nothing, because the first document of an origin decides on its agent cluster. ``scripts`` run in
    its documents after those of the product and before the document's own. ``patience`` replaces the seconds after which
    testharness.js gives the test up.
    """

    __test__ = False  # for pytest, which takes the name for that of a test

    path: str
    secure: bool
    long: bool
    looks_back: bool = False
    is_first: bool = False
    scripts: tuple[str, ...] = ()
    patience: float | None = None

    @property
    def harness_timeout(self) -> float:
        """The seconds after which testharness.js gives the test up by itself."""
        return LONG_HARNESS_TIMEOUT if self.long else HARNESS_TIMEOUT


def find_tests(root: Path, paths: Iterable[str]) -> list[Test]:
    """Find the tests at the paths, each once, in the order of the tests' paths.

    Args:
        root: the folder at which URLs begin.
        paths: files or folders, relative to the root or to the working directory.

    Raises:
        DiscoveryError: if there is no test at a path.
    """
    found: dict[str, Test] = {}
    for path in paths:
        start = _resolve(root, path)
        files = sorted(file for file in start.rglob("*") if file.is_file()) if start.is_dir() else [start]
        tests = [
            test
            for file in files
            if start.is_file() or not is_support(file.relative_to(root))
            for test in tests_in(root, file)
        ]
        if not tests:
            raise DiscoveryError(
                f"{path}: there is no test; a test is a page that loads /resources/testharness.js, or a script for windows. "
                f"The name of such a script ends in {' or '.join(WRAPPED.values())}. "
                'If it has a line "// META: global=", the line must list window'
            )
        found |= {test.path: test for test in tests}
    return [found[path] for path in sorted(found)]


def take_shard(tests: list[Test], number: int, count: int) -> list[Test]:
    """Return part ``number`` (from 1) of ``count`` disjoint parts. Raises :class:`DiscoveryError` if it is empty."""
    if number > len(tests):
        raise DiscoveryError(f"part {number} of {count} has no test: the suite has only {len(tests)} tests")
    return tests[number - 1 :: count]


def _resolve(root: Path, path: str) -> Path:
    for name in (Path(path), root / path.lstrip("/")):
        candidate = Path(os.path.realpath(name))
        if os.path.exists(candidate) and candidate.is_relative_to(root.resolve()):
            return root / candidate.relative_to(root.resolve())
    names = [file.relative_to(root).as_posix() for file in root.rglob("*") if not is_support(file.relative_to(root))]
    hint = nearest(path.lstrip("/"), names)
    raise DiscoveryError(f"{path}: there is no such file or folder, neither here nor below {root}{hint}")


def is_support(path: Path) -> bool:
    """Return whether a file (its path below the root) is in a folder of files that tests use."""
    return any(part in _SUPPORT or part.startswith(".") for part in path.parts[:-1])


def tests_in(root: Path, file: Path) -> Iterator[Test]:
    """Yield the tests of a file: none, one, or one for each variant. ``root`` is the folder at which URLs begin.

    Raises:
        DiscoveryError: if the metadata of the file cannot be read.
    """
    if file.suffix == ".js":
        endings = [(page, script) for page, script in WRAPPED.items() if file.name.endswith(script)]
        if not endings:
            return
        ((page, script),) = endings
        text = _read(file)
        broken = broken_metadata(text)
        if broken is not None:
            raise DiscoveryError(f'{file}: "{broken}" cannot be read; metadata is "// META: key=value"')
        metadata = list(script_metadata(text))
        if script == ".any.js" and not _includes_window(metadata):
            return
        name = file.name.removesuffix(script) + page
    elif file.suffix in _PAGES:
        text = _read(file)
        if not _HARNESS.search(text):
            return
        metadata = list(page_metadata(text))
        name = file.name
    else:
        return
    path = "/" + (file.relative_to(root).parent / name).as_posix()
    flags = name.split(".")[1:-1]
    for variant in [value for key, value in metadata if key == "variant"] or [""]:
        if variant[:1] not in ("", "?", "#"):
            raise DiscoveryError(f'{file}: the variant "{variant}" does not begin with ? or #')
        yield Test(
            path + variant,
            secure="https" in flags,
            long=("timeout", "long") in metadata,
            looks_back=_LOOKS_BACK.search(path + text) is not None,
            is_first=_CHOOSES_CLUSTER.search(text) is not None,
        )


def _includes_window(metadata: list[tuple[str, str]]) -> bool:
    scopes = [scope.strip() for key, value in metadata if key == "global" for scope in value.split(",")]
    return not scopes or "window" in scopes


def _read(file: Path) -> str:
    return read_whole(file).decode(errors="replace")
