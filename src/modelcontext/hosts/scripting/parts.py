"""The parts of one browser on which the members of interfaces act."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.fetching import Fetcher
    from modelcontext.hosts.scripting.loading import Loader
    from modelcontext.hosts.scripting.loadings import Loadings
    from modelcontext.hosts.scripting.messages import Messages
    from modelcontext.hosts.scripting.realms import Realms
    from modelcontext.hosts.scripting.timers import Timers
    from modelcontext.platform.dom.events import EventTarget
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.origin import Origin


@dataclass(slots=True)
class Parts:
    """The parts, and what only members keep.

    Attributes:
        storages: the items of storages, by tab (None for that of all tabs) and origin.
        handlers_of_windows: the value of ``onerror``, by event target of a window.
    """

    realms: Realms
    fetcher: Fetcher
    loadings: Loadings
    loader: Loader
    messages: Messages
    timers: Timers
    storages: dict[tuple[Navigable | None, Origin], dict[str, str]] = field(default_factory=dict)
    handlers_of_windows: dict[EventTarget, JSValue] = field(default_factory=dict)
