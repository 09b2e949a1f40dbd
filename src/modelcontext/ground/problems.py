"""Errors about a machine that lacks something; each says what to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
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
    name = (error.name or "").partition(".")[0]
    found = [*_required()]
    # The slim distribution of a project has the modules of the project.
    distributions = (_normalized(name), f"{_normalized(name)}_slim")
    extras = [extra for project, extra in found if _normalized(project) in distributions]
    if not extras or find_spec(name) is not None:
        return None
    # An extra that includes another extra lists the packages of both; the smallest extra is enough.
    extra = min(extras, key=Counter(extra for _, extra in found).__getitem__)
    return f"needs {name}: pip install " + (f"'modelcontext[{extra}]'" if extra else "modelcontext")


def _required() -> Iterator[tuple[str, str]]:
    """Yield what this package and the distributions that build on it require, each with the extra of this package."""
    for project, extra in _requirements("modelcontext"):
        yield project, extra
        nested = [other for other, _ in _requirements(project)]
        if "modelcontext" in nested:
            yield from ((other, extra) for other in nested)


def _requirements(project: str) -> list[tuple[str, str]]:
    """Return the projects that a distribution requires, each with its extra or the empty string."""
    from importlib.metadata import PackageNotFoundError, requires  # It takes long to import, and is seldom needed.

    try:
        requirements = requires(project) or []
    except PackageNotFoundError:
        return []
    return [(match[1], match[2] or "") for match in map(_REQUIREMENT.match, requirements) if match is not None]


def _normalized(name: str) -> str:
    return name.replace("-", "_").lower()
