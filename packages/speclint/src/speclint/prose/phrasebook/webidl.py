"""Phrases of Web IDL: promises, callbacks."""

from __future__ import annotations

from speclint.prose.phrasebook.phrase import Phrase, in_standard

PHRASES: tuple[Phrase, ...] = in_standard(
    "Web IDL",
    Phrase("[a promise rejected with] {reason}", "a_promise_rejected_with(reason)", "value",
           result="promise", strand="event loop"),
    Phrase("[a new promise] in {realm:realm}", "a_new_promise(realm)", "value",
           result="promise", strand="event loop"),
    Phrase("[a new promise] created in {realm:realm}", "a_new_promise(realm)", "value",
           result="promise", strand="event loop"),
    Phrase("[a promise resolved with] {value}", "a_promise_resolved_with(value)", "value",
           result="promise", strand="event loop"),
    Phrase("the result of [invoke] {callback:callback} with {arguments:list}, and with [callback this value] set to {this}",
           "invoke(callback, arguments, this)", "value", result="promise", strand="event loop"),
    Phrase("the result of [invoke] {callback:callback} with {arguments:values}",
           "invoke_with(callback, arguments)", "value", result="promise", strand="event loop"),
    Phrase("{callback:callback}'s [associated realm]", "associated_realm(callback)", "property", result="realm"),
    Phrase("[invoke] {callback:callback}", "invoke_without_arguments(callback)", "act", strand="event loop"),
    Phrase("invoke {callback:callback}", "invoke_without_arguments(callback)", "act", strand="event loop"),
    Phrase("[resolve] {promise:promise} with {value}", "resolve(promise, value)", "act", strand="event loop"),
    Phrase("[reject] {promise:promise} with {reason}", "reject(promise, reason)", "act", strand="event loop"),
)  # fmt: skip
