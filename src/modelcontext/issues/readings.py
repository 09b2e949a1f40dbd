"""Other readings of the text: changes of the current revision with which the model computes their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from modelcontext.host import a_promise_rejected_with, in_parallel, is_fully_active, node_navigable, relevant_realm
from modelcontext.revisions.current import REVISION
from modelcontext.weaving.changes import Before, Change, Instead, InsteadOf, Linking
from modelcontext.webidl.dom_exception import DOMException
from modelcontext.webidl.types import ABSENT

if TYPE_CHECKING:
    from modelcontext.html.document import Document
    from modelcontext.html.parallel import ParallelSteps
    from modelcontext.infra.ordered_map import OrderedMap
    from modelcontext.revisions.current.dictionaries import RegisteredTool
    from modelcontext.revisions.current.model import CompletionSteps, ModelContext, PendingExecution, ToolDefinition
    from modelcontext.revisions.revision import Revision

_EXECUTE: Final = ("dom-modelcontext-executetool",)


def _unsorted(go_on: object, found: list[Any], **options: object) -> list[Any]:
    """Return a list as it is."""
    return found


def _title_left_out(tool_definition: ToolDefinition, registered_tool: RegisteredTool) -> None:
    """Take an absent title away again."""
    if tool_definition.title is None:
        registered_tool.title = ABSENT


def _checked_again(
    this: ModelContext, tool_owner: Document, tool_map: OrderedMap[str, ToolDefinition], tool_name: str
) -> Instead | None:
    """Reject if the document has gone, or the name is taken."""
    if is_fully_active(tool_owner) and not tool_map.exists(tool_name):
        return None
    return Instead(a_promise_rejected_with(DOMException("InvalidStateError"), relevant_realm(this)))


def _stored_if_there(
    go_on: Callable[..., PendingExecution], caller: Document, target: Document, name: str, steps: CompletionSteps
) -> PendingExecution:
    """Store an execution, and complete it if its target has gone."""
    if node_navigable(target) is None:

        @in_parallel
        def fail() -> ParallelSteps:
            yield from steps(None, False)

    return go_on(caller, target, name, steps)


def _completed_in_parallel(
    go_on: Callable[..., PendingExecution], caller: Document, target: Document, name: str, steps: CompletionSteps
) -> PendingExecution:
    """Store completion steps whose body outlives the call."""

    def completion_steps(result: str | None, success: bool) -> Generator[None, None, None]:
        @in_parallel
        def complete() -> ParallelSteps:
            yield from steps(result, success)

        yield

    return go_on(caller, target, name, completion_steps)


def _of_the_target(target: Document, steps: CompletionSteps) -> CompletionSteps:
    def completion_steps(result: str | None, success: bool) -> Generator[None, None, None]:
        if node_navigable(target) is not None:
            yield from steps(result, success)

    return completion_steps


def _stored_with_its_target(
    go_on: Callable[..., PendingExecution], caller: Document, target: Document, name: str, steps: CompletionSteps
) -> PendingExecution:
    """Store completion steps that find nothing once the target has gone."""
    return go_on(caller, target, name, _of_the_target(target, steps))


def _run_with_its_target(
    go_on: Callable[..., None], target: Document, name: str, input: str, steps: CompletionSteps, id: int
) -> None:
    """Run a tool with completion steps that find nothing once the target has gone."""
    go_on(target, name, input, _of_the_target(target, steps), id)


#: The changes of each reading, by its name.
READINGS: Final[Mapping[str, Sequence[Change]]] = {
    "unsorted": [InsteadOf("sorted", _unsorted, ("collect-registered-tools",))],
    "title-left-out": [Before("create-a-registered-tool 5", _title_left_out)],
    "checks-repeated": [Before("dom-modelcontext-registertool 12", _checked_again)],
    "target-looked-at-again": [InsteadOf("PendingExecution", _stored_if_there, _EXECUTE)],
    "completion-in-parallel": [InsteadOf("PendingExecution", _completed_in_parallel, _EXECUTE)],
    "traversable-of-the-target": [
        InsteadOf("PendingExecution", _stored_with_its_target, _EXECUTE),
        InsteadOf("run_the_tool_execute_steps", _run_with_its_target, _EXECUTE),
    ],
}


def revision_with(name: str) -> Revision:
    """Return the current revision as a reading has it."""
    linking = Linking(REVISION)
    for change in READINGS[name]:
        linking.apply(change)
    return linking.link()
