"""Differences between a revision's text and another one: the published IDL, an editor's checkout, another revision.

Known differences stand in a file, each with the reason why it needs no repair:

.. code-block:: toml

    [[difference]]
    part = "idl"                                # or "algorithms"
    subject = "ModelContext.executeTool"
    change = "return type"
    ours = "Promise<DOMString?>"                # left out if a side has no text
    other = "Promise<DOMString>"
    reason = "why this is not our mistake"

The keys are those that ``modelcontext spec drift --json`` prints. An entry without a difference counts as drift.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.ground.checkout import npm_packages, path_in
from modelcontext.ground.files import ReadError, read_text
from modelcontext.ground.problems import UnavailableError
from modelcontext.spec.specification.comparison.differences import TextDifference
from modelcontext.spec.specification.comparison.idl import compare_idl
from modelcontext.spec.specification.comparison.steps import compare_algorithms
from modelcontext.spec.specification.text.algorithms import Algorithm, SpecificationError, load_algorithms
from modelcontext.spec.specification.text.dictionaries import parse_idl

if TYPE_CHECKING:
    from modelcontext.spec.revisions.registry import RevisionFiles

#: The package that publishes the IDL of the web platform's specifications, and the file of ours in it.
PUBLISHED = "@webref/idl"
PUBLISHED_IDL = "webmcp.idl"
#: The known differences from the published IDL.
ALLOWED = Path("spec", "drift.toml")

_KEYS = ("part", "subject", "change", "ours", "other", "reason")


# Ten times the size of the largest specifications that describe one API.
_LARGEST = 4_000_000


class NothingToCompareError(Exception):
    """The other side has nothing to compare; the message says what is missing and what to do."""


@dataclass(frozen=True, slots=True)
class Text:
    """One side of a comparison; ``algorithms`` is None if only its IDL is known."""

    name: str
    idl: str
    algorithms: list[Algorithm] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed(TextDifference):
    """A known difference with its reason; ``line`` is the line of its entry."""

    reason: str
    line: int


@dataclass(slots=True)
class Drift:
    """The unexpected and the allowed differences of a comparison, and the entries without a difference."""

    differences: list[TextDifference]
    allowed: list[tuple[TextDifference, Allowed]]
    outdated: list[Allowed]

    def __bool__(self) -> bool:
        return bool(self.differences or self.outdated)


def revision_text(root: Path, files: RevisionFiles) -> Text:
    """Return a revision of this project, from its extracts.

    Raises:
        SpecificationError: if an extract cannot be read.
    """
    path = path_in(root, files.idl)
    try:
        idl = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise SpecificationError("the file cannot be read: run `modelcontext spec extract`", path) from None
    return Text(files.name, idl, load_algorithms(files.name, root))


def published_text(root: Path) -> Text:
    """Return the IDL that is published as an npm package.

    Raises:
        NothingToCompareError: if the package is not installed, or has no file for our IDL.
        SpecificationError: if the file cannot be read or parsed.
    """
    try:
        [package] = npm_packages(root, PUBLISHED)
    except UnavailableError as error:
        raise NothingToCompareError(f"{error.reason}: {error.remedy}") from None
    path = package / PUBLISHED_IDL
    if not path.is_file():
        raise NothingToCompareError(f"{package} has no {PUBLISHED_IDL}: the package may have renamed the file")
    try:
        version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError, TypeError):
        version = "of an unknown version"
    return idl_text(path, f"{PUBLISHED} {version}")


def idl_text(path: Path, name: str | None = None) -> Text:
    """Return the text of a file of IDL.

    Raises:
        SpecificationError: if the file cannot be read, or is not valid IDL.
        NothingToCompareError: if the file declares nothing.
    """
    idl = _read_text(path)
    if not _declares_anything(idl, path):
        raise NothingToCompareError(f"{path} declares nothing")
    return Text(name or str(path), idl, None)


def bikeshed_text(path: Path) -> Text:
    """Return the text of a specification's Bikeshed source.

    Raises:
        SpecificationError: if the source cannot be built.
        NothingToCompareError: if the specification has neither IDL nor algorithms.
    """
    from modelcontext.spec.specification.comparison.foreign import read_foreign_source

    if "metadata" not in _read_text(path):
        raise SpecificationError("the file is not a Bikeshed source: it has no <pre class=metadata>", path)
    foreign = read_foreign_source(path)
    has_idl = _declares_anything(foreign.idl, path)
    if not has_idl and not foreign.algorithms:
        raise NothingToCompareError(f'{path} ("{foreign.title}") has neither IDL nor algorithms')
    return Text(f"{foreign.title} ({path})", foreign.idl, foreign.algorithms)


def _read_text(source: Path) -> str:
    try:
        text = read_text(source, most=_LARGEST)
    except ReadError as error:
        raise SpecificationError(f"the file {error.reason}", source) from None
    if "\0" in text:
        raise SpecificationError("the file is not text: it has null bytes", source)
    if not text.strip():
        raise SpecificationError("the file is empty", source)
    return text


def _declares_anything(idl: str, path: Path) -> bool:
    try:
        return bool(parse_idl(idl, "its IDL"))
    except SpecificationError as error:
        raise SpecificationError(error.message, path) from None


def compare(ours: Text, other: Text) -> list[TextDifference]:
    """Return the differences between two texts.

    Raises:
        SpecificationError: if the IDL of a text is not valid.
    """
    differences = compare_idl(ours.idl, other.idl, f"the IDL of {ours.name}", f"the IDL of {other.name}")
    if ours.algorithms is not None and other.algorithms is not None:
        differences += compare_algorithms(ours.algorithms, other.algorithms)
    return differences


def find_drift(differences: list[TextDifference], allowed: list[Allowed]) -> Drift:
    """Split differences into unexpected and allowed ones."""
    entries = {entry.key: entry for entry in allowed}
    found = {difference.key for difference in differences}
    return Drift(
        differences=[difference for difference in differences if difference.key not in entries],
        allowed=[(difference, entries[difference.key]) for difference in differences if difference.key in entries],
        outdated=[entry for entry in allowed if entry.key not in found],
    )


def load_allowed(path: Path) -> list[Allowed]:
    """Read a file of known differences.

    Raises:
        SpecificationError: if the file cannot be read, or does not have the form that this module describes.
    """
    text = _read_text(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecificationError(f"the file is not valid TOML: {error}", path) from None
    tables = data.get("difference", [])
    if set(data) - {"difference"} or not isinstance(tables, list):
        raise SpecificationError("the file must contain only [[difference]] tables", path)
    lines = [number for number, line in enumerate(text.splitlines(), start=1) if line.strip() == "[[difference]]"]
    if len(lines) != len(tables):
        raise SpecificationError("an entry is not a table: write a line [[difference]] above each entry", path)
    entries: list[Allowed] = []
    for line, table in zip(lines, tables, strict=True):
        entry = _entry(path, line, table)
        if any(known.key == entry.key for known in entries):
            raise SpecificationError("the file has this entry twice: remove one", path, line)
        entries.append(entry)
    return entries


def _entry(path: Path, line: int, table: dict[str, Any]) -> Allowed:
    unknown = [key for key in table if key not in _KEYS]
    if unknown:
        raise SpecificationError(f'the key "{unknown[0]}" is unknown: use {", ".join(_KEYS)}', path, line)
    for key in _KEYS:
        needed = key not in ("ours", "other")
        value = table.get(key)
        if (value is None and needed) or (value is not None and not (isinstance(value, str) and value.strip())):
            raise SpecificationError(f'the key "{key}" is missing, or is not a string with text: write one', path, line)
    if table["part"] not in ("idl", "algorithms"):
        raise SpecificationError(f'the part "{table["part"]}" is unknown: use idl or algorithms', path, line)
    return Allowed(**{"ours": None, "other": None, **table}, line=line)
