"""Lets the wheel carry the project's files, so that the installed package works where there is no checkout."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: What ``modelcontext.checkout.CARRIED`` holds: files and folders of the checkout.
CARRIED = ("FINDINGS.md", "index.bs", "package.json", "spec", "wpt_tests")


class ProjectFiles(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the files to each wheel; an editable installation finds them in its checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            build_data["force_include"] |= {name: f"modelcontext/project/{name}" for name in CARRIED}
