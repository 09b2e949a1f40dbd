"""The text that a report is about, if it is not the project's own."""

from __future__ import annotations

from modelcontext.spec.revisions.registry import CURRENT, REVISIONS


def texts_in_use() -> dict[str, str]:
    """Return the line that names the text which stands in for the current revision, by the key "text", or nothing."""
    text = REVISIONS.stand_ins.get(CURRENT.name)
    return {"text": text.words} if text is not None else {}
