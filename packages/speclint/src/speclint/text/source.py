"""Reader of Bikeshed sources.

It reads the source and not the built HTML: findings need lines, the markup says what is a variable and what a term, and a
text can be read that does not build yet.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from pathlib import Path

from speclint.text.built import as_source, is_html
from speclint.text.content import read_content
from speclint.text.definitions import definitions_in, state_in, structs_in
from speclint.text.informative_blocks import INFORMATIVE, without_informative_blocks
from speclint.text.introductions import describe
from speclint.text.markup import LINK, VARIABLE, attributes, normalize
from speclint.text.numbered_steps import Line, read_steps, split_introduction, unfold
from speclint.text.source_model import Paragraph, SourceAlgorithm, SourceText, Suppression
from speclint.text.text_error import TextError
from speclint.text.unmarked_algorithms import end_of_list, introduces_steps

#: Steps of one algorithm; long ones have a hundred.
MOST_STEPS = 1_000

_OPAQUE = re.compile(r"<(pre|xmp|script|style)\b([^>]*)>", re.IGNORECASE)
_ALGORITHM = re.compile(r"<(?!dfn\b|a\b|span\b|var\b|code\b)(\w+)\b([^>]*\salgorithm\b[^>]*)>")
_CONTAINER = re.compile(r"<(div|section|details|aside|figure|blockquote)\b([^>]*)>", re.IGNORECASE)
_END = re.compile(r"</(div|section|details|aside|figure|blockquote)>", re.IGNORECASE)
_HEADING = re.compile(r"<h([2-6])\b([^>]*)>(.*?)(?:</h\d>|$)|^(#{2,6})\s+(.*)$")
_PARAGRAPH = re.compile(
    r"\s*(?:<p\b([^>]*)>|(Note|Issue|Example|NOTE|ISSUE|EXAMPLE)(?:\([^)]*\))?:\s|([-*+]|\d+\.|::?)\s)"
)
#: A list that may be the steps of an algorithm.
_LIST = re.compile(r"\s*(?:\d+\.\s|<ol\b)", re.IGNORECASE)
_NO_ALGORITHMS = "the text has no algorithms: mark each with <div algorithm>"
_SUPPRESSION = re.compile(r"<!--\s*lint:\s*([\w-]*)\s*(?::\s*(.*?))?\s*-->", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_INDENT = re.compile(r"^Indent:\s*([1-9])\s*$", re.MULTILINE)
#: Markup in IDL that has no meaning there.
_IDL_MARKUP = re.compile(r"</?(?:dfn|a|var|code|span|em|i|b|strong|mark|ins)\b[^<>]*>", re.IGNORECASE)
_METADATA = re.compile(r"<(?:pre|xmp)\b[^>]*\bclass\s*=\s*[\"']?metadata\b", re.IGNORECASE)


@dataclass(slots=True)
class _Block:
    """An element that is open: the reason why its text demands nothing, and the line of its tag."""

    tag: str
    line: int
    informative: str


@dataclass(slots=True)
class _Reading:
    """The state of reading one source, line by line."""

    path: Path
    lines: list[str]
    #: The number of spaces of one level of a list, if the source says it.
    indent: int | None = None
    idl: list[tuple[int, str]] = field(default_factory=list)
    unread: list[TextError] = field(default_factory=list)
    algorithms: list[SourceAlgorithm] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    blocks: list[_Block] = field(default_factory=list)
    section: str = ""
    #: The reason why the section demands nothing, and the level of its heading.
    informative_section: tuple[int, str] | None = None


def read_source(path: Path) -> SourceText:
    """Read a Bikeshed source.

    Raises:
        TextError: if the file cannot be read, is not Bikeshed source, has no algorithms, or its markup is broken.
    """
    return read_text(read_content(path), path)


def read_text(text: str, path: Path) -> SourceText:
    """Read the content of a Bikeshed source; ``path`` names it in errors.

    Raises:
        TextError: if it is not Bikeshed source, has no algorithms, or its markup is broken.
    """
    found = read_what_is_sound(text, path)
    if found.unread:
        raise found.unread[0]
    if not found.algorithms:
        raise TextError(_NO_ALGORITHMS, path)
    return found


def is_built(text: str) -> bool:
    """Return whether a text is a page of HTML, and no source of Bikeshed."""
    return is_html(text) and not _METADATA.search(text)


def read_what_is_sound(text: str, path: Path) -> SourceText:
    """Read the content of a Bikeshed source as far as it can be read; ``unread`` of the result names the rest.

    Raises:
        TextError: if it is neither Bikeshed source nor a page of HTML.
    """
    if not _METADATA.search(text):
        if not is_built(text):
            message = "this is not Bikeshed source: it has no <pre class=metadata>; nor is it a page of HTML"
            raise TextError(message, path)
        text = as_source(text)
    unread = list[TextError]()
    suppressions = _suppressions(text)
    lines = text.splitlines()
    # Comments keep their line breaks, so that lines keep their numbers.
    text = _COMMENT.sub(lambda match: re.sub(r"[^\n]", "", match[0]), text)
    if "<!--" in text:
        line = text[: text.index("<!--")].count("\n") + 1
        unread.append(TextError("a comment is not closed: add -->", path, line))
        text = text.replace("<!--", "", 1)
    indent = _INDENT.search(text)
    reading = _Reading(path, text.splitlines(), int(indent[1]) if indent is not None else None, unread=unread)
    _blank_opaque(reading)
    _read_blocks(reading)
    if not reading.algorithms and any(_LIST.match(line) for line in reading.lines):
        unread.append(TextError(_NO_ALGORITHMS, path))
    definitions = definitions_in(reading.lines, reading.algorithms)
    normative = [paragraph.text for paragraph in reading.paragraphs if not paragraph.informative]
    normative += [step.text for algorithm in reading.algorithms for step in algorithm.walk()]
    normative += [algorithm.introduction for algorithm in reading.algorithms]
    return SourceText(
        path=path,
        algorithms=reading.algorithms,
        definitions=definitions,
        structs=structs_in(reading.lines, definitions),
        state=state_in(definitions),
        paragraphs=reading.paragraphs,
        idl_blocks=reading.idl,
        suppressions=suppressions,
        normative="\n".join(normative),
        informative="\n".join(paragraph.text for paragraph in reading.paragraphs if paragraph.informative),
        lines=lines,
        unread=unread,
    )


def _suppressions(text: str) -> list[Suppression]:
    lines = text.splitlines()
    found = []
    for match in _SUPPRESSION.finditer(text):
        line = text[: match.start()].count("\n") + 1
        last = text[: match.end()].count("\n") + 1
        next_line = line
        if not _COMMENT.sub("", lines[line - 1]).replace("<!--", "").strip() or last > line:
            following = (number for number in range(last + 1, len(lines) + 1) if lines[number - 1].strip())
            next_line = next(following, line)
        found.append(Suppression(line, next_line, match[1], " ".join((match[2] or "").split())))
    return found


def _blank_opaque(reading: _Reading) -> None:
    """Take code out of the lines, and keep the IDL of it."""
    lines = reading.lines
    index = 0
    while index < len(lines):
        match = _OPAQUE.search(lines[index])
        if match is None:
            index += 1
            continue
        end = re.compile(rf"</{match[1]}\s*>", re.IGNORECASE)
        first = index
        body = [lines[index][match.end() :]]
        lines[index] = lines[index][: match.start()]
        while not (closing := end.search(body[-1])) and index + 1 < len(lines):
            index += 1
            body.append(lines[index])
        if closing is None:
            message = f"a <{match[1]}> is not closed: add </{match[1]}>"
            reading.unread.append(TextError(message, reading.path, first + 1))
            index = first + 1
            continue
        lines[first + 1 : index + 1] = [""] * (index - first)
        rest = body[-1][closing.end() :]
        body[-1] = body[-1][: closing.start()]
        if "idl" in attributes(match[2]).get("class", "").split():
            code = "\n".join(body)
            if match[1].lower() == "pre":
                code = html.unescape(_IDL_MARKUP.sub("", code))
            begin = first + 1 + len(code) - len(code.lstrip("\n"))
            reading.idl.append((begin, code.strip("\n")))
        lines[index] += rest
        if not rest:
            index += 1


def _read_blocks(reading: _Reading) -> None:
    lines = reading.lines
    index = 0
    paragraph: list[str] = []
    start = 0
    reason = ""

    def finish() -> None:
        nonlocal paragraph
        text = normalize("\n".join(paragraph))
        if text:
            reading.paragraphs.append(Paragraph(start + 1, start + len(paragraph), text, reason))
        paragraph = []

    while index < len(lines):
        line = lines[index]
        if match := _ALGORITHM.search(line):
            finish()
            try:
                index = _read_algorithm(reading, index, match)
            except TextError as error:
                reading.unread.append(error)
                index += 1
            continue
        if not reason and introduces_steps(paragraph, lines, index):
            end = end_of_list(lines, index)
            numbered = list(enumerate(lines[start:end], start=start + 1))
            paragraph = []
            reading.algorithms.append(_algorithm(reading, numbered, {}))
            index = end
            continue
        if match := _HEADING.search(line):
            finish()
            _enter_section(reading, match)
        begins = _PARAGRAPH.match(line)
        if not line.strip() or begins or _CONTAINER.search(line) or _END.search(line):
            finish()
        for tag in _CONTAINER.finditer(line):
            reading.blocks.append(_Block(tag[1].lower(), index + 1, _informative(attributes(tag[2]))))
        if line.strip() and not paragraph:
            start = index
            reason = _reason(reading, begins)
        if line.strip():
            paragraph.append(line)
        for tag in _END.finditer(line):
            if reading.blocks and reading.blocks[-1].tag == tag[1].lower():
                reading.blocks.pop()
        index += 1
    finish()


def _informative(found: dict[str, str]) -> str:
    classes = found.get("class", "").split()
    if "non-normative" in classes or "informative" in classes:
        return "a section that is not normative"
    return next((words for name, words in INFORMATIVE.items() if name in classes), "")


def _reason(reading: _Reading, begins: re.Match[str] | None) -> str:
    """Return the reason why a paragraph that begins here demands nothing, or nothing."""
    if begins is not None and begins[2]:
        return INFORMATIVE[begins[2].lower()]
    own = _informative(attributes(begins[1])) if begins is not None and begins[1] else ""
    blocks = (block.informative for block in reversed(reading.blocks) if block.informative)
    section = reading.informative_section[1] if reading.informative_section else ""
    return own or next(blocks, section)


def _enter_section(reading: _Reading, match: re.Match[str]) -> None:
    level = int(match[1]) if match[1] else len(match[4])
    reading.section = normalize(match[3] or match[5] or "")
    if reading.informative_section is not None and level <= reading.informative_section[0]:
        reading.informative_section = None
    reason = _informative(attributes(match[2] or ""))
    if reason and reading.informative_section is None:
        reading.informative_section = level, reason


def _read_algorithm(reading: _Reading, index: int, opening: re.Match[str]) -> int:
    """Read the algorithm whose element begins on a line; return the index of the line after it."""
    tag = opening[1]
    tags = re.compile(rf"<(/?){tag}\b[^>]*>", re.IGNORECASE)
    depth, first, own = 0, index, []
    while index < len(reading.lines):
        line = reading.lines[index]
        if index > first and _ALGORITHM.search(line):
            raise TextError(
                f"the <{tag}> of an algorithm is not closed before the next one: add </{tag}>", reading.path, first + 1
            )
        end = None
        for found in tags.finditer(line):
            depth += -1 if found[1] else 1
            if depth == 0:
                end = found
                break
        begin = opening.end() if index == first else 0
        text = line[begin : end.start()] if end else line[begin:]
        own.append((index + 1, text if index > first or text.strip() else ""))
        index += 1
        if end is not None:
            break
        if tag.lower() == "p" and not line.strip():
            break
    else:
        raise TextError(f"the <{tag}> of an algorithm is not closed: add </{tag}>", reading.path, first + 1)
    reading.algorithms.append(_algorithm(reading, own, attributes(opening[2])))
    return index


def _algorithm(reading: _Reading, lines: list[Line], found: dict[str, str]) -> SourceAlgorithm:
    demanding, blocks = without_informative_blocks(lines)
    for block, reason in blocks:
        text = normalize("\n".join(words for _, words in block))
        reading.paragraphs.append(Paragraph(block[0][0], block[-1][0], text, reason))
    before, after = split_introduction(unfold(demanding, reading.indent))
    steps = read_steps(after)
    count = sum(1 for top in steps for _ in top.walk())
    if count > MOST_STEPS:
        message = f"an algorithm has {count:,} steps: at most {MOST_STEPS:,} are read; is it closed?"
        raise TextError(message, reading.path, lines[0][0])
    introduction = "\n".join(text for _, text in before)
    _check_markup(reading, before)
    for step in (one for top in steps for one in top.walk()):
        _check_markup(reading, [(step.line, step.raw)])
    return describe(introduction, found, steps, demanding, reading.section)


def _check_markup(reading: _Reading, lines: list[Line]) -> None:
    if not lines:
        return
    text = normalize("\n".join(text for _, text in lines))
    rest = VARIABLE.sub("", LINK.sub("", text))
    for mark, name in (("[=", "an autolink [= is not closed: add =]"), ("{{", "a reference {{ is not closed: add }}")):
        closing = "=]" if mark == "[=" else "}}"
        if rest.count(mark) > rest.count(closing):
            reading.unread.append(TextError(f"{name}: {text[:70]!r}", reading.path, lines[0][0]))
    if rest.count("|") % 2 and "||" not in rest and "{{" not in rest and "<{" not in rest and "[" not in rest:
        reading.unread.append(TextError(f"a variable | is not closed: {text[:70]!r}", reading.path, lines[0][0]))
