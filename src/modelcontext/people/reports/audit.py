"""The result of an audit of tests: on a terminal, as data, and as one web page that needs neither network nor scripts."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING, Any

from modelcontext.judging.wpt.audit.judging import WRONG, Judgment, Ruling
from modelcontext.people.reports.templates import render
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.specification import load_algorithms
from modelcontext.spec.specification.text.published import published_step

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from modelcontext.judging.wpt.audit.evidence import Gathered

#: Of more judgments of one kind that accuse nobody, the rest is counted on a terminal.
MOST_LISTED = 20


@dataclass(frozen=True)
class AuditReport:
    """The judgments on all subtests of a run; ``wpt`` is the checkout of the tests if it is not ours."""

    gathered: Gathered
    judgments: Sequence[Judgment]
    wpt: Path | None

    def of(self, verdict: Ruling) -> list[Judgment]:
        """Return the judgments with a verdict."""
        return [one for one in self.judgments if one.verdict is verdict]

    @property
    def wrong(self) -> list[Judgment]:
        """The judgments on tests that are wrong, the gravest first."""
        return [one for verdict in WRONG for one in self.of(verdict)]

    @property
    def counts(self) -> Mapping[Ruling, int]:
        """The number of subtests of each verdict; files that have no fault of their own do not count."""
        counts = Counter(one.verdict for one in self.judgments if one.evidence.subtest is not None or one.is_wrong)
        return {verdict: counts[verdict] for verdict in Ruling}

    @property
    def sampled(self) -> str:
        """A sentence about the schedules: they are a sample."""
        count = len(self.gathered.schedules)
        return (
            f"Each subtest ran under {count} schedule{'s' if count != 1 else ''}. The audit misses a test that fails only"
            " under other schedules: --schedules N samples more schedules."
        )

    def commands(self, judgment: Judgment) -> list[tuple[str, str]]:
        """Return how to see it: for a result that is worth it, its words and a command."""
        evidence = judgment.evidence
        found = []
        for words, under in (("fails", evidence.failing), ("passes", evidence.passing)):
            schedule = next(iter(under), None)
            if schedule is not None:
                found.append((words, self._command(evidence.test, schedule.seed)))
        return found if judgment.verdict is not Ruling.AGREES else []

    def _command(self, test: str, seed: int | None) -> str:
        words = ["modelcontext", "test", "--product", "simulated"]
        words += ["--wpt", str(self.wpt)] if self.wpt is not None else []
        words += ["--seed", str(seed)] if seed is not None else []
        return shlex.join([*words, test.lstrip("/").partition("?")[0]])

    @cached_property
    def _steps(self) -> Mapping[str, str]:
        return {f"{one.id} {step.number}": step.text for one in load_algorithms() for step in one.steps}

    def step(self, judgment: Judgment) -> str | None:
        """Return the step that was followed last before the failure, with its words."""
        name = judgment.evidence.step
        if name is None or not (judgment.is_wrong or judgment.verdict is Ruling.UNDECIDED):
            return None
        return f"{name}: {self._steps[name]}" if name in self._steps else name

    def issues(self, judgment: Judgment) -> list[str]:
        """Return the known Issues that may explain a failure, each in words."""
        return [
            f"{one.number}, {one.title}: "
            + (
                f'it passes with the reading "{one.reading}"'
                if one.reading
                else "it is about the step followed last, or about the previous step"
            )
            for one in (judgment.evidence.issues if judgment.is_wrong else ())
        ]

    def own_sections(self, judgment: Judgment) -> str | None:
        """Return a sentence about the sections followed that only our text has, if a test is called wrong by them."""
        steps = judgment.evidence.steps if judgment.is_wrong else None
        followed = {step.partition(" ")[0] for step in steps or ()}
        titles = [f'"{title}"' for title, ids in self._own_sections.items() if not followed.isdisjoint(ids)]
        if not titles:
            return None
        return f"the published text has no steps for {', '.join(titles)}; only the text of this project has them"

    @cached_property
    def _own_sections(self) -> Mapping[str, set[str]]:
        """The algorithms of the sections without any step of the published text, by the title of the section."""
        sections: dict[str, set[str]] = {}
        published = set()
        for one in load_algorithms():
            title = one.section.title
            sections.setdefault(title, set()).add(one.id)
            if any(published_step(CURRENT.name, f"{one.id} {step.number}") is not None for step in one.steps):
                published.add(title)
        return {title: ids for title, ids in sections.items() if title not in published}

    @property
    def leaving(self) -> list[Judgment]:
        """The judgments on subtests that leave something behind for the next one."""
        return [one for one in self.judgments if one.evidence.leaves]

    def to_data(self) -> dict[str, Any]:
        """Return the report as data for JSON."""
        return {
            "versions": dict(self.gathered.versions),
            "unavailable": {name: str(error.reason) for name, error in self.gathered.unavailable.items()},
            "schedules": [one.seed for one in self.gathered.schedules],
            "counts": {verdict.name.lower(): count for verdict, count in self.counts.items()},
            "wrong": [self._as_data(one) for one in self.wrong],
            "judgments": [self._as_data(one) for one in self.judgments],
        }

    def _as_data(self, judgment: Judgment) -> dict[str, Any]:
        evidence = judgment.evidence
        return {
            "test": evidence.test,
            "subtest": evidence.subtest,
            "verdict": judgment.verdict.name.lower(),
            "words": str(judgment.verdict),
            "reason": judgment.reason,
            "names": list(judgment.names),
            "step": evidence.step,
            "place": judgment.place,
            "leaves": list(evidence.leaves),
            "after": evidence.after,
            "breaks": list(evidence.breaks),
            "issues": [
                {"number": one.number, "title": one.title, "reading": one.reading or None} for one in evidence.issues
            ],
            "ours_alone": self.own_sections(judgment),
            "simulated": {str(schedule): seen.status for schedule, seen in evidence.simulated.items()},
            "products": {name: seen.status for name, seen in evidence.products.items()},
            "commands": dict(self.commands(judgment)),
        }


def print_audit(report: AuditReport, console: Console) -> None:
    """Print which tests are wrong, then what is undecided, where products differ, and the counts."""

    def say(text: str, style: str | None = None) -> None:
        console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)

    say("Which of the tests are wrong?", "bold")
    if not report.wrong:
        say("None.", "green")
    for verdict in (*WRONG, Ruling.UNDECIDED):
        found = report.of(verdict)
        if found:
            say(f"\n{str(verdict).capitalize()}: {len(found)}", "yellow" if verdict is Ruling.UNDECIDED else "red")
        for judgment in found:
            _print_judgment(report, judgment, say)
    differing = [f"{_subject(one)} on {', '.join(one.names)}" for one in report.of(Ruling.DIFFERS)]
    leaving = [f"{_subject(one)} leaves {', '.join(one.evidence.leaves)}" for one in report.leaving]
    for title, lines in (
        ("A product differs from the text", differing),
        ("Leaves something behind for the next subtest", leaving),
    ):
        if lines:
            say(f"\n{title}: {len(lines)}", "bold")
        for line in lines[:MOST_LISTED]:
            say(f"  {line}", "dim")
        if len(lines) > MOST_LISTED:
            say(f"  and {len(lines) - MOST_LISTED} more; --html and --json have each of them", "dim")
    for name, error in report.gathered.unavailable.items():
        say(f"\n{name} is NOTRUN: {error.reason}\n  what to do: {error.remedy}", "yellow")
    counts = [f"{count} {verdict}" for verdict, count in report.counts.items() if count]
    say(f"\n{'; '.join(counts) or 'nothing was seen'}", "red" if report.wrong else "green")
    versions = ", ".join(f"{name} ({version})" for name, version in report.gathered.versions.items())
    say(f"{report.sampled}\n{versions}")


def _print_judgment(report: AuditReport, judgment: Judgment, say: Any) -> None:
    say(f"  {_subject(judgment)}")
    facts = [("why", judgment.reason), ("where", judgment.place), ("step followed last", report.step(judgment))]
    facts += [("the text", report.own_sections(judgment)), *(("known Issue", one) for one in report.issues(judgment))]
    facts += [("leaves behind", ", ".join(judgment.evidence.leaves))]
    facts += [("does not pass after it", ", ".join(judgment.evidence.breaks))]
    facts += list(report.commands(judgment))
    for term, text in facts:
        if text:
            say(f"      {term}: {text}", "dim")


def _subject(judgment: Judgment) -> str:
    evidence = judgment.evidence
    return (
        f'{evidence.test}: "{evidence.subtest}"'
        if evidence.subtest is not None
        else f"{evidence.test}, the file itself"
    )


def as_html(report: AuditReport) -> str:
    """Return the page."""
    files: dict[str, list[Judgment]] = {}
    for judgment in report.judgments:
        files.setdefault(judgment.evidence.test, []).append(judgment)
    return render(
        "audit.html",
        report=report,
        verdicts=list(Ruling),
        files=files,
        version=metadata.version("modelcontext"),
    )
