"""Knowledge about a specification: its IDL, its state, and the algorithms that links call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from pywebidl2 import expr

from speclint.flow import phrases
from speclint.flow.graph import Builder, FlowNode, Routine
from speclint.flow.platform import NULLABLE, RUNS_SCRIPT
from speclint.text.idl import parse_idl
from speclint.text.markup import Link, link_of, links, stems

if TYPE_CHECKING:
    from speclint.text.source_model import SourceAlgorithm, SourceText, StateItem

_CALL = re.compile(r"\[=(?!\])([^=|\]]+?)(?:\|[^=\]]*)?=\]")
_LOOKED_UP = r"'s? ?(?:associated )?(?:\[=[^=]+=\]|\{\{[^}]+\}\}|<\{[^}]+\}>|[a-z ]+(?=,|\.|$))(?: attribute| object)?"
_PATH = rf"(?:\|[^|]+\||\[=/?this=\])(?:{_LOOKED_UP}|\[(?!=)[^\]]*\])*"
_ARGUMENT = re.compile(
    rf"(?:the )?(?:(?:\[=[^=|\]]+=\] |\{{\{{\w+\}}\}} )?{_PATH}"
    r"|null\b|true\b|false\b|undefined\b|failure\b|\"[^\"]*\"|«[^»]*»|-?\d+"
    r"|(?:an? )?(?:empty |new )?(?:\[=[^=]+=\]|\{\{[^}]+\}\}|string|list)(?: of [^,.]+)?)"
)
#: Words behind an argument that say more of it, or give another one in a way of their own.
_MORE = re.compile(
    r" (?:if|in|on|from|of|using|at|as(?! (?:the |its |their )?(?:only )?arguments?)|relative|, where)\b"
)
#: Words that go on with the step behind the arguments.
_CLAUSE = re.compile(
    r"(?:then|return|throw|abort|terminate|continue|break|set|let|run|reject|resolve|queue|if|wait|do|go|store|its|it|is"
    r"|that|are|use|stop|add|remove|append)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r",? and |, (?!and )(?=[\"\[|«\-\dntuf]|an? |the )")
_PATCH = re.compile(
    r"\b(?:modif\w+|monkey|patch\w*|insert\w*|prepend\w*|append\w*|amend\w*|add(?:ed|ing)? the following|replac\w+)\b",
    re.IGNORECASE,
)
_IN_PARALLEL = re.compile(
    r"(?:these steps|this algorithm|it|they) (?:are|is|run) (?:always )?(?:being |running |run )?in parallel"
)
_NOT_PARALLEL = re.compile(
    r"(?:these steps|this algorithm) (?:are|is) (?:not (?:running |being run )?in parallel|running on (?:the|an) .*event loop)"
)


@dataclass(frozen=True, slots=True)
class DictionaryMember:
    """A member of a dictionary."""

    dictionary: str
    name: str
    type: str
    is_nullable: bool
    is_always_there: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an algorithm of this specification; ``arguments`` is None if the words do not list them."""

    node: FlowNode
    callee: SourceAlgorithm
    arguments: tuple[str, ...] | None
    start: int


#: The stems of the names of algorithms that run script.
SCRIPT: Final = {stems(name) for name in RUNS_SCRIPT}
_SETS = re.compile(
    r"\b[Ss]et (?:\|[^|]+\||\[=this=\])'s? |\[=map/(?:set|remove)(?:\|[^=]*)?=\] (?:\|[^|]+\||\[=this=\])'s? ",
    re.IGNORECASE,
)
#: Words that begin steps which change at most the variables and collections that they name.
_HARMLESS = frozenset(
    [
        *("assert", "append", "prepend", "extend", "insert", "remove", "set", "replace", "sort", "enqueue", "dequeue"),
        *("push", "pop", "empty", "clear", "strip", "for", "while", "continue", "break", "return", "throw", "if"),
        *("otherwise", "in", "queue", "resolve", "reject", "react", "add", "let"),
    ]
)
_ONE_VALUE = re.compile(r'^(\|[^|]+\|) is "\{\{(\w+)/([^}]*)\}\}"$')
_PRIMITIVES: Final = {"boolean": "boolean", "DOMString": "string", "USVString": "string", "ByteString": "string"}


@dataclass(slots=True)
class Knowledge:
    """The knowledge about one specification, for all rules."""

    text: SourceText
    builders: dict[str, Builder] = field(default_factory=dict)
    members: dict[tuple[str, str], DictionaryMember] = field(default_factory=dict)
    #: Operations by interface and name: whether they return a promise, and whether they return anything.
    operations: dict[tuple[str, str], str] = field(default_factory=dict)
    #: The names of the arguments of operations and constructors, by interface and name.
    arguments: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    #: The values of each enumeration.
    enumerations: dict[str, frozenset[str]] = field(default_factory=dict)
    #: State by its name: of a struct or of another owner.
    items: dict[str, list[StateItem]] = field(default_factory=dict)
    by_name: dict[tuple[str, ...], list[SourceAlgorithm]] = field(default_factory=dict)
    calls: dict[int, list[Call]] = field(default_factory=dict)
    #: For each algorithm the kinds of results that callers have to test for.
    doubtful: dict[str, set[str]] = field(default_factory=dict)
    returns_value: dict[str, bool] = field(default_factory=dict)
    #: The ids of the algorithms that change state, begin other steps, or run script.
    changing: set[str] = field(default_factory=set)
    #: The kinds of steps whose definitions say that they run in parallel.
    parallel_steps: frozenset[str] = frozenset()

    @property
    def routines(self) -> Iterator[Routine]:
        """Every routine."""
        for builder in self.builders.values():
            yield from builder.main.walk()

    def main_of(self, algorithm: SourceAlgorithm) -> Routine:
        """Return the own steps of an algorithm."""
        return self.builders[f"{algorithm.id} {algorithm.line}"].main

    def arguments_of(self, algorithm: SourceAlgorithm) -> set[str]:
        """Return the parameters that an algorithm has without a variable in its introduction."""
        owner = algorithm.owner or algorithm.name
        is_constructor = algorithm.kind == "constructor" or algorithm.name == owner
        member = "constructor" if is_constructor else algorithm.name
        return self.arguments.get((owner, member), set()) | set(algorithm.plain_parameters)

    def nullable_item(self, link: Link) -> StateItem | None:
        """Return the state that a link means if it may be null."""
        found = self.item(link)
        return found if found is not None and re.search(r"\bor null\b|\bnull or\b", found.description) else None

    def item(self, link: Link) -> StateItem | None:
        """Return the state of this specification that a link means."""
        candidates = self.items.get(link.term, [])
        named = [one for one in candidates if one.owner == link.owner.lower()]
        if not named and not link.owner and len(candidates) == 1:
            return candidates[0]
        return named[0] if named else None

    def why_null(self, link: Link) -> str | None:
        """Return the reason why a concept may be null, or None if it is not known to be."""
        own = self.nullable_item(link)
        if own is not None:
            return f"its definition on line {own.line} says so"
        if self.item(link) is not None:
            return None
        if link.term in NULLABLE and link.owner != "promise":
            return NULLABLE[link.term]
        return None

    def callees(self, link: Link) -> list[SourceAlgorithm]:
        """Return the algorithms of this specification that a link means."""
        found = self.by_name.get(link.key, [])
        if link.owner == "/":
            found = [one for one in found if not one.owner]
        elif link.owner:
            found = [one for one in found if not one.owner or one.owner.lower() == link.owner.lower()]
        return [one for one in found if one.kind == "algorithm"]

    def kind_of(self, member: DictionaryMember) -> str:
        """Return the kind of the values of a member: "boolean", "string", "list", "object", an enumeration, or ""."""
        if member.type in self.enumerations:
            return member.type
        if member.type.startswith(("sequence", "FrozenArray")):
            return "list"
        return "object" if member.type == "object" else _PRIMITIVES.get(member.type, "")


def know(text: SourceText) -> Knowledge:
    """Gather the knowledge about a specification.

    Raises:
        TextError: if its IDL cannot be parsed.
    """
    knowledge = Knowledge(text)
    _read_idl(knowledge)
    for struct in text.structs.values():
        for name, item in struct.items.items():
            knowledge.items.setdefault(name, []).append(item)
    for item in text.state:
        if item.owner not in text.structs:
            knowledge.items.setdefault(item.name, []).append(item)
    for algorithm in text.algorithms:
        # Two algorithms can share an id, as a getter and a setter do.
        knowledge.builders[f"{algorithm.id} {algorithm.line}"] = Builder(algorithm)
        for key in algorithm.keys:
            knowledge.by_name.setdefault(key, []).append(algorithm)
    for routine in knowledge.routines:
        _close_choices(routine, knowledge.enumerations)
        for node in routine.nodes:
            if node.text:
                knowledge.calls[id(node)] = list(_calls(knowledge, node))
    knowledge.parallel_steps = frozenset(
        name.lower()
        for one in text.definitions
        if re.search(r"[Tt]hey run \[=in parallel=\]|which run \[=in parallel=\]", one.paragraph)
        and one.in_algorithm is None
        for name in one.names
    )
    _find_results(knowledge)
    _find_changing(knowledge)
    _find_strands(knowledge)
    return knowledge


def _read_idl(knowledge: Knowledge) -> None:
    definitions = [one for _, block in knowledge.text.idl_blocks for one in parse_idl(block, knowledge.text.path)]
    for definition in definitions:
        if isinstance(definition, expr.Enum):
            knowledge.enumerations[definition.name] = frozenset(str(one.value).strip('"') for one in definition.values)
        if isinstance(definition, expr.Dictionary):
            for one in cast("list[Any]", definition.members):
                found = DictionaryMember(
                    definition.name,
                    one.name,
                    _type(one.idl_type),
                    bool(getattr(one.idl_type, "nullable", False)),
                    bool(one.required) or one.default is not None,
                )
                knowledge.members[definition.name, one.name] = found
        if isinstance(definition, expr.Interface | expr.InterfaceMixin):
            for member in cast("list[Any]", definition.members):
                if isinstance(member, expr.Operation) and member.name:
                    knowledge.operations[definition.name, member.name] = _type(member.idl_type)
                if isinstance(member, expr.Operation | expr.Constructor):
                    name = getattr(member, "name", "") or "constructor"
                    arguments = {str(one.name) for one in member.arguments or ()}
                    knowledge.arguments.setdefault((definition.name, name), set()).update(arguments)


def _type(idl_type: object) -> str:
    if idl_type is None:
        return "undefined"
    generic = getattr(idl_type, "generic", "") or ""
    inner = getattr(idl_type, "idl_type", "")
    if isinstance(inner, str):
        return f"{generic}<{inner}>" if generic else inner
    if isinstance(inner, list):
        parts = ", ".join(_type(one) for one in inner)
        return f"{generic}<{parts}>" if generic else parts
    return f"{generic}<{_type(inner)}>" if generic else _type(inner)


def _calls(knowledge: Knowledge, node: FlowNode) -> Iterator[Call]:
    for match in _CALL.finditer(node.text):
        callees = knowledge.callees(link_of(match[1]))
        if len(callees) != 1 or (not callees[0].is_defined and knowledge.item(link_of(match[1])) is not None):
            continue
        before = node.text[: match.start()]
        after = node.text[match.end() :]
        # A term that is the property of something, as in "|form|'s [=form/tool=]", is no call.
        if re.search(r"'s? $", before):
            continue
        given = re.match(r",? (?:given|with)(?: arguments?)? ", after)
        arguments = arguments_in(after[given.end() :]) if given else None
        subject = re.search(r"(\|[^|]+\|) (?:does not |do not |can |cannot )?$", before)
        if arguments is not None and subject and node.condition is not None:
            # "|element| does not take a string given …": the subject is the first argument.
            arguments = (subject[1], *arguments)
        yield Call(node, callees[0], arguments, match.start())


def arguments_in(text: str) -> tuple[str, ...] | None:
    """Return the arguments that are listed at the beginning of a text, or None if they cannot be told."""
    found: list[str] = []
    while True:
        match = _ARGUMENT.match(text)
        if match is None:
            return None
        found.append(match[0])
        text = text[match.end() :]
        if _MORE.match(text):
            return None
        separator = _SEPARATOR.match(text)
        if separator is None:
            break
        if not _ARGUMENT.match(text[separator.end() :]):
            if not _CLAUSE.match(text[separator.end() :]):
                return None
            break
        text = text[separator.end() :]
        if re.match(r"^,? and ", separator[0]) and (last := _ARGUMENT.match(text)):
            found.append(last[0])
            if _MORE.match(text[last.end() :]):
                return None
            break
    return tuple(found)


def _close_choices(routine: Routine, enumerations: dict[str, frozenset[str]]) -> None:
    """Take out the way past a chain of tests that asks for each value of an enumeration, and has no "Otherwise"."""
    asked: dict[int, tuple[str, frozenset[str]]] = {}
    for node in routine.nodes:
        match = _ONE_VALUE.match(node.condition.facts[0].subject) if node.condition else None
        if match is None or node.condition is None or len(node.condition.facts) > 1:
            continue
        subject = f"{match[1]} {match[2]}"
        before = asked.get(id(node), ("", frozenset()))
        values = frozenset({match[3]}) | (before[1] if before[0] == subject else frozenset())
        for edge in (one for one in node.edges if one.answer == "no"):
            behind = edge.target.edges[0].target if edge.target.edges else None
            if behind is not None and behind.kind == "test":
                asked[id(behind)] = subject, values
            elif behind is not None and behind.step is None and values == enumerations.get(match[2]):
                node.edges.remove(edge)


def _find_results(knowledge: Knowledge) -> None:
    for builder in knowledge.builders.values():
        found: set[str] = set()
        has_value = False
        for node in builder.main.nodes:
            value = phrases.returned(node.text) if node.ends == "return" else None
            if value:
                has_value = True
                found |= {kind for kind in ("null", "failure") if re.search(rf"(?:^|or |otherwise ){kind}$", value)}
        id_ = builder.main.algorithm.id
        knowledge.doubtful.setdefault(id_, set()).update(found)
        knowledge.returns_value[id_] = has_value or knowledge.returns_value.get(id_, False)


def _find_changing(knowledge: Knowledge) -> None:
    callers: dict[str, set[str]] = {}
    for routine in knowledge.routines:
        own = routine.algorithm.id
        if _is_kept(routine):
            continue
        if routine.kind != "main" or any(_changes(node.text) for node in routine.nodes):
            knowledge.changing.add(own)
        for node in routine.nodes:
            for call in knowledge.calls.get(id(node), []):
                callers.setdefault(call.callee.id, set()).add(own)
            if not knowledge.calls.get(id(node)) and runs_another(node.text):
                knowledge.changing.add(own)
    waiting = list(knowledge.changing)
    while waiting:
        for caller in callers.get(waiting.pop(), set()) - knowledge.changing:
            knowledge.changing.add(caller)
            waiting.append(caller)


def _is_kept(routine: Routine) -> bool:
    """Return whether steps are only made here, as a value, and run elsewhere."""
    if routine.kind == "steps":
        return True
    return routine.begun_at is not None and _is_kept(routine.begun_at.routine)


def _changes(text: str) -> bool:
    return bool(_SETS.search(text)) or any(link.key in SCRIPT for link in links(text))


def is_patch(algorithm: SourceAlgorithm) -> bool:
    """Return whether steps are a change of an algorithm of another standard, whose variables they use."""
    words = f"{algorithm.name} {algorithm.introduction}"
    return not algorithm.is_defined and _PATCH.search(words) is not None


def runs_another(text: str) -> bool:
    """Return whether a step runs an algorithm of another specification, which can change anything."""
    if re.match(r"^(?:run|perform|invoke|wait)\b", text, re.IGNORECASE):
        return True
    match = re.match(r"^\[=(?:[^=|\]/]+/)?([\w-]+)", text)
    return match is not None and match[1].lower() not in _HARMLESS


def _find_strands(knowledge: Knowledge) -> None:
    """Say of each routine where it runs, as far as the text says it or its callers do."""
    for routine in knowledge.routines:
        asserted = asserted_strand(routine)
        if routine.kind == "parallel":
            routine.strand = "parallel"
        elif routine.kind in ("task", "abort", "reaction"):
            routine.strand = "event loop"
        elif asserted:
            routine.strand = asserted
        elif routine.kind == "main" and routine.algorithm.kind != "algorithm":
            routine.strand = "event loop"
        elif routine.kind == "steps" and (routine.name in knowledge.parallel_steps or _is_made_parallel(routine)):
            routine.strand = "parallel"
    callers: dict[str, list[Routine]] = {}
    for calls in knowledge.calls.values():
        for call in calls:
            callers.setdefault(call.callee.id, []).append(call.node.routine)
    open_ = [builder.main for builder in knowledge.builders.values() if not builder.main.strand]
    changed = True
    while changed:
        changed = False
        for main in list(open_):
            strands = {routine.strand for routine in callers.get(main.algorithm.id, []) if routine not in open_}
            if "parallel" in strands:
                # Called from both, it belongs to neither.
                main.strand = "parallel" if strands == {"parallel"} else ""
                open_.remove(main)
                changed = True
    # Steps that nothing runs in parallel run on an event loop.
    for main in open_:
        main.strand = "event loop"


def _is_made_parallel(routine: Routine) -> bool:
    """Return whether the step that makes steps as a value says that they run in parallel."""
    return routine.begun_at is not None and re.search(r"steps \[?=?in parallel", routine.begun_at.text) is not None


def asserted_strand(routine: Routine) -> str:
    """Return the strand that a routine asserts at its beginning."""
    from speclint.text.markup import readable

    for node in routine.nodes[2:6]:
        words = readable(node.text)
        if words.startswith("Assert"):
            if _NOT_PARALLEL.search(words):
                return "event loop"
            if _IN_PARALLEL.search(words):
                return "parallel"
    return ""
