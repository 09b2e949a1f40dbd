"""AbortController and AbortSignal (https://dom.spec.whatwg.org/#aborting-ongoing-activities)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from modelcontext.ground.schedule.footprint import Kind
from modelcontext.platform.dom.dispatching import fire_an_event
from modelcontext.platform.dom.events import Event, EventTarget
from modelcontext.platform.ecmascript.values import UNDEFINED, JSValue
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm

_LISTENERS: Final = Kind("listeners of AbortSignal", structure=True)


class AbortSignal(EventTarget):
    """An AbortSignal. ``reason`` is undefined until the signal is aborted."""

    __slots__ = ("_abort_algorithms", "aborted", "dependent_signals", "reason", "source_signals")

    interface: ClassVar[str] = "AbortSignal"
    kind_of_listeners: ClassVar[Kind] = _LISTENERS
    realm: Realm

    def __init__(self, realm: Realm) -> None:
        super().__init__(realm)
        self.reason: JSValue = UNDEFINED
        self.aborted = False
        self._abort_algorithms: list[Callable[[], None]] = []
        self.source_signals: list[AbortSignal] = []
        self.dependent_signals: list[AbortSignal] = []

    def add(self, algorithm: Callable[[], None]) -> None:
        """https://dom.spec.whatwg.org/#abortsignal-add"""
        if not self.aborted:
            self._abort_algorithms.append(algorithm)

    def signal_abort(self, reason: JSValue = UNDEFINED) -> None:
        """https://dom.spec.whatwg.org/#abortsignal-signal-abort"""
        if self.aborted:
            return
        self.set_reason(reason)
        dependents = [signal for signal in self.dependent_signals if not signal.aborted]
        for signal in dependents:
            signal.set_reason(self.reason)
        self.run_the_abort_steps()
        for signal in dependents:
            signal.run_the_abort_steps()

    def set_reason(self, reason: JSValue) -> None:
        """Set the abort reason, by default a new AbortError."""
        self.aborted = True
        self.reason = DOMException("AbortError", realm=self.realm) if reason is UNDEFINED else reason

    def run_the_abort_steps(self) -> None:
        """https://dom.spec.whatwg.org/#run-the-abort-steps"""
        algorithms, self._abort_algorithms = self._abort_algorithms, []
        for algorithm in algorithms:
            algorithm()
        fire_an_event(Event(self.realm, "abort"), self)

    @classmethod
    def aborted_with(cls, realm: Realm, reason: JSValue) -> AbortSignal:
        """https://dom.spec.whatwg.org/#dom-abortsignal-abort"""
        signal = cls(realm)
        signal.set_reason(reason)
        return signal

    @classmethod
    def any(cls, realm: Realm, signals: Iterable[AbortSignal]) -> AbortSignal:
        """https://dom.spec.whatwg.org/#create-a-dependent-abort-signal"""
        result = cls(realm)
        signals = list(signals)
        for signal in signals:
            if signal.aborted:
                result.set_reason(signal.reason)
                return result
        for signal in signals:
            for source in signal.source_signals or [signal]:
                if source not in result.source_signals:
                    result.source_signals.append(source)
                    source.dependent_signals.append(result)
        return result


class AbortController(PlatformObject):
    """An AbortController."""

    __slots__ = ("signal",)

    interface: ClassVar[str] = "AbortController"
    realm: Realm

    def __init__(self, realm: Realm) -> None:
        super().__init__(realm)
        self.signal = AbortSignal(realm)
