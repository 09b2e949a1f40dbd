"""The entry point of the page into Python."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from modelcontext.page.host import PageHost
from modelcontext.page.verbs import PageVerbs
from modelcontext.revisions.registry import REVISIONS

# All are imported here, so that a snapshot of this module has them.
_REVISIONS = dict(REVISIONS)


def start(verbs: PageVerbs, revision: str, shapes: str) -> PageHost:
    """Start to serve a page, and return its entries into Python."""
    names = [name for name in vars(PageVerbs) if not name.startswith("_")]
    # Each lookup of a function makes a proxy, which costs more than many of the calls.
    found = SimpleNamespace(**{name: getattr(verbs, name) for name in names})
    return PageHost(cast("PageVerbs", found), _REVISIONS[revision], shapes)
