"""Tests in the format of web-platform-tests as tests of pytest.

Each file is collected as one test for each product and variant; it is run when its turn comes, in a browser that stays
open. Its subtests, which are not known before, are reported through pytest's own support for subtests. The expectations
are those of ``modelcontext test``: a known deviation is an expected failure with its reason, and to pass in spite of it is
a failure.

``-k`` chooses subtests as if each were a test in its file: by the names of its folders, its file, its product, and by its
title. A file is run if one of its titles can match, which is: if its source contains the word. If no title does in the
end, it counts as deselected. A title that is put together elsewhere (idlharness.js does that) is not looked for before
the run: choose such a file by its name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.checkout import PROGRAMS, project_root
from modelcontext.conformance.expectations import ExpectationError
from modelcontext.problems import PortError, UnavailableError
from modelcontext.products import BROWSERS, Target, make_target
from modelcontext.wpt.discovery import DiscoveryError, Test, is_support, tests_in
from modelcontext.wpt.expectations import Expectations, KnownResult, find
from modelcontext.wpt.runner import TestSession, open_session
from modelcontext.wpt.server.server import TestServer
from modelcontext.wpt.suite import SUITES, known_results
from modelcontext.wpt.tree import HARNESS, Tree, checkout_tree, foreign_tree

if TYPE_CHECKING:
    from modelcontext.wpt.results import Result

MARKER = "wpt"


@dataclass(frozen=True)
class Root:
    """A folder that the URLs of tests begin at; ``checkout`` is this project's own one, if it is in there."""

    folder: Path
    checkout: Path | None

    def has(self, target: Target, file: Path) -> bool:
        """Whether the file is there for the product: what is about another revision is not."""
        suite = file.relative_to(self.folder).parts[0]
        return self.checkout is None or suite not in SUITES.values() or suite == SUITES[target.revision]

    def tree(self, target: Target) -> Tree:
        """What the server serves. Raises :class:`UnavailableError`."""
        return foreign_tree(self.folder) if self.checkout is None else checkout_tree(self.checkout, target.revision)

    def expectations(self, target: Target) -> Expectations:
        """What is known of the product there. Raises :class:`ExpectationError`."""
        if self.checkout is None or target.inject:
            return {}
        return known_results(self.checkout / f"wpt_tests/expectations/wpt-{target.name}.toml", target)


@cache
def find_root(folder: Path) -> Root | None:
    """The root that a folder belongs to: this project's, or that of a checkout of web-platform-tests."""
    if folder.name == PROGRAMS.parts[0] and (folder.parent / PROGRAMS).is_dir():
        return Root(folder, folder.parent)
    if (folder / HARNESS).is_file():
        return Root(folder, None)
    return find_root(folder.parent) if folder.parent != folder else None


class Item(pytest.Function):
    """One file, or variant of it, on one product."""

    test: Test
    target: Target
    root: Root
    source: str

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name

    def names(self) -> list[str]:
        """What ``-k`` matches, as for any other test: the names of the folders, of the file, of the test, its marks."""
        nodes = [node for node in self.listchain() if not isinstance(node, pytest.Session)]
        if nodes and isinstance(nodes[0], pytest.Directory):
            del nodes[0]
        return [*(node.name for node in nodes), *(mark.name for mark in self.iter_markers())]


class File(pytest.File):
    """A file with tests, for some products."""

    tests: list[Test]
    targets: list[Target]
    root: Root
    plugin: Plugin

    def collect(self) -> Iterator[Item]:
        source = self.path.read_text(encoding="utf-8", errors="replace")
        for target in self.targets:
            for test in self.tests:
                variant = test.path.partition("?")[2]
                name = target.name + (f"?{variant}" if variant else "")
                item: Item = Item.from_parent(self, name=name, callobj=_body(self.plugin))
                item.test, item.target, item.root, item.source = test, target, self.root, source
                item.add_marker(MARKER)
                yield item


def _body(plugin: Plugin) -> Callable[..., None]:
    def run(request: pytest.FixtureRequest, subtests: pytest.Subtests) -> None:
        plugin.report(request.node, subtests)

    return run


class Plugin:
    """What there is of it if there is a product. Raises ``pytest.UsageError``."""

    def __init__(self, config: pytest.Config) -> None:
        if not hasattr(pytest, "Subtests"):
            raise pytest.UsageError(f"--webmcp-product needs pytest 9 or newer, and this is {pytest.__version__}")
        names = dict.fromkeys(config.getoption("modelcontext_products"))
        for name in names:
            if name not in BROWSERS:
                raise pytest.UsageError(f'--webmcp-product: "{name}" is none of {", ".join(BROWSERS)}')
        binary = config.getoption("modelcontext_binary")
        if binary is not None and len(names) > 1:
            raise pytest.UsageError("--webmcp-binary is about one product: name one with --webmcp-product")
        config.args = [_find_argument(argument, config.invocation_params.dir) for argument in config.args]
        config.addinivalue_line("markers", f"{MARKER}: a file in the format of web-platform-tests")
        inject = [Path(name).resolve() for name in config.getoption("modelcontext_inject")]
        for path in inject:
            if not path.is_file():
                raise pytest.UsageError(f"--webmcp-inject: there is no file {path}")
        self._targets = [make_target(name, binary=binary, inject=inject) for name in names]
        self._choice = KeywordChoice(config.option.keyword)
        self._runner = asyncio.Runner()
        self._opened = AsyncExitStack()
        self._sessions: dict[str, TestSession] = {}
        self._servers: dict[tuple[Root, str], TestServer] = {}
        self._results: dict[Item, Result] = {}
        self._known: dict[tuple[Root, str], Expectations] = {}
        self._unavailable: dict[str, UnavailableError] = {}

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> File | None:
        root = find_root(file_path.parent)
        if root is None or is_support(file_path.relative_to(root.folder)):
            return None
        targets = [target for target in self._targets if root.has(target, file_path)]
        try:
            tests = list(tests_in(root.folder, file_path)) if targets else []
        except DiscoveryError as error:
            raise pytest.Collector.CollectError(str(error)) from None
        if not tests:
            return None
        file: File = File.from_parent(parent, path=file_path)
        file.tests, file.targets, file.root, file.plugin = tests, targets, root, self
        return file

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Let pytest's own ``-k`` keep the files that may have a title which it matches."""
        for item in items:
            if isinstance(item, Item):
                item.extra_keyword_matches |= self._choice.words_of_a_title(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Deselect a file that turns out to have no subtest which ``-k`` matches."""
        if not isinstance(item, Item) or self._choice.has(item):
            return None
        try:
            result = self._run(item)
        except UnavailableError:
            return None
        if any(self._choice.has(item, subtest.name) for subtest in result.subtests) or self._findings(item, result).get(
            None
        ):
            return None
        item.config.hook.pytest_deselected(items=[item])
        return True

    def report(self, item: Item, subtests: pytest.Subtests) -> None:
        """Report the result of a file and those of its subtests."""
        try:
            result = self._run(item)
        except UnavailableError as error:
            pytest.skip(f"{item.target.name} is NOTRUN: {error.reason}; what to do: {error.remedy}")
        known = self._expectations(item)
        findings = self._findings(item, result)
        names = dict.fromkeys(subtest.name for subtest in result.subtests)
        for name in names:
            if self._choice.has(item, name):
                with subtests.test(name):
                    _judge(findings.get(name), known.get((item.test.path, name)))
        missing = [
            f'"{name}": {text}'
            for name, text in findings.items()
            if name is not None and name not in names and self._choice.has(item, name)
        ]
        if missing:
            pytest.fail("\n".join(missing), pytrace=False)
        _judge(findings.get(None), known.get((item.test.path, None)))

    def _run(self, item: Item) -> Result:
        name = item.target.name
        if name in self._unavailable:
            raise self._unavailable[name]
        if item not in self._results:
            try:
                self._results[item] = self._runner.run(self._visit(item))
            except UnavailableError as error:
                self._unavailable[name] = error
                raise
            except PortError as error:
                pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
        return self._results[item]

    async def _visit(self, item: Item) -> Result:
        """Run a test in a browser, and on a server, which both stay for those that come after it."""
        target = item.target
        key = item.root, target.name
        if key not in self._servers:
            tree = item.root.tree(target).with_folders(target.folders())
            self._servers[key] = self._opened.enter_context(TestServer(tree))
        if target.name not in self._sessions:
            self._sessions[target.name] = await self._opened.enter_async_context(open_session(target))
        return await self._sessions[target.name].run(item.test, self._servers[key])

    def _expectations(self, item: Item) -> Expectations:
        key = item.root, item.target.name
        if key not in self._known:
            try:
                self._known[key] = item.root.expectations(item.target)
            except ExpectationError as error:
                pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
        return self._known[key]

    def _findings(self, item: Item, result: Result) -> Mapping[str | None, str]:
        return {finding.subtest: finding.text for finding in find([result], self._expectations(item))}

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Let subtests count, which pytest leaves out unless it is asked to be verbose."""
        if not isinstance(report, pytest.SubtestReport) or MARKER not in report.keywords:
            return None
        if hasattr(report, "wasxfail"):
            return "xfailed", "x", f"SUBXFAIL[{report.context.msg}]"
        return ("passed", ".", f"SUBPASSED[{report.context.msg}]") if report.passed else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """A product that is not there is no pass. And no browser is left behind, whatever has happened."""
        try:
            if self._unavailable and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
                session.exitstatus = pytest.ExitCode.USAGE_ERROR
            return (yield)
        finally:
            with self._runner as runner:
                runner.run(self._opened.aclose())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for name, session in self._sessions.items():
            terminalreporter.write_line(f"{name} {session.version}")
        for name, error in self._unavailable.items():
            terminalreporter.write_line(f"{name} is NOTRUN: {error.reason}\n  what to do: {error.remedy}", red=True)


def _find_argument(argument: str, folder: Path) -> str:
    """Return what an argument stands for: a path as seen from the folder, else one among the project's files."""
    path = argument.partition("::")[0]
    is_here = (folder / path).exists() or not (project_root() / path).exists()
    return argument if is_here else str(project_root() / argument)


def _judge(finding: str | None, expectation: KnownResult | None) -> None:
    """End a test, or a subtest, as its result is to be seen."""
    if finding is not None:
        pytest.fail(finding, pytrace=False)
    if expectation is not None:
        pytest.xfail(f"{expectation.status}, {expectation.reason}: {expectation.note} [{expectation.step}]")


class KeywordChoice:
    """What ``-k`` chooses. Raises ``pytest.UsageError`` if that cannot be read."""

    def __init__(self, keyword: str) -> None:
        # There is no public way to ask pytest what an expression matches.
        from _pytest.mark.expression import Expression

        self._expression: Expression | None = None
        if keyword.strip():
            try:
                self._expression = Expression.compile(keyword.lstrip())
            except SyntaxError:
                # pytest says so itself, as soon as it gets to it.
                return

    def has(self, item: Item, title: str | None = None) -> bool:
        """Whether a subtest is chosen; without a title: whether each of the file's subtests is, as far as names go."""
        if self._expression is None:
            return True
        names = [*item.names(), *([title] if title is not None else [])]
        return self._expression.evaluate(_Matcher(names))

    def words_of_a_title(self, item: Item) -> set[str]:
        """Words that stand in the file's source, with which a title would be chosen; none if there are no such."""
        return self._assume(item, {}) or set() if self._expression is not None else set()

    def _assume(self, item: Item, assumed: dict[str, bool]) -> set[str] | None:
        assert self._expression is not None
        try:
            chosen = self._expression.evaluate(_Matcher(item.names(), item.source.lower(), assumed))
        except _UndecidedError as undecided:
            for value in (False, True):
                words = self._assume(item, assumed | {undecided.word: value})
                if words is not None:
                    return words
            return None
        return {word for word, value in assumed.items() if value} if chosen else None


class _UndecidedError(Exception):
    """A word may or may not stand in a title."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


class _Matcher:
    """Whether a word stands in one of the names, as pytest asks it.

    With a source, a word that stands there may also stand in a title: then it is one of the assumed ones, or undecided.
    """

    def __init__(self, names: list[str], source: str = "", assumed: Mapping[str, bool] | None = None) -> None:
        self._names = [name.lower() for name in names]
        self._source = source
        self._assumed = assumed or {}

    def __call__(self, subname: str, /, **kwargs: str | int | bool | None) -> bool:
        word = subname.lower()
        if any(word in name for name in self._names):
            return True
        if word not in self._source:
            return False
        if word not in self._assumed:
            raise _UndecidedError(word)
        return self._assumed[word]
