"""The check that every decision in an algorithm's code is one of its steps.

A branch, a loop and a ``try`` stand directly below a step that says so. Each ``elif``, ``else`` and ``except`` has its own
step. A ``return``, ``continue``, ``break`` or ``raise`` stands directly below its step, or the step of the branch around it
says it. A bare ``yield`` may stand between. A tag can replace a step: NON-SPEC and HOST always, another tag only where no
step is quoted above it. A function that is not an algorithm needs a tag for each decision.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from modelcontext.spec.specification.code.comments import TAG, PythonSource, QuotedStep, first_line
from modelcontext.spec.specification.text.problems import CodeProblem

_JUMPS: Final = {
    ast.Return: ("return", r"\breturn\b"),
    ast.Continue: ("continue", r"\bcontinue\b"),
    ast.Break: ("break", r"\bbreak\b"),
    ast.Raise: ("raise", r"\b(re)?throw\b"),
    ast.Assert: ("assert", r"\bassert\b"),
}
_BRANCHES: Final = {
    ast.If: ("branch", r"\bif\b"),
    ast.Match: ("branch", r"\bif\b"),
    ast.match_case: ("case", r"\bif\b"),
    ast.For: ("loop", r"\bfor each\b"),
    ast.While: ("loop", r"\bwhile\b"),
    ast.Try: ("try", r""),
    ast.TryStar: ("try", r""),
    ast.ExceptHandler: ("except", r"\bthrew\b"),
}
_EXPRESSIONS: Final = {
    ast.IfExp: ("conditional expression", r"\bif\b"),
    ast.BoolOp: ("conditional expression", r"\bif\b"),
    **dict.fromkeys(
        (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), ("loop", r"\b(for each|each|any|every|all)\b")
    ),
}
_ELSE: Final = ("else", r"\botherwise\b")
# A line that is not the code of a step.
_NOTHING = re.compile(r"(yield|pass|\.\.\.)?")
_NUMBER = re.compile(r"\d+[.\da-z]*\. ")
# For the beginning of a step the beginnings of its code.
_BEGINNINGS: Final = {
    "If ": ("if ", "elif ", "except "),
    "Otherwise": ("elif ", "else:"),
    "For each ": ("for ",),
    "Return": ("return",),
}


@dataclass(frozen=True, slots=True)
class _Heading:
    """The comment directly above a line: the text of its last step, and whether it has a tag instead of a step."""

    step: str | None
    tagged: bool

    def says(self, words: str) -> bool:
        return self.tagged or (self.step is not None and re.search(words, self.step, re.IGNORECASE) is not None)


_EXCUSED = _Heading(None, tagged=True)


def check_decisions(source: PythonSource) -> Iterator[CodeProblem]:
    """Yield each decision of a file without its step, and each quoted step without its code."""
    yield from _Decisions(source).problems()


class _Decisions:
    def __init__(self, source: PythonSource) -> None:
        self._source = source
        self._comments = {comment.line: comment.text for comment in source.comments if comment.own_line}
        self._steps = {step.last_line: step for function in source.functions for step in function.steps}
        self._algorithms = {function.line for function in source.functions}
        self._function = 0

    def problems(self) -> Iterator[CodeProblem]:
        body = self._source.tree.body
        for nodes in (body, *(node.body for node in body if isinstance(node, ast.ClassDef))):
            for node in nodes:
                if isinstance(node, ast.FunctionDef):
                    yield from self._of_function(node)
        for of in self._source.functions:
            self._function = of.line
            for step in of.steps:
                yield from self._below(step)

    def _of_function(self, function: ast.FunctionDef) -> Iterator[CodeProblem]:
        self._function = first_line(function)
        # A helper computes one value, and returns it without a step.
        computed = None if self._function in self._algorithms else _Heading("Assert, then return.", tagged=False)
        yield from self._block(function.body, computed)

    def _problem(self, line: int, message: str) -> CodeProblem:
        return CodeProblem(line, self._function, message)

    def _block(self, body: Sequence[ast.stmt], around: _Heading | None) -> Iterator[CodeProblem]:
        for position, statement in enumerate(body):
            yield from self._statement(statement, around)
            if type(statement) in _JUMPS and not isinstance(statement, ast.Assert) and statement is not body[-1]:
                yield self._problem(
                    body[position + 1].lineno, "this line is never reached: remove it, or the jump above it"
                )

    def _statement(self, statement: ast.stmt, around: _Heading | None) -> Iterator[CodeProblem]:
        if isinstance(statement, ast.FunctionDef):
            yield from self._block(statement.body, around if self._function not in self._algorithms else None)
            return
        kind = type(statement)
        heading = self._above(statement.lineno)
        if kind in _JUMPS:
            what, words = _JUMPS[kind]
            yield from self._asked(statement.lineno, what, words, heading or around)
        elif kind in _BRANCHES:
            yield from self._branch(statement, around)
        elif isinstance(statement, ast.With):
            yield from self._block(statement.body, around)
        for node in _expressions(statement):
            what, words = _EXPRESSIONS[type(node)]
            yield from self._asked(node.lineno, what, words, heading)

    def _branch(
        self, node: ast.stmt | ast.ExceptHandler | ast.match_case, around: _Heading | None
    ) -> Iterator[CodeProblem]:
        line = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
        heading = self._above(line)
        what, words = _BRANCHES[type(node)]
        yield from self._asked(line, what, words, heading)
        body: list[ast.stmt] = getattr(node, "body", [])
        # A helper returns without a step at any place. A branch without a step is reported once, without its jumps.
        yield from self._block(body, heading or _EXCUSED if self._function in self._algorithms else around)
        for inner in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
            yield from self._branch(inner, around)
        for name in ("orelse", "finalbody"):
            block: list[ast.stmt] = getattr(node, name, [])
            if not block:
                continue
            if isinstance(node, ast.If) and isinstance(block[0], ast.If) and self._is_elif(block[0]):
                yield from self._asked(block[0].lineno, *_ELSE, self._above(block[0].lineno))
                yield from self._statement(block[0], around)
                continue
            line = self._keyword_line(block[0])
            own = self._above(line) or heading
            yield from self._asked(line, *_ELSE, own)
            yield from self._block(block, own if self._function in self._algorithms else around)

    def _asked(self, line: int, what: str, words: str, heading: _Heading | None) -> Iterator[CodeProblem]:
        if heading is None:
            yield self._problem(line, f"no step is directly above this {what}: quote its step, or add a tag")
        elif not heading.says(words):
            yield self._problem(
                line, f"the step above this {what} does not say this: quote the step that does, or add a tag"
            )

    def _above(self, line: int) -> _Heading | None:
        """Return the comment directly above a line, or above the bare yields there."""
        line -= 1
        while self._source.lines[line - 1].strip() == "yield":
            line -= 1
        step = None
        tags = set()
        while line in self._comments:
            if tag := TAG.match(self._comments[line].lstrip("# ")):
                tags.add(tag[1])
            if line in self._steps:
                step = self._steps[line]
                break
            line -= 1
        if step is None:
            return _EXCUSED if tags else None
        # A case such as 12.a says when a function is called; the code below decides nothing.
        is_case = step.number[-1].isalpha()
        return _Heading(None if is_case else step.text, bool(tags & {"NON-SPEC", "HOST"}))

    def _below(self, step: QuotedStep) -> Iterator[CodeProblem]:
        """Yield a problem if a step is not quoted above code, or that code does not begin like the step."""
        is_case = step.number[-1].isalpha()
        code = ""
        for number, line in enumerate(self._source.lines[step.last_line :], step.last_line + 1):
            comment = self._comments.get(number, "").lstrip("# ")
            if comment.startswith(("TODO-STEP:", f"{step.number}.a. ")):
                return  # It is not done yet, or a list of cases begins.
            if _NUMBER.match(comment):
                break
            if not comment and not _NOTHING.fullmatch(line.strip()):
                code = line
                break
        if not code or len(code) - len(code.lstrip()) != step.column:
            yield self._problem(step.line, "this step has no code: write the code below it")
            return
        for words, beginnings in _BEGINNINGS.items():
            if step.text.startswith(words) and not is_case and not code.lstrip().startswith(beginnings):
                expected = " or ".join(beginning.strip(" :") for beginning in beginnings)
                yield self._problem(
                    step.line,
                    f"the code below this step must begin with {expected}: the step begins with {words.strip()}",
                )

    def _is_elif(self, node: ast.stmt) -> bool:
        return self._source.lines[node.lineno - 1].strip().startswith("elif")

    def _keyword_line(self, first: ast.stmt) -> int:
        """Return the line of the ``else`` or ``finally`` above the first statement of its block."""
        return next(
            line
            for line in range(first.lineno, 0, -1)
            if re.match(r"(else|finally)\b", self._source.lines[line - 1].strip())
        )


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the expressions of a statement that decide; not those of inner statements and of assertions."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr) and not _is_assertion(child):
            yield from (node for node in ast.walk(child) if isinstance(node, ast.expr) and type(node) in _EXPRESSIONS)


def _is_assertion(expression: ast.expr) -> bool:
    match expression:
        case ast.Call(func=ast.Name(id="spec_assert")):
            return True
    return False
