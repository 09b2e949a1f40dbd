"""The functions of all algorithms of a text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from modelcontext.spec.specification.text.algorithms import python_identifier
from modelcontext_prose.definitions import ABSENT
from modelcontext_prose.emit.checked_lookups import check_lookups
from modelcontext_prose.emit.closures import Closures
from modelcontext_prose.emit.making import Making, Signature
from modelcontext_prose.emit.naming import id_of
from modelcontext_prose.emit.scope import Binding
from modelcontext_prose.emit.statements import WITHOUT_RESULT
from modelcontext_prose.emit.yields import place_yields
from modelcontext_prose.prose_error import ProseError
from modelcontext_prose.python_types import NONE, UNKNOWN, PythonType, annotation, common, union
from speclint.prose import tree

if TYPE_CHECKING:
    from speclint.prose.nodes import Node
    from speclint.prose.prose_text import Algorithm, Step, Text


# The functions of a text in the making; a program of the corpus runs on products.
class Program(Making):
    """The functions of a text."""

    def __init__(
        self,
        text: Text,
        address: str,
        notes: Mapping[tuple[str, str], tuple[str, ...]],
        inferred: Mapping[tuple[str, str], PythonType] | None = None,
        *,
        lines: Sequence[int] | None = None,
    ) -> None:
        super().__init__(text, address, notes, inferred or {}, lines=lines)
        self._algorithms = {one.id: one for one in text.algorithms}
        self._functions: dict[str, tuple[ast.FunctionDef, Signature]] = {}
        self._open: list[str] = []

    @property
    def has_untyped_items(self) -> bool:
        """True if steps decide the types of some items."""
        return bool(self._untyped)

    def inferred(self) -> Mapping[tuple[str, str], PythonType]:
        """Return the types of what steps put into items whose definitions say none."""
        for algorithm in self.text.algorithms:
            nodes = (node for step in algorithm.walk() for node in _nodes_of(step))
            if any(isinstance(node, tree.NewStruct) and node.struct in self._untyped for node in nodes):
                self._made(algorithm.id)
        return {key: common(kinds) for key, kinds in self.put.items()}

    @cached_property
    def _untyped(self) -> frozenset[str]:
        """The names of the structs with an item whose definition says no type."""
        structs = self.text.structs.items()
        return frozenset(name for name, one in structs if any(item.type is None for item in one.items.values()))

    @cached_property
    def functions(self) -> Mapping[str, ast.FunctionDef]:
        """The functions of all algorithms, by their ids."""
        found = {id_: self._made(id_)[0] for id_ in self._algorithms}
        self.learn_touches()
        for function in self.generators:
            place_yields(function.body, self)
        if self.lines is not None:
            for id_, function in found.items():
                check_lookups(function, partial(self.step_of, id_))
        return found

    def signature(self, id_: str, place: tree.Place) -> Signature:
        """Return how the function of an algorithm is called.

        Raises:
            ProseError: if there is no such algorithm, or it can only run in parallel and does not.
        """
        if id_ not in self._algorithms:
            raise ProseError(f"there is no algorithm {id_}", place)
        if self.strands.is_misplaced(id_):
            raise ProseError(
                f"{self._algorithms[id_].name} runs only in parallel, but one of its callers does not run in parallel",
                place,
            )
        if id_ in self._open:
            algorithm = self._algorithms[id_]
            is_generator = self.strands.algorithm_is_parallel(id_)
            return Signature(self.name_of(algorithm), self._parameters(algorithm), UNKNOWN, is_generator)
        return self._made(id_)[1]

    def name_of(self, algorithm: Algorithm) -> str:
        """Return the name of the function of an algorithm."""
        return python_identifier(algorithm.name)

    def _made(self, id_: str) -> tuple[ast.FunctionDef, Signature]:
        if id_ not in self._functions:
            self._open.append(id_)
            try:
                self._functions[id_] = self._make(self._algorithms[id_])
            finally:
                self._open.remove(id_)
        return self._functions[id_]

    def _parameters(self, algorithm: Algorithm) -> tuple[tuple[str, PythonType], ...]:
        types = self.definitions.arguments_of(algorithm.owner, algorithm.name)
        found = []
        for one in algorithm.parameters:
            kind = types.get(one.name)
            if kind is None:
                kind = self.definitions.python_type(one.type, one.name) if one.type is not None else UNKNOWN
                kind = union([kind, ABSENT]) if one.is_optional else kind
            found.append((one.name, kind))
        return tuple(found)

    def _make(self, algorithm: Algorithm) -> tuple[ast.FunctionDef, Signature]:
        this = self.definitions.this_of(algorithm)
        emitter = Closures(self, algorithm.id, this)
        parameters = self._parameters(algorithm)
        for name, kind in parameters:
            emitter.scope.own[name] = Binding(emitter.local(name), [kind])
            emitter.scope.all_bindings.append(emitter.scope.own[name])
        body = emitter.finished(emitter.steps(algorithm.steps))
        if emitter.lacks_a_result(body):
            last = algorithm.steps[-1]
            body.append(emitter.refused(last, ProseError(WITHOUT_RESULT, last.place)))
        is_generator = self.strands.algorithm_is_parallel(algorithm.id)
        name = self.name_of(algorithm)
        result = emitter.result()
        typed = [(emitter.local(one), kind) for one, kind in parameters]
        arguments = [*([("this", this)] if this is not None else []), *typed]
        returns = _generator(result) if is_generator else annotation(result)
        documented = [ast.Expr(ast.Constant(self.definitions.address_of(algorithm.id))), *body]
        function = emitter.defined(name, arguments, [], documented, returns)
        # Other algorithms need not give them; the boundary gives every argument of an operation.
        left_out = [one for one in algorithm.parameters if one.is_optional and algorithm.kind == "algorithm"]
        function.args.defaults = [ast.Name("ABSENT") for _ in left_out]
        function.decorator_list = [ast.Call(ast.Name("algorithm"), [ast.Constant(id_of(algorithm))], [])]
        self.note_function(function, is_generator=is_generator)
        return function, Signature(name, parameters, result, is_generator)


def _nodes_of(step: Step) -> Iterator[Node]:
    return (node for reading in step.readings for statement in reading for node in statement.walk())


def _generator(result: PythonType) -> ast.expr:
    if result == NONE:
        return ast.Name("ParallelSteps")
    parts: list[ast.expr] = [ast.Constant(None), ast.Constant(None), annotation(result)]
    return ast.Subscript(ast.Name("Generator"), ast.Tuple(parts))
