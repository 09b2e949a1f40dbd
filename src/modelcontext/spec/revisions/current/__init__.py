"""The revision of the specification that this folder is named after: one file per section, every step quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.platform.infra.ordered_map import OrderedMap
from modelcontext.spec.revisions.algorithm import algorithms_of
from modelcontext.spec.revisions.current import (
    api,
    dictionaries,
    executions,
    form_executions,
    form_inputs,
    form_schemas,
    form_tools,
    model,
    observations,
    tools,
)
from modelcontext.spec.revisions.revision import Revision

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable

__all__ = [
    "REVISION",
    "api",
    "executions",
    "form_executions",
    "form_inputs",
    "form_schemas",
    "form_tools",
    "model",
    "observations",
    "tools",
]


def _initialize_document(document: Document) -> None:
    document.extensions[model.ASSOCIATED_MODEL_CONTEXT] = model.ModelContext(document.realm)


def _initialize_traversable(traversable: Navigable) -> None:
    pending_executions: OrderedMap[int, model.PendingExecution] = OrderedMap()
    traversable.extensions[model.PENDING_EXECUTIONS_MAP] = pending_executions


REVISION = Revision(
    package=__name__,
    dictionaries=dictionaries,
    algorithms=algorithms_of(__name__),
    accessor_owner=lambda document: document,
    initialize_document=_initialize_document,
    initialize_traversable=_initialize_traversable,
    chosen_button_of=form_executions.chosen_button_of,
)
