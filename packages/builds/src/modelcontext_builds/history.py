"""A program or a test on every build, in the order of their versions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.run import CONFIRMATIONS
from modelcontext.judging.conformance.verdict import UNSOUND, Standing, Verdict, Verdicts
from modelcontext.programs.program.outcome import describe_value
from modelcontext.running.products.makers import ProductOptions
from modelcontext.running.products.registry import make_product, make_target
from modelcontext_builds.adapting import under_revision
from modelcontext_builds.build import Build, installed
from modelcontext_builds.probing import probe

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.running.products.base import Product

#: The largest number of runs of the model in the search for an outcome: a build has hundreds of programs.
BOUND: Final = 1_000
#: Where a program uses what the text of a build's time does not have.
NOT_IN_ITS_TEXT: Final = "does not exist in the text of the build's time"
ALLOWED: Final = "allowed"
#: A listed schema as JSON text, in words.
_SCHEMA_TEXT: Final = re.compile(r'(?<=inputSchema: )"(?:[^"\\]|\\.)*"')
#: Begins the words where a run, or the model, says nothing about a build.
UNKNOWN: Final = "not known: "


@dataclass(frozen=True)
class ShownByBuild:
    """The outcome of a program or test in a build, in words; for a deviation with the step, as ``algorithm number``."""

    words: str
    step: str = ""

    @property
    def is_known(self) -> bool:
        """True if the program makes sense in the text of the build's time, and has run."""
        return self.words != NOT_IN_ITS_TEXT and not self.words.startswith(UNKNOWN)

    @property
    def is_deviation(self) -> bool:
        """True if the text of the build's time does not allow it."""
        return self.is_known and self.words != ALLOWED


@dataclass(frozen=True)
class Range:
    """Builds that follow each other and show the same."""

    first: Build
    last: Build
    shown: ShownByBuild

    @property
    def words(self) -> str:
        """The range of versions, in words."""
        first, last = self.first.major, self.last.major
        return first if first == last else f"{first} to {last}"


def builds_of(browser: str) -> list[Build]:
    """Return the builds of a browser, oldest first: those in the cache, and the one of this machine.

    Raises:
        UnavailableError: if the latter does not start or does not have the API.
    """
    builds = [build for build in installed() if build.name.startswith(f"{browser}:")]
    return sorted([*builds, probe(make_target(browser))], key=lambda build: build.number)


def on_build(
    build: Build, programs: Mapping[str, Program], progress: Callable[[], None] = lambda: None
) -> dict[str, ShownByBuild]:
    """Run programs on a build, and return what each shows, by name.

    Raises:
        UnavailableError: if the build does not start.
    """
    found = {}
    with make_product(build.name, ProductOptions()) as product, product.text():
        verdicts = Verdicts(BOUND)
        for name, program in programs.items():
            other = under_revision(program, build.revision)
            read = product.reads(other) if other is not None else None
            if other is None:
                found[name] = ShownByBuild(NOT_IN_ITS_TEXT)
            elif read is None:
                found[name] = ShownByBuild(f"{UNKNOWN}it cannot run here")
            else:
                found[name] = _shown(read, product, verdicts)
            progress()
    return found


def _shown(program: Program, product: Product, verdicts: Verdicts) -> ShownByBuild:
    """Return what a program shows; after a deviation that does not show again, what the next run does."""
    observation = product.run(program)
    shown = _in_words(verdicts.verdict_on(program, observation))
    for _ in range(CONFIRMATIONS if shown.is_deviation else 0):
        again = product.run(program)
        if (again.ending, again.outcome) != (observation.ending, observation.outcome):
            return _in_words(verdicts.verdict_on(program, again))
    return shown


def _in_words(verdict: Verdict) -> ShownByBuild:
    if verdict.standing is Standing.PASS:
        return ShownByBuild(ALLOWED)
    if verdict.standing in UNSOUND:
        # What follows may name a port, which differs in every run.
        return ShownByBuild(f"{UNKNOWN}{verdict.observed.partition(':')[0]}")
    return ShownByBuild(verdict.observed, verdict.steps[0] if verdict.steps else "")


def alike(words: str) -> str:
    """Return words in which a listed schema reads the same as JSON text and as an object."""
    return _SCHEMA_TEXT.sub(_as_object, words)


def _as_object(schema: re.Match[str]) -> str:
    try:
        return describe_value(json.loads(json.loads(schema[0])))
    except ValueError:
        return schema[0]


def ranges(seen: Sequence[tuple[Build, ShownByBuild]]) -> Iterator[Range]:
    """Yield what builds show, oldest first; those that follow each other and show the same are one range.

    A schema that one build lists as JSON text, and another as an object, is the same.
    """
    for _, group in groupby(seen, key=lambda one: alike(one[1].words)):
        same = list(group)
        yield Range(same[0][0], same[-1][0], same[-1][1])


def on_every_build(
    builds: Sequence[Build], show: Callable[[Build], ShownByBuild]
) -> tuple[list[tuple[Build, ShownByBuild]], dict[str, UnavailableError]]:
    """Return what each build shows; and, by name, why others do not run. One that does not start stops no other."""
    seen, missing = [], {}
    for build in builds:
        try:
            seen.append((build, show(build)))
        except UnavailableError as error:
            missing[build.name] = error
    return seen, missing
