"""Two small programs in TOML, for tests that write them into a folder of their own."""

from __future__ import annotations

from typing import Final

REGISTERS: Final = """
title = "A page registers a tool."
[[script.top]]
do = "registerTool"
tool = { name = "search", description = "Searches." }
callback = { resolves = 1 }
"""
LISTS: Final = """
title = "A page lists tools."
[[script.top]]
do = "getTools"
"""
