"""What a quirk is, and how the algorithms of a revision are linked anew with quirks in them.

The files of the algorithms know nothing of this. A revision's functions find each other, and the verbs of the host, by the
names in their modules; linking anew makes a copy of each function that finds other things under these names. Nothing is
changed in place: the revision and its quirky sibling exist side by side.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias

from modelcontext import world
from modelcontext.ecmascript.values import JSValue
from modelcontext.html.user_agent import RunawayError
from modelcontext.infra.errors import SpecAssertionError
from modelcontext.products.base import Ending, Observation
from modelcontext.program import explore
from modelcontext.program.language import Program, ProgramError
from modelcontext.program.sample import is_seen
from modelcontext.revisions.revision import Revision
from modelcontext.specification.code.comments import read_source
from modelcontext.webidl.boundary import Boundary
from modelcontext.webidl.idl import Definitions
from modelcontext.webidl.platform_object import PlatformObject

#: How many runs the search for a predicted outcome, or crash, may take.
BOUND = 400

Call = Callable[[PlatformObject, str, Sequence[JSValue]], JSValue]
Set = Callable[[PlatformObject, str, JSValue], None]
#: Each function of a revision and its copy, by the identity of the function.
_Originals: TypeAlias = Mapping[int, tuple[FunctionType, FunctionType]]


class ProfileError(ValueError):
    """There is no such profile, or a quirk names something that the revision does not have."""


class CrashError(Exception):
    """A quirk says that the browser would crash here."""


@dataclass(frozen=True)
class Instead:
    """What a quirk before a step returns to end the algorithm there, with that value."""

    value: Any


@dataclass(frozen=True)
class Quirk:
    """One thing that a browser does otherwise.

    ``step`` is where, as ``algorithm number`` (of the algorithm itself where there is no number). ``by`` is what happens
    instead, in one of these ways:

    * ``verb`` names what the algorithms in ``algorithms`` (that of the step, unless given) call: ``by`` is called instead;
      where it calls that verb itself, it finds what the quirk before it has instead,
    * ``before``: ``by`` is called before the step, with those of the algorithm's variables that its parameters name; it
      can return :class:`Instead` or raise :class:`CrashError`; what it calls itself it finds as the algorithm does,
    * ``skip``: the step is left out, and there is no ``by``,
    * ``call``: ``by`` is called around every call of an operation from script: ``by(go_on, this, name, arguments)``,
    * ``set``: ``by`` is called around every assignment to an event handler: ``by(go_on, this, name, value)``,
    * ``absent``: these interfaces, and members as ``Interface.member``, are not there, and there is no ``by``,
    * otherwise ``by``, if there is one, is the whole algorithm.

    ``parts`` are further changes without which it would not be what the browser does, or all that there are; of them only
    the mechanism counts.

    ``reason`` says what the browser does, and why which side looks wrong; ``wrong`` is ``"product"``, ``"spec"`` or
    ``"neither"``. ``reproducer`` is a program in ``wpt_tests`` that shows it, without its ending.
    """

    name: str
    step: str
    reason: str = ""
    reproducer: str = ""
    by: Callable[..., Any] | None = None
    wrong: str = "product"
    verb: str | None = None
    before: bool = False
    skip: bool = False
    call: bool = False
    set: bool = False
    absent: Sequence[str] = ()
    algorithms: Sequence[str] = ()
    parts: Sequence[Quirk] = ()

    @property
    def targets(self) -> Sequence[str]:
        """The ids of the algorithms that it changes."""
        return self.algorithms or (self.step.split()[0],)

    @property
    def is_at_the_boundary(self) -> bool:
        """Whether it changes no algorithm, but what comes between script and algorithms."""
        return self.call or self.set or bool(self.absent)


class Profile:
    """The quirks of one browser, in a revision that it implements."""

    def __init__(self, name: str, product: str, revision: Revision, quirks: Sequence[Quirk]) -> None:
        self.name = name
        self.product = product
        self.revision = revision
        self.quirks = tuple(quirks)
        self._linked: dict[frozenset[str], Revision] = {}

    def linked(self, names: frozenset[str] | None = None) -> Revision:
        """The revision with these quirks in it; with all of them unless named."""
        chosen = frozenset(quirk.name for quirk in self.quirks) if names is None else names
        if chosen not in self._linked:
            self._linked[chosen] = link(self.revision, [quirk for quirk in self.quirks if quirk.name in chosen])
        return self._linked[chosen]

    @contextmanager
    def applied(self, names: frozenset[str] | None = None) -> Iterator[None]:
        """Run programs of the revision with these quirks; with all of them unless named."""
        before = world.REVISIONS[self.revision.name]
        world.REVISIONS[self.revision.name] = self.linked(names)
        try:
            yield
        finally:
            world.REVISIONS[self.revision.name] = before

    def explanation(self, program: Program, observation: Observation, *, sampled: bool = False) -> tuple[str, ...]:
        """The fewest quirks with which the model predicts the observation; empty if it does not with all of them.

        Where one quirk explains as much as another one, the first of them is named.
        With ``sampled`` only some schedules are tried: then what is not predicted may be, under another one.
        """
        if program.revision != self.revision.name:
            return ()
        names = [quirk.name for quirk in self.quirks]
        if not self.predicts(program, observation, sampled=sampled):
            return ()
        # What predicts it is found at once, what does not takes long; so what can be left out comes first.
        needed = list(names)
        for name in reversed(names):
            fewer = [other for other in needed if other != name]
            if self.predicts(program, observation, frozenset(fewer), sampled=sampled):
                needed = fewer
        if len(needed) > 1:
            for name in names:
                if self.predicts(program, observation, frozenset({name}), sampled=sampled):
                    return (name,)
        return tuple(needed)

    def predicts(
        self,
        program: Program,
        observation: Observation,
        names: frozenset[str] | None = None,
        *,
        sampled: bool = False,
    ) -> bool:
        """Whether the model with these quirks (all, unless named) allows the observation.

        With ``sampled`` an outcome is predicted only if one of some schedules shows it.
        """
        with self.applied(names):
            try:
                if observation.ending is Ending.CRASH:
                    explore.allowed_outcomes(program, bound=BOUND)
                elif observation.outcome is not None:
                    if is_seen(program, observation.outcome):
                        return True
                    if sampled:
                        return False
                    return explore.judge(program, observation.outcome, bound=BOUND).kind == "allowed"
            except CrashError:
                return observation.ending is Ending.CRASH
            except (ProgramError, RunawayError, SpecAssertionError):
                # With the quirks the program means nothing, or does not end, or an assertion of the text does not hold.
                return False
        return False


def link(revision: Revision, quirks: Sequence[Quirk]) -> Revision:
    """The revision with quirks in it. Raises :class:`ProfileError` for a quirk that fits nowhere."""
    quirks = [change for quirk in quirks for change in (quirk, *quirk.parts)]
    for quirk in quirks:
        unknown = [id_ for id_ in quirk.targets if id_ not in revision.algorithms]
        if unknown and not quirk.is_at_the_boundary:
            raise ProfileError(f"the quirk {quirk.name} changes {unknown[0]}, which is no algorithm of {revision.name}")
    originals: dict[int, tuple[FunctionType, FunctionType]] = {}
    ids = {id(function): id_ for id_, function in revision.algorithms.items()}
    for function in _functions_of(revision.package):
        originals[id(function)] = function, _changed(function, ids.get(id(function)), quirks)
    for _, copy in originals.values():
        for name, value in copy.__globals__.items():
            if id(value) in originals and originals[id(value)][0] is value:
                copy.__globals__[name] = originals[id(value)][1]
    for quirk in quirks:
        for id_ in quirk.targets if quirk.verb is not None else ():
            names = originals[id(revision.algorithms[id_])][1].__globals__
            if quirk.verb not in names and not hasattr(builtins, quirk.verb or ""):
                raise ProfileError(f"the quirk {quirk.name} replaces {quirk.verb}, which {id_} does not know")
            assert quirk.verb is not None
            by = _finding_copies(quirk.by, originals)
            if isinstance(by, FunctionType) and quirk.verb in by.__globals__:
                by.__globals__[quirk.verb] = names[quirk.verb]
            names[quirk.verb] = by
    for quirk in quirks:
        for id_ in quirk.targets if quirk.before else ():
            original, copy = originals[id(revision.algorithms[id_])]
            copy.__globals__[_hook(quirk)] = _finding_what_it_does(quirk.by, original, copy, originals)
    algorithms = {id_: originals[id(function)][1] for id_, function in revision.algorithms.items()}
    cleanup = algorithms.get("unloading-document-cleanup", revision.unloading_document_cleanup_steps)
    linked = replace(revision, algorithms=algorithms, unloading_document_cleanup_steps=cleanup)
    # Parsed once, for the revision; only what is absent makes others of them.
    linked.__dict__["definitions"] = _without(revision.definitions, [name for quirk in quirks for name in quirk.absent])
    if any(quirk.is_at_the_boundary for quirk in quirks):
        # The boundary is made once per revision; what comes to this one goes through the quirks first.
        _go_around(linked.boundary, quirks)
    return linked


def _finding_copies(by: Any, originals: _Originals) -> Any:
    """What is called instead of a verb; where it calls algorithms itself, those with the quirks."""
    if not isinstance(by, FunctionType):
        return by
    names = {name: originals.get(id(value), (value, value))[1] for name, value in by.__globals__.items()}
    copy = FunctionType(by.__code__, names, by.__name__, by.__defaults__, by.__closure__)
    copy.__kwdefaults__ = by.__kwdefaults__
    return copy


def _finding_what_it_does(by: Any, algorithm: FunctionType, copy: FunctionType, originals: _Originals) -> Any:
    """What is called before a step; what it shares with the algorithm, it finds as the copy of that does."""
    by = _finding_copies(by, originals)
    if isinstance(by, FunctionType):
        theirs = algorithm.__globals__
        for name, value in by.__globals__.items():
            if name in theirs and originals.get(id(theirs[name]), (None, theirs[name]))[1] is value:
                by.__globals__[name] = copy.__globals__[name]
    return by


def _functions_of(package: str) -> Iterator[FunctionType]:
    """The functions that the modules of a package define."""
    for name, module in sorted(sys.modules.items()):
        if name.startswith(f"{package}."):
            for value in vars(module).values():
                if isinstance(value, FunctionType) and value.__module__ == name:
                    yield value


def _changed(function: FunctionType, id_: str | None, quirks: Sequence[Quirk]) -> FunctionType:
    """A copy of a function with names of its own: itself, or what a quirk has instead of it."""
    mine = [quirk for quirk in quirks if id_ in quirk.targets and quirk.verb is None and not quirk.is_at_the_boundary]
    inside = [quirk for quirk in mine if quirk.before or quirk.skip]
    whole = [quirk.by for quirk in mine if quirk not in inside and quirk.by is not None]
    if len(whole) > 1:
        raise ProfileError(f"two quirks replace {id_}")
    source = whole[0] if whole else function
    assert isinstance(source, FunctionType)
    code, names = source.__code__, dict(source.__globals__)
    if inside:
        code = _with_hooks(source, inside)
        names |= {Instead.__name__: Instead, **{_hook(quirk): quirk.by for quirk in inside if quirk.before}}
    copy = FunctionType(code, names, source.__name__, source.__defaults__, source.__closure__)
    copy.__kwdefaults__ = source.__kwdefaults__
    return copy


def _hook(quirk: Quirk) -> str:
    """The name under which an algorithm calls a quirk."""
    return f"_quirk_{quirk.name.replace('-', '_')}"


def _with_hooks(function: FunctionType, quirks: Sequence[Quirk]) -> Any:
    """The code of an algorithm with calls before some of its steps, and without others; every line keeps its number."""
    filename = inspect.getsourcefile(function)
    assert filename is not None
    text, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(text)))
    ast.increment_lineno(tree, first - 1)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list.clear()
    for quirk in quirks:
        line = _line_of(quirk, Path(filename))
        index = next(index for index, statement in enumerate(definition.body) if statement.lineno > line)
        if quirk.by is None:
            del definition.body[index]
            continue
        arguments = ", ".join(f"{name}={name}" for name in inspect.signature(quirk.by).parameters)
        calls = ast.parse(
            f"_quirk = {_hook(quirk)}({arguments})\nif isinstance(_quirk, {Instead.__name__}): return _quirk.value"
        )
        for node in ast.walk(calls):
            if isinstance(node, ast.stmt | ast.expr):
                node.lineno = node.end_lineno = line
        definition.body[index:index] = calls.body
    module = compile(ast.fix_missing_locations(tree), filename, "exec", dont_inherit=True, flags=_FUTURE)
    return next(constant for constant in module.co_consts if inspect.iscode(constant))


def _line_of(quirk: Quirk, path: Path) -> int:
    """The line of the comment that quotes the step."""
    id_, _, number = quirk.step.partition(" ")
    line = _lines(path).get((id_, number))
    if line is None:
        raise ProfileError(f"the quirk {quirk.name} stands before {quirk.step}, and there is no such step")
    return line


@cache
def _lines(path: Path) -> Mapping[tuple[str | None, str], int]:
    """The lines of the steps that a file quotes, by algorithm and number."""
    return {
        (function.id, step.number): step.line for function in read_source(path).functions for step in function.steps
    }


# The algorithms' modules have `from __future__ import annotations`.
_FUTURE = __future__.annotations.compiler_flag


def _go_around(boundary: Boundary, quirks: Sequence[Quirk]) -> None:
    """Let calls, and assignments to event handlers, go through the quirks first; the last one is the outermost."""
    call: Call = boundary.call
    set_: Set = boundary.set
    for quirk in quirks:
        if quirk.call and quirk.by is not None:
            call = partial(quirk.by, call)
        if quirk.set and quirk.by is not None:
            set_ = partial(quirk.by, set_)
    boundary.call = call  # type: ignore[method-assign,assignment]
    boundary.set = partial(_set, boundary, set_)  # type: ignore[method-assign]


def _set(boundary: Boundary, go_on: Set, this: PlatformObject, name: str, value: JSValue) -> None:
    """Assign to an event handler; where that is absent, it is a property as any other."""
    if name in boundary.definitions.interfaces[this.interface].attributes:
        go_on(this, name, value)
    else:
        this.set(name, value)


def _without(definitions: Definitions, absent: Sequence[str]) -> Definitions:
    """The definitions without some interfaces and attributes."""
    return replace(
        definitions,
        interfaces={
            name: replace(
                interface,
                attributes={
                    member: attribute
                    for member, attribute in interface.attributes.items()
                    if f"{name}.{member}" not in absent
                },
            )
            for name, interface in definitions.interfaces.items()
            if name not in absent
        },
    )
