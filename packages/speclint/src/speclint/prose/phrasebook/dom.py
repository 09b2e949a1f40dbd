"""Phrases of DOM: nodes, events, abort signals."""

from __future__ import annotations

from speclint.prose.phrasebook.phrase import Phrase, in_standard

PHRASES: tuple[Phrase, ...] = in_standard(
    "DOM",
    Phrase("{node:node}'s [Node/node document]", "node_document(node)", "property", result="Document"),
    Phrase("{node:node} is [connected]", "is_connected(node)", "test"),
    Phrase("{root:node}'s [tree/descendants]", "descendants(root)", "property", result="list of node"),
    Phrase("[fire an event] named {name:event} at {target:event target}", "fire_an_event(name, target)", "act",
           strand="event loop"),
    Phrase("[fire an event] named {name:event} at {target:event target}, using {interface:interface}, with its "
           "{attribute:member} attribute initialized to {value}",
           "fire_an_event(name, target, interface, {attribute: value})", "act", strand="event loop"),
    Phrase("[fire an event] named {name:event} at {target:event target}, using {interface:interface}, with its "
           "{attribute:member} initialized to {value}",
           "fire_an_event(name, target, interface, {attribute: value})", "act", strand="event loop"),
    Phrase("[fire an event] named {name:event} at {target:event target}, using {interface:interface}, with "
           "{attribute:member} initialized to {value}",
           "fire_an_event(name, target, interface, {attribute: value})", "act", strand="event loop"),
    Phrase("[fire an event] named {name:event} at {target:event target}, with its {attribute:member} attribute "
           "initialized to {value}",
           "fire_an_event_at_an_element(name, target, {attribute: value})", "act", strand="event loop"),
    Phrase("[fire an event] named {name:event} at {target:event target}, with its {attribute:member} and {other:member} "
           "attributes initialized to {value}",
           "fire_an_event_at_an_element(name, target, {attribute: value, other: value})", "act", strand="event loop"),
    Phrase("{event:event object}'s [canceled flag] is set", "canceled_flag(event)", "test"),
    Phrase("{event:event object}'s [canceled flag] is unset", "canceled_flag(event)", "test", is_negated=True),
    Phrase("{event:event object}'s [dispatch flag] is set", "dispatch_flag(event)", "test"),
    Phrase("{event:event object}'s [dispatch flag] is unset", "dispatch_flag(event)", "test", is_negated=True),
    Phrase("{controller:AbortController}'s [AbortController/signal]", "signal_of(controller)", "property",
           result="AbortSignal"),
    Phrase("{signal:AbortSignal}'s [AbortSignal/abort reason]", "abort_reason(signal)", "property",
           result="JavaScript value"),
    Phrase("{signal:AbortSignal} is [AbortSignal/aborted]", "is_aborted(signal)", "test"),
    Phrase("[AbortController/signal abort] on {controller:AbortController}", "signal_abort(controller)", "act",
           strand="event loop"),
    Phrase("[AbortSignal/add] the following abort steps to {signal:AbortSignal} {steps:below}",
           "add_abort_steps(signal, steps)", "act", strand="event loop"),
    Phrase("[AbortSignal/add|Add an abort algorithm] to {signal:AbortSignal} that {steps:steps}",
           "add_abort_steps(signal, steps)", "act", strand="event loop"),
    Phrase("[AbortSignal/add|Add the following abort steps] to {signal:AbortSignal} {steps:below}",
           "add_abort_steps(signal, steps)", "act", strand="event loop"),
)  # fmt: skip
