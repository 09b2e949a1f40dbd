"""The reference implementation of Web Model Context: the specification as an executable model.

For prototypes without a browser, start with :class:`Browser`. For questions about the specification, write a
:class:`Program` and ask for its :func:`allowed_outcomes`. :mod:`modelcontext.programs.face` lists all public names. With the
package modelcontext-explore, :func:`explore` runs a scenario in Python under every schedule.
"""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modelcontext.programs.face import *  # noqa: F403 (all public names)


#: The names that another distribution adds.
_OF_EXPLORE = ("assert_always", "assert_possible", "explore")


def __dir__() -> list[str]:
    names: list[str] = __getattr__("__all__")
    return sorted({*globals(), *names, *entry_points(group="modelcontext.names").names, "__version__"})


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version(__name__)
    # The face is imported at the first use of one of its names, since most commands of the command line need none.
    if name == "__all__" or not (name.startswith("_") or find_spec(f"{__name__}.{name}")):
        face = importlib.import_module(f"{__name__}.programs.face")
        if name == "__all__" or name in face.__all__:
            value = globals()[name] = getattr(face, name)
            return value
    for entry_point in entry_points(group="modelcontext.names", name=name):
        value = globals()[name] = entry_point.load()
        return value
    if name in _OF_EXPLORE:
        raise ImportError(f"{name} needs modelcontext-explore: pip install 'modelcontext[explore]'")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
