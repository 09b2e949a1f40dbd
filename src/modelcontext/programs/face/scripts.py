"""Scripts of documents in Python: functions and coroutines that run in a document's event loop, and what they can wait for."""

from __future__ import annotations

import heapq
import inspect
import itertools
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from modelcontext.ground.schedule import footprint
from modelcontext.platform.ecmascript.promise import Promise as JSPromise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSValue, Throw
from modelcontext.platform.html.event_loop import POSTED_MESSAGE_TASK_SOURCE, TIMER_TASK_SOURCE, TaskSource
from modelcontext.programs.face.promises import OwnPromise, Promise, PromiseSurroundings
from modelcontext.programs.face.python_values import to_python
from modelcontext.programs.face.tool_calls import called, thrown

if TYPE_CHECKING:
    from modelcontext.hosts.world import World
    from modelcontext.platform.html.document import Document as HTMLDocument
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.platform.html.user_agent import UserAgent

R = TypeVar("R")

#: What a script of a document is: a function without arguments, ``async def`` or not, or a coroutine.
Script = Callable[[], Any] | Coroutine[Any, Any, Any]

_TIMERS: Final = footprint.Kind("timers")


class Scripting(PromiseSurroundings, Protocol):
    """The browser around scripts. ``coroutines`` are those that have begun and not ended."""

    world: World
    coroutines: dict[Coroutine[Any, Any, Any], None]
    timers: Timers

    def run_now(self, html: HTMLDocument, script: Callable[[], R]) -> R:
        """Run a script of a document and return its result."""

    def takes(self, html: HTMLDocument, function: object) -> None:
        """Note that a document gets a function or a coroutine."""

    def raised(self, html: HTMLDocument, name: str, exception: Exception) -> None:
        """Note an exception that no code of the page has caught."""


@dataclass(order=True, slots=True)
class _Timer:
    """A timer: when it is due, its number in order of setting, and its effect."""

    due: float
    number: int
    fire: Callable[[], None] = field(compare=False)


# The timers of pages of JavaScript have the same name; these are those of pages of Python.
class Timers:
    """The timers of one browser, on virtual time.

    A timer may fire at any moment after it was set, since a task or a parallel step may take any time. But timers fire in the
    order in which they are due, and the clock then shows that time.
    """

    def __init__(self, user_agent: UserAgent) -> None:
        self._user_agent = user_agent
        self._waiting: list[_Timer] = []
        self._numbers = itertools.count(1)
        self._is_running = False
        self.now = 0.0

    def relevant(self) -> tuple[object, ...]:
        """Return the state that decides how timers fire, for fingerprints."""
        return tuple((timer.due - self.now, timer.number, timer.fire) for timer in sorted(self._waiting))

    def set(self, delay: float, fire: Callable[[], None]) -> int:
        """Set a timer, and return its number."""
        if delay < 0:
            raise ValueError(f"a timer cannot wait {delay} milliseconds; give 0 or more")
        footprint.write(_TIMERS)
        number = next(self._numbers)
        heapq.heappush(self._waiting, _Timer(self.now + delay, number, fire))
        if not self._is_running:
            self._is_running = True
            self._user_agent.in_parallel(self._pass_time())
        return number

    def clear(self, number: int) -> None:
        """Clear a timer, if it has not fired."""
        footprint.write(_TIMERS)
        self._waiting = [timer for timer in self._waiting if timer.number != number]
        heapq.heapify(self._waiting)

    def _pass_time(self) -> ParallelSteps:
        while True:
            footprint.write(_TIMERS)
            if self._waiting:
                timer = heapq.heappop(self._waiting)
                self.now = timer.due
                timer.fire()
            if not self._waiting:
                break
            yield
        self._is_running = False


class Scripts:
    """The scripts of one document, whose values are converted as the page's own."""

    def __init__(self, browser: Scripting, html: HTMLDocument, convert: Callable[[Any], JSValue]) -> None:
        self._browser = browser
        self.html = html
        self._convert = convert
        self._inbox: list[Any] = []
        self._receivers: list[JSPromise] = []

    def run(self, script: Script) -> Promise:
        """Run a script at once if the document's event loop is running, else in a task."""
        promise = JSPromise(self.html.realm)
        name = getattr(script, "__name__", "script")
        self._browser.takes(self.html, script)
        if inspect.iscoroutine(script):
            self._browser.coroutines[script] = None
        if self.html.event_loop.user_agent.current_event_loop is self.html.event_loop:
            self._browser.run_now(self.html, lambda: self._begin(script, promise, lambda error: None))
        else:
            failed = partial(self._browser.raised, self.html, name)
            self.queue(POSTED_MESSAGE_TASK_SOURCE, lambda: self._begin(script, promise, failed))
        return Promise(self._browser, promise)

    def _begin(self, script: Script, promise: JSPromise, failed: Callable[[Exception], None]) -> None:
        try:
            returned = script if inspect.iscoroutine(script) else called(script, [])  # type: ignore[arg-type]
        except Throw as throw:
            if isinstance(throw.__cause__, Exception):
                failed(throw.__cause__)
            promise.reject(throw.value)
        else:
            promise.resolve(self.settled(returned, failed))

    def queue(self, source: TaskSource, script: Callable[[], None]) -> None:
        """Queue a task that runs a script."""
        event_loop, realm = self.html.event_loop, self.html.realm
        event_loop.queue_a_task(source, self.html, lambda: event_loop.run_script(realm, script))

    def function(
        self, function: Callable[..., Any], failed: Callable[[Exception], None] | None = None, *, given: object = None
    ) -> JSFunction:
        """Return a function of Python as one of the page.

        Args:
            function: the function.
            failed: hears of its exceptions.
            given: the function that the page's author gave, if this one only calls it.
        """
        self._browser.takes(self.html, function if given is None else given)

        def behavior(this: JSValue, arguments: list[JSValue]) -> JSValue:
            return self.call(function, arguments, failed or (lambda error: None))

        return JSFunction(self.html.realm, behavior, getattr(function, "__name__", ""))

    def call(
        self, function: Callable[..., Any], arguments: list[JSValue], failed: Callable[[Exception], None]
    ) -> JSValue:
        """Call a function of Python with values of the page, and return what it returns as such a value."""
        try:
            returned = called(function, [to_python(argument) for argument in arguments])
        except Throw as throw:
            if isinstance(throw.__cause__, Exception):
                failed(throw.__cause__)
            raise
        return self.settled(returned, failed)

    def settled(self, returned: Any, failed: Callable[[Exception], None] = lambda error: None) -> JSValue:
        """Return what a function of Python has returned as a value of the page: for a coroutine, the promise of its result."""
        if inspect.iscoroutine(returned):
            promise = JSPromise(self.html.realm)
            self._browser.coroutines[returned] = None
            self._drive(returned, promise, failed)
            return promise
        if isinstance(returned, Promise):
            return returned.javascript
        return self._convert(returned)

    def _drive(
        self, coroutine: Coroutine[Any, Any, Any], promise: JSPromise, failed: Callable[[Exception], None]
    ) -> None:
        """Run a coroutine up to the promise that it awaits, and continue in a reaction to that promise."""
        try:
            awaited = coroutine.send(None)
        except StopIteration as end:
            del self._browser.coroutines[coroutine]
            promise.resolve(self.settled(end.value, failed))
        except Exception as error:
            del self._browser.coroutines[coroutine]
            failed(error)
            promise.reject(thrown(error).value)
        else:
            self._check(awaited)

            def continue_(_: JSValue) -> JSValue:
                self._drive(coroutine, promise, failed)
                return UNDEFINED

            awaited.javascript.react(continue_, continue_, self.html.realm)

    def _check(self, awaited: object) -> None:
        if not isinstance(awaited, Promise):
            raise TypeError(
                f"a script awaited {awaited!r}; the simulated browser can await only promises of its own pages"
            )
        realm = awaited.javascript.realm
        if realm is None or realm.agent is not self.html.realm.agent:
            raise TypeError(
                f"a script of {self.html.url} awaited a promise of another event loop; documents of different origins"
                " share no promises: use post_message() and next_message()"
            )

    # What a script can wait for

    def own_promise(self) -> OwnPromise:
        """Return a new promise, which scripts of the document settle."""
        promise = JSPromise(self.html.realm)

        def settle(rejects: bool, value: Any) -> None:
            if rejects:
                reason = thrown(value).value if isinstance(value, Exception) else self._convert(value)
                self._browser.run_now(self.html, lambda: promise.reject(reason))
            else:
                resolution = self.settled(value)
                self._browser.run_now(self.html, lambda: promise.resolve(resolution))

        return OwnPromise(self._browser, promise, settle)

    def after(self, delay: float, script: Callable[[], None]) -> int:
        """Run a script in a task after a delay in milliseconds; return the number of the timer."""
        return self._browser.timers.set(delay, lambda: self.queue(TIMER_TASK_SOURCE, script))

    def sleep(self, delay: float) -> Promise:
        """Return a promise that is fulfilled after a delay."""
        promise = JSPromise(self.html.realm)
        self.after(delay, lambda: promise.resolve(None))
        return Promise(self._browser, promise)

    def set_timeout(self, callback: Callable[[], Any], delay: float) -> int:
        """Call a function after a delay; return the number of the timer."""
        name = getattr(callback, "__name__", "callback")
        self._browser.takes(self.html, callback)
        failed = partial(self._browser.raised, self.html, name)
        return self.after(delay, lambda: self._begin(callback, JSPromise(self.html.realm), failed))

    def receive(self, message: Any) -> None:
        """Take a message in a task of the document."""
        value = to_python(self._convert(message))

        def take() -> None:
            if self._receivers:
                self._receivers.pop(0).resolve(self._convert(value))
            else:
                self._inbox.append(value)

        self.queue(POSTED_MESSAGE_TASK_SOURCE, take)

    def next_message(self) -> Promise:
        """Return a promise of the next message that nobody has taken."""
        promise = JSPromise(self.html.realm)
        if self._inbox:
            promise.resolve(self._convert(self._inbox.pop(0)))
        else:
            self._receivers.append(promise)
        return Promise(self._browser, promise)

    def race(self, promises: Iterable[Promise]) -> Promise:
        """Perform ECMAScript's Promise.race."""
        given = list(promises)
        result = JSPromise(self.html.realm)
        first: list[Promise] = []
        for promise in given:
            self._check(promise)

            def settle(how: Callable[[JSValue], None], one: Promise, value: JSValue) -> JSValue:
                first.append(one)
                how(value)
                return UNDEFINED

            javascript = promise.javascript
            javascript.react(
                partial(settle, result.resolve, promise), partial(settle, result.reject, promise), self.html.realm
            )
        return Promise(self._browser, result, lambda _: first[0].value)

    def all(self, promises: Iterable[Promise]) -> Promise:
        """Perform ECMAScript's Promise.all."""
        given = list(promises)
        result = JSPromise(self.html.realm)
        waiting = len(given)
        for promise in given:
            self._check(promise)

            def one_more(_: JSValue) -> JSValue:
                nonlocal waiting
                waiting -= 1
                if waiting == 0:
                    result.resolve(UNDEFINED)
                return UNDEFINED

            def reject(reason: JSValue) -> JSValue:
                result.reject(reason)
                return UNDEFINED

            promise.javascript.react(one_more, reject, self.html.realm)
        if not given:
            result.resolve(UNDEFINED)
        return Promise(self._browser, result, lambda _: [promise.value for promise in given])
