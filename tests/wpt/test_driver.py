"""The actions of testdriver.js in each browser; an action that a browser cannot do rejects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.running.products import make_target

if TYPE_CHECKING:
    from modelcontext.judging.wpt.results import Result

pytestmark = pytest.mark.usefixtures("starts_a_browser")

HERE = Path(__file__).parent
TREE = replace(checkout_tree(HERE.parents[1]), root=HERE)


def run(product: str, name: str) -> Result:
    with TestServer(TREE) as server:
        try:
            (result,) = run_tests(find_tests(HERE, [f"driven/{name}"]), server, make_target(product))
        except UnavailableError as error:
            pytest.skip(f"NOTRUN: {error}")
    return result


@pytest.mark.parametrize("product", ["chromium", "firefox"])
def test_actions_of_a_user_work(product: str) -> None:
    result = run(product, "driver.html")
    assert [(one.name, one.message) for one in result.subtests if one.status != "PASS"] == []
    assert len(result.subtests) == 7


def test_permissions_are_set() -> None:
    result = run("chromium", "permissions.https.html")
    assert set(result.statuses().values()) == {"OK", "PASS"}


def test_unsupported_action_rejects() -> None:
    result = run("firefox", "permissions.https.html")
    assert "firefox cannot set_permission" in str(result.subtests[0].message)
    assert result.statuses()["no state"] == "PASS"
