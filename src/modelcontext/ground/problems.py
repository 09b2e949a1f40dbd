"""Errors: a mistake of the user, or something that the machine lacks. Each error says what to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Final

_REQUIREMENT = re.compile(r"([\w.-]+)(?:.*extra == ['\"]([\w-]+))?")


#: The characters of a message that are shown; a longer one quotes a user's input.
_MOST_SHOWN: Final = 2_000


def shortened(message: str) -> str:
    """Return a message without the middle of a long quotation."""
    if len(message) <= _MOST_SHOWN:
        return message
    half = _MOST_SHOWN // 2
    return f"{message[:half]} … ({len(message) - 2 * half:,} characters) … {message[-half:]}"


class UserError(Exception):
    """An error in what a user gave, or of the user's machine: a command ends with its message, without a traceback."""


class UnavailableError(UserError):
    """Something that a product or verb needs is missing on this machine; ``remedy`` says what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason} ({remedy})")
        self.reason = reason
        self.remedy = remedy


class PortError(UserError):
    """The server cannot listen on the port; the message says why, and what to do."""


def missing_extra(error: ModuleNotFoundError) -> str | None:
    """Return a line that names the missing package and the command that installs it with an extra of this package.

    The result is None if the error is a bug: no extra brings the module's package, or the package is installed.
    """
    name = (error.name or "").partition(".")[0]
    found = [*_required()]
    # The slim distribution of a project has the modules of the project, and so has one that says it is for Python.
    distributions = tuple(f"{_normalized(name)}{ending}" for ending in ("", "_slim", "_py"))
    size = Counter(extra for _, extra, _ in found)
    importers = _importers(error)
    # An extra that includes another extra lists the packages of both; the smallest extra that names the package is enough.
    extras = [
        (owner is not None, owner not in importers, size[extra], extra)
        for project, extra, owner in found
        if _normalized(project) in distributions
    ]
    if not extras or find_spec(name) is not None:
        return None
    extra = min(extras)[-1]
    return f"needs {name}: pip install " + (f"'modelcontext[{extra}]'" if extra else "modelcontext")


def _importers(error: ModuleNotFoundError) -> set[str]:
    """Return the names of the packages whose code ran when a module was not found."""
    names = set()
    entry = error.__traceback__
    while entry is not None:
        names.add(entry.tb_frame.f_globals.get("__name__", "").partition(".")[0])
        entry = entry.tb_next
    return names


def _required() -> Iterator[tuple[str, str, str | None]]:
    """Yield what this package and the distributions that build on it require, each with the extra of this package.

    The last item is the package of the distribution that requires it, or None if this package does.
    """
    for project, extra in _requirements("modelcontext"):
        yield project, extra, None
        nested = [other for other, _ in _requirements(project)]
        if "modelcontext" in nested:
            yield from ((other, extra, _normalized(project)) for other in nested)


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
