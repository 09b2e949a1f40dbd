"""FINDINGS.md: every committed finding with its explanation, and the defects of the specification itself."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from modelcontext.ground.words import counted
from modelcontext.judging.issues.text import read_issues
from modelcontext.judging.profiles import DEVIATIONS, NamedDeviation, NamedDeviations, Profile, load_deviations
from modelcontext.running.products.base import Ending, Observation
from modelcontext.spec.revisions.registry import FILES, RevisionFiles
from modelcontext.spec.specification.text.published import published_step
from modelcontext_fuzz.causes import CONTRADICTION, diagnose
from modelcontext_fuzz.findings import (
    RECORD,
    Finding,
    FindingsError,
    keep_finding,
    kept_files,
    load_findings,
    write_finding,
)

#: The folder of the findings in a checkout; each product has a folder in it.
FOLDER = Path("wpt_tests/findings")
DOCUMENT = Path("FINDINGS.md")

_HEAD = Path(__file__).with_name("findings-head.md").read_text(encoding="utf-8")


def findings_document(root: Path) -> str:
    """Return the text of FINDINGS.md.

    Raises:
        FindingsError: if a finding is allowed, or no deviation of its product explains it.
    """
    parts = [_HEAD]
    known = committed_findings(root)
    for name, product in DEVIATIONS.items():
        if product in known:
            parts += _product(load_deviations(name), known[product], f"{FOLDER.as_posix()}/{product}")
    for product, findings in known.items():
        if product not in DEVIATIONS.values():
            parts += _without_names(product, findings, f"{FOLDER.as_posix()}/{product}")
    parts += ["## The specification\n", _SPECIFICATION]
    parts += _contradictions(known)
    compared = {load_deviations(name).revision.name for name in DEVIATIONS}
    for revision in FILES.values():
        if revision.name in compared:
            parts += _issues(root, revision)
            parts += _unreachable(root, revision)
    return "\n".join(parts)


_SPECIFICATION = """The texts have defects of their own. The model keeps them, because a reference has to follow its text. Each
defect has an Issue in the text, and `SPEC-BUG` at the step.
"""


def explanation(profile: Profile, finding: Finding) -> tuple[str, ...]:
    """Return the quirks that predict the outcome of a finding."""
    return profile.explanation(finding.program, _observation(finding))


def _observation(finding: Finding) -> Observation:
    return Observation(Ending(finding.ending), finding.outcome, finding.observed)


def stale_files(root: Path, document: str) -> Iterator[Path]:
    """Yield the files of committed findings that are out of date, and FINDINGS.md if it is not the ``document``."""
    expected = {
        root / FOLDER / product / finding.name / name: text
        for product, findings in committed_findings(root).items()
        for finding in findings
        for name, text in kept_files(finding).items()
    }
    expected[root / DOCUMENT] = document
    for path, text in expected.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path


def rewrite(root: Path) -> None:
    """Write the files of committed findings again."""
    for product, findings in committed_findings(root).items():
        for finding in findings:
            keep_finding(finding, root / FOLDER / product / finding.name)


def make_findings(root: Path, folder: Path) -> None:
    """Make the tests and the descriptions of the committed findings in a folder, which has one for each product."""
    for product, findings in committed_findings(root).items():
        for finding in findings:
            write_finding(finding, folder / product / finding.name)


def _product(named: NamedDeviations, findings: Sequence[Finding], folder: str) -> Iterator[str]:
    by_quirks: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        if diagnose(finding.program, _observation(finding)).kind == "allowed":
            raise FindingsError(
                f"{folder}/{finding.name} shows an outcome that the specification now allows; remove the folder"
            )
        by_quirks.setdefault(_causes(named, finding, folder), []).append(finding)
    versions = ", ".join(sorted({finding.version for finding in findings}))
    yield f"## {named.product.capitalize()} {versions}\n"
    what = "the profile is" if isinstance(named, Profile) else "the names are those of"
    yield f"{counted(len(findings), 'program')}; {what} `{named.name}`.\n"
    for quirk in named.quirks:
        shown = [finding for quirks, those in by_quirks.items() if quirk.name in quirks for finding in those]
        yield from _quirk(quirk, named, shown, folder)


def _causes(named: NamedDeviations, finding: Finding, folder: str) -> tuple[str, ...]:
    """Return the names of the deviations that explain a finding: as the profile predicts it, or as the finding says."""
    if isinstance(named, Profile):
        quirks = explanation(named, finding)
        problem = f"shows an outcome that the profile {named.name} does not predict; add a quirk"
    else:
        known = {quirk.name for quirk in named.quirks}
        quirks = finding.quirks if known.issuperset(finding.quirks) else ()
        problem = f'names no deviation of {named.name}: give its {RECORD} "quirks", a list of their names'
    if not quirks:
        raise FindingsError(f"{folder}/{finding.name} {problem}")
    return quirks


def committed_findings(root: Path) -> dict[str, list[Finding]]:
    """Return the findings of a checkout, by product."""
    loaded = {folder.name: load_findings(folder) for folder in sorted((root / FOLDER).glob("*"))}
    return {product: findings for product, findings in loaded.items() if findings}


def _without_names(product: str, findings: Sequence[Finding], folder: str) -> Iterator[str]:
    versions = ", ".join(sorted({finding.version for finding in findings}))
    yield f"## {product.capitalize()} {versions}\n"
    programs = counted(len(findings), "program")
    yield f"{programs}. No deviation of this product has a name, so the findings are grouped by cause.\n"
    for step in dict.fromkeys(finding.cause.step for finding in sorted(findings, key=lambda finding: finding.cause)):
        yield f"At `{step}`:\n" if step else "At no step in particular:\n"
        yield from _table([finding for finding in findings if finding.cause.step == step], folder)


def _quirk(quirk: NamedDeviation, named: NamedDeviations, findings: Sequence[Finding], folder: str) -> Iterator[str]:
    itself = "The polyfill" if named.product == "polyfill" else "The browser"
    wrong = {"product": itself, "spec": "The specification", "neither": "Neither side"}[quirk.wrong]
    yield f"### {quirk.name}\n"
    published = published_step(named.revision.name, quirk.step)
    beside = f" (`{published}` of the published text)" if published is not None else ""
    yield f"At `{quirk.step}`{beside}. {quirk.reason} *{wrong} has to change.*\n"
    if not findings:
        yield f"See `wpt_tests/{quirk.reproducer}.toml`.\n"
        return
    yield from _table(findings, folder)


def _table(findings: Sequence[Finding], folder: str) -> Iterator[str]:
    yield "| program | the specification | the product |"
    yield "|---|---|---|"
    for finding in findings:
        allowed = " or ".join(dict.fromkeys(text for text, _ in finding.allowed)) or "an outcome"
        link = f"[{finding.name}]({folder}/{finding.name}/program.toml)"
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


def _contradictions(known: Mapping[str, Sequence[Finding]]) -> Iterator[str]:
    """Yield the findings in which the model fails an assertion, on any product."""
    broken = [
        (product, finding)
        for product, findings in known.items()
        for finding in findings
        if finding.cause.expected == CONTRADICTION
    ]
    if not broken:
        yield "No known program makes the model fail an assertion of a text; the fuzzer reports those as well.\n"
    for product, finding in broken:
        link = f"[{finding.name}]({FOLDER.as_posix()}/{product}/{finding.name}/program.toml)"
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
