"""Values as Python writes them for a page; ``wire.test.js`` makes values of the same data."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from modelcontext.hosts.page.objects import Held, HeldPromise, PageRealm, PageWindow
from modelcontext.hosts.page.page_host import PageHost
from modelcontext.platform.dom.events import EventTarget
from modelcontext.platform.ecmascript.values import UNDEFINED, type_error
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.javascript import shapes
from modelcontext.spec.revisions.current.dictionaries import RegisteredTool
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.hosts.page.verbs import PageFormVerbs, PageVerbs

TABLE: dict[str, Any] = json.loads((Path(__file__).parent / "wire.json").read_text(encoding="utf-8"))


def values(page: PageVerbs) -> dict[str, object]:
    """Return the values that the table has, by name."""
    realm = PageRealm(3, cast("Any", None))
    window = cast("PageWindow", realm.global_object)
    held = Held(page, 7)
    return {
        "undefined": UNDEFINED,
        "null": None,
        "a boolean": True,
        "a string": "caf\u00e9 \U0001f600",
        "a lone surrogate": "\ud800",
        "a held value": held,
        "a promise": HeldPromise(page, 8, 3),
        "a TypeError": type_error("wrong").value,
        "a DOMException": DOMException("AbortError", "aborted"),
        "an empty list": [],
        "a list": ["a", UNDEFINED, [held]],
        "a dictionary": RegisteredTool(
            name="__proto__", description="d", input_schema=held, origin="https://a.test", window=window
        ),
        "a window": window,
        "a platform object": EventTarget(realm),
    }


@pytest.mark.parametrize("name", TABLE)
def test_value_is_written_as_data(name: str) -> None:
    written = []
    page = cast(
        "PageVerbs",
        SimpleNamespace(
            free=lambda handle: None,
            wrap=lambda id, interface, realm: None,
            resolve=lambda promise, realm, data: written.append(json.loads(data)),
        ),
    )
    revision = REVISIONS["current"]
    host = PageHost(page, cast("PageFormVerbs", SimpleNamespace()), revision, shapes(revision.definitions))
    host.resolve(cast("Any", HeldPromise(page, 1, 3)), values(page)[name])
    assert written == [TABLE[name]]
