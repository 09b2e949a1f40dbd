"""One Chromium for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.running.products import make_target
from modelcontext.running.products.browser_product import BrowserProduct


@pytest.fixture(scope="module")
def chromium(starts_a_browser: None) -> Iterator[BrowserProduct]:
    try:
        with BrowserProduct(make_target("chromium")) as running:
            yield running
    except UnavailableError as error:
        # A failure instead of a skip, because these tests are about a real browser.
        pytest.fail(f"these tests need Chromium: {error}")
