"""The revision 2026-03 of the specification, which is frozen: one file per section, every step quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.spec.revisions.algorithm import algorithms_of
from modelcontext.spec.revisions.r2026_03 import api, dictionaries, model
from modelcontext.spec.revisions.revision import Revision

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document

__all__ = ["REVISION", "api", "model"]


def _initialize_document(document: Document) -> None:
    # A document that takes over the Window of the initial about:blank takes over its Navigator, too.
    document.window.navigator.extensions.setdefault(model.ASSOCIATED_MODEL_CONTEXT, model.ModelContext(document.realm))


REVISION = Revision(
    package=__name__,
    dictionaries=dictionaries,
    algorithms=algorithms_of(__name__),
    accessor_owner=lambda document: document.window.navigator,
    initialize_document=_initialize_document,
)
