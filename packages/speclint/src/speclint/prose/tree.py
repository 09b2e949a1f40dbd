"""The syntax tree of specification prose: what the sentences of a text say, with the place of everything.

**A text.** :func:`speclint.prose.reading.read_prose` makes a :class:`~speclint.prose.prose_text.Text` of a source
that :mod:`speclint.text` has read. A text has algorithms, and an algorithm has steps, which nest as in the source. Each
step has its *readings*: every way in which its sentences can be understood. A step that is understood has one reading.
A step without a reading, or with several, has a :class:`~speclint.prose.prose_text.Problem`. A reading is a tuple of
statements, in the order of the sentences; mostly it is one.

**Steps below.** ``If x is null:`` and ``In parallel:`` govern the steps below them. Their body then is ``(Below(),)``:
the statement :class:`Below` stands for all steps below its step, in order. A body that is in the sentence itself, as in
``If x is null, then return.``, has its statements, such as ``(Return(None),)``. Cases (dt and dd, or bullets) are steps
below their step, too, with ``is_case``; the reading of a case is one of :class:`WhenFulfilled`, :class:`WhenRejected`
and :class:`ItemCase`, which are about the steps below the case. The value of an :class:`ItemCase` is the
:class:`ItemValue` of the one step below it.

**A chain of conditions.** :class:`If`, :class:`OtherwiseIf` and :class:`Otherwise` are statements of steps that follow
each other; the tree does not join them. An :class:`OnException` belongs to the statement before it, in the same step or
in the step before.

**Expressions.** Conditions are expressions, too: those whose value is a boolean. "it" and "its" are gone: each is
replaced by what it refers to, and a sentence in which that is not sure is not understood.

* What the *platform* defines is a :class:`Call` of a phrase of the phrasebook (:mod:`speclint.prose.phrasebook`). Its
  arguments are in the order of the parameters of the phrase's verb: ``document's origin`` is ``origin_of(document)``.
  Phrases say their types, what they touch, and so on.
* What the *text* defines is an :class:`Item` (an item of a struct, or state that the text gives to an object), a
  :class:`Run` (an algorithm), a :class:`Term` (a term that prose defines, without steps), or a :class:`NewStruct`.
* What *IDL* defines is a :class:`Member`, a :class:`NewDictionary` or a :class:`NewObject`.

**Places** are 1-based lines and columns of the source. Nodes of the same meaning at the same place are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from speclint.prose.nodes import Node as Node
from speclint.prose.nodes import Parameter as Parameter
from speclint.prose.nodes import Place as Place
from speclint.prose.nodes import Type as Type

if TYPE_CHECKING:
    from speclint.prose.phrasebook.phrase import Phrase


# Expressions.


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """``|name|``."""

    name: str


@dataclass(frozen=True, slots=True)
class This(Node):
    """The object whose method or attribute it is."""


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """Null, true, false, a string or a number; the empty string is ``Constant("")``.

    It is also a name that a phrase takes: of an event, an attribute, an element, a feature.
    """

    value: str | int | bool | None


# The word; the other one is the value.
@dataclass(frozen=True, slots=True)
class Undefined(Node):
    """The JavaScript value undefined."""


@dataclass(frozen=True, slots=True)
class Failure(Node):
    """The value failure, which an algorithm returns in the place of its result."""


@dataclass(frozen=True, slots=True)
class ThatException(Node):
    """The words "that exception": the one that the :class:`OnException` around it is about."""


@dataclass(frozen=True, slots=True)
class TheItem(Node):
    """The item that an :class:`AnyOf`, :class:`EachOf` or :class:`First` around it is about."""


# Words about an entry of a map.
@dataclass(frozen=True, slots=True)
class Entry(Node):
    """``map[key]`` or ``list[0]``."""

    collection: Expression
    key: Expression


# Words about an item of a struct.
@dataclass(frozen=True, slots=True)
class Item(Node):
    """An item of a struct of the text, or state that the text gives to an object: ``of`` 's ``owner/name``.

    ``owner`` and ``name`` are as the text defines them, in small letters (``tool definition``, ``document``).
    """

    of: Expression
    owner: str
    name: str


# Words about a member; the other one is a member in IDL.
@dataclass(frozen=True, slots=True)
class Member(Node):
    """A member of a dictionary, or an attribute of an interface: ``of["name"]``, ``of``'s ``name``."""

    of: Expression
    owner: str
    name: str


# A phrase in a sentence; the other one is what the lint finds of a call.
@dataclass(frozen=True, slots=True)
class Call(Node):
    """A phrase of the platform, with arguments in the order of the parameters of its verb."""

    phrase: Phrase
    arguments: tuple[Expression, ...]


# Words that run an algorithm; the other one is a run of a program.
@dataclass(frozen=True, slots=True)
class Run(Node):
    """An algorithm of the text, by its id, with its arguments; as an expression it is what the algorithm returns."""

    algorithm: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class RunSteps(Node):
    """Steps that a variable or an item holds, with arguments."""

    steps: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Term(Node):
    """A term that prose of the text defines, without steps, applied to arguments: ``x is alike y``."""

    owner: str
    name: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class NewStruct(Node):
    """A new struct of the text. ``items`` is None if cases below the step have them."""

    struct: str
    items: tuple[tuple[str, Expression], ...] | None


@dataclass(frozen=True, slots=True)
class NewDictionary(Node):
    """A new dictionary of the IDL. ``members`` is None if cases below the step have them."""

    dictionary: str
    members: tuple[tuple[str, Expression], ...] | None


@dataclass(frozen=True, slots=True)
class NewObject(Node):
    """A new object that implements an interface; ``realm`` is None if the sentence names none."""

    interface: str
    realm: Expression | None


@dataclass(frozen=True, slots=True)
class NewException(Node):
    """A new exception: ``an "InvalidStateError" DOMException``, or ``a TypeError`` with ``name`` None; its realm, if said."""

    interface: str
    name: str | None
    realm: Expression | None = None


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    """A list: empty, or in « ». ``type`` is that of its items, if the sentence says it."""

    items: tuple[Expression, ...]
    type: Type | None = None


@dataclass(frozen=True, slots=True)
class MapOf(Node):
    """An ordered map: empty, or in «[ ]»."""

    entries: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class TupleOf(Node):
    """``(a, b)``."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """``value if condition; otherwise alternative``."""

    condition: Expression
    value: Expression
    alternative: Expression


@dataclass(frozen=True, slots=True)
class OrElse(Node):
    """``value, or null``: the alternative stands for a value that there is not."""

    value: Expression
    alternative: Expression


@dataclass(frozen=True, slots=True)
class NotNull(Node):
    """``value, which is not null``."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Typed(Node):
    """``value, which are tool definitions``: the sentence says the type."""

    value: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class Rethrowing(Node):
    """``value, rethrowing any exception``."""

    value: Expression


@dataclass(frozen=True, slots=True)
class First(Node):
    """The first item of a collection for which a condition is true, or null if ``or_null``; :class:`TheItem` is in it."""

    collection: Expression
    condition: Expression
    or_null: bool


@dataclass(frozen=True, slots=True)
class Filter(Node):
    """The items of a collection for which a condition is true; :class:`TheItem` is in the condition."""

    collection: Expression
    condition: Expression


@dataclass(frozen=True, slots=True)
class Closure(Node):
    """Steps as a value, a task, or abort steps. ``in_parallel`` is set if the sentence says that the body runs so."""

    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    in_parallel: bool = False


# Conditions: expressions whose values are booleans. A Call, Run, RunSteps, Term, Item or Member can be one, too.


@dataclass(frozen=True, slots=True)
class And(Node):
    """All of the conditions, in the order of the sentence."""

    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    """Any of the conditions, in the order of the sentence."""

    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    """The opposite of a condition."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Is(Node):
    """``left is right``: the same value."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Exists(Node):
    """``map[key] exists``, or ``options["signal"] exists``: of an :class:`Entry` or a :class:`Member`."""

    entry: Expression


@dataclass(frozen=True, slots=True)
class IsGiven(Node):
    """``inputObject is given``: script passed the optional argument."""

    parameter: Variable


@dataclass(frozen=True, slots=True)
class AnyOf(Node):
    """A condition (with :class:`TheItem`) is true for at least one item of a collection."""

    collection: Expression
    condition: Expression


@dataclass(frozen=True, slots=True)
class EachOf(Node):
    """A condition (with :class:`TheItem`) is true for every item of a collection."""

    collection: Expression
    condition: Expression


@dataclass(frozen=True, slots=True)
class RunningInParallel(Node):
    """The condition that these steps are running in parallel."""


@dataclass(frozen=True, slots=True)
class RunningOn(Node):
    """The condition that these steps are running on an event loop or a queue; ``strand`` is None if words name it."""

    strand: Expression | None
    words: str


# fmt: off
Expression: TypeAlias = (
    Variable | This | Constant | Undefined | Failure | ThatException | TheItem | Entry | Item | Member | Call
    | Run | RunSteps | Term | NewStruct | NewDictionary | NewObject | NewException | ListOf | MapOf | TupleOf
    | Conditional | OrElse | NotNull | Typed | Rethrowing | First | Filter | Closure | And | Or | Not | Is | Exists
    | IsGiven | AnyOf | EachOf | RunningInParallel | RunningOn
)
# fmt: on


# Statements.


@dataclass(frozen=True, slots=True)
class Below(Node):
    """All steps below the step that this statement is in, in order."""


@dataclass(frozen=True, slots=True)
class Let(Node):
    """``Let |variable| be value``."""

    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class Set(Node):
    """``Set target to value``; the target is a Variable, Item, Member or Entry."""

    target: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class If(Node):
    """``If condition, then body``."""

    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class OtherwiseIf(Node):
    """``Otherwise, if condition, then body``: belongs to the step before it."""

    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Otherwise(Node):
    """``Otherwise, body``: belongs to the step before it."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class OnException(Node):
    """``If that threw an exception |variable|, then body``: about the statement before it."""

    variable: Variable | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ForEach(Node):
    """``For each |a| of collection``; two variables are the key and value of a map (``kind``), or the items of a tuple."""

    variables: tuple[Variable, ...]
    collection: Expression
    kind: Literal["list", "map"]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class While(Node):
    """``While condition: body``."""

    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Return(Node):
    """``Return value``, or ``return`` with ``value`` None. A returned null is ``Constant(None)``."""

    value: Expression | None


@dataclass(frozen=True, slots=True)
class AbortSteps(Node):
    """``Abort these steps``: like a return without a value, of the innermost steps that have a strand of their own."""


@dataclass(frozen=True, slots=True)
class Continue(Node):
    """``Continue`` with the next item of the loop."""


@dataclass(frozen=True, slots=True)
class Break(Node):
    """``Break`` out of the loop."""


@dataclass(frozen=True, slots=True)
class ThrowException(Node):
    """``Throw`` an exception."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Assert(Node):
    """``Assert: condition``."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Do(Node):
    """A Call, Run, RunSteps or Term for what it does; its value, if any, is not used."""

    action: Expression


@dataclass(frozen=True, slots=True)
class InParallel(Node):
    """``In parallel: body``."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class React(Node):
    """``React to promise``: the cases below the step are :class:`WhenFulfilled` and :class:`WhenRejected`."""

    promise: Expression


@dataclass(frozen=True, slots=True)
class WhenFulfilled(Node):
    """A case of :class:`React`: the promise was fulfilled, with a value if the case names it."""

    promise: Expression
    value: Variable | None


@dataclass(frozen=True, slots=True)
class WhenRejected(Node):
    """A case of :class:`React`: the promise was rejected, with a reason if the case names it."""

    promise: Expression
    reason: Variable | None


@dataclass(frozen=True, slots=True)
class Upon(Node):
    """``Upon fulfillment of promise with value |value|: body``, or upon rejection with a reason."""

    promise: Expression
    settled: Literal["fulfilled", "rejected"]
    value: Variable | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Rethrow(Node):
    """``Rethrow any exception`` of the statement before."""


@dataclass(frozen=True, slots=True)
class Optionally(Node):
    """``Optionally, body``: the user agent may do it."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ImplementationDefined(Node):
    """``Perform any implementation-defined steps …``: ``words`` is the sentence."""

    words: str


@dataclass(frozen=True, slots=True)
class ItemCase(Node):
    """A case that names an item of the struct, or a member of the dictionary, that its step makes."""

    owner: str
    name: str


@dataclass(frozen=True, slots=True)
class ItemValue(Node):
    """The step below an :class:`ItemCase`: the value of the item."""

    value: Expression


# fmt: off
Statement: TypeAlias = (
    Below | Let | Set | If | OtherwiseIf | Otherwise | OnException | ForEach | While | Return | AbortSteps | Continue
    | Break | ThrowException | Assert | Do | InParallel | React | WhenFulfilled | WhenRejected | Upon | Rethrow
    | Optionally | ImplementationDefined | ItemCase | ItemValue
)
# fmt: on

#: The statements of a step, in the order of its sentences.
Reading: TypeAlias = tuple[Statement, ...]
