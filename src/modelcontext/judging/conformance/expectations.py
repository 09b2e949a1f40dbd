r"""Known disagreements of a product with the specification, in ``wpt_tests/expectations/PRODUCT.toml``.

Each entry is one cause, with its reason, and with the forbidden observation in one program or in each of several:

.. code-block:: toml

    [[program]]
    name = "results/undefined"          # path of the program without its ending
    reason = "product"                  # who is wrong: "product", "spec" or "test"
    step = "imperative-execute-steps 7" # the step of the specification that the product does not follow
    observed = "call: fulfilled with \"undefined\""  # where its outcome leaves the allowed ones
    note = "what a reader should know"
    link = "https://..."                # the report; may be left out, because the program reproduces the cause

    [[program]]
    reason = "product"
    step = "imperative-execute-steps 12.a.3"
    note = "what a reader should know"
    [program.observed]
    "results/bigint" = "executeTool: fulfilled with \"1\""
    "results/nan" = "executeTool: fulfilled with \"NaN\""

If the cause has a name among the product's deviations, the entry has ``quirk = "results-as-strings"`` and leaves out the keys
that the quirk has: the reason, the step and the note (for tests also the reproducer).

What an earlier build of a browser shows is kept by machine. Such an entry has ``builds``, the range of builds that show the
same, instead of a note; its step may be absent.

New, changed and vanished disagreements are all surprises.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from modelcontext.ground.files import ReadError, read_toml
from modelcontext.ground.problems import UserError
from modelcontext.ground.tables import did_you_mean
from modelcontext.judging.profiles import DEVIATIONS, NamedDeviation, load_deviations
from modelcontext.spec.specification import load_algorithms

REASONS: Final = ("product", "spec", "test")
#: The keys that every entry of every file of expectations can have.
CAUSE: Final = ("quirk", "reason", "step", "note", "link", "builds")
#: The folder, in one of expectations, of the files that are kept by machine.
KEPT: Final = "builds"


class ExpectationError(UserError, ValueError):
    """A file of expectations is not valid; the message says where and why."""


@dataclass(frozen=True)
class KnownCause:
    """The cause of a deviation; keys that the entry lacks are those of the quirk. ``step`` is empty if nobody knows it."""

    reason: str
    step: str
    note: str
    link: str | None = None
    quirk: NamedDeviation | None = None

    @property
    def words(self) -> str:
        """The reason, the step if it is known, and the note."""
        return f"({self.reason}; {self.step}): {self.note}" if self.step else f"({self.reason}): {self.note}"


@dataclass(frozen=True)
class Vocabulary:
    """The steps that entries can name, as ``algorithm number``, and the quirks of the product, by name."""

    steps: Container[str]
    quirks: Mapping[str, NamedDeviation] = field(default_factory=dict)


def file_about(folder: Path, product: str, kind: str = "") -> Path:
    """Return the file of a folder of expectations about a product, and about this ``kind`` of tests, such as ``wpt-``."""
    name = f"{kind}{product.replace(':', '-')}.toml"
    kept = folder / KEPT / name
    return kept if kept.exists() else folder / name


def vocabulary(product: str, *revisions: str) -> Vocabulary:
    """Return the vocabulary of entries about a product, for programs or tests of these revisions."""
    steps = {
        f"{algorithm.id} {step.number}"
        for revision in revisions
        for algorithm in load_algorithms(revision)
        for step in algorithm.steps
    }
    named = [load_deviations(name) for name, of in DEVIATIONS.items() if of == product]
    return Vocabulary(steps, {quirk.name: quirk for deviations in named for quirk in deviations.quirks})


@dataclass(frozen=True)
class ExpectationEntry:
    """One table of a file of expectations, with its ``place`` for the :class:`ExpectationError` that methods raise."""

    place: str
    table: Mapping[str, Any]

    def error(self, problem: str) -> ExpectationError:
        """Return the error for a problem of this entry."""
        return ExpectationError(f"{self.place}: {problem}")

    def text(self, key: str, table: Mapping[str, Any] | None = None) -> str:
        """Return the value of a key, of the entry or of a table in it, which must be a string that is not blank."""
        value = (self.table if table is None else table).get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(f'the key "{key}" is missing, blank or not a string')
        return value

    def by_name(self, key: str, words: str) -> Mapping[str, Any]:
        """Return the value of a key for the entry's ``name``, or the ``words`` that the table of the key has by name."""
        value = self.table.get(key)
        if "name" in self.table:
            return {self.text("name"): value}
        if not isinstance(value, dict) or not value:
            raise self.error(f'an entry needs a "name", or a table "{key}" {words}')
        return value

    def choice(self, key: str, value: str, known: Collection[str]) -> str:
        """Return the value of a key if it is known."""
        if value not in known:
            raise self.error(f'the {key} "{value}" is none of {", ".join(known)}')
        return value

    def known_step(self, step: str, vocabulary: Vocabulary) -> str:
        """Return a step if the specification has it."""
        if step not in vocabulary.steps:
            raise self.error(
                f'the specification has no step "{step}": write the id of an algorithm, a space, and a number'
            )
        return step

    def cause(self, vocabulary: Vocabulary) -> KnownCause:
        """Return the cause, with the reason, step and note of the quirk where the entry has none."""
        if "builds" in self.table:
            reason = self.choice("reason", self.text("reason"), REASONS)
            step = self.known_step(self.text("step"), vocabulary) if "step" in self.table else ""
            return KnownCause(reason, step, f"shown by {self.text('builds')}")
        quirk = None
        if "quirk" in self.table:
            name = self.text("quirk")
            quirk = vocabulary.quirks.get(name)
            if quirk is None:
                raise self.error(f'the product has no quirk "{name}"{did_you_mean(name, vocabulary.quirks)}')
        own = {"step": quirk.step, "note": quirk.reason} if quirk is not None else {}
        if quirk is not None and quirk.wrong in REASONS:
            own["reason"] = quirk.wrong
        for key, value in own.items():
            if self.table.get(key) == value:
                raise self.error(f'the {key} repeats the quirk "{name}": leave it out')
        reason, step, note = (self.text(key, {**own, **self.table}) for key in ("reason", "step", "note"))
        self.known_step(step, vocabulary)
        link = self.text("link") if "link" in self.table else None
        if link is not None and not link.startswith("https://"):
            raise self.error(f'the link "{link}" does not start with https://')
        return KnownCause(self.choice("reason", reason, REASONS), step, note, link, quirk)


def read_entries(path: Path, kind: str, keys: tuple[str, ...]) -> Iterator[ExpectationEntry]:
    """Read every table of that kind in a file, which may be missing. Raises :class:`ExpectationError`.

    An entry can have these ``keys`` besides those of its cause.
    """
    if not path.exists():
        return
    try:
        data = read_toml(path)
    except ReadError as error:
        raise ExpectationError(str(error)) from None
    tables = data.get(kind, [])
    if set(data) - {kind} or not isinstance(tables, list):
        raise ExpectationError(f"{path}: a file of expectations must contain only [[{kind}]] tables")
    for number, table in enumerate(tables, 1):
        if not isinstance(table, dict):
            raise ExpectationError(f"{path}: {kind} {number}: this is not a table")
        name = f' ("{table["name"]}")' if isinstance(table.get("name"), str) else ""
        entry = ExpectationEntry(f"{path}: {kind} {number}{name}", table)
        for key in table:
            if key not in (*keys, *CAUSE):
                raise entry.error(f'unknown key "{key}"{did_you_mean(key, (*keys, *CAUSE))}')
        yield entry


@dataclass(frozen=True, kw_only=True)
class Expectation(KnownCause):
    """One known disagreement: its cause, the program, and what is ``observed``."""

    name: str
    observed: str


def load_expectations(path: Path, vocabulary: Vocabulary) -> Mapping[str, Expectation]:
    """Return the expectations of a file, which may be missing, by program. Raises :class:`ExpectationError`."""
    expectations: dict[str, Expectation] = {}
    for entry in read_entries(path, "program", ("name", "observed")):
        outcomes = entry.by_name("observed", "of what each program shows")
        cause = entry.cause(vocabulary)
        for name in outcomes:
            if name in expectations:
                raise ExpectationError(f'{path}: "{name}" is listed twice; remove one entry')
            observed = entry.text("observed") if "name" in entry.table else entry.text(name, outcomes)
            expectations[name] = Expectation(**vars(cause), name=name, observed=observed)
    return expectations
