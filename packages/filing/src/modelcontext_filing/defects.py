"""Defects of products: what people say about each finding, one table for each defect.

The file ``PRODUCT.toml`` in the folder of findings has a table for each defect. The finding of the same name in the folder
``PRODUCT`` shows it, and so do findings with a number after the name. A crash has no finding: a program that crashes a
browser that people use is not committed as one. Its reproducer is made from a program of the corpus that tests the same rule.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from modelcontext.ground.tables import TableError, TableReader
from modelcontext.judging.profiles import DEVIATIONS, NamedDeviation, NamedDeviations, load_deviations
from modelcontext.spec.specification.text.algorithms import load_algorithms
from modelcontext_filing.places import SECTIONS
from modelcontext_fuzz.document import FOLDER, committed_findings
from modelcontext_fuzz.findings import Finding, FindingsError

#: What a page can lose, from the most to the least, with the word that trackers have for it.
SEVERITIES: Final = {
    "crash": "critical: the renderer crashes, with every page in it",
    "answer": "major: a page gets a wrong input, or a caller gets a wrong answer",
    "call": "major: a call is lost or refused, or never settles",
    "schema": "normal: a caller sees a tool that differs from the one that the page offers",
    "tool": "normal: a caller does not find a tool that the page offers",
    "event": "normal: an event is not fired",
    "extra": "normal: an event is fired that should not be fired",
    "order": "normal: an event or a callback comes at another time",
    "little": "minor: a page can see a difference, and loses nothing",
}
#: Who has to change.
CHANGES: Final = {
    "product": "the product",
    "text": "the specification",
    "tests": "the specification or web-platform-tests, which contradict each other",
    "policy": "the specification of Permissions Policy",
    "neither": "neither side",
}
_KEYS: Final = (
    "title",
    "expects",
    "loses",
    "quirk",
    "step",
    "changes",
    "why",
    "known",
    "rule",
    "test",
    "quotes",
    "shows",
    "decided",
)
#: The keys that have one value only, or are absent.
_ONLY_VALUES: Final = {"quotes": "either", "shows": "sometimes", "decided": "no"}
_NUMBERED: Final = re.compile(r"(.*?)(?:-\d+)?\Z")


@dataclass(frozen=True, slots=True)
class Defect:
    """One defect of a product.

    Attributes:
        name: the name, after the cause.
        product: the product.
        title: the defect in a sentence.
        expects: what the text has instead, in a sentence: the title of a test that fails in the product.
        loses: the severity, one of :data:`SEVERITIES`.
        step: the place in the text of the product's revision, as ``algorithm number``, or the id of a section of the
            published text.
        changes: who has to change, one of :data:`CHANGES`.
        why: the reason, also what published tests demand.
        known: a report that somebody else has filed; empty if none is known.
        quirk: the deviation of the product's profile; None if the profile has none.
        findings: the findings that show it, the first of them with the page of the report.
        rule: the program of the corpus that tests the rule, if no finding shows the defect, as for a crash.
        test: the test that shows a defect that no program can show.
        quotes: "either" if the test of the report also passes for strings without the quotation marks of JSON, which are
            another defect; otherwise empty.
        shows: "sometimes" if the product shows the defect in some loads of the page only; otherwise empty.
        decided: "no" if the text leaves to the product what the report expects; otherwise empty.
    """

    name: str
    product: str
    title: str
    expects: str
    loses: str
    step: str
    changes: str
    why: str
    known: str
    quirk: NamedDeviation | None
    findings: Sequence[Finding]
    rule: str
    test: str
    quotes: str = ""
    shows: str = ""
    decided: str = ""


def read_defects(root: Path) -> Mapping[str, Sequence[Defect]]:
    """Return the defects of each product, in the order of their files.

    Raises:
        FindingsError: if a file breaks a rule, or a finding or a deviation has no defect.
    """
    findings = committed_findings(root)
    read = {}
    for name, product in DEVIATIONS.items():
        path = root / FOLDER / f"{product}.toml"
        if path.is_file():
            read[product] = _of_product(load_deviations(name), findings.get(product, []), path)
        elif product in findings:
            raise FindingsError(
                f"{FOLDER.as_posix()}/{product} has findings, but the file {path.name} next to this folder is missing"
            )
    if without := sorted(set(findings) - set(read)):
        raise FindingsError(f"{FOLDER.as_posix()}/{without[0]} is about a product that has no deviations with names")
    return read


def _of_product(named: NamedDeviations, findings: Sequence[Finding], path: Path) -> Sequence[Defect]:
    reader = TableReader(f"{FOLDER.as_posix()}/{path.name}")
    quirks = {quirk.name: quirk for quirk in named.quirks}
    steps = {f"{one.id} {step.number}" for one in load_algorithms(named.revision.name) for step in one.steps}
    shown: dict[str, list[Finding]] = {}
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        for finding in findings:
            match = _NUMBERED.match(finding.name)
            base = finding.name if finding.name in tables or match is None else match[1]
            shown.setdefault(base, []).append(finding)
        defects = [
            _defect(reader, name, table, quirks, shown.pop(name, []), named.product) for name, table in tables.items()
        ]
    except (TableError, tomllib.TOMLDecodeError) as error:
        raise FindingsError(f"{path.name}: {error}" if isinstance(error, ValueError) else str(error)) from None
    for name in shown:
        raise FindingsError(f"{path.name} has no table for the finding {name}: add one, or rename the folder")
    for defect in defects:
        if defect.step not in steps and defect.step not in SECTIONS:
            raise FindingsError(f"{path.name}: {defect.name}: the text has no step {defect.step!r}")
    if without := [name for name in quirks if all(one.quirk is not quirks[name] for one in defects)]:
        raise FindingsError(f"{path.name} has no defect of the deviation {without[0]}: add one")
    return defects


def _defect(
    reader: TableReader,
    name: str,
    table: dict[str, Any],
    quirks: Mapping[str, NamedDeviation],
    findings: Sequence[Finding],
    product: str,
) -> Defect:
    for key, value in table.items():
        if key not in _KEYS or not isinstance(value, str):
            reader.fail(name, f"{key} must be a string, and one of {', '.join(_KEYS)}")
    quirk = quirks.get(table.get("quirk", ""))
    if "quirk" in table and quirk is None:
        reader.fail(name, f"this product has no deviation {table['quirk']}")
    if quirk is None and not {"step", "why"} <= set(table):
        reader.fail(name, "a defect without a quirk needs step and why")
    if not {"title", "expects"} <= set(table):
        reader.fail(name, "give title, the defect in a sentence, and expects, what the text has instead")
    if table.get("loses") not in SEVERITIES:
        reader.fail(name, f"loses must be one of {', '.join(SEVERITIES)}")
    changes = table.get("changes", {"spec": "text"}.get(quirk.wrong, quirk.wrong) if quirk is not None else "product")
    if changes not in CHANGES:
        reader.fail(name, f"changes must be one of {', '.join(CHANGES)}")
    if [bool(findings), "rule" in table, "test" in table].count(True) > 1:
        reader.fail(name, "give only one of these: a finding of the same name, a rule, a test")
    for key, only in _ONLY_VALUES.items():
        if table.get(key, only) != only:
            reader.fail(name, f'the only value of the key "{key}" is "{only}"')
    rule = table.get("rule", "" if findings or "test" in table or quirk is None else quirk.reproducer)
    if not (findings or rule or "test" in table):
        reader.fail(name, "nothing shows the defect: give a finding of the same name, a rule, or a test")
    return Defect(
        name=name,
        product=product,
        title=table["title"],
        expects=table["expects"],
        loses=table["loses"],
        step=table.get("step") or (quirk.step if quirk is not None else ""),
        changes=changes,
        why=table.get("why") or (quirk.reason if quirk is not None else ""),
        known=table.get("known", ""),
        quirk=quirk,
        findings=sorted(findings, key=lambda finding: (finding.name != name, finding.name)),
        rule=rule,
        test=table.get("test", ""),
        quotes=table.get("quotes", ""),
        shows=table.get("shows", ""),
        decided=table.get("decided", ""),
    )
