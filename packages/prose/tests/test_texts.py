"""The compiled texts of the revisions: every step has a meaning, quotes its text, and stands in the project's layout."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.spec.revisions.registry import FILES
from modelcontext.spec.specification import load_algorithms
from modelcontext.spec.specification.code.comments import PythonSource, parse_source
from modelcontext_prose.compiler import compile_revision
from modelcontext_prose.python_text import Comment, Declaration

if TYPE_CHECKING:
    from modelcontext_prose.compiler import Compiled

ROOT = Path(__file__).resolve().parents[3]


class _Plain(ast.NodeTransformer):
    """Makes the statements of Python of those of generated code, without comments."""

    def visit(self, node: ast.AST) -> Any:
        match node:
            case Comment():
                return None
            case Declaration(name=name, value=value, annotation=None):
                return ast.Assign([ast.Name(name)], value)
            case Declaration(name=name, value=value, annotation=ast.expr() as kind, is_apart=True):
                return [ast.AnnAssign(ast.Name(name), kind, None, 1), ast.Assign([ast.Name(name)], value)]
            case Declaration(name=name, value=value, annotation=ast.expr() as kind):
                return ast.AnnAssign(ast.Name(name), kind, value, 1)
        return super().visit(node)


def functions_in(texts: Iterable[str]) -> dict[str, ast.FunctionDef]:
    """Return the functions of algorithms in some files, by the ids of the algorithms."""
    found = {}
    for node in (node for text in texts for node in ast.parse(text).body):
        match node:
            case ast.FunctionDef(
                decorator_list=[ast.Call(func=ast.Name(id="algorithm"), args=[ast.Constant(value=str(id_))])]
            ):
                found[id_] = node
    return found


def sources(compiled: Compiled) -> list[PythonSource]:
    return [parse_source(Path(f"{name}.py"), text) for name, text in compiled.files.items()]


@pytest.mark.parametrize("name", FILES)
def test_every_step_has_one_meaning(name: str) -> None:
    program = compile_revision(ROOT, FILES[name]).program
    assert [f"{one.algorithm} {one.step.number}: {one.message}" for one in program.refusals] == []
    assert program.ambiguous == []


@pytest.mark.parametrize("name", FILES)
def test_functions_quote_every_step_and_have_the_names_and_strands_of_the_text(name: str) -> None:
    compiled = compile_revision(ROOT, FILES[name])
    functions = {one.id: one for source in sources(compiled) for one in source.functions}
    algorithms = load_algorithms(name)
    assert functions.keys() == {one.id for one in algorithms}
    for algorithm in algorithms:
        function = functions[algorithm.id]
        assert [(step.number, step.text) for step in function.steps] == [
            (step.number, step.text) for step in algorithm.steps
        ]
        assert function.name == algorithm.function
        assert function.parameters == tuple(parameter.identifier for parameter in algorithm.parameters)
        assert function.is_generator is algorithm.in_parallel


def test_layout_keeps_the_syntax_tree() -> None:
    compiled = compile_revision(ROOT, FILES["current"])
    laid_out = functions_in(compiled.files.values())
    for id_, function in compiled.program.functions.items():
        assert ast.unparse(laid_out[id_]) == ast.unparse(ast.fix_missing_locations(_Plain().visit(function)))


def test_notes_on_issues_stand_below_their_steps(current: Compiled) -> None:
    step = "    # 2. Let tool owner be global's associated Document.\n"
    note = "    # SPEC-BUG(#1): the initial about:blank can share its Window with the document that replaces it.\n"
    assert step + note + "    tool_owner = associated_document(global_)\n" in current.files["api"]
