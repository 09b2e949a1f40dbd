"""Model: the structs, the objects associated with documents and traversables, and the task source.

Spec: https://webmachinelearning.github.io/webmcp/#model
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias, cast

from modelcontext.ground.schedule.footprint import Kind
from modelcontext.platform.dom.events import EventTarget
from modelcontext.platform.html.event_loop import TaskSource
from modelcontext.platform.html.permissions_policy import PolicyControlledFeature
from modelcontext.platform.infra.ordered_map import OrderedMap
from modelcontext.spec.verbs import associated_object
from modelcontext.spec.verbs.form_terms import StateOfForm

if TYPE_CHECKING:
    from modelcontext.platform.dom.abort import AbortController
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.elements import HTMLElement
    from modelcontext.platform.html.forms.form_owners import HTMLFormElement
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.parallel import ParallelSteps

WEBMCP_TASK_SOURCE: Final = TaskSource("webmcp task source")
TOOLS: Final = PolicyControlledFeature("tools")

ASSOCIATED_MODEL_CONTEXT: Final = "associated ModelContext"
PENDING_EXECUTIONS_MAP: Final = "pending executions map"
_STATE_OF_FORM: Final = "tool of a form"

_LISTENERS: Final = Kind("listeners of ModelContext", structure=True)

#: Takes a string or null, and a boolean; runs in parallel.
CompletionSteps: TypeAlias = "Callable[[str | None, bool], ParallelSteps]"
#: Takes a target document, an input, completion steps, and a unique internal value.
ExecuteSteps: TypeAlias = "Callable[[Document, str, CompletionSteps, int], None]"


@dataclass(frozen=True, slots=True)
class InputSchema:
    """An input schema: its JSON text, and the parsed text."""

    serialized: str
    value: object


@dataclass(frozen=True, slots=True)
class Annotations:
    """Tool annotations."""

    read_only: bool
    untrusted_content: bool
    consequential: bool
    debugging: bool


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool definition."""

    name: str
    title: str | None
    description: str
    input_schema: InputSchema | None
    execute_steps: ExecuteSteps
    annotations: Annotations | None
    exposed_origins: list[Origin]


@dataclass(frozen=True, slots=True)
class PendingExecution:
    """A pending execution."""

    caller_document: Document
    target_document: Document
    tool_name: str
    completion_steps: CompletionSteps


@dataclass(frozen=True, slots=True)
class LocalPendingExecution:
    """A local pending execution."""

    abort_controller: AbortController


class ModelContextStruct:
    """A model context: the internal context of a ModelContext object."""

    __slots__ = ("local_pending_executions_map", "tool_map")

    def __init__(self) -> None:
        self.tool_map: OrderedMap[str, ToolDefinition] = OrderedMap()
        self.local_pending_executions_map: OrderedMap[int, LocalPendingExecution] = OrderedMap()


class ModelContext(EventTarget):
    """A ModelContext object."""

    __slots__ = ("internal_context",)

    interface: ClassVar[str] = "ModelContext"
    kind_of_listeners: ClassVar[Kind] = _LISTENERS

    def __init__(self, realm: Realm) -> None:
        super().__init__(realm)
        self.internal_context = ModelContextStruct()


def associated_model_context(document: Document) -> ModelContext:
    """Return a document's associated ModelContext."""
    return cast("ModelContext", associated_object(document, ASSOCIATED_MODEL_CONTEXT))


def pending_executions_map(traversable: Navigable) -> OrderedMap[int, PendingExecution]:
    """Return a traversable navigable's pending executions map."""
    return cast("OrderedMap[int, PendingExecution]", associated_object(traversable, PENDING_EXECUTIONS_MAP))


@dataclass(frozen=True, slots=True)
class FormTool:
    """A form tool."""

    context: ModelContext
    definition: ToolDefinition
    autosubmit: bool


@dataclass(eq=False, slots=True)
class FormExecution:
    """A form execution."""

    id: int
    context: ModelContext
    completion_steps: CompletionSteps
    chosen_button: HTMLElement | None
    state: Literal["filling", "awaiting", "submitting", "responding"]


class FormState(StateOfForm):
    """The state that is associated with a form element."""

    __slots__ = ("execution", "tool")

    def __init__(self, form: HTMLFormElement) -> None:
        super().__init__(form)
        self.execution: FormExecution | None = None
        self.tool: FormTool | None = None


def state_of(form: HTMLFormElement) -> FormState:
    """Return the state that is associated with a form element."""
    return cast("FormState", form.extensions.setdefault(_STATE_OF_FORM, FormState(form)))
