"""The parts of one browser on which the members of interfaces act."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from modelcontext.platform.dom.events import EventTarget
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.origin import Origin
    from modelcontext.scripting.fetching import Fetcher
    from modelcontext.scripting.loading import Loader
    from modelcontext.scripting.loadings import Loadings
    from modelcontext.scripting.messages import Messages
    from modelcontext.scripting.realms import Realms
    from modelcontext.scripting.timers import Timers


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
