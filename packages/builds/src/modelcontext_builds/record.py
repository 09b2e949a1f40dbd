"""The record of outcomes of builds, as the expectations have it that are kept by machine.

``wpt_tests/expectations/builds`` and ``wpt_tests/expectations-2026-03/builds`` have a file for each build: for the programs of
its revision, for those of other revisions (``others-``), and for tests (``wpt-``). ``builds.json`` has what each build has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.judging.conformance.corpus import CORPORA, Case, read_corpus
from modelcontext.judging.conformance.expectations import KEPT, file_about, load_expectations, vocabulary
from modelcontext.judging.wpt.suite import known_results
from modelcontext.running.products.makers import ProductOptions
from modelcontext.running.products.registry import make_product, make_target
from modelcontext.spec.revisions.registry import CURRENT, FILES
from modelcontext_builds.build import Build, numbers
from modelcontext_builds.conformance import history_name, revision_of, with_other_revisions
from modelcontext_builds.history import ALLOWED, NOT_IN_ITS_TEXT, UNKNOWN, Range, ShownByBuild, ranges
from modelcontext_builds.products import BuildMaker, target_of
from modelcontext_builds.report_lines import name_of_subtest

if TYPE_CHECKING:
    from modelcontext.judging.profiles import NamedDeviation
    from modelcontext.programs.program.language import Program

#: The file with what builds have, and what they answer to questions.
FACTS: Final = CURRENT.expectations / KEPT / "builds.json"
_ABSENT: Final = ShownByBuild(NOT_IN_ITS_TEXT)


@dataclass(frozen=True)
class Since:
    """The first build that shows what a browser shows now, and the build ``before`` it, if one knows the program."""

    build: Build
    before: Build | None

    @property
    def words(self) -> str:
        """The version, in words."""
        return self.build.major if self.before is not None else f"at least {self.build.major}"


@dataclass(frozen=True)
class BuildRecord:
    """The outcomes of builds.

    Attributes:
        builds: the builds, oldest first; those of Chromium come before other browsers.
        titles: the titles of the programs, by name; those of an earlier revision have its name before their own.
        shown: what each build shows in each program, by the names of the build and the program.
        tests: what each build of Chromium shows in each subtest that does not pass there, by build, file and subtest;
            ``None`` stands for the file itself.
        facts: what each build answers to the questions about statements, by the names of the build and the question.
    """

    builds: Sequence[Build]
    titles: Mapping[str, str]
    shown: Mapping[str, Mapping[str, ShownByBuild]]
    tests: Mapping[str, Mapping[tuple[str, str | None], ShownByBuild]]
    facts: Mapping[str, Mapping[str, bool]]

    @property
    def of_chromium(self) -> list[Build]:
        """The builds of Chromium."""
        return [build for build in self.builds if is_chromium(build.name)]

    def shown_in(self, build: Build, program: str) -> str | None:
        """Return what a build shows in a program: empty if the text allows it, None if nobody knows."""
        one = self.shown[build.name].get(program)
        if one is None or not one.is_known:
            return None
        return one.words if one.is_deviation else ""

    def row(self, program: str) -> list[str | None]:
        """Return what each build shows in a program."""
        return [self.shown_in(build, program) for build in self.builds]

    def since(self, browser: str, program: str) -> Since | None:
        """Return since when a browser shows what its last build shows, if that is a deviation."""
        seen = [
            (build, shown)
            for build in self.builds
            if build.browser == browser and (shown := self.shown_in(build, program)) is not None
        ]
        if not seen or not seen[-1][1]:
            return None
        first = len(seen) - 1
        while first and seen[first - 1][1] == seen[-1][1]:
            first -= 1
        return Since(seen[first][0], seen[first - 1][0] if first else None)


def is_chromium(product: str) -> bool:
    """Return whether a product is a build of Chromium."""
    return product.partition(":")[0] == "chromium"


def read_record(root: Path) -> BuildRecord:
    """Return the record of a checkout."""
    data = json.loads((root / FACTS).read_text(encoding="utf-8"))
    builds = [Build(**{**one, "members": tuple(one["members"])}) for one in data["builds"]]
    corpora = with_other_revisions({root / folder: read_corpus(root / folder) for folder in CORPORA})
    titles = {
        history_name(case.name, case.program.revision): case.program.title
        for folder, cases in corpora.items()
        for case in cases
        if case.name.partition("/")[0] not in FILES
    }
    cases = {revision_of(folder): cases for folder, cases in corpora.items()}
    shown = {
        build.name: {**dict.fromkeys(titles, _ABSENT), **dict(_shown(root, build, cases[build.revision]))}
        for build in builds
    }
    tests = {build.name: dict(_shown_in_tests(root, build)) for build in builds if is_chromium(build.name)}
    return BuildRecord(builds, titles, shown, tests, data["facts"])


def _shown(root: Path, build: Build, cases: Sequence[Case]) -> Iterator[tuple[str, ShownByBuild]]:
    folder, words = root / FILES[build.revision].expectations, vocabulary(build.name, build.revision)
    files = {kind: file_about(folder, build.name, kind) for kind in ("", "others-")}
    expected = {name: one for path in files.values() for name, one in load_expectations(path, words).items()}
    reads = reader_of(build)
    for case in cases:
        name = history_name(case.name, build.revision)
        if reads(case.program) is None:
            yield name, ShownByBuild(f"{UNKNOWN}it cannot run here")
        elif not files["others-" if case.name.partition("/")[0] in FILES else ""].is_file():
            yield name, ShownByBuild(f"{UNKNOWN}it has not run")
        elif (one := expected.get(case.name)) is not None:
            yield name, ShownByBuild(one.observed, one.step)
        else:
            yield name, ShownByBuild(ALLOWED)


def first_builds(record: BuildRecord) -> Mapping[tuple[str, str], str]:
    """Return the first of the builds of Chromium that show a deviation, by product, and by program, file or subtest."""
    found = {}
    for title in record.titles:
        shown = [(build, record.shown[build.name][title]) for build in record.of_chromium]
        for one, build in _within(ranges([each for each in shown if each[1].is_known]), record.of_chromium):
            found[build.name, title] = one.first.name
    for test, subtest in {where for shown in record.tests.values() for where in shown}:
        for one, build in _within(ranges(list(results_of_chromium(record, test, subtest))), record.of_chromium):
            found[build.name, name_of_subtest(test, subtest)] = one.first.name
    return found


def since_by_quirk(root: Path, record: BuildRecord, quirks: Iterable[NamedDeviation]) -> Mapping[str, str]:
    """Return the version of the first build that shows each quirk of Chromium, up to the last build.

    A program shows the outcome itself. A test may fail for another reason in an earlier build, so tests only count for quirks
    that no program shows.
    """
    first, versions = first_builds(record), {build.name: build.version for build in record.builds}
    words, folder = vocabulary("chromium", CURRENT.name), root / CURRENT.expectations
    programs = [(one.name, one.reproducer.removeprefix("programs/")) for one in quirks]
    for name, program in load_expectations(folder / "chromium.toml", words).items():
        programs += [(program.quirk.name, name)] if program.quirk is not None else []
    tests = []
    for (test, subtest), one in known_results(folder / "wpt-chromium.toml", make_target("chromium")).items():
        tests += [(one.quirk.name, name_of_subtest(test, subtest))] if one.quirk is not None else []

    def earliest(shown: Iterable[tuple[str, str]]) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for quirk, name in shown:
            if (build := first.get(("chromium", name))) is not None:
                found[quirk] = min(found.get(quirk, versions[build]), versions[build], key=numbers)
        return found

    return {**earliest(tests), **earliest(programs)}


def _within(found: Iterable[Range], builds: Sequence[Build]) -> Iterator[tuple[Range, Build]]:
    """Yield each range of a deviation with each of its builds."""
    for one in found:
        for build in builds:
            if one.shown.is_deviation and one.first.number <= build.number <= one.last.number:
                yield one, build


def results_of_chromium(record: BuildRecord, test: str, subtest: str | None) -> Iterator[tuple[Build, ShownByBuild]]:
    """Yield what the builds of Chromium that ran a subtest show."""
    of_2026_03 = test.startswith(f"/{FILES['2026-03'].suite.name}/")
    for build in record.of_chromium:
        shown = record.tests[build.name]
        if (build.revision == "2026-03") is not of_2026_03:
            continue
        if (one := shown.get((test, subtest))) is not None:
            if one.is_known:
                yield build, one
        # Where a file has not ended, nobody knows of the subtests that it did not reach.
        elif (test, None) not in shown:
            yield build, ShownByBuild(ALLOWED)


def reader_of(build: Build) -> Callable[[Program], Program | None]:
    """Return the method of a build's product that reads programs; the build need not be installed."""
    if ":" in build.name:
        return BuildMaker(target_of(build.name, build.revision), build).product(ProductOptions()).reads
    return make_product(build.name).reads


def _shown_in_tests(root: Path, build: Build) -> Iterator[tuple[tuple[str, str | None], ShownByBuild]]:
    path = file_about(root / CURRENT.expectations, build.name, "wpt-")
    for where, known in known_results(path, target_of(build.name, build.revision)).items():
        # Of a build with a text of its own, some subtests ask for what that text does not say.
        yield where, _ABSENT if known.reason == "test" and ":" in build.name else ShownByBuild(known.status, known.step)
