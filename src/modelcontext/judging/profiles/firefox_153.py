"""Firefox ESR 153: its deviations from the revision 2026-03."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from modelcontext.judging.profiles.profile import Profile
from modelcontext.judging.profiles.quirk import Quirk
from modelcontext.platform.ecmascript.values import JSValue, Throw, type_error
from modelcontext.platform.html.url import url_origin, url_parser
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.spec.revisions.r2026_03 import REVISION
from modelcontext.spec.verbs import associated_document, relevant_global_object
from modelcontext.spec.weaving.changes import Before, Instead, InsteadOf, Skip

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.infra.ordered_map import OrderedMap
    from modelcontext.spec.revisions.r2026_03.model import ModelContext, ToolDefinition


def only_in_the_top_window(this: ModelContext) -> None:
    """Throw in a frame that shares the process of the document around it."""
    document = associated_document(relevant_global_object(this))
    container = document.node_navigable.container if document.node_navigable is not None else None
    if document.node_navigable is None or (container is not None and _site(container.document) == _site(document)):
        raise Throw(DOMException("NotAllowedError"))


def _site(document: Document) -> object:
    """Return the origin of a document's URL, by which documents share a process even if their own origin is opaque.

    An initial about:blank document is in the process of the document around it.
    """
    if document.is_initial_about_blank and document.container is not None:
        return _site(document.container.document)
    url = url_parser(document.url)
    return url_origin(url) if url is not None else None


def schema_text(go_on: Callable[[JSValue], str], value: JSValue) -> str:
    """Return the JSON text of a schema; throw a new TypeError if the schema throws, or the text is not an object's."""
    try:
        text = go_on(value)
    except Throw:
        raise type_error("the schema has no JSON text") from None
    if not text.startswith("{"):
        raise type_error("the schema's JSON text is not that of an object")
    return text


def nothing_to_take_back(tool_map: OrderedMap[str, ToolDefinition], name: str) -> Instead | None:
    """Ignore a name that no tool has."""
    return None if tool_map.exists(name) else Instead(None)


PROFILE = Profile(
    "firefox_153",
    "firefox",
    REVISION,
    (
        Quirk(
            "duplicates-replace",
            "dom-modelcontext-registertool 3",
            [Skip("dom-modelcontext-registertool 3")],
            reason="If the name of a tool is taken, the new tool silently replaces the old tool. Two scripts of a"
            " page with the same name do not notice this: the browser looks wrong.",
            reproducer="programs-2026-03/registration/duplicate",
        ),
        Quirk(
            "empty-names",
            "dom-modelcontext-registertool 4",
            [Skip("dom-modelcontext-registertool 4")],
            reason="The browser accepts an empty name. An agent cannot refer to such a tool: the browser looks wrong.",
            reproducer="programs-2026-03/registration/empty-name",
        ),
        Quirk(
            "empty-descriptions",
            "dom-modelcontext-registertool 5",
            [Skip("dom-modelcontext-registertool 5")],
            reason="The browser accepts an empty description. An agent has no reason to choose such a tool: the"
            " browser looks wrong.",
            reproducer="programs-2026-03/registration/empty-description",
        ),
        Quirk(
            "schemas-are-objects",
            "dom-modelcontext-registertool 7.1",
            [InsteadOf("serialize_a_javascript_value_to_a_json_string", schema_text)],
            reason="If the schema throws any value, the browser throws a new TypeError instead. It does the same if"
            " the JSON text of the schema is not an object. The first case hides the page's own error, which looks"
            " wrong. The text should define the second case.",
            reproducer="programs-2026-03/schema/to-json-throws",
        ),
        Quirk(
            "unknown-names-are-ignored",
            "dom-modelcontext-unregistertool 2",
            [Before("dom-modelcontext-unregistertool 2", nothing_to_take_back)],
            reason="If no tool has the name, unregisterTool does nothing, but the text throws. A later revision"
            " has no such method: the browser is more lenient than the text.",
            reproducer="programs-2026-03/unregistration/unknown",
        ),
        Quirk(
            "only-in-the-top-window",
            "dom-modelcontext-registertool 1",
            [Before("dom-modelcontext-registertool 1", only_in_the_top_window)],
            reason="Every method throws NotAllowedError in a frame that is in the process of its container: the"
            " browser refuses same-site frames, but not frames of other sites. A check that depends on processes looks"
            " wrong.",
            reproducer="programs-2026-03/documents/same-origin-frame",
        ),
        Quirk(
            "only-in-the-top-window-unregistering",
            "dom-modelcontext-unregistertool 1",
            [Before("dom-modelcontext-unregistertool 1", only_in_the_top_window)],
            reason="In such a frame, unregisterTool throws NotAllowedError, too.",
            reproducer="findings/firefox/only-in-the-top-window-unregistering/program",
        ),
    ),
)
