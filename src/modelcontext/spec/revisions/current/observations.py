"""Observations, which the browser's agent makes of a page.

Spec: https://webmachinelearning.github.io/webmcp/#observations
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext.platform.infra.errors import spec_assert
from modelcontext.platform.infra.ordered_map import OrderedMap
from modelcontext.spec.revisions.algorithm import algorithm
from modelcontext.spec.revisions.current.model import ToolDefinition, associated_model_context
from modelcontext.spec.revisions.current.tools import inclusive_descendant_navigables_of
from modelcontext.spec.verbs import active_document, assert_running_in_parallel, document_id, is_fully_active, origin_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.origin import Origin


@dataclass(frozen=True, slots=True)
class ObservedDocument:
    """An observed document."""

    origin: Origin
    tools: list[ToolDefinition]


@algorithm("perform-an-observation")
def perform_an_observation(traversable: Navigable) -> Generator[None, None, OrderedMap[int, ObservedDocument]]:
    """https://webmachinelearning.github.io/webmcp/#perform-an-observation"""
    # 1. Assert: these steps are running in parallel.
    assert_running_in_parallel()

    # 2. Assert: traversable's active document is fully active.
    document = active_document(traversable)
    spec_assert(document is not None and is_fully_active(document), "the traversable's active document is fully active")

    # 3. Let observation be an empty ordered map.
    observation: OrderedMap[int, ObservedDocument] = OrderedMap()

    # 4. If traversable's active document is null, then return observation.
    yield
    if active_document(traversable) is None:
        return observation

    # 5. For each navigable of the inclusive descendant navigables of traversable's active document:
    for navigable in inclusive_descendant_navigables_of(traversable):
        # 5.1. Let document be navigable's active document.
        yield
        document = active_document(navigable)

        # 5.2. If document is null, then continue.
        # SPEC-BUG(#46): the published text expects a document.
        if document is None:
            continue

        # 5.3. Let tools be the values of document's associated ModelContext's internal context's tool map.
        # SPEC-BUG(#18): neither the exposed origins nor the policy is checked.
        yield
        tools = associated_model_context(document).internal_context.tool_map.values()

        # 5.4. Set observation[document's document id] to a new observed document whose origin is document's origin and
        # whose tools is tools.
        observation.set(document_id(document), ObservedDocument(origin_of(document), tools))

    # 6. Return observation.
    # SPEC-BUG(#70): the published text hands the observation over, in an implementation-defined way.
    return observation
