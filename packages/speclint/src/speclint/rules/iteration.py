"""The rule about collections that a loop over them changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding, at
from speclint.flow import phrases
from speclint.flow.conditions import canonical
from speclint.flow.graph import nodes_behind
from speclint.flow.values_of_variables import values_of
from speclint.text.markup import readable

if TYPE_CHECKING:
    from speclint.flow.graph import FlowNode, Routine

_PATH = r"(?:\|[^|]+\||\[=this=\])(?:'s \[=[^=]+=\])*"
_KEY = r"\[((?:\|[^|]+\||\"[^\"]*\")(?:'s \[=[^=]+=\])*)\](?!=)"
#: Words that change the members of a collection; each form has the collection, and the key if it names one.
_CHANGES = (
    re.compile(
        rf"(?:\[=(?:set|remove)=\]|\b(?:set|remove)) (?P<path>{_PATH}){_KEY}(?= to |[.,;]|$| and )", re.IGNORECASE
    ),
    re.compile(rf"(?:\[=(?:clear|empty)=\]|\b(?:clear|empty)) (?P<path>{_PATH})(?=[.,;]|$| and )", re.IGNORECASE),
    re.compile(
        r"(?:\[=(?:append|prepend|enqueue|push|insert|remove)=\]|\b(?:append|prepend|enqueue|push|insert|remove)) "
        rf"[^.]*? (?:to|onto|into|from) (?P<path>{_PATH})(?=[.,;]|$| and | before | after )",
        re.IGNORECASE,
    ),
    re.compile(rf"(?:\[=extend=\]|\bextend) (?P<path>{_PATH}) with ", re.IGNORECASE),
)


def check_changed_in_loop(context: Context) -> Iterator[LintFinding]:
    """Find collections that are changed in the body of a loop over them, and iterated further."""
    for routine in context.knowledge.routines:
        names = _names_of_state(routine)
        for head in routine.nodes:
            if head.kind != "loop" or head.step is None or context.states.before(head) is None:
                continue
            subject = canonical(phrases.loop_subject(head.text))
            if not re.fullmatch(_PATH, subject):
                continue
            whole = names.get(subject, subject)
            for node in _body(head):
                for path in _changed(node.text, head):
                    if names.get(path, path) == whole and head in nodes_behind(node):
                        yield at(
                            node,
                            "changed-in-loop",
                            f"{readable(path)} is changed here, but the loop of step {head.number} still iterates over it",
                            "loop over a clone or the keys, change it after the loop, or leave the loop here",
                        )


def _names_of_state(routine: Routine) -> dict[str, str]:
    """Return the state that each variable stands for which has one value only, and that is state."""
    return {name: value for name, value in values_of(routine.algorithm).items() if re.fullmatch(_PATH, value)}


def _body(head: FlowNode) -> Iterator[FlowNode]:
    """Yield the nodes of a loop's body, without the routines that it begins."""
    inside = {id(step) for step in head.step.walk()} if head.step else set()
    for node in head.routine.nodes:
        if node.kind == "action" and node.step is not None and id(node.step) in inside and not node.begins:
            yield node


def _changed(text: str, head: FlowNode) -> Iterator[str]:
    """Yield the collections whose members a text adds or removes; another value in an old place adds none."""
    text = canonical(text)
    is_map = "→" in head.text
    for form in _CHANGES:
        for match in form.finditer(text):
            is_set = re.match(r"(?:\[=)?set\b", match[0], re.IGNORECASE)
            if not is_set or (is_map and f"[|{head.binds[0]}|]" not in match[0]):
                yield match["path"]
