"""The tests to run first after a file has changed: ``python tools/tests_of.py FILE``, or ``make tests-of FILE=...``.

A recording of ``make record-coverage`` knows the lines that each test executes. Where there is no recording, or it
does not know the file, the tests are those that import the file, before those that import what imports it. A file that
no test imports has the tests that name it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import grimp
from coverage import CoverageData

#: The file that ``make record-coverage`` writes, in a checkout.
RECORDED: Final = Path("build/coverage")
#: The number of files of tests that are named.
NAMED: Final = 3


class NoTestsError(Exception):
    """The absence of an answer; the message says why, and what to do instead."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The files of tests for a changed file, best first, each with the reason; ``source`` says where they are from."""

    tests: list[tuple[Path, str]]
    source: str


def best_tests(root: Path, changed: Path) -> Answer:
    """Return the tests for a changed file of a checkout, best first.

    Args:
        root: the checkout.
        changed: the file, relative to the checkout.

    Raises:
        NoTestsError: if there is no such file, or no test runs it.
    """
    if not (root / changed).is_file():
        raise NoTestsError(
            f"{changed} is not a file of {root}: name one like src/modelcontext/platform/html/forms/dates.py"
        )
    if is_test(changed):
        return Answer([(changed, "is the changed file")], "its name")
    if recorded := _recorded(root, changed):
        return Answer(recorded, f"{RECORDED}, which `make record-coverage` has written")
    if imported := Imports(root).tests_of(changed):
        return Answer(
            imported,
            "imports: the namesake, then those that use most of it (`make record-coverage` chooses better)",
        )
    if named := _named(root, changed):
        return Answer(named, "name, because no test imports the file")
    raise NoTestsError(
        f"no test imports {changed}, and none names it: see the third column of the tables in CONTRIBUTING.md"
    )


def is_test(path: Path) -> bool:
    """Return whether a file has tests for pytest."""
    return path.name.startswith("test_") and path.suffix == ".py"


def _recorded(root: Path, changed: Path) -> list[tuple[Path, str]]:
    """Return the tests that execute a file.

    A test is good if it executes much of the file, and little else. The rank is the harmonic mean of the two shares.
    """
    if not (root / RECORDED).is_file():
        return []
    data = CoverageData(str(root / RECORDED))
    data.read()
    lines: dict[Path, set[int]] = defaultdict(set)
    for line, contexts in data.contexts_by_lineno(str(root / changed)).items():
        for context in contexts:
            if context:  # What no test executes is executed by an import.
                lines[Path(context.partition("::")[0])].add(line)
    if not lines:
        return []
    all_lines = len(set[int]().union(*lines.values()))
    effort = _lines_executed(data)
    ranks = {}
    for test, own in lines.items():
        much, only = len(own) / all_lines, len(own) / effort[test]
        ranks[test] = 2 * much * only / (much + only)
    best = sorted((test for test in lines if (root / test).is_file()), key=lambda test: (-ranks[test], test))
    return [(test, f"executes {len(lines[test]) / all_lines:.0%} of what tests execute of it") for test in best]


def _lines_executed(data: CoverageData) -> dict[Path, int]:
    """Return how many lines each file of tests executes."""
    found: dict[Path, set[tuple[str, int]]] = defaultdict(set)
    for name in data.measured_files():
        for line, contexts in data.contexts_by_lineno(name).items():
            for test in {context.partition("::")[0] for context in contexts if context}:
                found[Path(test)].add((name, line))
    return {test: len(lines) for test, lines in found.items()}


def _named(root: Path, changed: Path) -> list[tuple[Path, str]]:
    """Return the tests that name a file: most with its path, then those with its module, then those with its last part."""
    names = (str(changed), ".".join(changed.with_suffix("").parts), changed.name)
    patterns = [re.compile(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-])") for name in names]
    ranked = []
    for test in _tests(root):
        text = (root / test).read_text(encoding="utf-8")
        counts = [len(pattern.findall(text)) for pattern in patterns]
        if any(counts):
            name = next(name for name, count in zip(names, counts, strict=True) if count)
            ranked.append(([-count for count in counts], test, f"names {name}"))
    return [(test, reason) for _, test, reason in sorted(ranked)]


def _tests(root: Path) -> Iterator[Path]:
    """Yield the files of tests of a checkout, relative to it."""
    for folder in (root / "tests", *root.glob("packages/*/tests")):
        for path in sorted(folder.rglob("test_*.py")):
            yield path.relative_to(root)


class Imports:
    """The imports of the code and the tests of a checkout."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files = {
            ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path.relative_to(root)
            for source in (root / "src", *root.glob("packages/*/src"))
            for path in source.rglob("*.py")
        }

    @cached_property
    def _graph(self) -> grimp.ImportGraph:
        return grimp.build_graph(*sorted({module.partition(".")[0] for module in self._files}))

    def tests_of(self, changed: Path) -> list[tuple[Path, str]]:
        """Return the tests that import a file, or something that imports it, nearest first."""
        distances = self._importers(self._modules_of(changed))
        rooms = set(changed.parent.parts)
        defined = self._defined(changed)
        ranked = []
        for test in _tests(self._root):
            reached = [distances[module] for module in self._imported(test) if module in distances]
            if not reached:
                continue
            nearest = min(reached)
            is_of_room = not rooms.isdisjoint(test.parts)
            is_namesake = test.stem == f"test_{changed.stem}" and is_of_room
            # The namesake is best, then the tests that import the file, then those that use most of what it defines. Then
            # those of its room are better, then the nearest, then those with few other imports.
            used = len(defined & set(re.findall(r"\w+", (self._root / test).read_text(encoding="utf-8"))))
            share = reached.count(nearest) / len(self._imported(test))
            rank = (not is_namesake, nearest > 0, -used, not is_of_room, nearest, -share)
            between = f", {nearest} {'module' if nearest == 1 else 'modules'} in between" if nearest else ""
            ranked.append((rank, test, f"imports it{between}"))
        return [(test, reason) for _, test, reason in sorted(ranked)]

    def _defined(self, changed: Path) -> set[str]:
        """Return the public functions and classes of a file."""
        if changed not in self._files.values():
            return set()
        body = ast.parse((self._root / changed).read_text(encoding="utf-8")).body
        definitions = [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
        return {node.name for node in definitions if not node.name.startswith("_")}

    def _modules_of(self, changed: Path) -> set[str]:
        """Return the module of a file; of a file in another language, the modules of its folder or of the next one above."""
        modules = {module for module, path in self._files.items() if path == changed}
        for folder in () if modules else changed.parents:
            if modules := {module for module, path in self._files.items() if path.parent == folder}:
                break
        return modules

    def _importers(self, modules: set[str]) -> dict[str, int]:
        """Return the modules that import some, directly or not, with the number of steps."""
        distances = dict.fromkeys(modules, 0)
        waiting = list(modules)
        for module in waiting:
            for importer in self._graph.find_modules_that_directly_import(module):
                if importer not in distances:
                    distances[importer] = distances[module] + 1
                    waiting.append(importer)
        return distances

    def _imported(self, test: Path) -> set[str]:
        """Return the modules that a file of tests imports, also in functions."""
        names: set[str] = set()
        for node in ast.walk(ast.parse((self._root / test).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                members = {f"{node.module}.{alias.name}" for alias in node.names}
                # `from package import module` is an import of the module alone.
                names |= members & self._files.keys() or {node.module}
        return names & self._files.keys()


def main() -> None:
    """Print the best tests, and the command that runs them."""
    root = Path(__file__).resolve().parents[1]
    if len(sys.argv) != 2 or not sys.argv[1]:
        sys.exit("Name one file: make tests-of FILE=src/modelcontext/platform/html/forms/dates.py")
    changed = Path(sys.argv[1])
    try:
        answer = best_tests(root, changed.resolve().relative_to(root) if changed.is_absolute() else changed)
    except (NoTestsError, ValueError) as error:
        sys.exit(str(error))
    best = answer.tests[:NAMED]
    files = "1 test file leads" if len(answer.tests) == 1 else f"{len(answer.tests)} test files lead"
    print(f"{files} to {changed}, by {answer.source}.")
    print("Run these first:")
    for test, reason in best:
        print(f"  {test}: {reason}")
    print(".venv/bin/python -m pytest", *(test for test, _ in best))


if __name__ == "__main__":
    main()
