"""Statements of prose in Python: each step's comment, and its code below it."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from modelcontext.spec.specification.text.algorithms import python_identifier
from modelcontext_prose.emit.condition_code import Conditions, negated
from modelcontext_prose.emit.expressions import path_of
from modelcontext_prose.emit.naming import TAKEN, unused
from modelcontext_prose.emit.scope import Binding, Scope, Value
from modelcontext_prose.prose_error import ProseError
from modelcontext_prose.python_text import Comment, Declaration
from modelcontext_prose.python_types import EMPTY, NONE, STRING, UNKNOWN, PythonType, join
from speclint.prose import tree
from speclint.prose.phrasebook import phrase_of

if TYPE_CHECKING:
    from modelcontext_prose.emit.making import Making
    from speclint.prose.prose_text import Step

_JUMPS: Final = (ast.Return, ast.Raise, ast.Continue, ast.Break)


#: The problem of steps that only sometimes have a result.
WITHOUT_RESULT: Final = "these steps return a value, but can come to their end without one"


class Statements(Conditions):
    """The emitter of the statements of one algorithm.

    ``returned`` are the types of the values that the innermost steps return. ``below`` are the steps for which the
    statement ``Below`` stands. ``before`` are functions that have to stand before the statement.
    """

    def __init__(self, program: Making, algorithm: str, this: PythonType | None) -> None:
        super().__init__(program, algorithm, this)
        self.returned: list[PythonType | Binding] = []
        self.below: Sequence[Step] = ()
        self.before: list[ast.stmt] = []
        self.loops = 0
        #: The steps below the value of an item in a case, by the identity of each node of that value.
        self.below_of: dict[int, Sequence[Step]] = {}
        #: The kinds of expressions by which the innermost steps return that there is no result.
        self.no_results: set[type[tree.Node]] = set()

    def steps(self, steps: Sequence[Step]) -> list[ast.stmt]:
        """Return the code of steps, each below its comments."""
        block: list[ast.stmt] = []
        for step in steps:
            comments = self.comments(step)
            if _jumps(block):
                # What stands below a jump, or below a step without a meaning, never runs.
                block += comments
                continue
            outer = self.step, self.below
            self.step, self.below = step.number, step.steps
            self._step(step, comments, block)
            self.step, self.below = outer
        return block

    def _step(self, step: Step, comments: list[Comment], block: list[ast.stmt]) -> None:
        facts = dict(self.scope.facts)
        try:
            if not step.readings:
                problem = step.problem
                raise ProseError(*((problem.message, problem.place) if problem else ("not understood", step.place)))
            if len(step.readings) > 1:
                self.program.ambiguous.append((self.algorithm, step))
            self._reading(step.readings[0], comments, block)
        except ProseError as error:
            self.scope.facts = facts
            block += [*comments, self.refused(step, error)]

    def refused(self, step: Step, error: ProseError) -> ast.stmt:
        """Note that a step has no meaning, and return the statement that raises where it would run."""
        self.program.refuse(self.algorithm, step, error)
        refusal = self.program.refusals[-1]
        where = self.program.step_of(self.algorithm, step.number, refusal.place)
        words = ast.Constant(f"{where} {refusal.words}")
        return ast.Raise(ast.Call(ast.Name("NoMeaningError"), [words], []), None)

    def comments(self, step: Step) -> list[Comment]:
        """Return a step as a comment, with the notes on it."""
        notes = self.program.notes.get((self.algorithm, step.number), ())
        return [Comment(f"{step.number}. {step.text}"), *(Comment(note) for note in notes)]

    def _reading(self, reading: tree.Reading, comments: list[Comment], block: list[ast.stmt]) -> None:
        for statement in reading:
            match statement:
                case tree.OtherwiseIf() | tree.Otherwise():
                    self._otherwise(statement, comments, block)
                case tree.OnException():
                    self._on_exception(statement, comments, block)
                case _:
                    found = self.statement(statement)
                    block += [*comments, *found]
            comments = []

    def body(self, statements: Sequence[tree.Statement]) -> list[ast.stmt]:
        """Return the code of the statements in a sentence; ``Below`` is that of the steps below it."""
        if len(statements) == 1 and isinstance(statements[0], tree.Below):
            return self.steps(self.below) or [ast.Pass()]
        block: list[ast.stmt] = []
        self._reading(tuple(statements), [], block)
        return block or [ast.Pass()]

    def statement(self, node: tree.Statement) -> list[ast.stmt]:
        """Return the code of a statement, below the functions that it needs."""
        outer, self.before = self.before, []
        try:
            found = self._statement(node)
            found = [*self.before, *found]
        finally:
            self.before = outer
        for one in found:
            self.program.acts[one] = node
        return found

    def _statement(self, node: tree.Statement) -> list[ast.stmt]:
        match node:
            case tree.Let(variable=variable, value=tree.Closure() as closure):
                return self.let_steps(variable, closure)
            case tree.Let(variable=variable, value=value):
                return [self.declare(variable.name, self.value(value))]
            case tree.Set(target=target, value=value):
                return [self._set(target, value)]
            case tree.If(condition=condition, body=body):
                return [self._if(condition, body)]
            case tree.ForEach():
                return [self._for_each(node)]
            case tree.While():
                return [self._while(node)]
            case tree.Return(value=value):
                return [ast.Return(self._result(value))]
            case tree.AbortSteps():
                return [ast.Return(None)]
            case tree.Continue():
                return [ast.Continue()]
            case tree.Break():
                return [ast.Break()]
            case tree.ThrowException(value=value):
                return [ast.Raise(ast.Call(ast.Name("Throw"), [self.value(value).node], []), None)]
            case tree.Assert(condition=tree.RunningOn() as condition):
                return self._on_strand(condition)
            case tree.Assert(condition=condition):
                return [self._assert(condition)]
            case tree.Do(action=action):
                return [self._do(action)]
            case tree.InParallel(body=body):
                return [self.in_parallel(body)]
            case tree.React(promise=promise):
                return self.react(promise)
            case tree.Upon():
                return self.upon(node)
            case tree.Optionally(body=body):
                return self.body(body)
            case tree.Rethrow():
                return []
            case tree.ImplementationDefined():
                return [ast.Pass()]
        raise ProseError(f"{type(node).__name__} has no meaning at this place", node.place)

    @abstractmethod
    def let_steps(self, variable: tree.Variable, closure: tree.Closure) -> list[ast.stmt]:
        """Return the code of steps that a variable holds."""

    @abstractmethod
    def in_parallel(self, body: Sequence[tree.Statement]) -> ast.stmt:
        """Return the code of steps that go in parallel from here."""

    @abstractmethod
    def react(self, promise: tree.Expression) -> list[ast.stmt]:
        """Return the code of a reaction to a promise; the cases below the step say what it is."""

    @abstractmethod
    def upon(self, node: tree.Upon) -> list[ast.stmt]:
        """Return the code of a reaction to one way in which a promise is settled."""

    # Variables.

    def local(self, name: str) -> str:
        """Return the name in Python of a variable of the text."""
        identifier = python_identifier(name)
        return f"{identifier}_" if identifier in TAKEN or self.program.calls(identifier) else identifier

    def declare(self, name: str, found: Value) -> ast.stmt:
        """Return the assignment of a variable that these steps define, perhaps anew."""
        known = self.scope.own.get(name)
        if known is not None and known.is_of_loop and not self.loops:
            # The variable of a loop that is over has another type.
            known = None
        if known is not None:
            return self._assign(known, found)
        identifier = self._fresh(name, found)
        declaration = Declaration(identifier, found.node)
        self.scope.own[name] = Binding(identifier, [found.type], declaration)
        self.scope.all_bindings.append(self.scope.own[name])
        if self.loops:
            self.scope.of_loops.append(self.scope.own[name])
        self.program.note_map(identifier, found)
        self._know(identifier, found.type)
        return declaration

    def _fresh(self, name: str, found: Value) -> str:
        identifier = self.local(name)
        taken = {one.identifier: one for one in self.scope.all_bindings}
        if identifier not in taken or taken[identifier].type == found.type:
            return identifier
        return unused(f"{identifier}_or_null" if found.type.nullable else identifier, taken)

    def _assign(self, binding: Binding, found: Value) -> ast.stmt:
        binding.types.append(found.type)
        self._know(binding.identifier, found.type)
        return ast.Assign([ast.Name(binding.identifier)], found.node)

    def _own_binding(self, variable: tree.Variable) -> Binding:
        """Return the binding of a variable that these steps may set."""
        binding = self.binding(variable)
        if variable.name not in self.scope.own:
            raise ProseError(
                f'"{variable.name}" is a variable of the outer steps, which these steps cannot set', variable.place
            )
        return binding

    def _know(self, identifier: str, kind: PythonType) -> None:
        self.scope.forget(identifier)
        self.scope.facts[identifier] = kind

    def put(self, collection: tree.Expression, parts: tuple[PythonType, ...]) -> None:
        """Note what is put into a collection, so that a list that begins empty has a type."""
        match collection:
            case tree.Variable():
                self.binding(collection).items.append(parts)
            case tree.Entry(collection=tree.Variable() as outer, key=key):
                kind = "list" if len(parts) == 1 else "dict"
                self.binding(outer).items.append((self.value(key).type, PythonType(kind, parts)))

    def _set(self, target: tree.Expression, value: tree.Expression) -> ast.stmt:
        match target:
            case tree.Variable():
                return self._assign(self._own_binding(target), self.value(value))
            case tree.Entry(collection=collection, key=key):
                found, index = self.present(collection), self.present(key)
                kind = found.type.arguments[-1] if found.type.arguments else EMPTY
                item = self.fitting(self.value(value), kind)
                self.put(collection, (index.type, item.type))
                if found.type.name == "OrderedMap":
                    return ast.Expr(ast.Call(ast.Attribute(found.node, "set"), [index.node, item.node], []))
                return ast.Assign([ast.Subscript(found.node, index.node)], item.node)
            case tree.Item() | tree.Member():
                place = self.place_of(target)
                if isinstance(place.node, ast.Call):
                    raise ProseError(
                        f'"{target.name}" gets its value with its object, and no step can set it', target.place
                    )
                found = self.fitting(self.value(value), place.type)
                self.scope.forget(path_of(place.node))
                return ast.Assign([place.node], found.node)
        raise ProseError("this cannot be set", target.place)

    def items_below(self, node: tree.Node) -> tuple[tuple[str, tree.Expression], ...]:
        """Return the items that the cases below the step list; each is quoted above the statement."""
        found = []
        for case in self.below_of.get(id(node), self.below):
            match [one.readings[0] for one in (case, *case.steps) if one.readings]:
                case [(tree.ItemCase(name=name),), (tree.ItemValue(value=value),)]:
                    found.append((name, value))
                case _:
                    raise ProseError("this is not an item that has a value", case.place)
            self.below_of |= {id(inner): case.steps[0].steps for inner in value.walk()}
            self.before += self.comments(case) + self.comments(case.steps[0])
        return tuple(found)

    # Branches and loops.

    def _if(self, condition: tree.Expression, body: Sequence[tree.Statement]) -> ast.stmt:
        asked = self.condition(condition)
        before = dict(self.scope.facts)
        self.scope.learn(asked.if_true)
        inner = self.body(body)
        after = self.scope.facts
        self.scope.facts = before
        self.scope.learn(asked.if_false)
        self._meet(inner, after)
        branch = ast.If(asked.node, inner, [])
        # An "otherwise" begins with what a false condition shows.
        self.program.if_false[branch] = {**before, **asked.if_false}
        return branch

    def _meet(self, inner: Sequence[ast.stmt], after: dict[str, PythonType]) -> None:
        """Know after a branch what is true whether it was run or not."""
        if _jumps(inner):
            return
        both = self.scope.facts.keys() & after.keys()
        self.scope.facts = {text: join([self.scope.facts[text], after[text]]) for text in both}

    def _otherwise(
        self, node: tree.OtherwiseIf | tree.Otherwise, comments: list[Comment], block: list[ast.stmt]
    ) -> None:
        last = block[-1] if block else None
        while isinstance(last, ast.If) and last.orelse:
            last = last.orelse[-1]
        if not isinstance(last, ast.If):
            raise ProseError("no earlier step tests a condition", node.place)
        for one in comments:
            one.is_heading = True
        after, self.scope.facts = self.scope.facts, dict(self.program.if_false[last])
        match node:
            case tree.OtherwiseIf(condition=condition, body=body):
                inner: list[ast.stmt] = [self._if(condition, body)]
                self.program.acts[inner[0]] = node
                jumps = False
            case tree.Otherwise(body=body):
                inner = self.body(body)
                jumps = _jumps(inner)
        last.orelse = [*comments, *inner]
        if _jumps(last.body) and not jumps:
            return
        if jumps:
            self.scope.facts = after
            return
        both = self.scope.facts.keys() & after.keys()
        self.scope.facts = {text: join([self.scope.facts[text], after[text]]) for text in both}

    def _on_exception(self, node: tree.OnException, comments: list[Comment], block: list[ast.stmt]) -> None:
        if not block or isinstance(block[-1], Comment):
            raise ProseError("no earlier step can throw", node.place)
        for one in comments:
            one.is_heading = True
        name = self.local(node.variable.name) if node.variable is not None else self._exception_name(node)
        if node.variable is not None:
            self.scope.own[node.variable.name] = Binding(str(name), [PythonType("JSValue")], is_exception=True)
        self.exceptions.append(name or "exception")
        facts = dict(self.scope.facts)
        inner = self.body(node.body)
        if not _jumps(inner):
            self.scope.facts = {key: kind for key, kind in self.scope.facts.items() if facts.get(key) == kind}
        else:
            self.scope.facts = facts
        self.exceptions.pop()
        handler = ast.ExceptHandler(ast.Name("Throw"), name, [*comments, *inner])
        guarded = block[-1]
        attempt = ast.Try([guarded], [handler], [], [])
        self.program.acts[attempt] = self.program.acts[guarded]
        block[-1] = attempt

    def _exception_name(self, node: tree.OnException) -> str | None:
        uses = any(isinstance(one, tree.ThatException) for one in node.walk())
        below = (one for step in self.below for part in step.walk() for one in _nodes(part))
        return "exception" if uses or any(isinstance(one, tree.ThatException) for one in below) else None

    def _for_each(self, node: tree.ForEach) -> ast.stmt:
        items = self.as_collection(self.present(node.collection))
        source = items.node
        kinds: Sequence[PythonType] = (UNKNOWN,) * len(node.variables)
        parts = items.type.arguments
        if node.kind == "map":
            source = ast.Call(ast.Attribute(source, "items"), [], [])
            kinds = parts if len(parts) == len(kinds) else kinds
        elif items.type == STRING:
            kinds = (STRING,)
        elif parts:
            found = parts[0].arguments if len(node.variables) > 1 else parts
            kinds = found if len(found) == len(kinds) else kinds
        before, count = dict(self.scope.facts), len(self.scope.of_loops)
        self._forget_what_changes(node)
        names = [self._loop_variable(one.name, kind) for one, kind in zip(node.variables, kinds, strict=True)]
        self.loops += 1
        inner = self.body(node.body)
        self.loops -= 1
        del self.scope.of_loops[count:]
        self.scope.facts = {text: kind for text, kind in before.items() if self.scope.facts.get(text) == kind}
        targets: list[ast.expr] = [ast.Name(name) for name in names]
        return ast.For(targets[0] if len(targets) == 1 else ast.Tuple(targets), source, inner, [])

    def _while(self, node: tree.While) -> ast.stmt:
        """Return a loop over rounds, which ends when the condition is false; a text may have one that never ends."""
        before, count = dict(self.scope.facts), len(self.scope.of_loops)
        self._forget_what_changes(node)
        self.loops += 1
        again = self.condition(node.condition)
        self.scope.learn(again.if_true)
        ended = ast.If(negated(again).node, [ast.Break()], [])
        inner = [ended, *self.body(node.body)]
        self.loops -= 1
        del self.scope.of_loops[count:]
        self.scope.facts = {text: kind for text, kind in before.items() if self.scope.facts.get(text) == kind}
        where = ast.Constant(self.program.step_of(self.algorithm, self.step))
        return ast.For(ast.Name("_"), ast.Call(ast.Name("rounds"), [where], []), inner, [])

    def _loop_variable(self, name: str, kind: PythonType) -> str:
        identifier = self._fresh(name, Value(ast.Name(name), kind))
        binding = Binding(identifier, [kind], is_of_loop=True)
        self.scope.own[name] = binding
        self.scope.all_bindings.append(binding)
        self.scope.of_loops.append(binding)
        self.scope.forget(identifier)
        return identifier

    def _forget_what_changes(self, node: tree.ForEach | tree.While) -> None:
        """Forget the types of the variables that an iteration may have set before the next one begins."""
        inner = [node, *(one for step in self.below for part in step.walk() for one in _nodes(part))]
        for one in (part for root in inner for part in root.walk()):
            match one:
                case tree.Set(target=tree.Variable(name=name)) | tree.Let(variable=tree.Variable(name=name)):
                    known = self.scope.find(name)
                    if known is not None:
                        self.scope.forget(known.identifier)
                case tree.Set(target=tree.Item() | tree.Member()):
                    self.scope.facts = {text: kind for text, kind in self.scope.facts.items() if "." not in text}

    # What is done.

    def _result(self, value: tree.Expression | None) -> ast.expr | None:
        if value is None:
            self.returned.append(NONE)
            return None
        found = self.value(value)
        self.no_results |= {type(value)} if found.type == NONE else set()
        if len(self.no_results) > 1:
            raise ProseError("these steps return both null and failure, which a caller cannot distinguish", value.place)
        known = self.binding(value) if isinstance(value, tree.Variable) else None
        self.returned.append(known if known is not None and EMPTY in found.type.arguments else found.type)
        return found.node

    def result(self) -> PythonType:
        """Return the type of what the innermost steps return."""
        types = [one.type if isinstance(one, Binding) else one for one in self.returned]
        return join(types) if types else NONE

    def lacks_a_result(self, body: Sequence[ast.stmt]) -> bool:
        """Return whether the innermost steps return a value, and can come to their end without one."""
        return self.result() != NONE and not _jumps(body)

    def _assert(self, condition: tree.Expression) -> ast.stmt:
        if isinstance(condition, tree.RunningInParallel):
            return ast.Expr(ast.Call(ast.Name("assert_running_in_parallel"), [], []))
        asked = self.condition(condition)
        self.scope.learn(asked.if_true)
        words = self.program.text_of(self.algorithm, self.step).partition(": ")[2].rstrip(".")
        if self.program.lines is not None:
            where = self.program.step_of(self.algorithm, self.step)
            named = ast.Constant(f"{where} asserts what does not hold: {words}")
            return ast.Expr(ast.Call(ast.Name("assert_in_text"), [asked.node, named], []))
        return ast.Expr(ast.Call(ast.Name("spec_assert"), [asked.node, ast.Constant(words)], []))

    def _on_strand(self, condition: tree.RunningOn) -> list[ast.stmt]:
        """Hold the strand that the text asserts against the one that is inferred: no code is left to check."""
        in_parallel = self.program.strands.runs_only_in_parallel(self.algorithm)
        if in_parallel is not condition.words.endswith("queue"):
            runs = "run in parallel" if in_parallel else "run on an event loop"
            raise ProseError(f"these steps {runs}, but the assert says something else", condition.place)
        return []

    def _do(self, action: tree.Expression) -> ast.stmt:
        match action:
            case tree.Call(phrase=phrase, arguments=(tree.Entry(collection=collection, key=key),)) if (
                phrase.verb == "remove"
            ):
                found, index = self.present(collection), self.present(key)
                if found.type.name == "OrderedMap":
                    return ast.Expr(ast.Call(ast.Attribute(found.node, "remove"), [index.node], []))
                if found.type.name == "list":
                    return ast.Expr(ast.Call(ast.Attribute(found.node, "pop"), [index.node], []))
                return ast.Expr(ast.Call(ast.Attribute(found.node, "pop"), [index.node, ast.Constant(None)], []))
            case tree.Call(phrase=phrase, arguments=(tree.Variable() as variable, *rest)) if phrase.verb in _IN_PLACE:
                binding = self._own_binding(variable)
                if phrase.verb != "append_to_a_string":
                    slots = dict(zip(phrase.parameters, action.arguments, strict=True))
                    return self._assign(binding, self.called(phrase.call, slots, action))
                found, added = self.present(variable), self.present(rest[0])
                if isinstance(found.node, ast.Name):
                    return ast.AugAssign(found.node, ast.Add(), added.node)
                return self._assign(binding, Value(ast.BinOp(found.node, ast.Add(), added.node), found.type))
            case tree.Call(phrase=phrase, arguments=(target, number)) if phrase.verb in _STEPPED:
                return self._set(target, tree.Call(action.place, phrase_of(_STEPPED[phrase.verb]), (target, number)))
        return ast.Expr(self.value(action).node)

    @contextmanager
    def inner(self) -> Iterator[Scope]:
        """Make the scope of an inner function the current one."""
        outer = self.scope, self.returned, self.loops, self.no_results
        self.scope, self.returned, self.loops, self.no_results = Scope(self.scope), [], 0, set()
        try:
            yield self.scope
        finally:
            self.scope, self.returned, self.loops, self.no_results = outer


def _jumps(block: Sequence[ast.stmt]) -> bool:
    """Return whether the end of a block is never reached."""
    last = next((one for one in reversed(block) if not isinstance(one, Comment)), None)
    match last:
        case ast.If(body=body, orelse=orelse):
            return bool(orelse) and _jumps(body) and _jumps(orelse)
        case ast.Try(body=body, handlers=handlers, orelse=orelse):
            return _jumps(orelse or body) and all(_jumps(one.body) for one in handlers)
    return isinstance(last, _JUMPS)


#: Phrases that change a string in the variable that holds it.
_IN_PLACE: Final = ("append_to_a_string", "strip_leading_and_trailing_ascii_whitespace")
#: Phrases that change a number in its place, and those that make the new one.
_STEPPED: Final = {"increment": "plus(number, other)", "decrement": "minus(number, other)"}


def _nodes(step: Step) -> Iterator[tree.Node]:
    for reading in step.readings[:1]:
        for statement in reading:
            yield from statement.walk()
