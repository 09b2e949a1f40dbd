"""Errors about a machine that lacks something; each says what to do."""

from __future__ import annotations

import re
from collections import Counter
from importlib.util import find_spec

_REQUIREMENT = re.compile(r"([\w.-]+)(?:.*extra == ['\"]([\w-]+))?")


class UnavailableError(Exception):
    """Something that a product or verb needs is missing on this machine; ``remedy`` says what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason} ({remedy})")
        self.reason = reason
        self.remedy = remedy


class PortError(Exception):
    """The server cannot listen on the port; the message says why, and what to do."""


def missing_extra(error: ModuleNotFoundError) -> str | None:
    """Return a line that names the missing package and the command that installs it with an extra of this package.

    The result is None if the error is a bug: no extra brings the module's package, or the package is installed.
    """
    from importlib.metadata import PackageNotFoundError, requires  # It takes long to import, and is seldom needed.

    name = (error.name or "").partition(".")[0]
    try:
        requirements = requires("modelcontext") or []
    except PackageNotFoundError:
        return None
    found = [match.groups("") for match in map(_REQUIREMENT.match, requirements) if match is not None]
    # The slim distribution of a project has the modules of the project.
    distributions = (name, f"{name}_slim")
    extras = [extra for project, extra in found if project.replace("-", "_").lower() in distributions]
    if not extras or find_spec(name) is not None:
        return None
    # An extra that includes another extra lists the packages of both; the smallest extra is enough.
    extra = min(extras, key=Counter(extra for _, extra in found).__getitem__)
    return f"needs {name}: pip install " + (f"'modelcontext[{extra}]'" if extra else "modelcontext")
