"""The entry point of the page into Python."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from modelcontext.hosts.page.page_host import PageHost
from modelcontext.hosts.page.verbs import PageFormVerbs, PageVerbs
from modelcontext.spec.revisions.registry import REVISIONS

# All are imported here, so that a snapshot of this module has them.
_REVISIONS = dict(REVISIONS)


def start(verbs: PageVerbs, form_verbs: PageFormVerbs, revision: str, shapes: str) -> PageHost:
    """Start to serve a page, and return its entries into Python."""
    found = cast("PageVerbs", _found(verbs, PageVerbs))
    return PageHost(found, cast("PageFormVerbs", _found(form_verbs, PageFormVerbs)), _REVISIONS[revision], shapes)


def _found(verbs: object, protocol: type) -> SimpleNamespace:
    # Each lookup of a function makes a proxy, which costs more than many of the calls.
    return SimpleNamespace(**{name: getattr(verbs, name) for name in vars(protocol) if not name.startswith("_")})
