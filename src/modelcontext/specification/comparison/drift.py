"""What differs between a revision's text and another one: the published IDL, an editor's checkout, another revision.

Known differences stand in a file of their own, each with the reason why it is none to repair:

.. code-block:: toml

    [[difference]]
    part = "idl"                                # or "algorithms"
    subject = "ModelContext.executeTool"
    change = "return type"
    ours = "Promise<DOMString?>"                # left out where one side has nothing
    other = "Promise<DOMString>"
    reason = "why this is no mistake of ours"

The keys are those that ``modelcontext spec drift --json`` prints. An entry that meets no difference is drift as well.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.checkout import npm_packages, path_in
from modelcontext.problems import UnavailableError
from modelcontext.specification.comparison.idl import compare_idl, declares_anything
from modelcontext.specification.comparison.steps import compare_algorithms
from modelcontext.specification.text.algorithms import Algorithm, SpecificationError, load_algorithms

if TYPE_CHECKING:
    from modelcontext.revisions.registry import RevisionFiles
    from modelcontext.specification.comparison.differences import TextDifference

#: The package that publishes the IDL of the specifications of the web platform, and our one in it.
PUBLISHED = "@webref/idl"
PUBLISHED_IDL = "webmcp.idl"
#: The known differences from the published IDL.
ALLOWED = Path("spec", "drift.toml")

_KEYS = ("part", "subject", "change", "ours", "other", "reason")


class NothingToCompareError(Exception):
    """There is nothing on the other side; the message says what was looked for, and what to do."""


@dataclass(frozen=True, slots=True)
class Text:
    """One side of a comparison; ``algorithms`` is None where only IDL is known."""

    name: str
    idl: str
    algorithms: list[Algorithm] | None


@dataclass(frozen=True, slots=True)
class Allowed:
    """A known difference; ``line`` is that of its entry."""

    part: str
    subject: str
    change: str
    ours: str | None
    other: str | None
    reason: str
    line: int

    @property
    def key(self) -> tuple[str | None, ...]:
        """What it knows, to be found by that of a difference."""
        return self.part, self.subject, self.change, self.ours, self.other


@dataclass(slots=True)
class Drift:
    """What a comparison has found: what is not allowed, what is and why, and entries that meet no difference."""

    differences: list[TextDifference]
    allowed: list[tuple[TextDifference, Allowed]] = field(default_factory=list)
    outdated: list[Allowed] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.differences or self.outdated)


def revision_text(root: Path, files: RevisionFiles) -> Text:
    """A revision of this project, from its extracts. Raises SpecificationError if they cannot be read."""
    path = path_in(root, files.idl)
    try:
        idl = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise SpecificationError("the file cannot be read: run `modelcontext spec extract`", path) from None
    return Text(files.name, idl, load_algorithms(files.name, root))


def published_text(root: Path) -> Text:
    """The IDL that is published as an npm package. Raises NothingToCompareError if it is not there."""
    try:
        [package] = npm_packages(root, PUBLISHED)
    except UnavailableError as error:
        raise NothingToCompareError(f"{error.reason}: {error.remedy}") from None
    path = package / PUBLISHED_IDL
    if not path.is_file():
        raise NothingToCompareError(f"{package} has no {PUBLISHED_IDL}: is it published under another name now?")
    try:
        version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError, TypeError):
        version = "of an unknown version"
    return idl_text(path, f"{PUBLISHED} {version}")


def idl_text(path: Path, name: str | None = None) -> Text:
    """A file of IDL. Raises SpecificationError if it is none, and NothingToCompareError if it declares nothing."""
    from modelcontext.specification.comparison.foreign import read_text

    idl = read_text(path)
    if not _declares_anything(idl, path):
        raise NothingToCompareError(f"{path} declares nothing")
    return Text(name or str(path), idl, None)


def bikeshed_text(path: Path) -> Text:
    """The Bikeshed source of a specification.

    Raises SpecificationError if it cannot be built, and NothingToCompareError if it has neither IDL nor algorithms.
    """
    from modelcontext.specification.comparison.foreign import read_foreign_source

    foreign = read_foreign_source(path)
    has_idl = _declares_anything(foreign.idl, path)
    if not has_idl and not foreign.algorithms:
        raise NothingToCompareError(f'{path} ("{foreign.title}") has neither IDL nor algorithms')
    return Text(f"{foreign.title} ({path})", foreign.idl, foreign.algorithms)


def _declares_anything(idl: str, path: Path) -> bool:
    try:
        return declares_anything(idl, "its IDL")
    except SpecificationError as error:
        raise SpecificationError(error.message, path) from None


def compare(ours: Text, other: Text) -> list[TextDifference]:
    """Return what differs. Raises SpecificationError if the IDL of one of them is none."""
    differences = compare_idl(ours.idl, other.idl, f"the IDL of {ours.name}", f"the IDL of {other.name}")
    if ours.algorithms is not None and other.algorithms is not None:
        differences += compare_algorithms(ours.algorithms, other.algorithms)
    return differences


def find_drift(differences: list[TextDifference], allowed: list[Allowed]) -> Drift:
    """Hold differences against the known ones."""
    entries = {entry.key: entry for entry in allowed}
    drift = Drift([])
    met = set()
    for difference in differences:
        entry = entries.get(difference.key)
        if entry is None:
            drift.differences.append(difference)
        else:
            met.add(entry.key)
            drift.allowed.append((difference, entry))
    drift.outdated = [entry for entry in allowed if entry.key not in met]
    return drift


def load_allowed(path: Path) -> list[Allowed]:
    """Read the known differences. Raises SpecificationError if the file is not what this module describes."""
    from modelcontext.specification.comparison.foreign import read_text

    text = read_text(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecificationError(f"the file is no valid TOML: {error}", path) from None
    tables = data.get("difference", [])
    if set(data) - {"difference"} or not isinstance(tables, list):
        raise SpecificationError(
            "a file of known differences is a list of [[difference]] tables, and nothing else", path
        )
    lines = [number for number, line in enumerate(text.splitlines(), start=1) if line.strip() == "[[difference]]"]
    if len(lines) != len(tables):
        raise SpecificationError("write each entry as a table of its own, below a line [[difference]]", path)
    entries: list[Allowed] = []
    for line, table in zip(lines, tables, strict=True):
        entry = _entry(path, line, table)
        if any(known.key == entry.key for known in entries):
            raise SpecificationError("this entry stands there twice", path, line)
        entries.append(entry)
    return entries


def _entry(path: Path, line: int, table: dict[str, Any]) -> Allowed:
    unknown = [key for key in table if key not in _KEYS]
    if unknown:
        raise SpecificationError(f'unknown key "{unknown[0]}"; allowed: {", ".join(_KEYS)}', path, line)
    for key in _KEYS:
        needed = key not in ("ours", "other")
        value = table.get(key)
        if (value is None and needed) or (value is not None and not (isinstance(value, str) and value.strip())):
            raise SpecificationError(f'the key "{key}" is missing, or is no string with something in it', path, line)
    if table["part"] not in ("idl", "algorithms"):
        raise SpecificationError(f'the part "{table["part"]}" is neither idl nor algorithms', path, line)
    return Allowed(**{"ours": None, "other": None, **table}, line=line)
