"""Built HTML as the source that it may have come from: of Bikeshed, of ReSpec, or written by hand in their style.

Line breaks stay where they are, so that findings have the lines of the file. A link gets back its term by the definition that
it leads to, and of Infra also the kind of collection, which its address names.
"""

from __future__ import annotations

import re
from typing import Final

from speclint.text.markup import attributes

_HTML = re.compile(r"<!doctype html\b|<html\b", re.IGNORECASE)
_BODY = re.compile(r"<body\b[^>]*>", re.IGNORECASE)
#: What generators add behind the text of the authors.
_APPENDIX = re.compile(r"<(?:h2|section)\b[^>]*\bid=[\"']?(?:index|idl-index|references|issues-index)\b", re.IGNORECASE)
_ADDED = re.compile(
    r"<(?:bdi|span) class=\"(?:secno|idlHeader)\">.*?</(?:bdi|span)>|<a\b[^>]*\bclass=\"(?:self-link|marker)\"[^>]*>.*?</a>"
    r"|<nav\b.*?</nav>|<template\b.*?</template>|</?c-[^>]*>|</d[td]>",
    re.DOTALL | re.IGNORECASE,
)
_DFN = re.compile(r"<dfn\b([^>]*)>(.*?)</dfn>", re.DOTALL | re.IGNORECASE)
_LINK = re.compile(r"<a\b([^>]*)>(.*?)</a>", re.DOTALL | re.IGNORECASE)
_ALGORITHM = re.compile(
    r"<(div|section|p|ol)\b([^>]*(?:\bdata-algorithm\b|\bclass=(?:\"[^\"]*\balgorithm\b[^\"]*\"|algorithm\b))[^>]*)>",
    re.IGNORECASE,
)
_IDL = re.compile(r"(<pre\b[^>]*\bclass=[\"']?(?:[\w-]+ )*idl\b[^>]*>)(.*?)</pre>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]+>")
_OF_COLLECTION = re.compile(r"infra\.spec\.whatwg\.org/#(list|map|set|stack|queue|string|struct)-")
#: The types of links and definitions that are no IDL.
_TERMS: Final = ("dfn", "abstract-op", "")
_ELEMENTS: Final = ("element", "element-attr", "element-state", "attr-value")


def is_html(text: str) -> bool:
    """Return whether a text is a page of HTML."""
    return _HTML.search(text, 0, 2000) is not None


def as_source(text: str) -> str:
    """Return a built page in the markup of a source, with each line in its place."""
    body = _BODY.search(text)
    begin = body.end() if body else 0
    appendix = _APPENDIX.search(text, begin)
    end = appendix.start() if appendix else len(text)
    text = _breaks(text[:begin]) + text[begin:end] + _breaks(text[end:])
    text = _ADDED.sub(lambda match: _breaks(match[0]), text)
    terms: dict[str, tuple[str, str, str]] = {}
    for match in _DFN.finditer(text):
        found = attributes(match[1])
        name = found.get("data-lt", "").partition("|")[0] or _words(match[2])
        owner = found.get("data-dfn-for", "").partition(",")[0].strip()
        terms[f"#{found.get('id', '')}"] = owner, name, found.get("data-dfn-type", "dfn")
    text = _IDL.sub(lambda match: f"{match[1]}{_TAG.sub(lambda tag: _breaks(tag[0]), match[2])}</pre>", text)
    text = _DFN.sub(_dfn, text)
    text = _LINK.sub(lambda match: _link(match, terms), text)
    return _ALGORITHM.sub(_algorithm, text)


def _breaks(text: str) -> str:
    """Return the line breaks of a text that is left out."""
    return "\n" * text.count("\n")


def _words(markup: str) -> str:
    return " ".join(_TAG.sub("", markup).split())


def _dfn(match: re.Match[str]) -> str:
    found = attributes(match[1])
    type_ = found.get("data-dfn-type", "dfn")
    own = [] if type_ in _TERMS else [type_]
    own += [f'for="{owner}"'] if (owner := found.get("data-dfn-for", "")) else []
    # The names of a method in the built page are its overloads.
    own += [f'lt="{found["data-lt"]}"'] if "data-lt" in found and type_ in _TERMS else []
    own += [f'id="{found["id"]}"'] if "id" in found else []
    own += ["export"] if "data-export" in found or "export" in found else []
    return f"<dfn {' '.join(own)}>{match[2]}</dfn>{_breaks(match[1])}"


def _link(match: re.Match[str], terms: dict[str, tuple[str, str, str]]) -> str:
    found = attributes(match[1])
    words, target = _words(match[2]), found.get("href")
    if target is None:
        # The source of ReSpec has links without addresses, as that of Bikeshed has.
        return match[0]
    owner, name, defined = terms.get(target, ("", words, ""))
    owner = owner or found.get("data-link-for", "") or found.get("data-xref-for", "")
    type_ = found.get("data-link-type") or defined or found.get("data-xref-type", "").partition("|")[0]
    if not words or not ("data-link-type" in found or defined or "externalDFN" in found.get("class", "")):
        return words + _breaks(match[0])
    if collection := _OF_COLLECTION.search(target):
        owner = collection[1]
    path = f"{owner}/" if owner else ""
    if type_ in _ELEMENTS:
        written = f"<{{{path if type_ != 'element' else ''}{words}}}>"
    elif type_ in _TERMS:
        term = name if target in terms else words
        written = f"[={path}{term}{'' if term == words else f'|{words}'}=]"
    else:
        written = f"{{{{{path}{words}}}}}"
    return written + _breaks(match[0])


def _algorithm(match: re.Match[str]) -> str:
    found = attributes(match[2])
    tag = match[1].lower()
    if tag == "ol":
        return f'<ol class="algorithm">{_breaks(match[2])}'
    name, owner = found.get("data-algorithm", ""), found.get("data-algorithm-for", "")
    named = f'="{name}"' if name else ""
    return f"<{tag} algorithm{named}{f' algorithm-for={owner!r}' if owner else ''}>{_breaks(match[2])}"
