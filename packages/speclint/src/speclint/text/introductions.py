"""Reader of an algorithm's introduction: its name, its kind and its parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from speclint.text.markup import LINK, VARIABLE, attributes, normalize, readable
from speclint.text.source_model import SourceAlgorithm, SourceStep

if TYPE_CHECKING:
    from speclint.text.numbered_steps import Line

_DFN = re.compile(r"<dfn\b([^>]*)>(.*?)</dfn>", re.DOTALL)
_REFERENCE = re.compile(r"\{\{(?:([\w-]+)/)?([\w-]+)(?:\([^}]*\))?(?:\|[^}]*)?\}\}")
#: What stands behind "Input" in a list of definitions, up to "Output".
_INPUT = re.compile(
    r"^\s*(?::|<dt\b[^>]*>)\s*Inputs?\b(.*?)(?=^\s*(?::|<dt\b[^>]*>)\s*Outputs?\b|\Z)", re.DOTALL | re.MULTILINE
)
_KINDS = (("getter steps", "getter"), ("setter steps", "setter"), ("constructor steps", "constructor"))


def describe(
    introduction: str, element: dict[str, str], steps: list[SourceStep], lines: Sequence[Line], section: str
) -> SourceAlgorithm:
    """Return the algorithm of an element: its introduction, the attributes of its tag, its steps and its lines."""
    dfn = _DFN.search(introduction)
    text = normalize(introduction)
    found = attributes(dfn[1]) if dfn else {}
    owner = found.get("for", element.get("algorithm-for", ""))
    name, names, signature = "", [], text
    if dfn is not None:
        inner = normalize(dfn[2])
        name = readable(inner).partition("(")[0].strip()
        names = [name, *(part.strip() for part in found.get("lt", "").split("|") if part.strip())]
        names += [part.strip() for part in found.get("local-lt", "").split("|") if part.strip()]
        if "(" in inner:
            signature = ", ".join(normalize(one[2]) for one in _DFN.finditer(introduction))
    elif "steps" in text and (reference := _REFERENCE.search(text)) and not _is_of_a_term(text, reference.start()):
        owner, name = reference[1] or owner, reference[2]
        names = [name]
        signature = reference[0] if "(" in reference[0] and not VARIABLE.search(text) else text
    else:
        # The steps of something that is defined elsewhere.
        link = LINK.search(text)
        name = element.get("algorithm") or (link[1].rpartition("/")[2] if link else " ".join(text.split()[:6]))
        names = [name, *([link[1].rpartition("/")[2]] if link else [])]
    plain = _plain_parameters(signature)
    kind = next((kind for words, kind in _KINDS if words in text), "")
    if not kind:
        is_method = "method steps" in text or "method" in found or (owner and "(" in signature and dfn is not None)
        kind = "method" if is_method else "algorithm"
    if inputs := _INPUT.search(introduction):
        parameters, nullable, optional = _inputs(inputs[1])
    else:
        # A second sentence says what is done with a parameter.
        declaring = (one for one in signature.split(". ") if VARIABLE.search(one))
        parameters, nullable, optional = _parameters(next(declaring, ""))
    if steps and all(step.is_case for step in steps) and "implementation-defined" in text:
        # What is listed are demands on an implementation, and no steps.
        steps = []
    if not steps:
        own = [number for number, _ in lines][: introduction.count("\n") + 1]
        line = next((number for number, words in lines if words.strip()), lines[0][0])
        only = SourceStep("1", line, is_case=False, raw=introduction, last_line=lines[-1][0], raw_lines=own)
        only.is_introduction = True
        steps = [only]
    return SourceAlgorithm(
        id=found.get("id") or _identifier(name, owner),
        name=name,
        names=tuple(dict.fromkeys(one for one in names if one)),
        owner=owner,
        kind=kind,
        line=lines[0][0],
        last_line=lines[-1][0],
        introduction=text,
        parameters=parameters,
        nullable=nullable,
        optional=optional,
        steps=steps,
        is_exported="export" in found,
        section=section,
        is_defined=dfn is not None,
        plain_parameters=plain,
    )


def _is_of_a_term(text: str, reference: int) -> bool:
    """Return whether an introduction names a term before a member: "the [=cleanup steps=], given a {{Document}}"."""
    link = LINK.search(text)
    return link is not None and link.start() < reference


def _parameters(signature: str) -> tuple[tuple[str, ...], frozenset[str], frozenset[str]]:
    names: list[str] = []
    nullable, optional = set(), set()
    last = 0
    for match in VARIABLE.finditer(signature):
        before = signature[last : match.start()]
        last = match.end()
        if match[1] == "this" or match[1] in names:
            continue
        names.append(match[1])
        if re.search(r"\bnull\b", before):
            nullable.add(match[1])
        is_with_optional = names[-2:-1] and names[-2] in optional and before.strip() in ("and", ",", ", and")
        if (
            is_with_optional
            or re.search(r"\boptional(?:ly)?\b", before)
            or signature[last : last + 10].startswith((" (default", " (optional"))
        ):
            optional.add(match[1])
    return tuple(names), frozenset(nullable), frozenset(optional)


def _inputs(text: str) -> tuple[tuple[str, ...], frozenset[str], frozenset[str]]:
    """Return the parameters of a list of definitions that is headed "Input"."""
    found: dict[str, str] = {}
    for part in re.split(r"(?m)^\s*::|<dd\b[^>]*>", text)[1:]:
        words = normalize(part)
        if match := re.match(r"(?:\|([^|]+)\||(\w+)(?=,))", words):
            found[match[1] or match[2]] = words.partition(" Note: ")[0]
    nullable = frozenset(name for name, words in found.items() if re.search(r"\bnull\b", words))
    optional = frozenset(name for name, words in found.items() if re.search(r"\boptional\b|\bdefault", words))
    return tuple(found), nullable, optional


def _plain_parameters(signature: str) -> tuple[str, ...]:
    """Return the names in the parentheses of a signature that has no variables: "take(name, options)"."""
    inner = re.search(r"\w\(([^()]*)\)", signature)
    if inner is None or VARIABLE.search(signature):
        return ()
    return tuple(re.findall(r"(?:^|,)\s*(?:optional\s+|\.\.\.)*(\w+)(?=\s*(?:,|=|$))", inner[1]))


def _identifier(name: str, owner: str) -> str:
    words = re.findall(r"[a-z0-9]+", f"{owner} {name}".lower())
    return "-".join(words) or "an-algorithm"
