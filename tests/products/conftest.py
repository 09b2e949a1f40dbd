"""One Chromium for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modelcontext.problems import UnavailableError
from modelcontext.products.chromium import Chromium


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    try:
        with Chromium() as running:
            yield running
    except UnavailableError as error:
        # A failure and no skip: what these tests are about is that a real browser runs.
        pytest.fail(f"these tests need Chromium: {error}")
