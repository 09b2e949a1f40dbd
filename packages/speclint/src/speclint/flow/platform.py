"""The table of the platform's concepts: those that may be null, results that may be failures, and what belongs to script.

Terms are those of HTML, DOM, Infra, URL and Web IDL, in small letters. A specification's own concepts need no entry: their
definitions say "or null".
"""

from __future__ import annotations

import re
from typing import Final

#: Concepts that may be null, with the reason.
NULLABLE: Final[dict[str, str]] = {
    "node navigable": "a document that is not the active document of a navigable has none",
    "active document": "a navigable that is destroyed has none",
    "active window": "a navigable that is destroyed has none",
    "active browsing context": "a navigable that is destroyed has none",
    "content navigable": "a container that is not connected has none",
    "container": "a top-level traversable has none",
    "container document": "a top-level traversable has none",
    "browsing context": "a document that was discarded has none",
    "opener browsing context": "most windows have none",
    "parent navigable": "a top-level traversable has none",
    "form owner": "a control outside of every form has none",
    "labeled control": "a label can be without one",
    "shadow root": "most elements have none",
    "assigned slot": "most nodes have none",
    "document element": "a document can be without one",
    "body element": "a document can be without one",
    "first child": "a node without children has none",
    "last child": "a node without children has none",
    "next sibling": "the last child has none",
    "previous sibling": "the first child has none",
    "parent element": "a node without a parent element has none",
    "active service worker": "a client that is not controlled has none",
    "controller": "a client that is not controlled has none",
    "related target": "most events have none",
    "current session history entry": "a navigable that is being created has none",
    "ongoing navigation": "most navigables have none",
}

#: Kinds of values that concepts give. Values of two kinds are never the same.
TYPES: Final[dict[str, str]] = {
    "associated document": "Document",
    "node document": "Document",
    "active document": "Document",
    "container document": "Document",
    "relevant global object": "global object",
    "current global object": "global object",
    "active window": "global object",
    "origin": "origin",
    "top-level origin": "origin",
    "node navigable": "navigable",
    "content navigable": "navigable",
    "parent navigable": "navigable",
    "top-level traversable": "navigable",
    "relevant realm": "realm",
    "document base url": "URL record",
    "relevant settings object": "settings object",
    "document element": "element",
    "parent element": "element",
    "form owner": "element",
    "labeled control": "element",
    "shadow host": "element",
}

#: Concepts that lead from a document to another one.
OF_ANOTHER_DOCUMENT: Final[frozenset[str]] = frozenset(
    {
        *("top-level traversable", "traversable navigable", "parent navigable", "content navigable", "container"),
        *("container document", "opener browsing context", "top-level browsing context", "parent browsing context"),
        *("parent", "opener"),
    }
)

#: Kinds of the values of types of the IDL, with the names that :data:`TYPES` has.
INTERFACES: Final[dict[str, str]] = {
    "Document": "Document",
    "Window": "global object",
    "WindowProxy": "global object",
    "Element": "element",
    "HTMLElement": "element",
    "HTMLFormElement": "element",
    "HTMLInputElement": "element",
    "boolean": "boolean",
    "DOMString": "string",
    "USVString": "string",
    "ByteString": "string",
}

#: Other than a navigable, a browsing context always has an active window.
OF_BROWSING_CONTEXT: Final = re.compile(r"(?:browsing context=\]|[Cc]ontext\|)'s? \[=active (?:document|window)=\]$")

#: Facts that follow from a predicate, as (kind, concept of the subject or "" for the subject itself, holds).
IMPLIED: Final[dict[str, tuple[tuple[str, str, bool], ...]]] = {
    "fully active": (("null", "node navigable", False), ("null", "", False)),
    "allowed to use": (("null", "", False),),
}

#: Algorithms whose result may be failure or null, by the stems of their names' words.
FAILING: Final[dict[str, str]] = {
    "url parser": "failure",
    "basic url parser": "failure",
    "api url parser": "failure",
    "encoding-parse a url": "failure",
    "parse a url": "failure",
    "host parser": "failure",
    "parse a mime type": "failure",
    "parse a mime type from bytes": "failure",
    "supply a mime type": "failure",
    "isomorphic decode": "",
    "get an encoding": "failure",
    "forgiving-base64 decode": "failure",
    "parse a date string": "null",
    "retrieve a module script": "null",
    "rules for parsing integers": "failure",
    "rules for parsing floating-point number values": "failure",
    "find a navigable by target name": "null",
}

#: Algorithms that return a value and change nothing, so that their result is their only use.
PURE: Final[tuple[str, ...]] = (
    "sort in ascending order",
    "sort in descending order",
    "url parser",
    "basic url parser",
    "serialization of an origin",
    "serialize an infra value to a json string",
    "serializing a javascript value to a json string",
    "parse a json string to an infra value",
    "parse a json string to a javascript value",
    "url serializer",
    "ascii lowercase",
    "concatenation",
    "clone",
    "intersection",
    "union",
    "get the keys",
    "split on commas",
    "strictly split",
)

#: Algorithms and concepts of script: nothing of them can be used in parallel. With the word for what is done.
OF_SCRIPT: Final[dict[str, str]] = {
    "resolve": "settles a promise",
    "reject": "settles a promise",
    "a new promise": "makes a promise",
    "create a promise": "makes a promise",
    "a promise rejected with": "makes a promise",
    "a promise resolved with": "makes a promise",
    "react": "reacts to a promise",
    "upon fulfillment": "reacts to a promise",
    "upon rejection": "reacts to a promise",
    "mark as handled": "touches a promise",
    "invoke": "runs script",
    "call": "runs script",
    "call a user object's operation": "runs script",
    "construct": "runs script",
    "fire an event": "fires an event, which runs script",
    "dispatch": "fires an event, which runs script",
    "signal abort": "runs abort steps and fires an event",
    "parse a json string to a javascript value": "makes JavaScript values",
    "serialize a javascript value to a json string": "can run script",
    "convert to an idl value": "can run script",
    "converted to an idl value": "can run script",
    "converted to a javascript value": "makes JavaScript values",
    "new": "makes an object",
    "current realm": "needs a realm, and none is running",
    "relevant realm": "takes a realm",
    "structuredserialize": "can run script",
    "structureddeserialize": "makes JavaScript values",
    "get the global property": "runs script",
    "perform a microtask checkpoint": "runs script",
    "throw": "throws to script",
}

#: Algorithms that can run script, after which state may have changed.
RUNS_SCRIPT: Final[frozenset[str]] = frozenset(
    name for name, words in OF_SCRIPT.items() if "script" in words or "event" in words
)
