"""Rules about the effects of script in the middle of steps: state that it changes, and exceptions that it throws."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding, at
from speclint.flow.conditions import canonical
from speclint.flow.knowledge import SCRIPT
from speclint.rules.strands import is_caught_at
from speclint.text.markup import links

if TYPE_CHECKING:
    from speclint.flow.graph import FlowNode, Routine

_STATE = re.compile(r"(?:\|[^|]+\||\[=this=\])(?:'s? \[=[^=\]]+=\])+")
#: An operation of ECMAScript that can throw because it runs getters or methods: "[=ECMAScript/?=] [$Get$](…)".
_OPERATION = re.compile(r"(?:\[=(?:ECMAScript/)?\?(?:\|[^=\]]*)?=\]|(?<![\w=])\?) (?:\[\$|[A-Z]\w+\()")
_SETS = re.compile(rf"\b[Ss]et ({_STATE.pattern}) to\b")


def check_stale(context: Context) -> Iterator[LintFinding]:
    """Find state that was tested, and is set after script could change it."""
    reported: set[int] = set()
    running = algorithms_with_script(context)
    for routine in context.knowledge.routines:
        set_here = {match[1] for node in routine.nodes if (match := _SETS.search(canonical(node.text)))}
        for test in routine.nodes if set_here else ():
            if test.kind != "test" or context.states.before(test) is None:
                continue
            for subject in dict.fromkeys(one for one in _STATE.findall(canonical(test.text)) if one in set_here):
                for node, script in _set_after_script(context, test, subject, running):
                    if id(node) not in reported:
                        reported.add(id(node))
                        yield at(
                            node,
                            "stale-state",
                            f"this step sets a value that step {test.number} tested, but a script can change the value"
                            f" in step {script.number}",
                            "set the value before the script runs, or test the value again",
                        )


def algorithms_with_script(context: Context) -> set[str]:
    """Return the ids of the algorithms that run script on some way before they end."""
    found: set[str] = set()
    size = -1
    while size < len(found):
        size = len(found)
        found |= {
            builder.main.algorithm.id
            for builder in context.knowledge.builders.values()
            if any(runs_script(context, node, found) for node in builder.main.nodes)
        }
    return found


def runs_script(context: Context, node: FlowNode, running: set[str]) -> bool:
    """Return whether a node runs script: ``running`` are the algorithms that do so."""
    if node.begins or node.ends == "return":
        return False
    is_own = any(link.key in SCRIPT for link in links(node.text)) or _OPERATION.search(node.text) is not None
    return is_own or any(call.callee.id in running for call in context.knowledge.calls.get(id(node), []))


def _set_after_script(
    context: Context, test: FlowNode, subject: str, running: set[str]
) -> Iterator[tuple[FlowNode, FlowNode]]:
    """Yield the nodes that set tested state on ways on which script runs, with the node that runs it."""
    waiting: list[tuple[FlowNode, FlowNode | None]] = [(edge.target, None) for edge in test.edges]
    seen: set[tuple[int, bool]] = set()
    while waiting:
        node, script = waiting.pop()
        if (id(node), script is None) in seen or (node.kind == "test" and subject in canonical(node.text)):
            continue
        seen.add((id(node), script is None))
        if node.kind == "action" and (match := _SETS.search(canonical(node.text))) and match[1] == subject:
            if script is not None:
                yield node, script
            continue
        if script is None and node.kind == "action" and runs_script(context, node, running):
            script = node
        waiting += [(edge.target, script) for edge in node.edges]


def check_exceptions(context: Context) -> Iterator[LintFinding]:
    """Find calls of algorithms that throw in steps whose exceptions nobody catches."""
    throwing = {
        builder.main.algorithm.id
        for builder in context.knowledge.builders.values()
        if any(node.ends == "throw" for node in builder.main.nodes)
    }
    for routine in context.knowledge.routines:
        if not _is_left_alone(routine):
            continue
        for node in routine.nodes:
            for call in context.knowledge.calls.get(id(node), []):
                if call.callee.id in throwing and context.states.before(node) is not None and not is_caught_at(node):
                    yield at(
                        node,
                        "ignored-exception",
                        f"{call.callee.name} can throw, but nothing catches the exception here",
                        "say what happens in this case, for example in a step that begins with: If this throws an exception",
                    )


def _is_left_alone(routine: Routine) -> bool:
    """Return whether steps run without a caller that sees their exceptions."""
    return routine.kind in ("parallel", "task", "abort")
