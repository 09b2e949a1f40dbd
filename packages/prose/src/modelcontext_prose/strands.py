"""The strands of steps, in parallel or on an event loop: inferred from their callers, and compared with the asserts.

An algorithm runs in parallel if all that runs it does so. So do steps that a variable or an item holds; they go by the name
of what holds them. An algorithm that nothing in the text runs is believed if it asserts that it runs in parallel. One
that touches nothing that strands share needs no place to give way at, and is an ordinary function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from modelcontext.spec.specification.text.algorithms import python_identifier
from modelcontext_prose.platform import verb
from speclint.prose import tree

if TYPE_CHECKING:
    from modelcontext_prose.definitions import Definitions
    from speclint.prose.prose_text import Step, Text

#: Where steps run: on an event loop, in parallel, or as an algorithm or named steps do.
_Context: TypeAlias = tuple[Literal["event loop", "parallel", "algorithm", "steps"], str]
_EVENT_LOOP: Final[_Context] = ("event loop", "")
_PARALLEL: Final[_Context] = ("parallel", "")


@dataclass(slots=True)
class _Runs:
    """The callers of some steps, and the things that the steps touch and call."""

    callers: list[_Context] = field(default_factory=list)
    asserts: bool = False
    touches: bool = False
    runs: list[_Context] = field(default_factory=list)


class Strands:
    """The strands of the steps of one text."""

    def __init__(self, text: Text, definitions: Definitions) -> None:
        self._definitions = definitions
        self._known: dict[_Context, _Runs] = {}
        for algorithm in text.algorithms:
            context: _Context = ("algorithm", algorithm.id)
            self._of(context)
            self._steps(algorithm.steps, context, context)
        self._parallel = self._inferred()

    def algorithm_is_parallel(self, id_: str) -> bool:
        """Return whether an algorithm runs in parallel, and may have to give way there."""
        context: _Context = ("algorithm", id_)
        return context in self._parallel and self._touches(context, frozenset())

    def runs_only_in_parallel(self, id_: str) -> bool:
        """Return whether all that runs an algorithm does so in parallel."""
        return ("algorithm", id_) in self._parallel

    def is_misplaced(self, id_: str) -> bool:
        """Return whether an algorithm asserts that it runs in parallel, but something on an event loop runs it."""
        context: _Context = ("algorithm", id_)
        return self._of(context).asserts and context not in self._parallel

    def is_parallel(self, name: str) -> bool:
        """Return whether the steps that a variable or an item of that name holds run in parallel."""
        return _held(name) in self._parallel

    def runs_in_parallel(self, node: tree.RunSteps) -> bool:
        """Return whether steps that something holds run in parallel."""
        return self.is_parallel(_name_of(node.steps))

    def _of(self, context: _Context) -> _Runs:
        return self._known.setdefault(context, _Runs())

    def _inferred(self) -> frozenset[_Context]:
        found = {
            context
            for context, one in self._known.items()
            if (one.callers or one.asserts) and context[0] in ("algorithm", "steps")
        }
        before = -1
        while before != len(found):
            before = len(found)
            found = {
                context
                for context in found
                if all(caller == _PARALLEL or caller in found for caller in self._known[context].callers)
            }
        return frozenset(found)

    def _touches(self, context: _Context, seen: frozenset[_Context]) -> bool:
        one = self._of(context)
        if one.touches:
            return True
        others = [inner for inner in one.runs if inner not in seen]
        return any(self._touches(inner, seen | {context}) for inner in others)

    def _steps(self, steps: Sequence[Step], context: _Context, owner: _Context) -> None:
        for step in steps:
            for statement in step.readings[0] if step.readings else ():
                self._node(statement, context, owner, step.steps)
            if not any(isinstance(one, tree.Below | tree.React) for one in _own(step)):
                self._steps(step.steps, context, owner)

    def _node(self, node: tree.Node, context: _Context, owner: _Context, below: Sequence[Step]) -> None:
        match node:
            case tree.Below():
                self._steps(below, context, owner)
                return
            case tree.React():
                self._steps(below, _EVENT_LOOP, owner)
            case tree.InParallel(body=body):
                for one in body:
                    self._node(one, _PARALLEL, owner, below)
                return
            case tree.Upon(promise=promise, body=body):
                self._node(promise, context, owner, below)
                for one in body:
                    self._node(one, _EVENT_LOOP, owner, below)
                return
            case tree.Let(variable=variable, value=tree.Closure() as closure):
                named = _held(variable.name)
                if closure.in_parallel:
                    # They begin a strand of their own, whoever runs them.
                    self._of(named).callers.append(_EVENT_LOOP)
                for one in closure.body:
                    self._node(one, _PARALLEL if closure.in_parallel else named, named, below)
                return
            case tree.Closure(body=body, in_parallel=goes):
                for one in body:
                    self._node(one, _PARALLEL if goes else _EVENT_LOOP, owner, below)
                return
            case tree.Run(algorithm=id_):
                self._run(("algorithm", id_), context, owner)
            case tree.RunSteps(steps=steps):
                self._run(_held(_name_of(steps)), context, owner)
            case tree.Assert(condition=tree.RunningInParallel()):
                self._of(owner).asserts = True
            case tree.Assert(condition=tree.RunningOn(words=words)) if words.endswith("queue"):
                self._of(owner).asserts = True
        self._of(owner).touches |= self._touches_itself(node)
        for child in _children(node):
            self._node(child, context, owner, below)

    def _run(self, runs: _Context, context: _Context, owner: _Context) -> None:
        self._of(runs).callers.append(context)
        self._of(owner).runs.append(runs)

    def _touches_itself(self, node: tree.Node) -> bool:
        match node:
            case tree.Call(phrase=phrase):
                known = verb(phrase.verb)
                return known is not None and known.is_shared
            case tree.Item(owner=owner, name=name):
                struct = self._definitions.structs.get(owner, {}).get(name)
                item = struct or self._definitions.state.get((owner, name))
                return item is not None and item.type.name == "OrderedMap"
        return False


def _held(name: str) -> _Context:
    """Return the context of the steps that a variable or an item holds: |completionSteps| are an item "completion steps"."""
    return ("steps", python_identifier(name))


def _name_of(steps: tree.Expression) -> str:
    match steps:
        case tree.Variable(name=name) | tree.Item(name=name):
            return name
    return ""


def _own(step: Step) -> Iterator[tree.Node]:
    for reading in step.readings[:1]:
        for statement in reading:
            yield from statement.walk()


def _children(node: tree.Node) -> Iterator[tree.Node]:
    for name in node.__dataclass_fields__:
        yield from _nodes(getattr(node, name))


def _nodes(value: object) -> Iterator[tree.Node]:
    if isinstance(value, tree.Node):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _nodes(part)
