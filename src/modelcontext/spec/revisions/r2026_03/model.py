"""2. Model: the structs, and the objects associated with navigators.

Spec: spec/2026-03/index.bs#model
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias, cast

from modelcontext.platform.infra.ordered_map import OrderedMap
from modelcontext.platform.webidl.platform_object import PlatformObject
from modelcontext.spec.verbs import associated_object

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.promise import PromiseObject
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.ecmascript.values import JSObject
    from modelcontext.platform.html.navigator import Navigator

ASSOCIATED_MODEL_CONTEXT: Final = "associated ModelContext"

#: Takes an object and a ModelContextClient.
ExecuteSteps: TypeAlias = "Callable[[JSObject, ModelContextClient], PromiseObject]"


@dataclass(frozen=True, slots=True)
class InputSchema:
    """An input schema: its JSON text, and the parsed text."""

    serialized: str
    value: object


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool definition."""

    name: str
    description: str
    input_schema: InputSchema | None
    execute_steps: ExecuteSteps
    read_only_hint: bool


class ModelContextStruct:
    """A model context: the internal context of a ModelContext object."""

    __slots__ = ("tool_map",)

    def __init__(self) -> None:
        self.tool_map: OrderedMap[str, ToolDefinition] = OrderedMap()


class ModelContext(PlatformObject):
    """A ModelContext object."""

    __slots__ = ("internal_context",)

    interface: ClassVar[str] = "ModelContext"

    def __init__(self, realm: Realm) -> None:
        super().__init__(realm)
        self.internal_context = ModelContextStruct()


class ModelContextClient(PlatformObject):
    """A ModelContextClient object, which represents the agent that calls a tool."""

    __slots__ = ()

    interface: ClassVar[str] = "ModelContextClient"


def associated_model_context(navigator: Navigator) -> ModelContext:
    """Return a navigator's associated ModelContext."""
    return cast("ModelContext", associated_object(navigator, ASSOCIATED_MODEL_CONTEXT))
