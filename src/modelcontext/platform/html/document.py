"""Documents (https://html.spec.whatwg.org/#documents)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from modelcontext.ground.schedule import footprint
from modelcontext.platform.dom.nodes import DocumentNode
from modelcontext.platform.ecmascript.realm import Realm
from modelcontext.platform.html.permissions_policy import (
    PolicyControlledFeature,
    define_an_inherited_policy,
    parse_declared_policy,
)
from modelcontext.platform.html.window import Window

if TYPE_CHECKING:
    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.dom.events import Event, EventTarget
    from modelcontext.platform.dom.nodes import Node, TreeScope
    from modelcontext.platform.html.event_loop import Agent, EventLoop
    from modelcontext.platform.html.navigable import Navigable, NavigableContainer
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.user_agent import SpecificationHooks

_NODE_NAVIGABLE: Final = footprint.Kind("node navigable", activity=True, structure=True)


class Document(DocumentNode):
    """A document in a navigable.

    It has a new Window, unless it is given that of the initial about:blank document which it replaces. ``unique_id`` is one of
    HTML's unique internal values. ``salvageable`` says whether its last unloading put it into the back/forward cache.
    ``focused_area`` is an element, or None for the viewport
    (https://html.spec.whatwg.org/#focused-area-of-the-document).
    """

    __slots__ = (
        "_container_policy",
        "_inherited",
        "_node_navigable",
        "agent",
        "container",
        "csp_sandbox",
        "declared_policy",
        "event_loop",
        "focused_area",
        "is_destroyed",
        "is_initial_about_blank",
        "is_secure_context",
        "navigable_containers",
        "origin",
        "salvageable",
        "unique_id",
        "url",
        "window",
    )

    interface = "Document"
    realm: Realm

    def __init__(
        self,
        navigable: Navigable,
        url: str,
        origin: Origin,
        *,
        permissions_policy: str = "",
        is_secure_context: bool = True,
        is_initial_about_blank: bool = False,
        window: Window | None = None,
        csp_sandbox: str | None = None,
    ) -> None:
        user_agent = navigable.user_agent
        self.agent: Agent = user_agent.obtain_similar_origin_window_agent(origin, navigable.group)
        self.event_loop: EventLoop = self.agent.event_loop
        realm = window.realm if window is not None else Realm(self.agent)
        super().__init__(realm)
        self.url = url
        self.origin = origin
        self.unique_id = user_agent.unique_id()
        self.is_secure_context = is_secure_context
        self.is_destroyed = False
        self.salvageable = True
        self.csp_sandbox = csp_sandbox
        self.is_initial_about_blank = is_initial_about_blank
        self.focused_area: Element | None = None
        self.navigable_containers: list[NavigableContainer] = []
        if window is not None:
            window.associated_document = self
        else:
            realm.global_object = window = Window(realm, self, navigable.window_proxy)
        self.window = window
        self.declared_policy = parse_declared_policy(permissions_policy, origin)
        self.container = navigable.container
        self._container_policy = self.container.policy(origin) if self.container is not None else {}
        self._inherited: dict[PolicyControlledFeature, bool] = {}
        self._node_navigable: Navigable | None = None
        navigable.session_history.append(self)
        user_agent.hooks.initialize_document(self)

    def __repr__(self) -> str:
        return f"<Document {self.url}>"

    @property
    def node_navigable(self) -> Navigable | None:
        """The navigable whose active document this is, or None (https://html.spec.whatwg.org/#node-navigable)."""
        if footprint.current is not None:
            footprint.read(_NODE_NAVIGABLE, self._name)
        return self._node_navigable

    @node_navigable.setter
    def node_navigable(self, navigable: Navigable | None) -> None:
        footprint.write(_NODE_NAVIGABLE, self._name)
        self._node_navigable = navigable

    @property
    def is_fully_active(self) -> bool:
        """https://html.spec.whatwg.org/#fully-active"""
        document = self
        while True:
            navigable = document.node_navigable
            if navigable is None:
                return False
            container = navigable.container
            if container is None:
                return True
            if container.content_navigable is not navigable:
                return False
            document = container.document

    def get_the_parent(self, event: Event) -> EventTarget | None:
        """https://dom.spec.whatwg.org/#interface-document"""
        return self.window.event_target if event.type != "load" else None

    @property
    def hooks(self) -> SpecificationHooks:
        """The hooks of the specification that runs here."""
        return self.event_loop.user_agent.hooks

    def event_handler_content_attribute_steps(self, element: Node, local_name: str, value: str | None) -> None:
        """https://html.spec.whatwg.org/#event-handler-content-attributes"""
        self.event_loop.user_agent.set_handler(element, local_name, value)

    def tree_change_steps(self, scope: TreeScope) -> None:
        """Run the steps of other specifications after a change of a tree of this document."""
        self.hooks.tree_change_steps(scope)

    def inherits(self, feature: PolicyControlledFeature) -> bool:
        """Return the inherited policy for a feature, computed once from the state at the document's creation."""
        enabled = self._inherited.get(feature)
        if enabled is None:
            enabled = self._inherited[feature] = define_an_inherited_policy(
                feature, self.container, self._container_policy, self.origin
            )
        return enabled
