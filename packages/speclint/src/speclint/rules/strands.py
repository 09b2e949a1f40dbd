"""Rules about where steps run: script, state and algorithms on the strand that they belong to, and acts that are one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from speclint.finding import Context, LintFinding, an, at
from speclint.flow import phrases
from speclint.flow.conditions import canonical
from speclint.flow.graph import nodes_behind
from speclint.flow.knowledge import asserted_strand
from speclint.flow.platform import OF_SCRIPT
from speclint.text.markup import link_of, links, readable, stems

if TYPE_CHECKING:
    from speclint.flow.graph import FlowNode, Routine
    from speclint.text.source_model import StateItem

_QUEUE: Final = "queue a task on the event loop of the document concerned, and do it there"
_SCRIPT = {stems(name): words for name, words in OF_SCRIPT.items()}
_ONLY_PARALLEL = re.compile(r"(?:in parallel (?:only|alone)|only (?:ever )?(?:\w+ ){0,4}in parallel)\b")
#: An act of script without a link: "throw a {{TypeError}}", "resolve |promise|".
_PLAIN = re.compile(
    r"(?:^|, (?:then )?|\bthen |\band )(throw(?= (?:an? )?\"?\{\{)|(?:[Rr]esolve|[Rr]eject)(?= \|[^|]*[Pp]romise\|))"
)
_CATCHES = re.compile(
    r"\b(?:this|that|which|it) (?:\[=)?thr(?:ows|ew)|\bcatch(?:ing)? |\bexceptions? (?:is|was) thrown"
)
_ONE_ACT = re.compile(r"\b(?:atomic(?:ally)?|one act|in one go|indivisibl[ey]|no other steps)\b")
_WRITE = re.compile(
    r"\[=(?:\w+/)?(?:set|remove|append|extend|prepend|insert|replace|clear|empty)=\]|^(?:then )?[Ss]et ", re.IGNORECASE
)
_TERM = re.compile(r"\[=(?!\])([^=|\]]+?)(?:\|[^=\]]*)?=\]")
_RUN = re.compile(r"\b[Rr]un (?:\|([^|]+)\||.*?'s? \[=([^=|\]]+)(?:\|[^=\]]*)?=\])(?= given| with|\.|$)")
_PATH = r"((?:\|[^|]+\||\[=this=\])(?:'s? \[=[^=]+=\])*)"
_TARGET = re.compile(
    rf"(?:\[=(?:\w+/)?(?:set|remove|clear|empty)(?:\|[^=]*)?=\]|\b[Ss]et|\b[Rr]emove) {_PATH}"
    rf"|\[=(?:\w+/)?(?:append|extend|prepend|insert)(?:\|[^=]*)?=\] .* (?:to|into|with) {_PATH}",
    re.IGNORECASE,
)


def check_script(context: Context) -> Iterator[LintFinding]:
    """Find promises, JavaScript values, realms and events in steps that run in parallel."""
    for node in _running(context, "parallel"):
        for match in _TERM.finditer(node.text):
            link = link_of(match[1])
            words = _SCRIPT.get(link.key)
            if (
                words is None
                or context.knowledge.callees(link)
                or (link.owner == "exception" and "throw" not in link.term)
            ):
                continue
            if link.term in ("throws", "thrown", "threw"):
                continue
            if link.term == "new" and "{{" not in node.text[match.end() : match.end() + 5]:
                continue
            if link.term == "throw" and _is_caught(context, node.routine):
                continue
            yield at(
                node,
                "script-in-parallel",
                f"{readable(match[0])} {words}, but these steps run in parallel",
                _QUEUE,
            )
        for match in _PLAIN.finditer(node.text):
            word = match[1]
            if word == "throw" and _is_caught(context, node.routine):
                continue
            message = f"{word} {_SCRIPT[stems(word)]}, but these steps run in parallel"
            yield at(node, "script-in-parallel", message, _QUEUE)


def _is_caught(context: Context, routine: Routine) -> bool:
    """Return whether each step that calls an algorithm says what happens if it throws, so that script sees no exception."""
    callers = [
        call.node
        for calls in context.knowledge.calls.values()
        for call in calls
        if call.callee is routine.algorithm and routine.kind == "main"
    ]
    return bool(callers) and all(is_caught_at(node) for node in callers)


def is_caught_at(node: FlowNode) -> bool:
    """Return whether a node, or the one right behind it, says what happens if it throws."""
    return any(_CATCHES.search(one.text) for one in (node, *_next(node)))


def _next(node: FlowNode) -> Iterator[FlowNode]:
    """Yield the nodes right behind a node that have words."""
    for edge in node.edges:
        yield from [edge.target] if edge.target.text else _next(edge.target)


def _running(context: Context, strand: str) -> Iterator[FlowNode]:
    for routine in context.knowledge.routines:
        if routine.strand == strand:
            for node in routine.nodes:
                if context.states.before(node) is not None and node.text:
                    yield node


def check_calls(context: Context) -> Iterator[LintFinding]:
    """Find algorithms that run on another strand than they assert, and steps that run where they must not."""
    mains = {builder.main.algorithm.id: builder.main for builder in context.knowledge.builders.values()}
    for routine in context.knowledge.routines:
        if not routine.strand:
            continue
        for node in routine.nodes:
            if context.states.before(node) is None or readable(node.text).startswith("Assert"):
                continue
            for call in context.knowledge.calls.get(id(node), []):
                callee = mains.get(call.callee.id)
                if callee is None:
                    continue
                wanted = asserted_strand(callee) or _needed(context, callee)
                if wanted and wanted != routine.strand:
                    yield _misplaced(node, call.callee.name, wanted)
            for match in _RUN.finditer(node.text):
                name = match[1] or link_of(match[2]).term
                if name in context.knowledge.parallel_steps and routine.strand != "parallel":
                    yield _misplaced(node, f"the {name}", "parallel")


def _misplaced(node: FlowNode, name: str, wanted: str) -> LintFinding:
    if wanted == "parallel":
        message = f"{name} must run in parallel, but these steps run on an event loop"
        return at(node, "wrong-strand", message, "move it below a step that runs its substeps in parallel")
    message = f"{name} must run on an event loop, but these steps run in parallel"
    return at(node, "wrong-strand", message, "queue a task that runs it")


def _needed(context: Context, callee: Routine) -> str:
    """Return "event loop" if the own steps of an algorithm use script, as far as its callers cannot know."""
    if callee.strand == "parallel" and not asserted_strand(callee):
        return ""
    for node in callee.nodes:
        for link in links(node.text):
            if (
                link.key in _SCRIPT
                and not context.knowledge.callees(link)
                and link.term not in ("throw", "relevant realm")
            ):
                return "event loop"
    return ""


def check_state(context: Context) -> Iterator[LintFinding]:
    """Find state of an event loop that is touched in parallel, and state of parallel steps that an event loop touches."""
    if not _says_strands(context):
        return
    written = _written_state(context)
    seen = set[tuple[str, str, str]]()
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            if not routine.strand or context.states.before(node) is None:
                continue
            for item in state_in(context, node):
                key = routine.algorithm.id, item.name, routine.strand
                if key in seen:
                    continue
                if _ONLY_PARALLEL.search(readable(item.description)):
                    if routine.strand == "event loop":
                        seen.add(key)
                        yield _foreign(node, item, "belongs to steps in parallel", "an event loop touches it here")
                elif "event loop" in written.get((item.owner, item.name), set()) and routine.strand == "parallel":
                    seen.add(key)
                    verb = "writes" if _WRITE.search(node.text) else "reads"
                    yield _foreign(node, item, "belongs to an event loop", f"a step in parallel {verb} it here")


def _says_strands(context: Context) -> bool:
    """Return whether a text says anywhere to which strand steps or state belong; others keep no state to one."""
    return (
        bool(context.knowledge.parallel_steps)
        or any(asserted_strand(routine) for routine in context.knowledge.routines)
        or any(_ONLY_PARALLEL.search(readable(one.description)) for one in context.text.state)
    )


def _foreign(node: FlowNode, item: StateItem, whose: str, what: str) -> LintFinding:
    remedy = "read it before these steps begin, and hand over the value; or do this in a task"
    if "parallel" not in what:
        remedy = "do this below a step that runs its substeps in parallel"
    return at(node, "state-on-wrong-strand", f"the {item.name} of {an(item.owner)} {whose}, and {what}", remedy)


def state_in(context: Context, node: FlowNode) -> Iterator[StateItem]:
    """Yield the state that a node touches by its name, or by a variable that holds it."""
    for match in _TERM.finditer(node.text):
        item = context.knowledge.item(link_of(match[1]))
        # Where a struct is made, its items are not state yet.
        if item is not None and re.search(r"'s? $", node.text[: match.start()]):
            yield item
    for name in phrases.used(node.text):
        top: Routine | None = node.routine
        while top is not None:
            for other in top.nodes:
                if name in phrases.let_variables(other.text) and (found := _aliased(context, other)):
                    yield found
            top = top.begun_at.routine if top.begun_at else None


def _aliased(context: Context, node: FlowNode) -> StateItem | None:
    """Return the map or list that a Let gives another name."""
    match = re.search(r"\[=([^=|\]]+)(?:\|[^=\]]*)?=\]\.$", node.text)
    item = context.knowledge.item(link_of(match[1])) if match else None
    is_collection = item is not None and re.search(r"\[=(?:ordered )?(?:map|list|set|queue|stack)=\]", item.description)
    return item if is_collection else None


def written(context: Context, node: FlowNode) -> StateItem | None:
    """Return the state that an action writes."""
    match = _TARGET.search(node.text)
    if match is None:
        return None
    path = match[1] or match[2]
    terms = _TERM.findall(path)
    if terms:
        return context.knowledge.item(link_of(terms[-1]))
    top: Routine | None = node.routine
    while top is not None:
        for other in top.nodes:
            if path.strip("|") in phrases.let_variables(other.text):
                return _aliased(context, other)
        top = top.begun_at.routine if top.begun_at else None
    return None


def is_new(node: FlowNode) -> bool:
    """Return whether a step writes to an object that its own steps have made, so that no others know it yet."""
    if "deserialization steps" in readable(node.routine.algorithm.introduction):
        return True
    match = re.search(r"\b[Ss]et \|([^|]+)\|'s", node.text)
    made = (
        re.compile(rf"\b[Ll]et {re.escape(match[0][4:-2])} be (?:an? )?(?:new\b|\[=new=\]|\[=new\|)") if match else None
    )
    return made is not None and any(made.search(one.text) for one in node.routine.nodes)


def _written_state(context: Context) -> dict[tuple[str, str], set[str]]:
    """Return the strands on which each item of state is written after its owner was made."""
    found: dict[tuple[str, str], set[str]] = {}
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            if node.kind == "action" and _WRITE.search(node.text) and not node.begins and not is_new(node):
                item = written(context, node)
                if item is not None:
                    found.setdefault((item.owner, item.name), set()).add(routine.strand or "event loop")
    return found


def check_atomic(context: Context) -> Iterator[LintFinding]:
    """Find entries of shared maps that one step in parallel tests, and a later one removes."""
    for routine in context.knowledge.routines:
        # Steps that are kept as a value are run once, by whoever comes first.
        if (
            routine.strand != "parallel"
            or routine.kind == "steps"
            or any(_ONE_ACT.search(node.text) for node in routine.nodes)
        ):
            continue
        reported = False
        for node in routine.nodes:
            if reported or context.states.before(node) is None or node.condition is None:
                continue
            tested = [fact.subject for fact in node.condition.facts if fact.kind == "exists" and "[" in fact.subject]
            shared = [one for one in state_in(context, node) if not _ONE_ACT.search(one.description)]
            if not tested or not shared or any(_is_one_act(context, one) for one in shared):
                continue
            for other in nodes_behind(node):
                text = canonical(other.text)
                if other.step is not node.step and any(subject in text for subject in tested):
                    reported = True
                    item = shared[0]
                    yield at(
                        node,
                        "not-atomic",
                        f"an entry of the {item.name} is tested here and used in step {other.number}; "
                        "other steps in parallel can run in between",
                        "say that the test and the use are one act, or test and remove in one step",
                    )
                    break


def _is_one_act(context: Context, item: StateItem) -> bool:
    """Return whether the definition of state says that steps on it do not interleave."""
    return any(one.line == item.line and _ONE_ACT.search(one.paragraph) for one in context.text.definitions)
