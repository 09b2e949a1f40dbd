"""The compilation of a removal, which keeps what it can from the unchanged text."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.spec import revisions
from modelcontext_prose.compiler import Compiled, compile_text
from modelcontext_prose.linking import link
from speclint.text.text_error import TextError

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision
    from tools.lab.removals.texts import Removal

#: The beginning of the names of packages, in no folder, for the texts.
_PACKAGE: Final = f"{revisions.__name__}.text"
_ASSERTIONS: Final = frozenset({"assert_running_in_parallel", "spec_assert"})


@dataclass(frozen=True, slots=True)
class Refused:
    """The refusal of a text: its place as ``line:column``, and the problem there."""

    place: str
    problem: str


class UnchangedText:
    """The text whose steps are removed, read and compiled."""

    def __init__(self, content: str, path: Path) -> None:
        self.path = path
        self.compiled = compile_text(content, path, f"{_PACKAGE}_whole", {})

    def without(self, removal: Removal) -> Refused | Compiled:
        """Compile the text without a step.

        Raises:
            AssertionError: if the text lacks other things than the step.
        """
        package = f"{_PACKAGE}_{hashlib.sha256(removal.content.encode()).hexdigest()[:12]}"
        try:
            compiled = compile_text(removal.content, self.path, package, {}, like=self.compiled)
        except TextError as error:
            return Refused(f"{error.line}:1", error.message)
        [own] = [one for one in compiled.program.text.source.algorithms if one.id == removal.algorithm]
        if tuple(step.text for step in own.walk() if not step.is_introduction) != removal.left:
            raise AssertionError(f"the text without {removal.place} lacks other things than this step")
        for one in compiled.program.refusals:
            return Refused(str(one.place), f"{one.algorithm} {one.step.number}: {one.message}")
        for algorithm, step in compiled.program.ambiguous:
            return Refused(str(step.place), f"{algorithm} {step.number} has two readings")
        return compiled

    def is_the_same_but_for_assertions(self, compiled: Compiled) -> bool:
        """Return whether a compiled removal does what the unchanged text does, if all assertions hold."""
        own = self.compiled
        texts = {name: text.replace(compiled.package, own.package) for name, text in compiled.files.items()}
        return texts.keys() == own.files.keys() and all(
            text == own.files[name] or _without_assertions(text) == _without_assertions(own.files[name])
            for name, text in texts.items()
        )


def linked(compiled: Compiled) -> Revision:
    """Return the revision of a compiled removal."""
    return link(compiled).revision


def _without_assertions(text: str) -> str:
    """Return the Python of a file without comments, assertions, the numbers of steps in messages, and what it imports."""
    return ast.dump(_Rest().visit(ast.parse(text)))


class _Rest(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        match node.value:
            case ast.Call(func=ast.Name(id=name)) if name in _ASSERTIONS:
                return None
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Take away what imports: a name that only an assertion uses."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="there"), args=[value, ast.Constant()]):
                node.args = [value]
        return self.generic_visit(node)
