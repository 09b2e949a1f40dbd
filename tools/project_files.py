"""A hook of the build: the wheel carries the project's files, so that the package works without a checkout."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: The files and folders of the checkout in ``modelcontext.ground.checkout.CARRIED``.
CARRIED = ("FINDINGS.md", "index.bs", "package.json", "spec", "wpt_tests")


class ProjectFiles(BuildHookInterface):  # type: ignore[type-arg]
    """The hook that adds the files to each wheel; an editable installation finds them in its checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files, except to an editable wheel."""
        if version == "standard":
            build_data["force_include"] |= {name: f"modelcontext/project/{name}" for name in CARRIED}
