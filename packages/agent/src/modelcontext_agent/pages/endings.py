"""The ends of calls, in words that a model can read."""

from __future__ import annotations

from typing import Final

from modelcontext.people.forms.texts import shortened
from modelcontext_agent.pages.contract import CallEnd, CallResult
from modelcontext_agent.strict_json import json_value

#: The reason why a call of a form may not end, for a page that a person sees, and for one that nobody sees.
FORMS: Final = {
    False: "If the tool is a form that a person must submit, nobody can submit it, because the page has no window."
    " The option --headed of the server shows the window.",
    True: "If the tool is a form that a person must submit, the form waits in the page's window.",
}


def done(text: str | None) -> CallResult:
    """Return the end of a call whose tool returned.

    Args:
        text: the JSON text that ``executeTool`` gave. Chromium gives ``undefined`` for that value; what is no JSON stays
            a string.
    """
    if text is None or text == "undefined":
        return CallResult(CallEnd.DONE, None)
    try:
        return CallResult(CallEnd.DONE, json_value(text))
    except ValueError:
        return CallResult(CallEnd.DONE, text)


def failed(said: str) -> CallResult:
    """Return the end of a call that failed, with what the browser said of it."""
    return CallResult(CallEnd.FAILED, said)


def cancelled(name: str) -> CallResult:
    """Return the end of a call that was aborted."""
    return CallResult(CallEnd.CANCELLED, f"The call of “{name}” was cancelled. It may have had effects before that.")


def document_gone(name: str, *, began: bool) -> CallResult:
    """Return the end of a call whose document has gone, before it ``began`` or after."""
    text = f"The document with the tool “{name}” is gone: the page went elsewhere, or the frame was removed."
    return CallResult(CallEnd.DOCUMENT_GONE, f"{text} {_fate(began)}", began)


def page_lost(name: str, reason: str, *, began: bool) -> CallResult:
    """Return the end of a call whose page was lost for a ``reason``, before it ``began`` or after."""
    return CallResult(CallEnd.DOCUMENT_GONE, f"The tool “{name}” cannot be reached: {reason}. {_fate(began)}", began)


def took_too_long(name: str, seconds: float, *, is_seen: bool) -> CallResult:
    """Return the end of a call that was aborted after some seconds, in a page that a person sees or not."""
    text = f"The tool “{name}” took more than {seconds:g} s, and the call was aborted. It may have run in part."
    return CallResult(CallEnd.CANCELLED, f"{text} {FORMS[is_seen]}")


def tool_gone(name: str) -> CallResult:
    """Return the end of a call of a tool that the document does not have any more."""
    return CallResult(CallEnd.TOOL_GONE, f"The page no longer has a tool “{name}”. Nothing ran.", began=False)


def tool_changed(name: str) -> CallResult:
    """Return the end of a call of a tool that is defined otherwise than the model was shown."""
    text = f"The page now defines the tool “{name}” differently from the list. Nothing ran; look at the tools again."
    return CallResult(CallEnd.TOOL_CHANGED, text, began=False)


def in_a_line(output: object) -> str:
    """Return the output of a failed call in one line: of several, the last, which is the exception with its place."""
    lines = str(output).splitlines() or [""]
    return shortened(lines[-1], 300)


def _fate(began: bool) -> str:
    return "Nobody knows how far the call came." if began else "Nothing ran."
