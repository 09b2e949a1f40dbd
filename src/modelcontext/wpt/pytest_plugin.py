"""The door for pytest: ``pytest wpt_tests --product chromium -k abort`` runs tests in the format of web-platform-tests.

Without ``--product`` this does nothing and imports nothing. What it does otherwise is in
:mod:`modelcontext.wpt.pytest_items`.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("web-platform-tests", "tests in the format of web-platform-tests (modelcontext)")
    group.addoption(
        "--product",
        action="append",
        default=[],
        dest="modelcontext_products",
        metavar="NAME",
        help="collect such tests and run them on chromium, firefox or polyfill; may be given several times",
    )
    group.addoption(
        "--binary",
        dest="modelcontext_binary",
        metavar="PATH",
        help="the browser to run, instead of the one of this machine",
    )
    group.addoption(
        "--inject",
        action="append",
        default=[],
        dest="modelcontext_inject",
        metavar="FILE",
        help="a script to run in every document before its own; for polyfill instead of the npm package",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("modelcontext_products"):
        from modelcontext.wpt.pytest_items import Plugin

        config.pluginmanager.register(Plugin(config), "modelcontext-wpt")
    elif config.getoption("modelcontext_binary") or config.getoption("modelcontext_inject"):
        raise pytest.UsageError("--binary and --inject go with --product")
