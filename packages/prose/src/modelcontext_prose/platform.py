"""The platform, as generated code uses it: its verbs with their types, and the modules of its classes."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Final

from modelcontext.platform.infra import lists, numbers, strings
from modelcontext.spec import verbs
from modelcontext.spec.verbs import form_terms, form_verbs
from modelcontext.spec.verbs import verbs as host_verbs
from modelcontext_prose.python_types import PythonType, read_type

#: The modules of the names that generated code needs beside those that the verbs' own annotations name.
_HOMES: Final[Mapping[str, str]] = {
    "ABSENT": "modelcontext.platform.webidl.types",
    "Absent": "modelcontext.platform.webidl.types",
    "Callable": "collections.abc",
    "ClassVar": "typing",
    "DOMException": "modelcontext.platform.webidl.dom_exception",
    "DOM_MANIPULATION_TASK_SOURCE": "modelcontext.platform.html.event_loop",
    "EventTarget": "modelcontext.platform.dom.events",
    "Final": "typing",
    "Generator": "collections.abc",
    "JSError": "modelcontext.platform.ecmascript.values",
    "Kind": "modelcontext.ground.schedule.footprint",
    "Literal": "typing",
    "Mapping": "collections.abc",
    "OrderedMap": "modelcontext.platform.infra.ordered_map",
    "PlatformObject": "modelcontext.platform.webidl.platform_object",
    "PolicyControlledFeature": "modelcontext.platform.html.permissions_policy",
    "Symbol": "modelcontext.platform.ecmascript.values",
    "TaskSource": "modelcontext.platform.html.event_loop",
    "Throw": "modelcontext.platform.ecmascript.values",
    "NoMeaningError": "modelcontext.platform.infra.errors",
    "StateOfForm": "modelcontext.spec.verbs.form_terms",
    "TypeAlias": "typing",
    "UNDEFINED": "modelcontext.platform.ecmascript.values",
    "algorithm": "modelcontext.spec.revisions.algorithm",
    "assert_in_text": "modelcontext.platform.infra.errors",
    "cast": "typing",
    "dataclass": "dataclasses",
    "entry_of": "modelcontext.platform.infra.errors",
    "existing": "modelcontext.platform.webidl.types",
    "rounds": "modelcontext.platform.infra.errors",
    "spec_assert": "modelcontext.platform.infra.errors",
    "there": "modelcontext.platform.infra.errors",
}
_MODULES: Final[tuple[ModuleType, ...]] = (verbs, form_verbs, form_terms, lists, numbers, strings)


# A verb of algorithms; the command line has verbs, too.
@dataclass(frozen=True, slots=True)
class Verb:
    """A function that does what words of the platform say: its module, and its types.

    ``keywords`` are the parameters that are given by name, ``is_shared`` is as the verb is declared.
    """

    name: str
    module: str
    parameters: tuple[tuple[str, PythonType], ...]
    keywords: tuple[str, ...]
    result: PythonType
    is_shared: bool


@cache
def verb(name: str) -> Verb | None:
    """Return the verb with a name, or None."""
    for module in _MODULES:
        function = getattr(module, name, None)
        if callable(function) and inspect.isfunction(inspect.unwrap(function)):
            signature = inspect.signature(function)
            given = [one for one in signature.parameters.values() if one.kind is not one.KEYWORD_ONLY]
            parameters = tuple((one.name, _type(one.annotation)) for one in given)
            keywords = tuple(one.name for one in signature.parameters.values() if one.kind is one.KEYWORD_ONLY)
            result = _type(signature.return_annotation)
            return Verb(name, module.__name__, parameters, keywords, result, name in _shared())
    return None


def _type(found: object) -> PythonType:
    return read_type(found if isinstance(found, str) else str(getattr(found, "__name__", "object")))


@cache
def home_of(name: str) -> str | None:
    """Return the module from which generated code imports a name of the platform, or None if it has no such name."""
    if name in _HOMES:
        return _HOMES[name]
    if name.isupper() and any(isinstance(getattr(module, name, None), str) for module in _MODULES):
        return next(module.__name__ for module in _MODULES if hasattr(module, name))
    known = verb(name)
    return known.module if known is not None else _imported().get(name)


@cache
def _shared() -> frozenset[str]:
    functions = (node for node in ast.walk(_tree(host_verbs)) if isinstance(node, ast.FunctionDef))
    return frozenset(
        function.name
        for function in functions
        if any(isinstance(mark, ast.Name) and mark.id == "shared" for mark in function.decorator_list)
    )


@cache
def _imported() -> Mapping[str, str]:
    """Return the modules of the classes that the verbs' annotations name."""
    found = dict(pair for module in (host_verbs, form_verbs, form_terms) for pair in _imports(module))
    return found | {name: home for name, home in _HOMES.items() if name in found}


def _imports(module: ModuleType) -> Iterator[tuple[str, str]]:
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from ((one.asname or one.name, node.module) for one in node.names)


@cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))
