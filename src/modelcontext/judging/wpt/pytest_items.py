"""Tests in the format of web-platform-tests as tests of pytest.

Each file is collected as one test for each product and variant, and runs in a browser that stays open. Its subtests, which
are known only then, are reported through pytest's own support for subtests. The expectations are those of
``modelcontext test``: a known deviation is an expected failure with its reason, and a pass in spite of it is a failure.

``-k`` selects subtests as if each were a test in its file, by the names of its folders, its file and its product, and by
its title. A file runs if one of its titles can match because its source contains the word; if no title matches in the
end, the file counts as deselected. Titles that are made elsewhere, as by idlharness.js, are not known before the run:
select such a file by its name.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from modelcontext.ground.checkout import MADE_FINDINGS, PROGRAMS, project_root
from modelcontext.ground.files import ReadError, read_json
from modelcontext.ground.problems import PortError, UnavailableError
from modelcontext.judging.conformance.expectations import ExpectationError
from modelcontext.judging.wpt.discovery import DiscoveryError, Test, is_support, tests_in
from modelcontext.judging.wpt.expectations import Expectations, KnownResult, find
from modelcontext.judging.wpt.runner import TestSession, open_session
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.simulated_session import SimulatedSession
from modelcontext.judging.wpt.suite import SUITES, known_results
from modelcontext.judging.wpt.tree import HARNESS, Tree, checkout_tree, foreign_tree
from modelcontext.running.products import SIMULATED, TESTED, Target, make_target

if TYPE_CHECKING:
    from modelcontext.judging.wpt.results import Result

MARKER = "wpt"
#: The file beside the test of a finding.
RECORD: Final = "finding.json"
PAGES_AND_SCRIPTS: Final = (".html", ".htm", ".xhtml", ".xht", ".svg", ".js")


@dataclass(frozen=True)
class Root:
    """A folder at which the URLs of tests begin, with this project's ``checkout`` if it is a part of that.

    Tests of anybody's own (``is_foreign`` is false, and there is no ``checkout``) get this project's testharness.js.
    """

    folder: Path
    checkout: Path | None
    is_foreign: bool = False

    def has(self, target: Target, file: Path) -> bool:
        """Return whether the file is for the product, which tests of another revision, or of findings in another, are not."""
        finding = finding_beside(file)
        if finding is not None:
            return bool(finding["product"] == target.name)
        suite = file.relative_to(self.folder).parts[0]
        return self.checkout is None or suite not in SUITES.values() or suite == SUITES[target.revision]

    def tree(self, target: Target) -> Tree:
        """Return the files that the server serves. Raises :class:`UnavailableError`."""
        if self.is_foreign:
            return foreign_tree(self.folder)
        return replace(checkout_tree(self.checkout or project_root(), target.revision), root=self.folder)

    def expectations(self, target: Target) -> Expectations:
        """Return the expectations about the product. Raises :class:`ExpectationError`."""
        if self.checkout is None or target.inject:
            return {}
        return known_results(self.checkout / f"wpt_tests/expectations/wpt-{target.name}.toml", target)


@cache
def find_root(folder: Path) -> Root | None:
    """Return the root to which a folder belongs: one of this project, or that of a checkout of web-platform-tests."""
    for tests in (PROGRAMS.parent, MADE_FINDINGS):
        depth = len(tests.parts)
        if folder.parts[-depth:] == tests.parts and (folder.parents[depth - 1] / PROGRAMS).is_dir():
            return Root(folder, folder.parents[depth - 1])
    if (folder / HARNESS).is_file():
        return Root(folder, None, is_foreign=True)
    return find_root(folder.parent) if folder.parent != folder else None


def root_of(file: Path, working: Path) -> Root:
    """Return the root of a file; one that belongs to no suite has its URL below the working directory, or its folder."""
    own = working if file.is_relative_to(working) else file.parent
    return find_root(file.parent) or Root(own, None)


@cache
def finding_beside(file: Path) -> Mapping[str, Any] | None:
    """Return the finding of fuzzing that a test shows, or None. Its test fails on the product of the finding by design."""
    record = file.with_name(RECORD)
    if not record.is_file():
        return None
    try:
        data = read_json(record)
    except ReadError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    if not isinstance(data, dict) or not isinstance(data.get("product"), str):
        raise pytest.Collector.CollectError(f"{record} is not a finding, because it does not name a product")
    return data


class Item(pytest.Function):
    """One file, or variant of it, on one product."""

    test: Test
    target: Target
    root: Root
    source: str

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the place of the test."""
        return self.path, None, self.name

    def names(self) -> list[str]:
        """Return the names that ``-k`` matches, as for any test: those of the folders, the file, the test and its marks."""
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
        """Yield an item for each product and test."""
        source = self.path.read_text(encoding="utf-8", errors="replace")
        for target in self.targets:
            for test in self.tests:
                variant = test.path.partition("?")[2]
                name = target.name + (f"?{variant}" if variant else "")
                item: Item = Item.from_parent(self, name=name, callobj=self.plugin.report)
                item.test, item.target, item.root, item.source = test, target, self.root, source
                item.add_marker(MARKER)
                yield item


class Plugin:
    """The plugin proper, registered when a product is given. Raises ``pytest.UsageError``."""

    def __init__(self, config: pytest.Config) -> None:
        if not hasattr(pytest, "Subtests"):
            raise pytest.UsageError(f"--webmcp-product needs pytest 9 or newer, and this is {pytest.__version__}")
        names = dict.fromkeys(config.getoption("webmcp_product"))
        for name in names:
            if name not in TESTED:
                raise pytest.UsageError(
                    f'--webmcp-product: "{name}" is not a product; the products are {", ".join(TESTED)}'
                )
        binary = config.getoption("webmcp_binary")
        if binary is not None and len(names) > 1:
            raise pytest.UsageError("--webmcp-binary is for one product: name one with --webmcp-product")
        config.args = [_find_argument(argument, config.invocation_params.dir) for argument in config.args]
        config.addinivalue_line("markers", f"{MARKER}: a file in the format of web-platform-tests")
        inject = [Path(name).resolve() for name in config.getoption("webmcp_inject")]
        for path in inject:
            if not path.is_file():
                raise pytest.UsageError(f"--webmcp-inject: there is no file {path}")
        self._targets = [make_target(name, binary=binary, inject=inject) for name in names]
        self._working = config.invocation_params.dir
        self._choice = KeywordChoice(config.option.keyword)
        self._runner = asyncio.Runner()
        self._opened = AsyncExitStack()
        self._sessions: dict[str, TestSession] = {}
        self._servers: dict[tuple[Root, str], TestServer] = {}
        self._simulated: dict[Root, SimulatedSession] = {}
        self._results: dict[Item, Result] = {}
        self._known: dict[tuple[Root, str], Expectations] = {}
        self._unavailable: dict[str, UnavailableError] = {}

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> File | None:
        """Collect a file that has tests for one of the products."""
        if file_path.suffix not in PAGES_AND_SCRIPTS:
            return None
        root = root_of(file_path, self._working)
        if is_support(file_path.relative_to(root.folder)):
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
        """Make pytest's own ``-k`` keep the files that may have a matching title."""
        for item in items:
            if isinstance(item, Item):
                item.extra_keyword_matches |= self._choice.title_words(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Deselect a file that turns out to have no subtest that ``-k`` matches."""
        if not isinstance(item, Item) or self._choice.has(item):
            return None
        try:
            result = self._run(item)
        except UnavailableError:
            return None
        is_chosen = any(self._choice.has(item, subtest.name) for subtest in result.subtests)
        if is_chosen or None in self._findings(item, result):
            return None
        item.config.hook.pytest_deselected(items=[item])
        # What the test before has left set up for this one, and the next one does not need.
        item.session._setupstate.teardown_exact(nextitem)  # noqa: SLF001 (pytest has no public way)
        return True

    def report(self, request: pytest.FixtureRequest, subtests: pytest.Subtests) -> None:
        """Report the result of a file and those of its subtests; the function that each item calls."""
        item: Item = request.node
        try:
            result = self._run(item)
        except UnavailableError as error:
            pytest.skip(f"{item.target.name} is NOTRUN: {error.reason}; what to do: {error.remedy}")
        known = self._expectations(item)
        findings = self._findings(item, result)
        if findings and (finding := finding_beside(item.path)) is not None:
            pytest.xfail(
                f"a finding of {item.target.name}: {next(iter(findings.values()))} [{finding.get('place', '')}]"
            )
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
                visit = self._simulate if item.target.is_simulated else self._visit_in_browser
                self._results[item] = visit(item)
            except UnavailableError as error:
                self._unavailable[name] = error
                raise
            except PortError as error:
                pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
        return self._results[item]

    def _visit_in_browser(self, item: Item) -> Result:
        return self._runner.run(self._visit(item))

    def _simulate(self, item: Item) -> Result:
        """Run a test in a simulated browser that stays for later tests."""
        if item.root not in self._simulated:
            session = SimulatedSession(item.root.tree(item.target), item.target)
            self._simulated[item.root] = self._opened.enter_context(session)
        return self._simulated[item.root].run(item.test)

    async def _visit(self, item: Item) -> Result:
        """Run a test with a browser and a server that stay for later tests."""
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
        """Count subtests, which pytest does only with ``--verbose``."""
        if not isinstance(report, pytest.SubtestReport) or MARKER not in report.keywords:
            return None
        if hasattr(report, "wasxfail"):
            return "xfailed", "x", f"SUBXFAIL[{report.context.msg}]"
        return ("passed", ".", f"SUBPASSED[{report.context.msg}]") if report.passed else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """Fail the session if a product is not available, and close all browsers in any case."""
        try:
            if self._unavailable and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
                session.exitstatus = pytest.ExitCode.USAGE_ERROR
            return (yield)
        finally:
            with self._runner as runner:
                runner.run(self._opened.aclose())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the versions of the products, and the reasons of those that are not available."""
        for name, session in self._sessions.items():
            terminalreporter.write_line(f"{name} {session.version}")
        for simulated in list(self._simulated.values())[:1]:
            terminalreporter.write_line(f"{SIMULATED} {simulated.version}")
        for name, error in self._unavailable.items():
            terminalreporter.write_line(f"{name} is NOTRUN: {error.reason}\n  what to do: {error.remedy}", red=True)


def _find_argument(argument: str, folder: Path) -> str:
    """Return the path for an argument: one relative to the folder, else one among the project's files."""
    path = argument.partition("::")[0]
    is_here = (folder / path).exists() or not (project_root() / path).exists()
    return argument if is_here else str(project_root() / argument)


def _judge(finding: str | None, expectation: KnownResult | None) -> None:
    """End a test or a subtest with a failure, an expected failure, or a pass."""
    if finding is not None:
        pytest.fail(finding, pytrace=False)
    if expectation is not None:
        pytest.xfail(f"{expectation.status}, {expectation.reason}: {expectation.note} [{expectation.step}]")


class KeywordChoice:
    """The selection by ``-k``."""

    def __init__(self, keyword: str) -> None:
        # pytest has no public interface for matching expressions.
        from _pytest.mark.expression import Expression

        self._words = dict.fromkeys(re.findall(r"[^\s()]+", keyword.lower()))
        self._expression: Expression | None = None
        if keyword.strip():
            # pytest reports the error itself when it reads the expression.
            with suppress(SyntaxError):
                self._expression = Expression.compile(keyword.lstrip())

    def has(self, item: Item, title: str | None = None) -> bool:
        """Return whether a subtest is selected; without a title, whether the file's names alone select all of them."""
        return self._selects([*item.names(), *([title] if title is not None else [])])

    def title_words(self, item: Item) -> set[str]:
        """Return words of the file's source with which a title would be selected, if there are such words."""
        names, source = item.names(), item.source.lower()
        words = [word for word in self._words if word in source]
        choices = (choice for count in range(len(words) + 1) for choice in itertools.combinations(words, count))
        return next((set(choice) for choice in choices if self._selects([*names, *choice])), set())

    def _selects(self, names: Iterable[str]) -> bool:
        lowered = [name.lower() for name in names]

        def matches(word: str, /, **_: str | int | bool | None) -> bool:
            return any(word.lower() in name for name in lowered)

        return self._expression is None or self._expression.evaluate(matches)
