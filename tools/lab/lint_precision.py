"""``python -m tools.lab precision``: how much of what the lint says of foreign texts is right.

``lint_precision.txt`` has a line for each finding that was read: the text, the line, the rule, and the label: "true",
"arguable" or "false", with the reason. It has places only; the texts belong to others, and the user has them.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import click

from modelcontext.people.cli.exit_codes import exit_on_problems
from speclint import TextError, lint
from speclint.command import FOUND, UNREADABLE
from speclint.rules import RULES_UNPROVEN

LABELS = Path(__file__).with_name("lint_precision.txt")
#: Of the findings in a text at least this share must be true or arguable.
LEAST = 0.85


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of the findings in one text, by line and rule, and the digest of the text that was read."""

    digest: str
    by_place: dict[tuple[int, str], str]


def read_labels(content: str) -> dict[str, Labels]:
    """Return the labels of each text by its name."""
    found: dict[str, Labels] = {}
    for line in content.splitlines():
        if line.startswith("text "):
            _, name, digest = line.split()
            found[name] = current = Labels(digest, {})
        elif line and not line.startswith("#"):
            number, rule, label = line.split()[:3]
            current.by_place[int(number), rule] = label
    return found


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def precision(folder: Path) -> None:
    """Compare what the lint says of the texts in a folder with the labels of a reader, by text and by rule.

    The numbers of a text leave out the rules that are applied only if they are named.

    Exit code 0: all findings have labels, and at least 85 % are true or arguable in each text; 1: not so; 3: a text cannot be
    read.
    """
    by_text: dict[str, Counter[str]] = {}
    by_rule: dict[str, Counter[str]] = {}
    problems: list[str] = []
    with exit_on_problems(codes={TextError: UNREADABLE}):
        for name, labels in read_labels(LABELS.read_text(encoding="utf-8")).items():
            path = folder / name
            findings = lint(path, RULES_UNPROVEN).findings
            if hashlib.sha256(path.read_bytes()).hexdigest()[:16] != labels.digest:
                problems.append(f"{name}: this is another version than the one that was read")
            counts = by_text.setdefault(name, Counter())
            for finding in findings:
                label = labels.by_place.get((finding.line, finding.rule), "none")
                if finding.rule not in RULES_UNPROVEN:
                    counts[label] += 1
                by_rule.setdefault(finding.rule, Counter())[label] += 1
                if label == "none":
                    problems.append(f"{name}:{finding.line}: {finding.rule}: this finding has no label")
            if counts.total() and _share(counts) < LEAST:
                problems.append(f"{name}: only {_share(counts):.0%} are true or arguable")
    for title, rows in (("text", by_text), ("rule", dict(sorted(by_rule.items())))):
        click.echo(f"| {title} | findings | true | arguable | false | true or arguable |")
        click.echo("|---|---:|---:|---:|---:|---:|")
        for name, counts in rows.items():
            share = f"{_share(counts):.0%}" if counts.total() else ""
            numbers = f"{counts.total()} | {counts['true']} | {counts['arguable']} | {counts['false']}"
            click.echo(f"| {name} | {numbers} | {share} |")
        click.echo()
    for problem in problems:
        click.echo(problem, err=True)
    sys.exit(FOUND if problems else 0)


def _share(counts: Counter[str]) -> float:
    return (counts["true"] + counts["arguable"]) / counts.total()
