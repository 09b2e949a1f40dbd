"""The reference implementation of Web Model Context: the specification as an executable model.

For prototypes without a browser, start with :class:`Browser`. For questions about the specification, write a
:class:`Program` and ask for its :func:`allowed_outcomes`. :mod:`modelcontext.programs.face` lists all public names.
"""

from __future__ import annotations

import importlib
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modelcontext.programs.face import *  # noqa: F403 (all public names)


def __dir__() -> list[str]:
    names: list[str] = __getattr__("__all__")
    return sorted({*globals(), *names, "__version__"})


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version(__name__)
    # The face is imported at the first use of one of its names, since most commands of the command line need none.
    if name == "__all__" or not (name.startswith("_") or find_spec(f"{__name__}.{name}")):
        face = importlib.import_module(f"{__name__}.programs.face")
        if name == "__all__" or name in face.__all__:
            value = globals()[name] = getattr(face, name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
