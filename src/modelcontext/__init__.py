"""The reference implementation of Web Model Context: the specification as an executable model.

For prototypes without a browser, start with :class:`Browser`. For questions about the specification, write a
:class:`Program` and ask for its :func:`allowed_outcomes`. :mod:`modelcontext.face` lists everything that is offered.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modelcontext.face import *  # noqa: F403 (all that it offers)


def __getattr__(name: str) -> Any:
    # The face is imported when something of it is first asked for: most verbs of the command line need nothing of it.
    if name == "__all__" or not (name.startswith("_") or find_spec(f"{__name__}.{name}")):
        face = importlib.import_module(f"{__name__}.face")
        if name == "__all__" or name in face.__all__:
            value = globals()[name] = getattr(face, name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
