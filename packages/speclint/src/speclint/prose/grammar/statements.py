"""Statements: what a sentence of a step says to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from speclint.prose.grammar.expressions import algorithm_or_term, enumeration, given_words
from speclint.prose.grammar.parser import Parser, Result, nonterminal
from speclint.prose.tree import (
    AbortSteps,
    Assert,
    Below,
    Break,
    Closure,
    Conditional,
    Continue,
    Do,
    Entry,
    ForEach,
    If,
    ImplementationDefined,
    InParallel,
    Item,
    Let,
    Member,
    Not,
    OnException,
    Optionally,
    Otherwise,
    OtherwiseIf,
    Place,
    React,
    Rethrow,
    Return,
    Run,
    RunSteps,
    Set,
    Statement,
    ThrowException,
    Upon,
    Variable,
    While,
)
from speclint.text.markup import stems

_Body = tuple[Statement, ...]

#: The words that make the steps behind a step the steps below it: "Return |promise| and …, in parallel".
REMAINING: Final = tuple(
    f"{verb} {steps} steps"
    for verb in ("run", "continue running", "perform", "execute")
    for steps in ("the remaining", "these", "the following")
)


@nonterminal
def sentence(parser: Parser, position: int) -> Iterator[Result]:
    """Read a sentence: a statement that is one by its first word, or acts; with the full stop."""
    for result in parser.parse("sentence_without_stop", position):
        end = parser.mark(result.end, ".")
        if end is not None:
            yield Result(result.node, end)
        elif result.end == len(parser.tokens):
            yield result
        else:
            parser.fail(result.end, ".")


@nonterminal
def sentence_without_stop(parser: Parser, position: int) -> Iterator[Result]:
    """Read the statements of a sentence."""
    token = parser.peek(position)
    if token is None:
        return
    for name in ("assertion", "otherwise", "implementation_defined"):
        for result in parser.parse(name, position):
            yield Result((result.node,), result.end)
    yield from parser.parse("returning_early", position)
    yield from parser.parse("acts", position)


@nonterminal
def acts(parser: Parser, position: int) -> Iterator[Result]:
    """Read statements that follow each other: ``a``, ``a, and b``, ``a and b``, ``a, b, and c``."""
    for first in parser.parse("statement", position):
        yield from _more(parser, (first.node,), first.end)


def _more(parser: Parser, found: _Body, position: int) -> Iterator[Result]:
    yield Result(found, position)
    if isinstance(found[-1], If | OnException | ForEach | While | InParallel | Upon | Return):
        # Such a statement governs everything behind it in the sentence, and behind a return there is nothing.
        return
    comma = parser.mark(position, ",")
    begin = comma if comma is not None else position
    last = parser.words(begin, "and")
    last = (parser.words(last, "then") or last) if last is not None else None
    if last is not None or comma is not None:
        for following in parser.parse("statement", last if last is not None else begin):
            for result in _more(parser, (*found, following.node), following.end):
                # A comma alone separates only if "and" comes later.
                if last is not None or len(result.node) > len(found) + 1:
                    yield result


@nonterminal
def statement(parser: Parser, position: int) -> Iterator[Result]:
    """Read one statement."""
    token = parser.peek(position)
    if token is None:
        parser.fail(position, "a statement")
        return
    word = token.text.lower() if token.kind == "word" else ""
    names = _BY_WORD.get(word, ())
    if token.kind == "link" or word in {"run", "perform"}:
        names += ("linked_statement", "for_each", "while_", "upon", "in_parallel", "setting")
    for name in names:
        for result in parser.parse(name, position):
            yield result
            yield from _in_parallel_behind(parser, result)
    for result in parser.phrases(parser.vocabulary.acts, position):
        yield Result(Do(token.place, result.node), result.end, result.is_open)
    parser.fail(position, "a statement")


def _in_parallel_behind(parser: Parser, result: Result) -> Iterator[Result]:
    """Yield ``run |steps| given null, in parallel``."""
    node = result.node
    if isinstance(node, Do) and isinstance(node.action, Run | RunSteps):
        end = parser.either(parser.mark(result.end, ",") or result.end, "", "in parallel")
        if end is not None:
            yield Result(InParallel(node.place, (node,)), end)


_BY_WORD: dict[str, tuple[str, ...]] = {
    "let": ("let",),
    "set": ("setting",),
    "if": ("if_",),
    "unless": ("if_",),
    "return": ("returning",),
    "throw": ("throwing",),
    "rethrow": ("rethrow",),
    "abort": ("aborting",),
    "terminate": ("aborting",),
    "continue": ("linked_statement",),
    "break": ("linked_statement",),
    "optionally": ("optionally",),
    "run": ("running",),
    "for": ("for_each",),
    "while": ("while_",),
    "upon": ("upon",),
    "in": ("in_parallel",),
}


# Bodies.


@nonterminal
def below(parser: Parser, position: int) -> Iterator[Result]:
    """Read a colon at the end: the steps below."""
    end = parser.mark(position, ":")
    if end is not None:
        if end == len(parser.tokens) and parser.has_steps_below:
            yield Result((Below(parser.place(position)),), end)
        else:
            parser.fail(end, "steps below")


@nonterminal
def body(parser: Parser, position: int) -> Iterator[Result]:
    """Read what a condition governs: the steps below, or statements in the sentence."""
    comma = parser.mark(position, ",")
    then = parser.words(comma if comma is not None else position, "then")
    begin = then if then is not None else comma
    yield from parser.parse("below", then if then is not None else position)
    if begin is not None:
        yield from parser.parse("these_steps", begin)
        yield from parser.parse("acts", begin)


@nonterminal
def these_steps(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``run these steps:``."""
    for end in _introduced(parser, position):
        yield from parser.parse("below", end)


def _introduced(parser: Parser, position: int) -> Iterator[int]:
    """Yield the position behind ``run these steps``, ``perform the following steps`` and the like."""
    for verb in ("run", "perform"):
        for steps in ("these steps", "the following steps", "the following substeps", "the following"):
            end = parser.words(position, f"{verb} {steps}")
            if end is not None:
                yield end


@nonterminal
def steps_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read steps that a task or the like runs: ``run these steps:``, or acts."""
    place = parser.place(position)
    for name in ("these_steps", "acts"):
        for result in parser.parse(name, position):
            yield Result(Closure(place, (), result.node), result.end)


@nonterminal
def let(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Let |x| be …``."""
    begin = parser.words(position, "let")
    for variable in parser.parse("variable_slot", begin) if begin is not None else ():
        be = parser.words(variable.end, "be")
        for result in parser.parse("value", be) if be is not None else ():
            node = Let(parser.place(position), variable.node, result.node)
            yield Result(node, result.end)


@nonterminal
def setting(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Set … to …``, also with "=" for "to"."""
    token = parser.peek(position)
    is_link = token is not None and token.kind == "link"
    begin = parser.link(position, "map", "set") if is_link else parser.words(position, "set")
    for target in parser.parse("expression", begin) if begin is not None else ():
        if not isinstance(target.node, Variable | Entry | Member | Item):
            continue
        to = parser.words(target.end, "to") or parser.mark(target.end, "=")
        for result in parser.parse("value", to) if to is not None else ():
            node = Set(parser.place(position), target.node, result.node)
            yield Result(node, result.end)


# Conditions and loops.


@nonterminal
def if_(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``If …``: a condition, or that something threw; ``Unless …``: a condition."""
    place = parser.place(position)
    unless = parser.words(position, "unless")
    for condition in parser.parse("condition", unless) if unless is not None else ():
        for result in parser.parse("body", condition.end):
            yield Result(If(place, Not(place, condition.node), result.node), result.end)
    begin = parser.words(position, "if")
    if begin is None:
        return
    yield from _if_it_threw(parser, begin, place)
    for condition in parser.parse("condition", begin):
        for result in parser.parse("body", condition.end):
            yield Result(If(place, condition.node, result.node), result.end)


def _if_it_threw(parser: Parser, position: int, place: Place) -> Iterator[Result]:
    for that in ("that", "this"):
        for threw in ("threw", "throws"):
            end = parser.words(position, f"{that} {threw}")
            if end is None:
                continue
            end = parser.words(end, "an exception") or end
            token = parser.peek(end)
            variable = Variable(token.place, token.text) if token is not None and token.kind == "variable" else None
            for result in parser.parse("body", end + 1 if variable is not None else end):
                yield Result(OnException(place, variable, result.node), result.end)
    thrown = parser.either(position, "", "an exception was thrown")
    for result in parser.parse("body", thrown) if thrown is not None else ():
        yield Result(OnException(place, None, result.node), result.end)


@nonterminal
def otherwise(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Otherwise``, with or without a condition."""
    begin = parser.words(position, "otherwise")
    if begin is None:
        return
    place = parser.place(position)
    for result in parser.parse("if_", begin):
        if isinstance(result.node, If):
            yield Result(OtherwiseIf(place, result.node.condition, result.node.body), result.end)
    for result in parser.parse("body", begin):
        first, *rest = result.node
        if isinstance(first, If) and not rest:
            yield Result(OtherwiseIf(place, first.condition, first.body), result.end)
        else:
            yield Result(Otherwise(place, (first, *rest)), result.end)


# Statements that a word or a link begins.


@nonterminal
def returning(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Return``, with or without a value."""
    place = parser.place(position)
    begin = parser.words(position, "return")
    if begin is None:
        return
    yield Result(Return(place, None), begin)
    for result in parser.parse("value", begin):
        yield Result(Return(place, result.node), result.end)
    for result in parser.parse("expression", begin):
        if_ = parser.words(result.end, "if")
        for condition in parser.parse("condition", if_) if if_ is not None else ():
            stop = parser.mark(condition.end, ";") or parser.mark(condition.end, ",")
            other = parser.words(stop, "otherwise return") if stop is not None else None
            for last in parser.parse("expression", other) if other is not None else ():
                chosen = Conditional(result.node.place, condition.node, result.node, last.node)
                yield Result(Return(place, chosen), last.end)


@nonterminal
def returning_early(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Return |promise| and run the remaining steps in parallel``: the remaining steps are read as those below."""
    for returned in parser.parse("returning", position) if parser.has_steps_below else ():
        begin = parser.words(parser.mark(returned.end, ",") or returned.end, "and")
        if begin is None:
            continue
        for words in REMAINING:
            remaining = parser.words(begin, words)
            parallel = parser.either(remaining, "", "in parallel") if remaining is not None else None
            if parallel is not None:
                place = parser.place(begin)
                both = (InParallel(place, (Below(place),)), returned.node)
                yield Result(both, parser.mark(parallel, ":") or parallel)


@nonterminal
def throwing(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Throw`` an exception."""
    begin = parser.either(position, "exception", "throw")
    for result in parser.parse("expression", begin) if begin is not None else ():
        yield Result(ThrowException(parser.place(position), result.node), result.end)


@nonterminal
def rethrow(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Rethrow any exception``."""
    for words in ("rethrow any exception", "rethrow any exceptions"):
        end = parser.words(position, words)
        if end is not None:
            yield Result(Rethrow(parser.place(position)), end)


@nonterminal
def aborting(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Abort these steps``."""
    for verb in ("abort", "terminate"):
        for steps in ("these steps", "this algorithm"):
            end = parser.words(position, f"{verb} {steps}")
            if end is not None:
                yield Result(AbortSteps(parser.place(position)), end)


@nonterminal
def optionally(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Optionally``, something."""
    begin = parser.words(position, "optionally")
    if begin is None:
        return
    comma = parser.mark(begin, ",")
    for result in parser.parse("acts", comma if comma is not None else begin):
        yield Result(Optionally(parser.place(position), result.node), result.end)


@nonterminal
def in_parallel(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``In parallel``, something; ``run the following steps in parallel``."""
    place = parser.place(position)
    begin = parser.either(position, "", "in parallel")
    if begin is not None:
        for result in parser.parse("below", begin):
            yield Result(InParallel(place, result.node), result.end)
        comma = parser.mark(begin, ",")
        for result in parser.parse("these_steps", comma if comma is not None else begin):
            yield Result(InParallel(place, result.node), result.end)
        for result in parser.parse("acts", comma) if comma is not None else ():
            yield Result(InParallel(place, result.node), result.end)
    for following in _introduced(parser, position):
        parallel = parser.either(following, "", "in parallel")
        for result in parser.parse("below", parallel) if parallel is not None else ():
            yield Result(InParallel(place, result.node), result.end)


@nonterminal
def running(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Run`` steps that a variable or an item holds."""
    begin = parser.words(position, "run")
    for steps in parser.parse("expression", begin) if begin is not None else ():
        if not isinstance(steps.node, Variable | Item | Entry):
            continue
        place = parser.place(position)
        yield Result(Do(place, RunSteps(place, steps.node, ())), steps.end)
        given = given_words(parser, steps.end)
        for arguments, end in enumeration(parser, given, 1) if given is not None else ():
            yield Result(Do(place, RunSteps(place, steps.node, arguments)), end, is_open=True)


@nonterminal
def linked_statement(parser: Parser, position: int) -> Iterator[Result]:
    """Read what a link says to do: go on with a loop, throw, react, or run an algorithm of the text."""
    place = parser.place(position)
    end = parser.either(position, "iteration", "continue")
    if end is not None:
        yield Result(Continue(place), end)
    end = parser.either(position, "iteration", "break")
    if end is not None:
        yield Result(Break(place), end)
    token = parser.peek(position)
    if token is not None and token.kind == "link" and token.key == stems("throw"):
        yield from parser.parse("throwing", position)
    react = parser.link(position, "promise", "react")
    to = parser.words(react, "to") if react is not None else None
    for result in parser.parse("expression", to) if to is not None else ():
        for colon in parser.parse("below", result.end):
            yield Result(React(place, result.node), colon.end)
    run = parser.words(position, "run")
    if run is not None:
        position = parser.words(run, "the") or run
    for result in algorithm_or_term(parser, position, position, ()):
        yield Result(Do(place, result.node), result.end, result.is_open)


@nonterminal
def upon(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Upon fulfillment of |p| with value |v|``, or upon rejection with a reason: what is done then."""
    place = parser.place(position)
    settlements: tuple[tuple[str, Literal["fulfilled", "rejected"], str], ...] = (
        ("upon fulfillment", "fulfilled", "value"),
        ("upon rejection", "rejected", "reason"),
    )
    for words, settled, name in settlements:
        end = parser.either(position, "", words)
        of = parser.words(end, "of") if end is not None else None
        for promise in parser.parse("expression", of) if of is not None else ():
            with_ = parser.words(promise.end, f"with {name}") or parser.words(promise.end, "with")
            variables = parser.parse("variable_slot", with_) if with_ is not None else ()
            for variable, behind in [(one.node, one.end) for one in variables] or [(None, promise.end)]:
                for result in parser.parse("body", behind):
                    yield Result(Upon(place, promise.node, settled, variable, result.node), result.end)


@nonterminal
def assertion(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Assert: condition``."""
    begin = parser.either(position, "", "assert")
    colon = parser.mark(begin, ":") if begin is not None else None
    begin = colon if colon is not None else begin
    for result in parser.parse("condition", begin) if begin is not None else ():
        yield Result(Assert(parser.place(position), result.node), result.end)


@nonterminal
def implementation_defined(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``Perform any implementation-defined steps …``; what the sentences say further is for people."""
    begin = parser.words(position, "perform any")
    steps = parser.link(begin, "", "implementation-defined") if begin is not None else None
    if steps is not None and parser.words(steps, "steps") is not None:
        words = " ".join(token.text for token in parser.tokens[position:])
        yield Result(ImplementationDefined(parser.place(position), words), len(parser.tokens))
