"""The check of generated code that steps in parallel have a bare ``yield`` before each access to shared state, and only there.

A missing ``yield`` loses outcomes. A needless one makes every exploration larger by a factor. The rule:

* No ``yield`` stands before the first access, because the start of the steps is a scheduling point already.
* One ``yield`` stands between accesses that belong to different steps.
* Consecutive steps on one thing are one access, because the text means them so: it removes an entry that it has just
  found. Each iteration of a loop begins anew.

Shared state is touched by the host's verbs that are declared ``@shared``. Each ordered map is shared that the model of a
revision declares, as an attribute or as the return value of a function. A call touches the things that the function
touches; a generator counts with the first of them only, because it is checked itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from modelcontext.spec.specification.code.comments import PythonSource, is_generator, own_nodes
from modelcontext.spec.specification.text.problems import CodeProblem


@dataclass(frozen=True, slots=True)
class _Event:
    """A ``yield`` (``touched`` is None), or an access to the shared thing of that name.

    ``step`` and ``loop`` are the first lines of the step and of the loop's body around it.
    """

    line: int
    step: int
    loop: int
    touched: str | None


def check_yields(sources: Sequence[PythonSource], verbs: PythonSource) -> Iterator[tuple[PythonSource, CodeProblem]]:
    """Yield each misplaced or missing ``yield`` in the files of a revision.

    Args:
        sources: the files of the revision.
        verbs: the file that declares the verbs of the host.
    """
    package = _Package(sources, verbs)
    for source in sources:
        functions = [node for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef)]
        in_parallel = [function for function in functions if _runs_in_parallel(function)]
        for algorithm in source.functions:
            steps = [step.line for step in algorithm.steps]
            for function in in_parallel:
                if algorithm.line <= function.lineno <= algorithm.last_line:
                    for line, message in _misplaced(package, function, steps):
                        yield source, CodeProblem(line, algorithm.line, message)


class _Package:
    """The shared state of a revision: verbs, maps, and the functions that touch them."""

    def __init__(self, sources: Sequence[PythonSource], verbs: PythonSource) -> None:
        self._verbs = {
            node.name
            for node in ast.walk(verbs.tree)
            if isinstance(node, ast.FunctionDef)
            and any(isinstance(mark, ast.Name) and mark.id == "shared" for mark in node.decorator_list)
        }
        nodes = [node for source in sources for node in ast.walk(source.tree)]
        self._functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
        self._maps = {
            node.target.attr
            for node in nodes
            if isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Attribute)
            and _is_ordered_map(node.annotation)
        } | {name for name, function in self._functions.items() if _is_ordered_map(function.returns)}
        # A local name of a map means the same map in every function.
        self._aliases: dict[str, str | None] = {}
        self._aliases = {
            target.id: self._map_of(node.value)
            for node in nodes
            if isinstance(node, ast.Assign) and self._map_of(node.value) is not None
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def events(self, function: ast.FunctionDef, steps: Sequence[int]) -> Iterator[_Event]:
        """Yield the events of a function's own code, in order."""
        nodes = list(own_nodes(function))
        loops = [(node.body[0].lineno, node.end_lineno or 0) for node in nodes if isinstance(node, ast.For)]
        for node in nodes:
            line: int = getattr(node, "lineno", 0)
            step = max((begin for begin in steps if begin <= line), default=0)
            loop = max((begin for begin, end in loops if begin <= line <= end), default=0)
            if isinstance(node, ast.Yield):
                yield _Event(line, step, loop, None)
            else:
                yield from (_Event(line, step, loop, touched) for touched in self._touched_by(node))

    def _touched_by(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.YieldFrom(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
                yield from list(self._touched_in(name))[:1]
            case ast.Call(func=ast.Name(id=name)) if name in self._verbs:
                yield name
            case ast.Call(func=ast.Name(id=name)) if name in self._functions and name not in self._maps:
                if not _runs_in_parallel(self._functions[name]):
                    yield from self._touched_in(name)
            case ast.Call(func=ast.Attribute(value=owner)) | ast.Subscript(value=owner):
                touched = self._map_of(owner)
                if touched is not None:
                    yield touched

    def _touched_in(self, name: str) -> Iterator[str]:
        if name in self._functions:
            yield from (event.touched for event in self.events(self._functions[name], ()) if event.touched is not None)

    def _map_of(self, expression: ast.expr) -> str | None:
        match expression:
            case ast.Name(id=name):
                return self._aliases.get(name)
            case ast.Attribute(attr=name) | ast.Call(func=ast.Name(id=name)) if name in self._maps:
                return name
        return None


def _misplaced(package: _Package, function: ast.FunctionDef, steps: Sequence[int]) -> Iterator[tuple[int, str]]:
    last: _Event | None = None
    yielded: _Event | None = None
    for event in package.events(function, steps):
        if event.touched is None:
            if last is None or yielded is not None:
                yield (
                    event.line,
                    "this yield is needless, because no shared state was touched since the last one: remove it",
                )
            else:
                yielded = event
            continue
        is_same_access = last is not None and (
            event.step == last.step or (event.touched, event.loop) == (last.touched, last.loop)
        )
        if last is not None and yielded is None and not is_same_access:
            yield (
                event.line,
                f"there is no yield before {event.touched}, which is shared: add one, because other steps may run before it",
            )
        last, yielded = event, None
    if yielded is not None:
        yield yielded.line, "this yield is needless, because no shared state is touched after it: remove it"


def _runs_in_parallel(function: ast.FunctionDef) -> bool:
    """Return whether a function is a generator, or is annotated to return one."""
    return is_generator(function) or (
        function.returns is not None and ast.unparse(function.returns).startswith(("ParallelSteps", "Generator["))
    )


def _is_ordered_map(annotation: ast.expr | None) -> bool:
    return annotation is not None and ast.unparse(annotation).strip("'\"").startswith("OrderedMap[")
