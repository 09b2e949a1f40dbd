"""Abort signals: reasons, algorithms, dependent signals, and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.dom.abort import AbortController, AbortSignal
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSValue
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document


def logging(page: Document, log: list[str], entry: str, signal: AbortSignal) -> None:
    def listener(this: JSValue, arguments: list[JSValue]) -> JSValue:
        log.append(f"{entry} event")
        return UNDEFINED

    signal.add(lambda: log.append(f"{entry} steps"))
    signal.add_event_listener("abort", JSFunction(page.realm, listener))


def test_signal_aborts_once_with_its_first_reason(page: Document) -> None:
    signal = AbortController(page.realm).signal
    log: list[str] = []
    logging(page, log, "signal", signal)
    assert (signal.aborted, signal.reason) == (False, UNDEFINED)
    signal.signal_abort("first")
    signal.signal_abort("second")
    assert (signal.aborted, signal.reason) == (True, "first")
    assert log == ["signal steps", "signal event"]


@pytest.mark.parametrize("make", [lambda realm: AbortController(realm).signal, None])
def test_default_abort_reason_is_an_abort_error_of_the_signals_realm(make: object, page: Document) -> None:
    if callable(make):
        signal = make(page.realm)
        signal.signal_abort()
    else:
        signal = AbortSignal.aborted_with(page.realm, UNDEFINED)
    assert isinstance(signal.reason, DOMException)
    assert (signal.reason.name, signal.reason.realm) == ("AbortError", page.realm)


@pytest.mark.parametrize("reason", [None, False, 0, ""])
def test_falsy_abort_reason_is_kept(reason: JSValue, page: Document) -> None:
    signal = AbortSignal.aborted_with(page.realm, reason)
    assert (signal.aborted, signal.reason) == (True, reason)


def test_aborted_signal_takes_no_more_abort_steps(page: Document) -> None:
    log: list[str] = []
    signal = AbortController(page.realm).signal
    signal.add(lambda: signal.add(lambda: log.append("added too late")))
    signal.signal_abort()
    signal.add(lambda: log.append("added too late"))
    assert log == []


def test_dependent_signals_abort_after_their_source(page: Document) -> None:
    first, second = AbortController(page.realm).signal, AbortController(page.realm).signal
    early = AbortSignal.any(page.realm, [first])
    both = AbortSignal.any(page.realm, [first, second, first])
    nested = AbortSignal.any(page.realm, [both])
    log: list[str] = []
    for entry, signal in (("nested", nested), ("both", both), ("early", early), ("first", first)):
        logging(page, log, entry, signal)
    first.add(lambda: log.append(f"all aborted: {both.aborted and early.aborted and nested.aborted}"))
    first.signal_abort("reason")
    assert [signal.reason for signal in (first, early, both, nested)] == ["reason"] * 4
    assert log == [
        "first steps", "all aborted: True", "first event",
        "early steps", "early event", "both steps", "both event", "nested steps", "nested event",
    ]  # fmt: skip
    second.signal_abort("late")
    assert both.reason == "reason"


def test_dependent_of_an_aborted_signal_is_aborted_from_the_start(page: Document) -> None:
    aborted = AbortSignal.aborted_with(page.realm, "reason")
    other = AbortController(page.realm).signal
    dependent = AbortSignal.any(page.realm, [other, aborted])
    assert (dependent.aborted, dependent.reason) == (True, "reason")
    log: list[str] = []
    logging(page, log, "dependent", dependent)
    other.signal_abort()
    assert log == []


def test_dependent_signal_without_sources_is_not_aborted(page: Document) -> None:
    assert not AbortSignal.any(page.realm, []).aborted
