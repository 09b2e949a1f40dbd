"""What a user or a machine can lack, as errors that say what to do about it."""

from __future__ import annotations

import re
from collections import Counter
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec

_REQUIREMENT = re.compile(r"([\w.-]+)(?:.*extra == ['\"]([\w-]+))?")


class UnavailableError(Exception):
    """A product cannot run on this machine. ``remedy`` says what to do about it."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason} ({remedy})")
        self.reason = reason
        self.remedy = remedy


class PortError(Exception):
    """The server cannot listen on the port; the message says why and what to do."""


def missing_extra(error: ModuleNotFoundError) -> str | None:
    """Say in a line which package is not installed, and how to install it with an extra of this one.

    None if the error has another reason, which is a bug: the module is none of a package that an extra brings, or a part of
    one that is installed.
    """
    name = (error.name or "").partition(".")[0]
    try:
        requirements = requires("modelcontext") or []
    except PackageNotFoundError:
        return None
    found = [match.groups("") for match in map(_REQUIREMENT.match, requirements) if match is not None]
    extras = [extra for project, extra in found if project.replace("-", "_").lower() == name]
    if not extras or find_spec(name) is not None:
        return None
    # An extra that takes in another one has its packages, too.
    extra = min(extras, key=Counter(extra for _, extra in found).__getitem__)
    return f"needs {name}: pip install " + (f"'modelcontext[{extra}]'" if extra else "modelcontext")
