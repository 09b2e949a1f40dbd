"""Expressions of prose in Python."""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from modelcontext.spec.specification.text.algorithms import python_identifier
from modelcontext_prose.definitions import ABSENT
from modelcontext_prose.emit.inline import INLINE
from modelcontext_prose.emit.scope import Binding, Condition, Scope, Value
from modelcontext_prose.platform import home_of, verb
from modelcontext_prose.prose_error import ProseError
from modelcontext_prose.python_expressions import expression
from modelcontext_prose.python_types import (
    BOOLEAN,
    EMPTY,
    NONE,
    STRING,
    UNKNOWN,
    PythonType,
    annotation,
    join,
    list_of,
    union,
)
from speclint.prose import tree

if TYPE_CHECKING:
    from modelcontext_prose.definitions import Definitions, ItemClass
    from modelcontext_prose.emit.making import Making

_TESTS: Final = (
    tree.And,
    tree.Or,
    tree.Not,
    tree.Is,
    tree.Exists,
    tree.IsGiven,
    tree.AnyOf,
    tree.EachOf,
    tree.RunningInParallel,
    tree.RunningOn,
)


#: What stands before the name of a slot, which may be a word of Python.
_SLOT: Final = "slot_"


class Expressions(ABC):
    """The emitter of the expressions of one algorithm.

    ``step`` is the number of the step that is being emitted, ``this`` the type of the object whose method it is, if any.
    """

    def __init__(self, program: Making, algorithm: str, this: PythonType | None) -> None:
        self.program = program
        self.definitions: Definitions = program.definitions
        self.algorithm = algorithm
        self.this = this
        self.scope = Scope()
        self.step = ""
        self.exceptions: list[str] = []
        self.the_item: list[Value] = []

    @abstractmethod
    def condition(self, node: tree.Expression) -> Condition:
        """Return a condition in Python."""

    @abstractmethod
    def closure(self, node: tree.Closure, name: str = "") -> Value:
        """Return steps as a value."""

    @abstractmethod
    def put(self, collection: tree.Expression, parts: tuple[PythonType, ...]) -> None:
        """Note what is put into a collection, so that a list that begins empty has a type."""

    @abstractmethod
    def items_below(self, node: tree.Node) -> tuple[tuple[str, tree.Expression], ...]:
        """Return the items that the cases below the step list."""

    @abstractmethod
    def local(self, name: str) -> str:
        """Return the name in Python of a variable of the text."""

    def value(self, node: tree.Expression) -> Value:
        """Return an expression in Python.

        Raises:
            ProseError: if it has no meaning.
        """
        found = self._value(node)
        known = self.scope.facts.get(path_of(found.node))
        if known is None:
            return found
        # Of a list that was empty here, the items are known only later.
        is_empty = EMPTY in known.arguments
        return Value(found.node, replace(found.type, nullable=known.nullable) if is_empty else known)

    def _value(self, node: tree.Expression) -> Value:
        match node:
            case tree.Variable():
                found = self.binding(node)
                return Value(found.node, found.type)
            case tree.This():
                if self.this is None:
                    raise ProseError("these steps have no this", node.place)
                return Value(ast.Name("this"), self.this)
            case tree.Constant(value=constant):
                return Value(ast.Constant(constant), NONE if constant is None else PythonType(type(constant).__name__))
            case tree.Failure():
                return Value(ast.Constant(None), NONE)
            case tree.Undefined():
                return Value(ast.Name("UNDEFINED"), PythonType("JSValue"))
            case tree.ThatException():
                if not self.exceptions:
                    raise ProseError("no earlier step throws", node.place)
                return Value(ast.Attribute(ast.Name(self.exceptions[-1]), "value"), PythonType("JSValue"))
            case tree.TheItem():
                return self.the_item[-1]
            case tree.Entry() | tree.Item() | tree.Member():
                return self._looked_up(node)
            case tree.Call():
                return self._call(node)
            case tree.Run():
                return self._run(node)
            case tree.RunSteps():
                return self._run_steps(node)
            case tree.Term():
                return self._term(node)
            case tree.NewStruct() | tree.NewDictionary() | tree.NewObject() | tree.NewException():
                return self._new(node)
            case tree.ListOf() | tree.MapOf() | tree.TupleOf():
                return self._collection(node)
            case tree.Typed(value=inner, type=type_):
                return Value(self.value(inner).node, self.definitions.python_type(type_))
            case tree.Rethrowing(value=inner):
                return self.value(inner)
            case tree.NotNull(value=inner):
                return self.there(self.value(inner))
            case tree.Conditional() | tree.OrElse() | tree.First():
                return self._chosen(node)
            case tree.Filter():
                return self._filtered(node)
            case tree.Closure():
                return self.closure(node)
        if isinstance(node, _TESTS):
            return Value(self.condition(node).node, BOOLEAN)
        raise ProseError(f"{type(node).__name__} has no value", node.place)

    def binding(self, node: tree.Variable) -> Binding:
        """Return the variable that a name stands for."""
        found = self.scope.find(node.name)
        if found is None:
            raise ProseError(f'no earlier step defines "{node.name}"', node.place)
        return found

    def present(self, node: tree.Expression) -> Value:
        """Return an expression of which something is looked up: its value must be there."""
        return self.there(self.value(node))

    def there(self, found: Value) -> Value:
        """Return a value that must be there: neither null nor absent."""
        found = self.existing(found)
        if not found.type.nullable or found.type in (UNKNOWN, PythonType("JSValue", nullable=True)):
            return found
        return Value(ast.Call(ast.Name("there"), [found.node, self._where()], []), found.type.present)

    def existing(self, found: Value) -> Value:
        """Return the value of a member that must exist."""
        parts = found.type.arguments if found.type.name == "|" else ()
        rest = [part for part in parts if part.name != "Absent"]
        if len(rest) == len(parts):
            return found
        kind = union(rest)
        kind = kind.optional if found.type.nullable else kind
        where = self.program.step_of(self.algorithm, self.step)
        reading = ast.Constant(f"{where} reads {ast.unparse(found.node)}")
        return Value(ast.Call(ast.Name("existing"), [found.node, reading], []), kind)

    def _where(self) -> ast.expr:
        return ast.Constant(self.program.step_of(self.algorithm, self.step))

    def fitting(self, found: Value, wanted: PythonType) -> Value:
        """Return a value as one of the type that is wanted of it."""
        if wanted.name == "PolicyControlledFeature" and isinstance(found.node, ast.Constant):
            feature = str(found.node.value)
            self.definitions.features[python_identifier(feature)] = feature
            return Value(ast.Name(python_identifier(feature).upper()), wanted)
        if wanted.name == "object" and found.type.name == "Fraction":
            return Value(ast.Call(ast.Name("infra_number"), [self.there(found).node], []), wanted)
        if wanted.name == "":
            return found
        if wanted.name == "OrderedMap" and found.type.name == "dict":
            if not (isinstance(found.node, ast.Dict) and not found.node.keys):
                raise ProseError(
                    "a map that only these steps use cannot become the value of an item: first set the item to an empty map"
                )
            return Value(ast.Call(ast.Name("OrderedMap"), [], []), wanted)
        if not any(part.name == "Absent" for part in wanted.arguments):
            found = self.existing(found)
        if wanted.name == "object" or (wanted.name == "JSValue" and not found.type.nullable):
            return found
        if not wanted.nullable:
            found = self.there(found)
        own = found.type.present
        if own.name in ("object", "JSValue") and wanted.name not in ("object", "JSValue"):
            return self.cast(found, wanted)
        if own.name == "|" and wanted.name != "|" and wanted.present in own.arguments:
            return self.cast(found, wanted)
        return found

    def cast(self, found: Value, wanted: PythonType) -> Value:
        """Return a value of which the text knows more than its type says."""
        words = ast.Constant(expression(annotation(wanted)))
        return Value(ast.Call(ast.Name("cast"), [words, found.node], []), wanted)

    def arguments(self, nodes: Sequence[tree.Expression], types: Sequence[PythonType]) -> list[ast.expr]:
        """Return arguments in Python, each of the type that is wanted of it."""
        wanted = [*types, *[EMPTY] * (len(nodes) - len(types))]
        return [self.fitted(one, type_) for one, type_ in zip(nodes, wanted, strict=True)]

    def place_of(self, node: tree.Item | tree.Member) -> Value:
        """Return what can be set, with the type that it has for whatever was set before."""
        return self._looked_up(node)

    def sort_key(
        self, first: tree.Expression, second: tree.Expression, is_less: tree.Expression, item: PythonType
    ) -> ast.expr:
        """Return the key by which items are sorted, of a condition that says which of two is less than the other."""
        match (first, second, is_less):
            case (
                tree.Variable(name=a),
                tree.Variable(name=b),
                tree.Call(phrase=phrase, arguments=(left, right)),
            ) if phrase.verb == "is_code_unit_less_than":
                keys = []
                for name, side in ((a, left), (b, right)):
                    self.scope.own[name] = Binding("item", [item])
                    keys.append(self.present(side).node)
                    del self.scope.own[name]
                if ast.dump(keys[0]) == ast.dump(keys[1]):
                    arguments = ast.arguments([], [ast.arg("item")], None, [], [], None, [])
                    return ast.Lambda(arguments, ast.Call(ast.Name("code_units"), [keys[0]], []))
        raise ProseError("the compiler does not know this sort order", is_less.place)

    def _looked_up(self, node: tree.Entry | tree.Item | tree.Member) -> Value:
        match node:
            case tree.Entry(collection=collection, key=key):
                found, index = self.present(collection), self.present(key)
                found = self.as_collection(found)
                item = found.type.arguments[-1] if found.type.arguments else UNKNOWN
                if found.type.name == "tuple" and isinstance(index.node, ast.Constant):
                    item = found.type.arguments[int(index.node.value)]  # type: ignore[arg-type]
                return Value(ast.Subscript(found.node, index.node), item)
            case tree.Item(of=of, owner=owner, name=name):
                return self._item(self.present(of), owner, name, node)
            case tree.Member(of=of, owner=owner, name=name):
                kind = self.definitions.attribute_of(owner, name)
                if kind is not None and self.definitions.is_event(owner):
                    attribute = [self.present(of).node, ast.Constant(name)]
                    return Value(ast.Call(ast.Name("attribute_of_an_event"), attribute, []), PythonType("JSValue"))
                identifier = python_identifier(name)
                members = self.definitions.dictionaries.get(owner, {})
                return Value(ast.Attribute(self.present(of).node, identifier), members.get(identifier, UNKNOWN))

    def as_collection(self, found: Value) -> Value:
        """Return a value as the collection that the text takes it for."""
        if found.type.name == "|":
            lists = [part for part in found.type.arguments if part.name in ("list", "dict", "OrderedMap")]
            return self.cast(found, lists[0]) if len(lists) == 1 else found
        return found

    def _item(self, of: Value, owner: str, name: str, node: tree.Item) -> Value:
        if owner in self.definitions.structs:
            one = self.definitions.structs[owner].get(name)
            if one is None:
                raise ProseError(f'a {owner} has no item "{name}"', node.place)
            return Value(ast.Attribute(of.node, one.identifier), one.type)
        state = self.definitions.state.get((owner, name))
        if state is None:
            raise ProseError(f'no text defines "{name}" of a {owner}', node.place)
        match self.definitions.owner(owner).keeps:
            case "attribute":
                return Value(ast.Attribute(of.node, state.identifier), state.type)
            case "object":
                return Value(ast.Call(ast.Name(state.identifier), [of.node], []), state.type)
            case "state":
                holder = ast.Call(ast.Name("state_of"), [of.node], [])
                return Value(ast.Attribute(holder, state.identifier), state.type)

    def _call(self, node: tree.Call) -> Value:
        phrase = node.phrase
        if phrase.verb in INLINE:
            return INLINE[phrase.verb](self, node.arguments)
        slots = dict(zip(phrase.parameters, node.arguments, strict=True))
        return self.called(phrase.call, slots, node)

    def called(self, call: str, slots: Mapping[str, tree.Expression], node: tree.Node) -> Value:
        """Return the call of a phrase, with expressions in the place of its slots."""
        name, parts = _parsed(call, tuple(slots))
        if parts is None:
            return Value(ast.Name(name), PythonType("TaskSource"))
        known = verb(name)
        if known is None:
            raise ProseError(f'there is no verb "{name}" for this phrase', node.place)
        types = [type_ for _, type_ in known.parameters]
        *rest, last = parts or [ast.Constant(None)]
        if isinstance(last, ast.Dict) and known.keywords:
            arguments = [self._slot(one, slots, type_) for one, type_ in zip(rest, types, strict=True)]
            names = [slots[ast.unparse(key).removeprefix(_SLOT)] for key in last.keys if key is not None]
            keywords = [
                ast.keyword(
                    arg=python_identifier(str(getattr(one, "value", ""))), value=self._slot(value, slots, BOOLEAN)
                )
                for one, value in zip(names, last.values, strict=True)
            ]
            return Value(ast.Call(ast.Name(name), arguments, keywords), known.result)
        arguments = [self._slot(one, slots, type_) for one, type_ in zip(parts, types, strict=False)]
        if len(arguments) < len(types) and known.parameters[len(arguments)][0] == "realm":
            arguments.append(self.own_realm(node))
        return Value(ast.Call(ast.Name(name), arguments, []), known.result)

    def _slot(self, part: ast.expr, slots: Mapping[str, tree.Expression], wanted: PythonType) -> ast.expr:
        match part:
            case ast.Name(id=name):
                found = slots[name.removeprefix(_SLOT)]
                return self.closure(found).node if isinstance(found, tree.Closure) else self.fitted(found, wanted)
            case ast.Dict(keys=keys, values=values):
                names = [self._slot(key, slots, STRING) if key is not None else None for key in keys]
                return ast.Dict(names, [self._slot(value, slots, EMPTY) for value in values])
            case ast.Constant():
                return part
        raise ProseError(f"the phrasebook has no meaning for {ast.unparse(part)}")

    def own_realm(self, node: tree.Node) -> ast.expr:
        """Return the realm of what a sentence makes without naming a realm."""
        if self.this is None:
            raise ProseError("these steps run in no realm: name one", node.place)
        return ast.Call(ast.Name("relevant_realm"), [ast.Name("this")], [])

    def _run(self, node: tree.Run) -> Value:
        signature = self.program.signature(node.algorithm, node.place)
        count = len(signature.parameters)
        least = sum(1 for _, kind in signature.parameters if ABSENT not in kind.arguments)
        if not least <= len(node.arguments) <= count:
            raise ProseError(f"{signature.name} takes {count} arguments, and gets {len(node.arguments)}", node.place)
        types = [type_ for _, type_ in signature.parameters[: len(node.arguments)]]
        call: ast.expr = ast.Call(ast.Name(signature.name), self.arguments(node.arguments, types), [])
        return Value(ast.YieldFrom(call) if signature.is_generator else call, signature.result)

    def _run_steps(self, node: tree.RunSteps) -> Value:
        steps = self.present(node.steps)
        alias = self.definitions.aliases.get(steps.type.name)
        types = alias.parameters if alias is not None else ()
        call: ast.expr = ast.Call(steps.node, self.arguments(node.arguments, types), [])
        return Value(ast.YieldFrom(call) if self.program.strands.runs_in_parallel(node) else call, NONE)

    def _term(self, node: tree.Term) -> Value:
        name = python_identifier(node.name)
        if not node.arguments and name in self.definitions.constants:
            return Value(ast.Name(name.upper()), PythonType("TaskSource"))
        if not node.arguments and home_of(name.upper()) is not None:
            return Value(ast.Name(name.upper()), STRING)
        known = verb(name)
        if known is None:
            raise ProseError(f'"{node.name}" is defined only in prose, and there is no verb for it', node.place)
        types = [type_ for _, type_ in known.parameters]
        return Value(ast.Call(ast.Name(name), self.arguments(node.arguments, types), []), known.result)

    def _new(self, node: tree.NewStruct | tree.NewDictionary | tree.NewObject | tree.NewException) -> Value:
        match node:
            case tree.NewStruct(struct=struct, items=items):
                given = self.items_below(node) if items is None else items
                known = self.definitions.structs[struct]
                given = (*given, *self._begun(known, [name for name, _ in given], node))
                self._complete([name for name, _ in given], known, struct, node)
                for name, value in given:
                    if known[name].definition.type is None:
                        put = self.value(value)
                        # A map that is made here is the item's own; any other is a value that nobody changes.
                        type_ = put.type.shared if isinstance(put.node, ast.Dict) else put.type
                        self.program.put.setdefault((struct, name), []).append(type_)
                parts = [(known[name].identifier, self.fitted(value, known[name].type)) for name, value in given]
                return self._made(self.definitions.class_of(struct), parts)
            case tree.NewDictionary(dictionary=dictionary, members=members):
                given = self.items_below(node) if members is None else members
                named = {python_identifier(name): value for name, value in given}
                of = self.definitions.dictionaries.get(dictionary, {})
                if unknown := [name for name in named if name not in of]:
                    raise ProseError(f"a {dictionary} has no {', no '.join(unknown)}", node.place)
                return self._made(dictionary, [(name, self.fitted(value, of[name])) for name, value in named.items()])
            case tree.NewException(interface=interface, name=name):
                # Without a name it is an error of ECMAScript, whose name is that of its constructor.
                class_ = interface if name is not None else "JSError"
                return Value(ast.Call(ast.Name(class_), [ast.Constant(name or interface)], []), PythonType(class_))
            case tree.NewObject(interface=interface, realm=realm):
                name = f"a_new_{python_identifier(interface)}"
                known_verb = verb(name)
                where = self.own_realm(node) if realm is None else self.present(realm).node
                if known_verb is not None:
                    return Value(ast.Call(ast.Name(name), [where], []), known_verb.result)
                if interface not in self.definitions.interfaces:
                    raise ProseError(f"nothing makes a new {interface}", node.place)
                return Value(ast.Call(ast.Name(interface), [where], []), PythonType(interface))

    def fitted(self, node: tree.Expression, wanted: PythonType) -> ast.expr:
        """Return an expression as one of the type that is wanted of it."""
        found = self.value(node)
        if isinstance(node, tree.Variable) and EMPTY in found.type.arguments and wanted.name == found.type.name:
            self.put(node, wanted.arguments)
        return self.fitting(found, wanted).node

    def _begun(
        self, known: Mapping[str, ItemClass], given: Sequence[str], node: tree.Node
    ) -> Iterator[tuple[str, tree.Expression]]:
        """Yield the items that nobody gives, and that have initial values.

        A map begins empty if the struct is made without any items: steps fill it then.
        """
        for name, item in known.items():
            if name not in given and item.definition.initially is not None:
                yield name, item.definition.initially
            elif not given and item.type.name == "OrderedMap":
                yield name, tree.MapOf(node.place, ())

    def _complete(self, given: Sequence[str], known: Collection[str], what: str, node: tree.Node) -> None:
        if missing := [name for name in known if name not in given]:
            raise ProseError(f"the new {what} has no {', no '.join(missing)}", node.place)
        if unknown := [name for name in given if name not in known]:
            raise ProseError(f"a {what} has no {', no '.join(unknown)}", node.place)

    def _made(self, name: str, parts: list[tuple[str, ast.expr]]) -> Value:
        keywords = [ast.keyword(arg=identifier, value=value) for identifier, value in parts]
        return Value(ast.Call(ast.Name(name), [], keywords), PythonType(name))

    def _collection(self, node: tree.ListOf | tree.MapOf | tree.TupleOf) -> Value:
        match node:
            case tree.ListOf(items=items, type=type_):
                found = [self.value(one) for one in items]
                own = self.definitions.python_type(type_) if type_ is not None else EMPTY
                kind = join(one.type for one in found) if found else own
                return Value(ast.List([one.node for one in found]), list_of(kind))
            case tree.MapOf(entries=entries):
                pairs = [(self.value(key), self.value(value)) for key, value in entries]
                types = (STRING, PythonType("object")) if pairs else (EMPTY, EMPTY)
                keys: list[ast.expr | None] = [key.node for key, _ in pairs]
                return Value(ast.Dict(keys, [value.node for _, value in pairs]), PythonType("dict", types))
            case tree.TupleOf(items=items):
                found = [self.value(one) for one in items]
                return Value(ast.Tuple([one.node for one in found]), PythonType("tuple", tuple(i.type for i in found)))

    def _chosen(self, node: tree.Conditional | tree.OrElse | tree.First) -> Value:
        match node:
            case tree.Conditional(condition=test, value=value, alternative=alternative):
                asked = self.condition(test)
                chosen = self._given(asked.if_true, value)
                other = self._given(asked.if_false, alternative)
                if isinstance(chosen.node, ast.Constant) and isinstance(other.node, ast.Constant):
                    match (chosen.node.value, other.node.value):
                        case (True, False):
                            return Value(asked.node, BOOLEAN)
                return Value(ast.IfExp(asked.node, chosen.node, other.node), join([chosen.type, other.type]))
            case tree.OrElse(value=value, alternative=alternative):
                found, other = self.value(value), self.value(alternative)
                if other.type == NONE or not found.type.nullable:
                    return found
                raise ProseError("the step looks a value up twice: give the value a name first", node.place)
            case tree.First(collection=collection, condition=test, or_null=or_null):
                items = self.as_collection(self.present(collection))
                item = self.item_of(items)
                asked = self.about(item, test)
                loop = ast.comprehension(item.node, items.node, [asked.node], 0)
                arguments: list[ast.expr] = [ast.GeneratorExp(item.node, [loop])]
                arguments += [ast.Constant(None)] if or_null else []
                return Value(ast.Call(ast.Name("next"), arguments, []), item.type.optional if or_null else item.type)

    def _filtered(self, node: tree.Filter) -> Value:
        match (node.collection, node.condition):
            case (
                tree.Call(phrase=phrase, arguments=(root,)),
                tree.And(
                    conditions=(
                        tree.Call(),
                        tree.Is(left=tree.Item(name="updating document"), right=tree.Constant(value=None)),
                    )
                ),
            ) if phrase.verb == "descendants":
                return self.called("forms_without_an_update(root)", {"root": root}, node)
        items = self.as_collection(self.present(node.collection))
        item = self.item_of(items)
        loop = ast.comprehension(item.node, items.node, [self.about(item, node.condition).node], 0)
        chosen = ast.GeneratorExp(item.node, [loop])
        return Value(ast.Call(ast.Name("list"), [chosen], []), items.type)

    def item_of(self, items: Value) -> Value:
        """Return the variable for an item of a collection."""
        kind = items.type.arguments[0] if items.type.arguments else UNKNOWN
        return Value(ast.Name("one" if self.scope.find("item") is not None else "item"), kind)

    def about(self, item: Value, test: tree.Expression) -> Condition:
        """Return a condition about an item of a collection."""
        self.the_item.append(item)
        try:
            return self.condition(test)
        finally:
            self.the_item.pop()

    def _given(self, facts: Mapping[str, PythonType], node: tree.Expression) -> Value:
        before = dict(self.scope.facts)
        self.scope.learn(facts)
        try:
            return self.value(node)
        finally:
            self.scope.facts = before


def path_of(node: ast.expr) -> str:
    """Return the text of a variable, or of what is looked up of one, which has the same value again; else nothing."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            outer = path_of(value)
            return f"{outer}.{name}" if outer else ""
    return ""


@cache
def _parsed(call: str, slots: tuple[str, ...]) -> tuple[str, list[ast.expr] | None]:
    """Return the function of a call in the phrasebook, and its arguments; a constant has none."""
    named = re.sub(r"\w+", lambda match: f"{_SLOT}{match[0]}" if match[0] in slots else match[0], call)
    match ast.parse(named, mode="eval").body:
        case ast.Call(func=ast.Name(id=name), args=args):
            return name, args
    return call, None
