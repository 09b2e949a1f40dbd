"""Other readings of the text: changes of the current revision with which the model computes their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from modelcontext.platform.ecmascript.values import JSObject
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.types import ABSENT
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.revisions.current.model import WEBMCP_TASK_SOURCE, associated_model_context
from modelcontext.spec.verbs import (
    a_new_unique_internal_value,
    a_promise_rejected_with,
    in_parallel,
    is_fully_active,
    node_navigable,
    queue_a_global_task,
    relevant_global_object,
    relevant_realm,
)
from modelcontext.spec.weaving.changes import (
    AddedAlgorithm,
    AddedMember,
    Before,
    Change,
    Instead,
    InsteadOf,
    Linking,
    Skip,
)

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.platform.infra.ordered_map import OrderedMap
    from modelcontext.spec.revisions.current.dictionaries import RegisteredTool
    from modelcontext.spec.revisions.current.model import (
        CompletionSteps,
        ModelContext,
        PendingExecution,
        ToolDefinition,
    )
    from modelcontext.spec.revisions.revision import Revision

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


def _owner_of_this(this: ModelContext, tool_owner: Document) -> Instead | None:
    """Reject if this is the object of another document, which has given its Window to the tool owner."""
    if associated_model_context(tool_owner) is this:
        return None
    return Instead(a_promise_rejected_with(DOMException("InvalidStateError"), relevant_realm(this)))


def _stored_if_there(
    go_on: Callable[..., PendingExecution], target_document: Document, completion_steps: CompletionSteps, **items: Any
) -> PendingExecution:
    """Store an execution, and complete it if its target has gone."""
    if node_navigable(target_document) is None:
        _fail(completion_steps)
    return go_on(target_document=target_document, completion_steps=completion_steps, **items)


def _completed_in_parallel(
    go_on: Callable[..., PendingExecution], target_document: Document, completion_steps: CompletionSteps, **items: Any
) -> PendingExecution:
    """Store completion steps whose body outlives the call."""

    def steps(result: str | None, success: bool) -> Generator[None, None, None]:
        @in_parallel
        def complete() -> ParallelSteps:
            yield from completion_steps(result, success)

        yield

    return go_on(target_document=target_document, completion_steps=steps, **items)


def _of_the_target(target: Document, steps: CompletionSteps) -> CompletionSteps:
    def completion_steps(result: str | None, success: bool) -> Generator[None, None, None]:
        if node_navigable(target) is not None:
            yield from steps(result, success)

    return completion_steps


def _stored_with_its_target(
    go_on: Callable[..., PendingExecution], target_document: Document, completion_steps: CompletionSteps, **items: Any
) -> PendingExecution:
    """Store completion steps that find nothing once the target has gone."""
    steps = _of_the_target(target_document, completion_steps)
    return go_on(target_document=target_document, completion_steps=steps, **items)


def _run_with_its_target(
    go_on: Callable[..., None], target: Document, name: str, input: str, steps: CompletionSteps, id: int
) -> None:
    """Run a tool with completion steps that find nothing once the target has gone."""
    go_on(target, name, input, _of_the_target(target, steps), id)


def _run_if_found(
    go_on: Callable[..., None],
    target: Document,
    name: str,
    input: str,
    steps: CompletionSteps,
    id: int,
    *,
    tool_definition: ToolDefinition,
) -> None:
    """Run a tool if the name stands for the one that was found; otherwise fail."""
    if _named(target, name) is tool_definition:
        go_on(target, name, input, steps, id)
    else:
        _fail(steps)


class ToolId(JSObject):
    """The id of a tool definition. It is an object that shows nothing, so that states which differ in ids only are equal."""

    __slots__ = ("tool_definition",)

    def __init__(self, tool_definition: ToolDefinition) -> None:
        super().__init__()
        self.tool_definition = tool_definition


def _with_its_id(registered_tool: Any, tool_definition: ToolDefinition) -> None:
    """Set the id of a tool in a list."""
    registered_tool.id = ToolId(tool_definition)


def _run_if_listed(
    go_on: Callable[..., None],
    target: Document,
    name: str,
    input: str,
    steps: CompletionSteps,
    id: int,
    *,
    tool: Any,
) -> None:
    """Run a tool if the caller gave no id, or that of the tool for which the name stands; otherwise fail."""
    named = _named(target, name)
    if tool.id is ABSENT or (isinstance(tool.id, ToolId) and tool.id.tool_definition is named):
        go_on(target, name, input, steps, id)
    else:
        _fail(steps)


def _execute_an_observed_tool(target: Document, tool: ToolDefinition, input: str, steps: CompletionSteps) -> None:
    """Run a tool in a task of its document if it is there still; otherwise fail."""

    def run() -> None:
        if _named(target, tool.name) is tool:
            tool.execute_steps(target, input, steps, a_new_unique_internal_value())
        else:
            _fail(steps)

    queue_a_global_task(WEBMCP_TASK_SOURCE, relevant_global_object(target), run)


def _named(target: Document, name: str) -> ToolDefinition | None:
    tool_map = associated_model_context(target).internal_context.tool_map
    return tool_map[name] if tool_map.exists(name) else None


def _fail(steps: CompletionSteps) -> None:
    @in_parallel
    def fail() -> ParallelSteps:
        yield from steps(None, False)


#: The changes of each reading, by its name.
READINGS: Final[Mapping[str, Sequence[Change]]] = {
    "unsorted": [InsteadOf("sorted", _unsorted, ("collect-registered-tools",))],
    "title-left-out": [Before("create-a-registered-tool 5", _title_left_out)],
    "owner-of-this": [Before("dom-modelcontext-registertool 3", _owner_of_this)],
    "checks-repeated": [Before("dom-modelcontext-registertool 12", _checked_again)],
    "target-looked-at-again": [InsteadOf("PendingExecution", _stored_if_there, _EXECUTE)],
    "tool-that-was-found": [InsteadOf("run_the_tool_execute_steps", _run_if_found, _EXECUTE)],
    "tool-that-was-listed": [
        AddedMember("RegisteredTool", "id", "object"),
        Before("create-a-registered-tool 5", _with_its_id),
        InsteadOf("run_the_tool_execute_steps", _run_if_listed, _EXECUTE),
    ],
    "observed-tool": [AddedAlgorithm("execute-an-observed-tool", _execute_an_observed_tool)],
    "completion-in-parallel": [InsteadOf("PendingExecution", _completed_in_parallel, _EXECUTE)],
    "traversable-of-the-target": [
        InsteadOf("PendingExecution", _stored_with_its_target, _EXECUTE),
        InsteadOf("run_the_tool_execute_steps", _run_with_its_target, _EXECUTE),
    ],
}


@cache
def revision_with(*names: str, without: tuple[str, ...] = ()) -> Revision:
    """Return the current revision as one or more readings have it, without some of its steps."""
    linking = Linking(REVISION)
    for step in without:
        linking.apply(Skip(step))
    for name in names:
        for change in READINGS[name]:
            linking.apply(change)
    return linking.link()
