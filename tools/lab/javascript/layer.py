"""The model's own layer of ECMAScript and DOM as a host of scripts: what it can say of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from modelcontext.hosts.world import World
from modelcontext.platform.dom.abort import AbortController, AbortSignal
from modelcontext.platform.dom.events import Event, EventTarget
from modelcontext.platform.dom.mutations import append
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSError, JSFunction, JSObject, JSValue, Throw, call
from modelcontext.platform.html.event_loop import TIMER_TASK_SOURCE
from modelcontext.platform.html.interfaces import create_an_element
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable
from tools.lab.javascript.grammar import FAMILIES, Derivation, GeneratedScript
from tools.lab.javascript.layer_values import show

if TYPE_CHECKING:
    from modelcontext.platform.dom.elements import Element

#: As in prelude.js.
_CALLS: Final = 30
_TASKS: Final = 4
_LABEL: Final = re.compile(r"(?<=log\()#")


@dataclass(frozen=True)
class Scope:
    """The names of the function around: its argument, its this value, and the functions of an executor or a thenable."""

    argument: JSValue = UNDEFINED
    this: JSValue = UNDEFINED
    resolve: JSValue = UNDEFINED
    reject: JSValue = UNDEFINED


@dataclass(frozen=True)
class Term:
    """A tree with the numbers of its labels: ``evaluate`` runs it, or one of its parts."""

    tree: Derivation
    labels: tuple[int, ...]
    parts: tuple[Any, ...]


#: The words of a production: a function of the layer, the scope and the term.
Words: TypeAlias = "Callable[[Layer, Scope, Term], Any]"
WORDS: Final[dict[str, Words]] = {}


def say(*names: str) -> Callable[[Words], Words]:
    """Let a function be the words of productions, which are named ``sort.name``."""

    def take(words: Words) -> Words:
        WORDS.update(dict.fromkeys(names, words))
        return words

    return take


@dataclass
class _WrittenReports:
    """Exceptions that are reported, each of which is written at once."""

    write: Callable[[JSValue], None]

    def append(self, item: tuple[object, Any]) -> None:
        self.write(item[1])


@dataclass
class Layer:
    """One run of a script in a page of the model; the attributes are the names of prelude.js."""

    script: GeneratedScript
    lines: list[str] = field(default_factory=list)
    calls: int = _CALLS
    tasks: int = _TASKS
    waiting: list[JSFunction] = field(default_factory=list)
    _count: int = 0

    def __post_init__(self) -> None:
        self._world = World()
        document = create_a_new_top_level_traversable(self._world.user_agent, Response("https://page.test/"))
        self.document = document
        self.realm = realm = document.realm
        reports: Any = _WrittenReports(lambda value: self.log("error", value))
        self._world.user_agent.reported_exceptions = reports
        elements: list[Element] = [create_an_element(document, name) for name in ("div", "p", "b")]
        append(elements[1], elements[0])
        append(elements[2], elements[1])
        self.t: list[EventTarget] = [*elements, EventTarget(realm)]
        self.names: dict[JSObject, str] = {target: f"t{index}" for index, target in enumerate(self.t)}
        self.c = [AbortController(realm), AbortController(realm)]
        self.d = [Promise(realm), Promise(realm)]
        self.p = [self.resolved(0), self.d[1], self.resolved(2)]
        self.s = [self.c[0].signal, AbortSignal.any(realm, [self.c[0].signal, self.c[1].signal])]
        self.o: list[JSValue] = [JSObject(realm, {"x": 1})]
        self.f = [self.procedure(lambda this, value: self.log("f0", value)), self.procedure(self._f1)]
        self.e = Event(realm, "a", bubbles=True)

    def _f1(self, this: JSValue, value: JSValue) -> None:
        self.log("f1", value)
        raise Throw(JSError("Error", "own of f1", self.realm))

    def run(self) -> list[str]:
        """Run the script and all that follows from it; return its lines."""
        term = self._term(self.script.tree)
        loop = self.document.event_loop
        script = partial(self.evaluate, Scope(), term)
        loop.queue_a_task(TIMER_TASK_SOURCE, self.document, lambda: loop.run_script(self.realm, script))
        self._world.run_until_idle()
        return self.lines

    def _term(self, tree: Derivation) -> Term:
        labels: list[int] = []
        parts: list[Any] = []
        for index, text in enumerate(tree.production.texts):
            for _ in _LABEL.findall(text):
                self._count += 1
                labels.append(self._count)
            if index < len(tree.parts):
                part = tree.parts[index]
                parts.append([self._term(one) for one in part] if isinstance(part, tuple) else self._term(part))
        return Term(tree, tuple(labels), tuple(parts))

    def evaluate(self, scope: Scope, term: Term) -> Any:
        """Run a term; return its value."""
        production = term.tree.production
        return WORDS[f"{production.sort}.{production.name}"](self, scope, term)

    def each(self, scope: Scope, terms: Sequence[Term]) -> list[Any]:
        """Run terms in their order; return their values."""
        return [self.evaluate(scope, term) for term in terms]

    def log(self, label: object, *values: JSValue) -> None:
        """Write a line."""
        self.lines.append(" ".join([str(label), *(show(value, self.names) for value in values)]))

    def spent(self) -> bool:
        """Return whether the script has made all calls that it may make."""
        self.calls -= 1
        return self.calls < 0

    def function(self, behavior: Callable[[JSValue, JSValue], JSValue]) -> JSFunction:
        """Return a function of a this value and one argument."""
        return JSFunction(self.realm, lambda this, values: behavior(this, values[0] if values else UNDEFINED))

    def procedure(self, behavior: Callable[[JSValue, JSValue], None]) -> JSFunction:
        """Return a function of a this value and one argument that returns undefined."""

        def call_behavior(this: JSValue, value: JSValue) -> JSValue:
            behavior(this, value)
            return UNDEFINED

        return self.function(call_behavior)

    def resolved(self, value: JSValue) -> Promise:
        """Perform ECMAScript's PromiseResolve."""
        if isinstance(value, Promise):
            return value
        promise = Promise(self.realm)
        promise.resolve(value)
        return promise

    def microtask(self, function: JSFunction) -> None:
        """Call a function in a microtask, as ``queueMicrotask`` does."""

        def job() -> None:
            try:
                call(function, UNDEFINED, [])
            except Throw as throw:
                self.log("error", throw.value)

        self.document.agent.enqueue_promise_job(job, self.realm)

    def later(self, function: JSFunction, value: JSValue) -> None:
        """Call a function in a task, as the function of prelude.js does."""
        if self.tasks <= 0:
            return
        if self.script.family == FAMILIES[0]:
            self.log("no task")
            return
        self.tasks -= 1
        self.waiting.append(function)

        def script() -> None:
            self.log("task")
            try:
                call(self.waiting.pop(0), UNDEFINED, [value])
            except Throw as throw:
                self.log("error", throw.value)

        loop = self.document.event_loop
        loop.queue_a_task(TIMER_TASK_SOURCE, self.document, lambda: loop.run_script(self.realm, script))
