"""The plugin for pytest: ``pytest wpt_tests --webmcp-product chromium -k abort`` runs web-platform-tests.

Without ``--webmcp-product`` it does and imports nothing; with it, it registers :mod:`modelcontext.judging.wpt.pytest_items`.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("web-platform-tests", "tests in the format of web-platform-tests (modelcontext)")
    text = "collect tests in this format, and run them on this product, such as chromium; may be given several times"
    group.addoption("--webmcp-product", action="append", default=[], metavar="NAME", help=text)
    group.addoption("--webmcp-binary", metavar="PATH", help="the browser's program, instead of the installed one")
    text = (
        "a script to run in every document before the document's own; on product polyfill it replaces the npm package"
    )
    group.addoption("--webmcp-inject", action="append", default=[], metavar="FILE", help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin proper when a product is given."""
    if config.getoption("webmcp_product"):
        from modelcontext.judging.wpt.pytest_items import Plugin

        config.pluginmanager.register(Plugin(config), "modelcontext-wpt")
    elif config.getoption("webmcp_binary") or config.getoption("webmcp_inject"):
        raise pytest.UsageError("--webmcp-binary and --webmcp-inject need --webmcp-product")
