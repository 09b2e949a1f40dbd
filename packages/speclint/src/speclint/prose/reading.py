"""The reading of a text's prose: a syntax tree for each step, or what is not understood in it, with the place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from speclint.prose.definitions import parameters_of, state_of, structs_of, types_of
from speclint.prose.grammar import (  # noqa: F401 (the nonterminals)
    cases,
    conditions,
    expressions,
    loops,
    statements,
    things,
    types,
    values,
)
from speclint.prose.grammar.parser import Parser
from speclint.prose.grammar.references import UnknownReferenceError, without_references
from speclint.prose.grammar.statements import REMAINING
from speclint.prose.nearest import nearest_phrases, with_other_article
from speclint.prose.prose_text import Algorithm, Problem, Sentence, Step, Text
from speclint.prose.tokens import Token, tokenize
from speclint.prose.tree import AbortSteps, Closure, ItemCase, Place, Reading, Return
from speclint.prose.vocabulary import Vocabulary, defined_words, vocabulary_of
from speclint.text.markup import readable

if TYPE_CHECKING:
    from speclint.text.source_model import SourceAlgorithm, SourceStep, SourceText


#: The most letters of what is not understood that a message shows.
_SHOWN: Final = 40
#: The number of vocabularies whose sentences are known: those of the two revisions, and of two others.
_MOST: Final = 4


@dataclass(frozen=True, slots=True)
class _Sentences:
    """A vocabulary, and the sentences read with it, by all that the meaning of a step depends on but for the words."""

    vocabulary: Vocabulary
    read: dict[tuple[object, ...], Sentence] = field(default_factory=dict)


#: The sentences of the texts that were read last, by the words that a text defines: with others a sentence can have another
#: meaning. Who changes a step, or tries many changes of a text, reads nearly the same text each time.
_READ: Final[dict[tuple[object, ...], _Sentences]] = {}


def read_prose(source: SourceText) -> Text:
    """Read the sentences of a source. What it has in common with one of the sources read last is not read again."""
    known = _known(source)
    vocabulary = known.vocabulary
    return Text(
        source=source,
        algorithms=tuple(_algorithm(source, known, one) for one in source.algorithms),
        structs=structs_of(source, vocabulary),
        state=state_of(source, vocabulary),
        types=types_of(source, vocabulary),
    )


def _known(source: SourceText) -> _Sentences:
    """Return what was read with the words of a source."""
    words = defined_words(source)
    known = _READ.pop(words) if words in _READ else _Sentences(vocabulary_of(source))
    _READ[words] = known
    for outdated in [*_READ][:-_MOST]:
        del _READ[outdated]
    return known


def _algorithm(source: SourceText, known: _Sentences, one: SourceAlgorithm) -> Algorithm:
    return Algorithm(
        id=one.id,
        name=one.name,
        owner=one.owner,
        kind=one.kind,
        subject=one.owner if one.kind != "algorithm" else "",
        place=Place(one.line, 1),
        parameters=parameters_of(source, known.vocabulary, one),
        steps=tuple(_step(source, known, step, None) for step in _with_remaining(one.steps)),
        is_exported=one.is_exported,
    )


def _step(source: SourceText, known: _Sentences, step: SourceStep, parent: Reading | None) -> Step:
    """Read a step, and the steps below it."""
    first = step.raw_lines[0] if step.raw_lines else step.line
    is_value = parent is not None and isinstance(parent[0], ItemCase)
    lines = tuple(
        (number - first, source.lines[number - 1]) for number in step.raw_lines if number <= len(source.lines)
    )
    key = (step.raw, lines, step.line - first, bool(step.children), step.is_case, step.is_introduction, is_value)
    if key not in known.read:
        known.read[key] = read_sentences(source, known.vocabulary, step, first, is_value)
    found = known.read[key].moved_to(first)
    below = found.readings[0] if found.readings else None
    return Step(
        number=step.number,
        place=found.place,
        is_case=step.is_case,
        text=readable(step.text),
        readings=found.readings,
        problem=found.problem,
        steps=tuple(
            _step(source, known, child, below if step.is_case else None) for child in _with_remaining(step.children)
        ),
    )


def _with_remaining(steps: Sequence[SourceStep]) -> Sequence[SourceStep]:
    """Return steps of which those behind "return …, and run the remaining steps in parallel" are below that one."""
    for index, step in enumerate(steps[:-1]):
        words = " ".join(step.raw.lower().split())
        if not step.children and words.startswith("return ") and any(one in words for one in REMAINING):
            return (*steps[:index], replace(step, children=list(steps[index + 1 :])))
    return steps


def read_sentences(
    source: SourceText, vocabulary: Vocabulary, step: SourceStep, first: int, is_value: bool
) -> Sentence:
    """Return every reading of a step whose first line this is, and what is not understood in it."""
    tokens = tokenize(step.raw, step.raw_lines, source.lines)
    place = tokens[0].place if tokens else Place(step.line, 1)
    parser = Parser(tokens, vocabulary, _end(tokens, place), has_steps_below=bool(step.children))
    name = "case" if step.is_case else "item_value" if is_value else "sentence"
    try:
        found = list(_read(parser, name, _begin(tokens) if step.is_introduction else 0))
        readings, unknown = _without_references(found)
        problem = _problem(parser, readings, unknown, source.lines)
    except RecursionError:
        readings, problem = (), Problem("not understood", place, "the sentence is too long to be understood")
    return Sentence(first, place, readings, problem)


def _begin(tokens: Sequence[Token]) -> int:
    """Return the position of the first act in an introduction that has all the steps: ``… are to return x``."""
    texts = [token.text for token in tokens]
    return next((at + 2 for at in range(len(texts) - 1) if texts[at] in {"are", "is"} and texts[at + 1] == "to"), 0)


def _end(tokens: Sequence[Token], place: Place) -> Place:
    if not tokens:
        return place
    last = tokens[-1]
    return Place(last.place.line, last.place.column + len(last.source))


def _read(parser: Parser, name: str, position: int) -> Iterator[Reading]:
    """Yield every reading of a step: of its sentences, or of the case or value that it is."""
    if name == "sentence":
        yield from _sentences(parser, position)
        return
    for result in parser.parse(name, position):
        if result.end == len(parser.tokens):
            yield result.node
        else:
            parser.fail(result.end, "the end of the sentence")


def _sentences(parser: Parser, position: int) -> Iterator[Reading]:
    for result in parser.parse("sentence", position):
        own = result.node
        if result.end == len(parser.tokens):
            yield own
        else:
            for rest in _sentences(parser, result.end):
                yield (*own, *rest)


def _without_references(found: Sequence[Reading]) -> tuple[tuple[Reading, ...], Place | None]:
    """Return the readings in which every "it" stands for something, and the place of one that does not."""
    readings: dict[Reading, None] = {}
    unknown = None
    for reading in found:
        try:
            readings[tuple(without_references(statement) for statement in reading)] = None
        except UnknownReferenceError as error:
            unknown = error.place
    return tuple(readings), unknown


def _problem(
    parser: Parser, readings: tuple[Reading, ...], unknown: Place | None, lines: Sequence[str]
) -> Problem | None:
    if len(readings) == 1:
        return None
    if readings:
        return Problem("two readings", readings[0][0].place, _difference(readings))
    if unknown is not None:
        return Problem("not understood", unknown, "no earlier noun of the sentence fits the word")
    position = parser.furthest
    if position >= len(parser.tokens):
        return Problem("not understood", parser.end_place, "the sentence ends too early", nearest_phrases(parser))
    place = parser.place(position)
    words = shorten(lines[place.line - 1][place.column - 1 :], _SHOWN, placeholder=" …")
    problem = "not understood" if with_other_article(parser) is None else "wrong article"
    return Problem("not understood", place, f"{problem} at {words!r}", nearest_phrases(parser))


def _difference(readings: tuple[Reading, ...]) -> str:
    """Say what differs in readings."""
    aborting = [_is_abort_in_steps(reading) for reading in readings]
    if len(set(aborting)) > 1:
        return "it is not clear which steps end here: the queued steps, or these steps"
    return f"the step has {len(readings)} readings"


def _is_abort_in_steps(reading: Reading) -> bool:
    """Return whether a closure in the sentence has the end of steps."""
    closures = [node for statement in reading for node in statement.walk() if isinstance(node, Closure)]
    return any(isinstance(node, AbortSteps | Return) for closure in closures for node in closure.walk())
