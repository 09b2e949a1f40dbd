"""Steps as values, as tasks and in parallel: functions inside of functions.

What a loop binds, an inner function gets as the default of a parameter: the next iteration does not change it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from modelcontext_prose.emit.naming import name_of_steps, unused
from modelcontext_prose.emit.scope import Binding, Scope, Value
from modelcontext_prose.emit.statements import WITHOUT_RESULT, Statements
from modelcontext_prose.prose_error import ProseError
from modelcontext_prose.python_types import (
    PARALLEL_STEPS,
    UNKNOWN,
    PythonType,
    annotation,
)
from speclint.prose import tree

if TYPE_CHECKING:
    from modelcontext_prose.definitions import Alias
    from speclint.prose.prose_text import Step


class Closures(Statements):
    """The emitter of the functions inside of one algorithm."""

    def closure(self, node: tree.Closure, name: str = "") -> Value:
        """Return steps as a value: a lambda for one act in a sentence, else the name of a function above the statement."""
        if node.in_parallel:
            raise ProseError("steps that run in parallel cannot be used as a value", node.place)
        match node.body:
            case (tree.Do(),) if not node.parameters:
                with self.inner() as scope:
                    (act,) = self.body(node.body)
                    kept = self._kept(scope, [act])
                if isinstance(act, ast.Expr) and not self.before and not kept:
                    return Value(ast.Lambda(_arguments([]), act.value), UNKNOWN)
        function = self.function(node, name)
        self.before.append(function)
        return Value(ast.Name(function.name), UNKNOWN)

    def function(
        self, node: tree.Closure, name: str, types: Sequence[PythonType] = (), alias: Alias | None = None
    ) -> ast.FunctionDef:
        """Return the function of steps, with the types of its parameters if something says them."""
        name = unused(name or name_of_steps(node.body, self.below, self.taken()), self.taken())
        self.scope.taken.append(name)
        with self.inner() as scope:
            parameters = []
            for index, one in enumerate(node.parameters):
                kind = types[index] if index < len(types) else self._type_of(one)
                scope.own[one.name] = Binding(self.local(one.name), [kind])
                parameters.append((scope.own[one.name].identifier, kind))
            body = self.finished(self.body(node.body))
            result = self.result()
            if self.lacks_a_result(body):
                raise ProseError(WITHOUT_RESULT, node.place)
            if alias is not None:
                self.program.note_result(alias.name, result)
            kept = self._kept(scope, body)
        return self.defined(name, [*parameters], kept, body, annotation(result))

    def defined(
        self,
        name: str,
        parameters: Sequence[tuple[str, PythonType]],
        kept: Sequence[tuple[str, PythonType]],
        body: list[ast.stmt],
        result: ast.expr,
    ) -> ast.FunctionDef:
        """Return a function; it keeps the values that some variables of loops have now."""
        arguments = _arguments(
            [ast.arg(identifier, annotation(kind)) for identifier, kind in parameters]
            + [ast.arg(identifier, annotation(kind)) for identifier, kind in kept],
            [ast.Name(identifier) for identifier, _ in kept],
        )
        return ast.FunctionDef(name, arguments, body, [], result)

    def _type_of(self, parameter: tree.Parameter) -> PythonType:
        return self.definitions.python_type(parameter.type) if parameter.type is not None else UNKNOWN

    def _kept(self, scope: Scope, body: Sequence[ast.stmt]) -> list[tuple[str, PythonType]]:
        """Return the variables of loops around some steps that the steps use, with the types that they have now."""
        names = {node.id for one in body for node in ast.walk(one) if isinstance(node, ast.Name)}
        outer = scope.outer.facts if scope.outer is not None else {}
        used = [one for one in scope.outer_loops if one.identifier in names]
        return [(one.identifier, outer.get(one.identifier, one.type)) for one in used]

    def taken(self) -> list[str]:
        """Return the names that a function at this place cannot have."""
        return [*self.scope.taken, *(one.identifier for one in self.scope.all_bindings)]

    def let_steps(self, variable: tree.Variable, closure: tree.Closure) -> list[ast.stmt]:
        """Return the code of steps that a variable holds; those that "run in parallel" return at once when they are run."""
        if closure.in_parallel:
            closure = tree.Closure(closure.place, closure.parameters, (tree.InParallel(closure.place, closure.body),))
        alias = self.definitions.alias_of(variable.name)
        types = alias.parameters if alias is not None else ()
        name = self.local(variable.name)
        kind = PythonType(alias.name) if alias is not None else UNKNOWN
        self.program.note_steps(alias.name if alias is not None else "", len(closure.parameters))
        if self.program.strands.is_parallel(variable.name):
            function = self.parallel_function(closure.body, name, closure.parameters, types)
        else:
            function = self.function(closure, name, types, alias)
        binding = self.scope.own[variable.name] = Binding(name, [kind])
        self.scope.all_bindings.append(binding)
        return [function]

    def in_parallel(self, body: Sequence[tree.Statement]) -> ast.stmt:
        """Return the code of steps that go in parallel from here."""
        function = self.parallel_function(body, unused(name_of_steps(body, self.below, self.taken()), self.taken()))
        function.decorator_list = [ast.Name("in_parallel")]
        return function

    def parallel_function(
        self,
        body: Sequence[tree.Statement],
        name: str,
        parameters: Sequence[tree.Parameter] = (),
        types: Sequence[PythonType] = (),
    ) -> ast.FunctionDef:
        """Return the generator function of steps in parallel."""
        self.scope.taken.append(name)
        with self.inner() as scope:
            typed = []
            for index, one in enumerate(parameters):
                kind = types[index] if index < len(types) else self._type_of(one)
                scope.own[one.name] = Binding(self.local(one.name), [kind])
                typed.append((scope.own[one.name].identifier, kind))
            code = self.finished(self.body(body))
            kept = self._kept(scope, code)
        function = self.defined(name, typed, kept, code, annotation(PARALLEL_STEPS))
        self.program.note_function(function, is_generator=True)
        return function

    def finished(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the body of a function with the annotations that its variables need."""
        for binding in self.scope.all_bindings:
            if binding.declaration is not None and binding.needs_annotation:
                binding.declaration.annotation = annotation(binding.type)
                binding.declaration.is_apart = binding.type.nullable and not binding.types[0].nullable
        return body

    def react(self, promise: tree.Expression) -> list[ast.stmt]:
        """Return the code of a reaction to a promise; the cases below the step say what it is."""
        on: dict[type[tree.Node], ast.stmt | None] = {tree.WhenFulfilled: None, tree.WhenRejected: None}
        code: list[ast.stmt] = []
        found = self.present(promise)
        for case, statement in self._cases():
            match statement:
                case tree.WhenFulfilled(value=variable):
                    name = "fulfilled"
                case tree.WhenRejected(reason=variable):
                    name = "rejected"
                case _:
                    raise ProseError('the cases of a promise are "was fulfilled" and "was rejected"', case.place)
            function = self._handled(name, variable, partial(self.steps, case.steps))
            on[type(statement)] = function
            code += [*self.comments(case), function]
        handlers = [_handler(on[kind]) for kind in (tree.WhenFulfilled, tree.WhenRejected)]
        code.append(ast.Expr(ast.Call(ast.Name("react"), [found.node, *handlers], [])))
        return code

    def upon(self, node: tree.Upon) -> list[ast.stmt]:
        """Return the code of a reaction to one way in which a promise is settled."""
        found = self.present(node.promise)
        function = self._handled(node.settled, node.value, partial(self.body, node.body))
        handlers = [_handler(function if node.settled == settled else None) for settled in ("fulfilled", "rejected")]
        return [function, ast.Expr(ast.Call(ast.Name("react"), [found.node, *handlers], []))]

    def _cases(self) -> Iterator[tuple[Step, tree.Statement]]:
        for case in self.below:
            if not case.readings:
                raise ProseError(case.problem.message if case.problem is not None else "not understood", case.place)
            yield case, case.readings[0][0]

    def _handled(
        self, name: str, variable: tree.Variable | None, steps: Callable[[], list[ast.stmt]]
    ) -> ast.FunctionDef:
        """Return the function of the steps that a promise is settled with, which may have the value in a variable."""
        name = unused(name, self.taken())
        self.scope.taken.append(name)
        with self.inner() as scope:
            identifier = self.local(variable.name) if variable is not None else "_"
            if variable is not None:
                scope.own[variable.name] = Binding(identifier, [PythonType("JSValue")])
            body = self.finished(steps() or [ast.Pass()])
            kept = self._kept(scope, body)
        return self.defined(name, [(identifier, PythonType("JSValue"))], kept, body, ast.Constant(None))


def _handler(function: ast.stmt | None) -> ast.expr:
    if isinstance(function, ast.FunctionDef):
        return ast.Name(function.name)
    return ast.Lambda(_arguments([ast.arg("_")]), ast.Constant(None))


def _arguments(names: list[ast.arg], defaults: Sequence[ast.expr] = ()) -> ast.arguments:
    return ast.arguments([], names, None, [], [], None, list(defaults))
