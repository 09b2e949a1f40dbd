"""A page for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.hosts.world import World
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document


@pytest.fixture
def page() -> Document:
    world = World()
    world.enter()
    return create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))
