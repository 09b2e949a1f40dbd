"""The names of get-host-info.sub.js, which are those of upstream, and its origins, which all answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.running.products import make_target

pytestmark = pytest.mark.usefixtures("starts_a_browser")

HERE = Path(__file__).parent
TREE = replace(checkout_tree(HERE.parents[1]), root=HERE)
ORIGINS = {
    "ORIGIN",
    "REMOTE_ORIGIN",
    "OTHER_ORIGIN",
    "HTTP_ORIGIN",
    "HTTP_ORIGIN_WITH_DIFFERENT_PORT",
    "HTTP_REMOTE_ORIGIN",
    "HTTP_REMOTE_ORIGIN_WITH_DIFFERENT_PORT",
    "HTTP_NOTSAMESITE_ORIGIN",
    "HTTPS_ORIGIN",
    "HTTPS_ORIGIN_WITH_CREDS",
    "HTTPS_ORIGIN_WITH_DIFFERENT_PORT",
    "HTTPS_REMOTE_ORIGIN",
    "HTTPS_REMOTE_ORIGIN_WITH_CREDS",
    "HTTPS_REMOTE_ORIGIN_WITH_DIFFERENT_PORT",
    "HTTPS_NOTSAMESITE_ORIGIN",
    "HTTPS_OTHER_NOTSAMESITE_ORIGIN",
    "UNAUTHENTICATED_ORIGIN",
    "AUTHENTICATED_ORIGIN",
}


@pytest.mark.parametrize("page", ["host-info.window.js", "host-info.https.window.js"])
def test_every_origin_of_the_host_info_answers(page: str) -> None:
    with TestServer(TREE) as server:
        (result,) = run_tests(find_tests(HERE, [f"driven/{page}"]), server, make_target("chromium"))
    assert [(one.name, one.message) for one in result.subtests if one.status != "PASS"] == []
    assert {one.name for one in result.subtests} >= ORIGINS
    assert len(result.subtests) == len(ORIGINS) + 2
