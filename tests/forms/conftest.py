"""Checks of short sources, for the tests of the forms of a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import pytest

from modelcontext.people.forms.check import Source, check_page

if TYPE_CHECKING:
    from modelcontext.people.forms.page_report import DocumentReport

Check: TypeAlias = Callable[[str], "DocumentReport"]


@pytest.fixture(scope="session")
def check() -> Check:
    """Return a function that checks the source of a file."""

    def run(html: str) -> DocumentReport:
        (document,) = check_page([Source(name="page", html=html)]).documents
        return document

    return run
