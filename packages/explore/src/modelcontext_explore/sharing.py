"""Objects of Python that scripts of two event loops can both reach, and one of them can change.

If there are none, the scripts of two event loops cannot tell in which order they acted, except by the page's API, which keeps
its own footprints. The analysis follows references: closures, defaults, globals by name, frames, containers, instances. An
object counts as one that can change unless its type is known to be immutable, and so does a variable that a function rebinds.
Documents and browsers may be shared: their methods keep footprints, or act in one event loop only.
"""

from __future__ import annotations

import datetime
import decimal
import dis
import enum
import fractions
import functools
import gc
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import TYPE_CHECKING, Any, Final

from modelcontext.programs.face.browser import Browser, Document, ModelContext, RegisteredTool

if TYPE_CHECKING:
    from modelcontext.platform.html.event_loop import EventLoop

_IMMUTABLE: Final = (
    type(None), bool, int, float, complex, str, bytes, range, slice, type(Ellipsis), enum.Enum, re.Pattern, CodeType,
    datetime.date, datetime.time, datetime.timedelta, decimal.Decimal, fractions.Fraction,
)  # fmt: skip
#: Objects of the API that every script may hold.
_OF_THE_API: Final = (Browser, Document, ModelContext)


@dataclass(slots=True)
class _Reach:
    """The reach of the scripts of one event loop: objects that can change, and variables, of which it rebinds some."""

    objects: dict[int, object] = field(default_factory=dict)
    variables: dict[int, object] = field(default_factory=dict)
    rebound: set[int] = field(default_factory=set)


def shared_object(functions: Iterable[tuple[EventLoop, object]]) -> str | None:
    """Return an object that scripts of two event loops share, in words, or None.

    Args:
        functions: the functions and coroutines of all event loops.
    """
    by_loop: dict[EventLoop, list[object]] = {}
    for event_loop, function in functions:
        by_loop.setdefault(event_loop, []).append(function)
    reaches: list[_Reach] = []
    for roots in by_loop.values():
        mine = _reach(roots)
        for theirs in reaches:
            common = next((thing for key, thing in mine.objects.items() if key in theirs.objects), None)
            if common is not None:
                return _in_words(common)
            if (mine.rebound & theirs.variables.keys()) or (theirs.rebound & mine.variables.keys()):
                return "a variable that one of them rebinds"
        reaches.append(mine)
    return None


def holds_anything(function: object) -> bool:
    """Return whether a function can reach an object that can change."""
    found = _reach([function])
    return bool(found.objects or found.rebound)


def _in_words(thing: object) -> str:
    name = getattr(thing, "__name__", None)
    return f"{type(thing).__name__} {name}" if name else f"a {type(thing).__name__}"


def _reach(roots: list[object]) -> _Reach:
    reach = _Reach()
    seen: set[int] = set()
    kept: list[object] = []
    stack = list(roots)
    while stack:
        thing = stack.pop()
        if isinstance(thing, (*_IMMUTABLE, *_OF_THE_API)) or id(thing) in seen:
            continue
        seen.add(id(thing))
        kept.append(thing)  # No other object may get its identity.
        stack += _references(thing, reach)
    return reach


def _references(thing: Any, reach: _Reach) -> Iterator[object]:
    """Yield the objects that one refers to, and note it if it can change."""
    match thing:
        case FunctionType():
            if thing.__dict__:
                reach.objects[id(thing)] = thing
            yield from _of_code(thing.__code__, thing.__globals__, thing.__closure__ or (), reach)
            yield from thing.__defaults__ or ()
            yield from (thing.__kwdefaults__ or {}).values()
        case CoroutineType() | GeneratorType():
            frame = thing.cr_frame if isinstance(thing, CoroutineType) else thing.gi_frame
            held = [one for one in gc.get_referents(thing) if type(one) is not FrameType]
            if frame is not None:
                cells = tuple(one for one in held if type(one) is CellType)
                yield from _of_code(frame.f_code, frame.f_globals, cells, reach)
            yield from held
        case CellType():
            try:
                yield thing.cell_contents
            except ValueError:
                return
        case MethodType():
            yield from (thing.__self__, thing.__func__)
        case functools.partial():
            yield from (thing.func, *thing.args, *thing.keywords.values())
        case BuiltinFunctionType():
            yield thing.__self__
        case tuple() | frozenset():
            yield from thing
        case RegisteredTool():
            yield from (thing.input_schema, thing.annotations)
        case ModuleType():
            if not _is_known(thing.__name__):
                reach.objects[id(thing)] = thing
        case type():
            if not _is_known(thing.__module__):
                reach.objects[id(thing)] = thing
                yield from vars(thing).values()
        case Mapping():
            reach.objects[id(thing)] = thing
            yield from (*thing.keys(), *thing.values())
        case _ if _is_known_of_the_model(thing):
            # A promise or a controller belongs to one event loop; what it refers to is the model's.
            reach.objects[id(thing)] = thing
        case _:
            reach.objects[id(thing)] = thing
            yield from gc.get_referents(thing)


def _of_code(
    code: CodeType, globals_: Mapping[str, object], cells: tuple[CellType, ...], reach: _Reach
) -> Iterator[object]:
    rebinds, names, rebound_names = _names_in(code)
    for cell in cells:
        reach.variables[id(cell)] = cell
        yield cell
    if rebinds:
        free = dict(zip(code.co_freevars, cells, strict=False)) if len(cells) == len(code.co_freevars) else {}
        reach.rebound.update(id(cell) for cell in cells if not free or any(free.get(name) is cell for name in rebinds))
    if rebound_names:
        reach.objects[id(globals_)] = globals_
    for name in names:
        if name in globals_:
            yield globals_[name]


@functools.cache
def _names_in(code: CodeType) -> tuple[frozenset[str], tuple[str, ...], bool]:
    """Return the variables of outer functions that code rebinds, the globals that it reads, and whether it rebinds globals."""
    rebinds: set[str] = set()
    names: dict[str, None] = {}
    rebinds_globals = False
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("STORE_DEREF", "DELETE_DEREF"):
            rebinds.add(str(instruction.argval))
        elif instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names[str(instruction.argval)] = None
        elif instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            rebinds_globals = True
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner, inner_names, inner_globals = _names_in(constant)
            rebinds |= inner
            names |= dict.fromkeys(inner_names)
            rebinds_globals = rebinds_globals or inner_globals
    return frozenset(rebinds), tuple(names), rebinds_globals


def _is_known(module: str) -> bool:
    """Return whether a module is of Python or of this project, whose state scripts do not share."""
    root = module.partition(".")[0]
    return root in sys.stdlib_module_names or root in ("modelcontext", "modelcontext_explore")


def _is_known_of_the_model(thing: object) -> bool:
    return type(thing).__module__.partition(".")[0] == "modelcontext"
