"""Relinking: a copy of a revision in which some algorithms are others, or call others.

A revision and its copies exist side by side: nothing is changed in place. The functions of a copy have the code of the
original ones, and each has globals of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from modelcontext.spec.weaving.weaving import modules_of

if TYPE_CHECKING:
    from modelcontext.platform.webidl.boundary import AroundCall
    from modelcontext.spec.revisions.revision import Revision


class ChangeError(ValueError):
    """A change of a call that the revision does not have."""


@dataclass(frozen=True)
class InsteadOf:
    """A call of ``by``, with ``verb`` as its first argument, instead of ``verb`` in these algorithms, or in all.

    ``variables`` are those of the algorithm that ``by`` gets by their names.
    """

    verb: str
    by: Callable[..., Any]
    algorithms: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


def relinked(
    revision: Revision,
    changes: Sequence[InsteadOf | AroundCall] = (),
    algorithms: Mapping[str, Callable[..., Any]] | None = None,
) -> Revision:
    """Return a copy of a revision.

    Args:
        revision: the revision.
        changes: changes of calls, and functions around each call from script; the last one stands around the others.
        algorithms: algorithms of other revisions, by their ids, which stand for those of this one or are new.

    Raises:
        ChangeError: if a change does not fit.
    """
    copy = _ChangedCopy(revision, algorithms or {})
    around_call = revision.around_call
    for change in changes:
        if isinstance(change, InsteadOf):
            copy.apply(change)
        else:
            around_call = (*around_call, change)
    # The IDL is parsed once, for all copies.
    return replace(revision, algorithms=copy.algorithms(), parsed_idl=revision.definitions, around_call=around_call)


class _ChangedCopy:
    def __init__(self, revision: Revision, algorithms: Mapping[str, Callable[..., Any]]) -> None:
        self._revision = revision
        self._ids = {id_: function.__name__ for id_, function in {**revision.algorithms, **algorithms}.items()}
        self._functions: dict[str, FunctionType] = {}
        modules = modules_of(revision.package)
        # Classes and constants are those of the revision, also in the algorithms of others.
        own = {name: thing for module in modules for name, thing in vars(module).items() if not name.startswith("__")}
        for function in algorithms.values():
            self._add(function, own)
        for thing in own.values():
            if isinstance(thing, FunctionType) and thing.__module__.startswith(f"{revision.package}."):
                self._add(thing, {})
        for function in self._functions.values():
            names = function.__globals__.keys() & self._functions.keys()
            function.__globals__.update({name: self._functions[name] for name in names})

    def _add(self, function: Callable[..., Any], own: Mapping[str, object]) -> None:
        """Copy a function, if there is none of that name."""
        assert isinstance(function, FunctionType)
        if function.__name__ not in self._functions:
            names = function.__globals__
            globals_ = names | {name: own[name] for name in names.keys() & own.keys()}
            copy = FunctionType(
                function.__code__, globals_, function.__name__, function.__defaults__, function.__closure__
            )
            copy.__kwdefaults__ = function.__kwdefaults__
            self._functions[function.__name__] = copy

    def algorithms(self) -> dict[str, Callable[..., Any]]:
        """Return the algorithms of the copy, by their ids."""
        return {id_: self._functions[name] for id_, name in self._ids.items()}

    def apply(self, change: InsteadOf) -> None:
        """Change calls.

        Raises:
            ChangeError: if nothing has such a call.
        """
        unknown = [id_ for id_ in change.algorithms if id_ not in self._ids]
        if unknown:
            raise ChangeError(f"there is no algorithm {unknown[0]} in {self._revision.name}")
        names = [self._ids[id_] for id_ in change.algorithms or self._ids]
        callers = [name for name in names if change.verb in _names_in(self._functions[name].__code__)]
        if len(callers) < max(len(change.algorithms), 1):
            raise ChangeError(f"{change.verb} is not called in {', '.join(change.algorithms) or self._revision.name}")
        for name in callers:
            globals_ = self._functions[name].__globals__
            globals_[change.verb] = _instead(change, globals_[change.verb])


def _instead(change: InsteadOf, verb: object) -> Callable[..., Any]:
    if not change.variables:
        return partial(change.by, verb)

    def instead(*arguments: object) -> object:
        known = sys._getframe(1).f_locals
        return change.by(verb, *arguments, **{name: known[name] for name in change.variables})

    return instead


def _names_in(code: CodeType) -> set[str]:
    """Return the names that a function uses, with those of the functions in it."""
    return set(code.co_names).union(*(_names_in(one) for one in code.co_consts if isinstance(one, CodeType)))
