"""A document's realm, in which tests make values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.hosts.world import World
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm


@pytest.fixture
def realm() -> Realm:
    world = World()
    world.enter()
    return create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/")).realm
