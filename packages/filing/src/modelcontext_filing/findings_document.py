"""FINDINGS.md: every defect of a product with its findings, and the defects of the specification itself."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from modelcontext.judging.issues.text import read_issues
from modelcontext.judging.profiles import DEVIATIONS, NamedDeviations, Profile, load_deviations
from modelcontext.spec.revisions.registry import FILES, RevisionFiles
from modelcontext.spec.specification.text.published import published_step
from modelcontext_filing.defects import CHANGES, SEVERITIES, Defect, read_defects
from modelcontext_filing.since import BROWSER, shown_by_builds, since
from modelcontext_fuzz.causes import CONTRADICTION, diagnose
from modelcontext_fuzz.document import FOLDER, explanation, observation_of_finding
from modelcontext_fuzz.findings import Finding, FindingsError, keep_finding, kept_files

DOCUMENT: Final = Path("FINDINGS.md")

_HEAD: Final = Path(__file__).with_name("findings-head.md").read_text(encoding="utf-8")
_SPECIFICATION: Final = """The texts have defects of their own. The model keeps them, because a reference has to
follow its text. Each defect has an Issue in the text, and `SPEC-BUG` at the step.
"""


def findings_document(root: Path) -> str:
    """Return the text of FINDINGS.md.

    Raises:
        FindingsError: if a finding is allowed, has no defect, or is not what the profile of its product predicts.
    """
    parts = [_HEAD]
    defects = read_defects(root)
    for name, product in DEVIATIONS.items():
        if product in defects:
            parts += _product(root, load_deviations(name), defects[product])
    parts += ["## The specification\n", _SPECIFICATION]
    parts += _contradictions(defects)
    compared = {load_deviations(name).revision.name for name in DEVIATIONS}
    for revision in FILES.values():
        if revision.name in compared:
            parts += _issues(root, revision)
            parts += _unreachable(root, revision)
    return "\n".join(parts)


def stale_files(root: Path, document: str) -> Iterator[Path]:
    """Yield the files of committed findings that are out of date, and FINDINGS.md if it is not the ``document``."""
    expected = {
        root / FOLDER / finding.product / finding.name / name: text
        for finding in _findings(root)
        for name, text in kept_files(finding).items()
    }
    expected[root / DOCUMENT] = document
    for path, text in expected.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path


def rewrite(root: Path) -> None:
    """Write the files of committed findings again."""
    for finding in _findings(root):
        keep_finding(finding, root / FOLDER / finding.product / finding.name)


def keep_version(root: Path, defect: Defect, version: str) -> None:
    """Note in the findings of a defect that a version of their product shows it."""
    for finding in defect.findings:
        keep_finding(replace(finding, version=version), root / FOLDER / finding.product / finding.name)


def keep_builds(root: Path) -> None:
    """Note in the findings of the browser with several builds what each build shows."""
    findings = [one for one in _findings(root) if one.product == BROWSER]
    for name, shown in shown_by_builds(findings).items():
        [finding] = [one for one in findings if one.name == name]
        keep_finding(replace(finding, builds=shown), root / FOLDER / finding.product / name)


def _findings(root: Path) -> Iterator[Finding]:
    for defects in read_defects(root).values():
        for defect in defects:
            yield from defect.findings


def versions_of(defects: Sequence[Defect]) -> str:
    """Return the versions of a product with which its findings were seen."""
    return ", ".join(sorted({finding.version for defect in defects for finding in defect.findings}))


def _product(root: Path, named: NamedDeviations, defects: Sequence[Defect]) -> Iterator[str]:
    yield f"## {named.product.capitalize()} {versions_of(defects)}\n"
    what = "The profile is" if isinstance(named, Profile) else "The names of the deviations are those of"
    yield f"{len(defects)} defects, the severest first. {what} `{named.name}`.\n"
    for defect in sorted(defects, key=lambda defect: list(SEVERITIES).index(defect.loses)):
        for finding in defect.findings:
            _check(named, defect, finding)
        yield from _defect(root, named, defect)


def _check(named: NamedDeviations, defect: Defect, finding: Finding) -> None:
    """Raise an error unless a finding shows the deviation of its defect.

    Raises:
        FindingsError: which finding, and what is wrong.
    """
    where = f"{FOLDER.as_posix()}/{finding.product}/{finding.name}"
    if diagnose(finding.program, observation_of_finding(finding)).kind == "allowed":
        raise FindingsError(f"{where} shows an outcome that the specification now allows; remove the folder")
    if defect.quirk is None:
        return
    if isinstance(named, Profile):
        if _shows(named, defect.quirk.name, finding):
            return
        if defect.quirk.name not in (shown := explanation(named, finding)):
            explained = (
                f"explains with {', '.join(shown)}, but its defect has"
                if shown
                else "does not predict, but its defect has"
            )
            raise FindingsError(
                f"{where} shows an outcome that the profile {named.name} {explained} the quirk {defect.quirk.name}"
            )
    elif defect.quirk.name not in finding.quirks:
        raise FindingsError(
            f'{where} does not name {defect.quirk.name}: add a list "quirks" with this name to its finding.json'
        )


def _shows(profile: Profile, quirk: str, finding: Finding) -> bool:
    """Return whether a finding shows a quirk: alone, or because all quirks predict it, and all others do not."""
    observation = observation_of_finding(finding)
    others = frozenset(other.name for other in profile.quirks if other.name != quirk)
    return profile.predicts(finding.program, observation, frozenset({quirk})) or (
        profile.predicts(finding.program, observation) and not profile.predicts(finding.program, observation, others)
    )


def _defect(root: Path, named: NamedDeviations, defect: Defect) -> Iterator[str]:
    yield f"### {defect.name}\n"
    yield f"{defect.title}. *Severity: {SEVERITIES[defect.loses]}.*\n"
    published = published_step(named.revision.name, defect.step)
    beside = f" (`{published}` of the published text)" if published is not None else ""
    yield f"At `{defect.step}`{beside}. {defect.why} *To change: {CHANGES[defect.changes]}.*{_end(since(root, defect))}\n"
    if defect.known:
        yield f"Known as {defect.known}.\n"
    if defect.loses == "crash":
        yield "`modelcontext findings --withheld` makes the page that shows it; no page is committed.\n"
    elif defect.rule or defect.test:
        shown = f"{defect.rule}.toml" if defect.rule else defect.test
        yield f"See [{shown}](wpt_tests/{shown}).\n"
    else:
        yield from _table(defect.findings)


def _end(since_when: str) -> str:
    return f" {since_when.removeprefix('; ')[0].upper()}{since_when.removeprefix('; ')[1:]}." if since_when else ""


def _table(findings: Sequence[Finding]) -> Iterator[str]:
    yield "| program | the specification | the product |"
    yield "|---|---|---|"
    for finding in findings:
        allowed = " or ".join(dict.fromkeys(text for text, _ in finding.allowed)) or "an outcome"
        link = f"[{finding.name}]({FOLDER.as_posix()}/{finding.product}/{finding.name}/program.toml)"
        yield f"| {link} | {_cell(allowed)} | {_cell(finding.observed)} |"
    yield ""


def _cell(text: str) -> str:
    text = text.replace("|", "\\|").replace("\n", " ")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _issues(root: Path, revision: RevisionFiles) -> Iterator[str]:
    yield f"### {revision.text.as_posix()}\n"
    for issue in read_issues(root, revision):
        at = ", ".join(f"`{step}`" for step in issue.steps)
        yield f"{issue.number}. {issue.words}" + (f" ({at})" if at else "")
    yield ""


def _contradictions(known: Mapping[str, Sequence[Defect]]) -> Iterator[str]:
    """Yield the findings in which the model fails an assertion, on any product."""
    findings = [finding for defects in known.values() for defect in defects for finding in defect.findings]
    broken = [finding for finding in findings if finding.cause.expected == CONTRADICTION]
    if not broken:
        yield "No known program makes the model fail an assertion of a text; the fuzzer reports those as well.\n"
    for finding in broken:
        link = f"[{finding.name}]({FOLDER.as_posix()}/{finding.product}/{finding.name}/program.toml)"
        yield f"* {link} makes the model fail: {finding.observed}\n"


def _unreachable(root: Path, revision: RevisionFiles) -> Iterator[str]:
    """Yield the steps that no program can reach, with the reasons."""
    reasons: dict[str, list[str]] = {}
    for entry in tomllib.loads((root / revision.unreachable).read_text(encoding="utf-8"))["unreachable"]:
        place = entry["algorithm"] if entry["step"] == "*" else f"{entry['algorithm']} {entry['step']}"
        side = f" (side {entry['side']})" if "side" in entry else ""
        reasons.setdefault(entry["reason"], []).append(f"`{place}`{side}")
    yield "No program can reach:\n"
    for reason, places in reasons.items():
        yield f"* {', '.join(places)}: {reason}"
    yield ""
