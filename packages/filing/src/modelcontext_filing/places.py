"""Places in the published text, as links that readers of that text know."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.specification.text.algorithms import load_algorithms
from modelcontext.spec.specification.text.published import published_step

#: The published text.
PUBLISHED: Final = "https://webmachinelearning.github.io/webmcp/"
#: The published text of March 2026, which Firefox implements.
MARCH: Final = "https://github.com/webmachinelearning/webmcp/blob/fe84c67/index.bs"
#: The discussions of the published text, without the number.
THREADS: Final = "https://github.com/webmachinelearning/webmcp/issues/"
#: The methods by the ids of their algorithms.
_METHODS: Final = {
    "dom-modelcontext-registertool": "registerTool()",
    "dom-modelcontext-unregistertool": "unregisterTool()",
    "dom-modelcontext-gettools": "getTools()",
    "dom-modelcontext-executetool": "executeTool()",
    "dom-document-modelcontext": "modelContext",
}
#: The section about forms, in which the published text has no steps yet.
DECLARATIVE: Final = "declarative-api"
#: The two algorithms of this section, which only say TODO, by the algorithms of our text that have their parts.
_TODO: Final = {
    "synthesize-a-declarative-json-schema-object-algorithm": (
        *("determine-the-parameter-kind", "collect-the-parameters", "synthesize-a-declarative-json-schema-object"),
        *("synthesize-a-parameter-schema", "collect-the-choices", "synthesize-a-schema-of-choices"),
        *("synthesize-a-numeric-schema", "determine-the-value-pattern", "determine-the-time-precision"),
        *("describe-a-parameter", "collect-the-label-text"),
    ),
    "declarative-execute-steps": (
        *("declarative-execute-steps", "validate-the-input-of-a-form", "convert-an-argument", "take-a-string"),
        *("convert-a-list-of-choices", "convert-a-value-to-a-string", "convert-a-value-to-a-checkedness"),
        *("perform-an-assignment", "end-the-execution-of-a-form", "interrupt-the-execution-of-a-form"),
        *("begin-the-submission-of-an-agent", "process-a-submit-event", "serialize-a-response"),
    ),
}
#: The ids of what the published text leaves to be written.
TODO: Final = (DECLARATIVE, *_TODO)
#: The numbers of steps of March 2026 in the published text of that time, where they are not those of our text.
_MARCH: Final = {
    "dom-modelcontext-registertool 5": "4",
    "dom-modelcontext-registertool 7.1": "6",
    "dom-modelcontext-registertool 11": "9",
}
#: The section about executions. It has the steps of the cleanup, which have no id.
_CLEANUP: Final = "pending-tool-executions"
#: The sections of the published text without steps of their own, by their ids, and their titles.
SECTIONS: Final = {
    DECLARATIVE: "Declarative WebMCP",
    "event-loop": "Event loop integration",
    "events": "Events",
    "mitigation-consequential-annotation": "Consequential Annotation for Tool Executions",
    "mitigation-restrict-input-lengths": "Restricting maximum input lengths",
    "mitigation-untrusted-annotation": "Untrusted Annotation for Tool Responses",
    "model-context-container": "ModelContext Interface",
    "model-context-tool": "ModelContextTool Dictionary",
    "observations": "Page observations",
    _CLEANUP: "Pending tool executions",
    "permissions-policy": "Permissions policy integration",
    "registered-tool": "RegisteredTool Dictionary",
    "supporting-concepts": "Supporting concepts",
    "terminology": "Terminology",
    "tool-activated-event": "ToolActivatedEvent Interface",
    "tool-cancel-event": "ToolCancelEvent Interface",
}
#: The ids at which readers find algorithms that have no id of their own.
_ANCHORS: Final = {"unloading-document-cleanup-steps": _CLEANUP}
#: The places of algorithms of which the published text has no step.
_WITHOUT_STEPS: Final = {
    "valid-tool-name": "model-context-tool",
    "dom-modelcontext-unregistertool": "model-context-container",
}


@dataclass(frozen=True, slots=True)
class PublishedPlace:
    """A place in the published text.

    Attributes:
        anchor: the id of the algorithm or section; the published text has it.
        words: the place in words, as Markdown with a link.
        is_step: whether the published text has the step itself, or the section has the rule.
    """

    anchor: str
    words: str
    is_step: bool = False

    @property
    def url(self) -> str:
        """The URL of the place."""
        return f"{PUBLISHED}#{self.anchor}"


def section(anchor: str, *, is_meant: bool = False) -> PublishedPlace:
    """Return the place of a section, one of :data:`SECTIONS`; it is the place itself if it ``is_meant``."""
    return PublishedPlace(anchor, f'section "[{SECTIONS[anchor]}]({PUBLISHED}#{anchor})"', is_meant)


def place_of(revision: str, step: str) -> PublishedPlace:
    """Return the place of a step, given as ``algorithm number``: the step itself, the nearest one, or the section.

    Args:
        revision: the name of the revision that has the step.
        step: the step; or the id of a section that has a rule without steps.
    """
    if step in SECTIONS:
        return section(step, is_meant=True)
    algorithm, _, number = step.partition(" ")
    if revision != CURRENT.name:
        # The text of an earlier revision has no URL any more.
        method = _METHODS.get(algorithm, algorithm)
        return PublishedPlace(_WITHOUT_STEPS.get(algorithm, algorithm), f"{method}, step {_MARCH.get(step, number)}")
    if (published := published_step(revision, step)) is not None:
        return _at("step", published, is_step=True)
    numbers = [one.number for found in load_algorithms() if found.id == algorithm for one in found.steps]
    known = [published_step(revision, f"{algorithm} {one}") for one in numbers]
    here = numbers.index(number) if number in numbers else 0
    for index in range(here - 1, -1, -1):
        if (above := known[index]) is not None:
            return _at("in step" if number.startswith(f"{numbers[index]}.") else "after step", above)
    below = next((one for one in known[here:] if one is not None), None)
    if below is not None:
        return _at("before step", below)
    for anchor, parts in _TODO.items():
        if algorithm in parts:
            name = anchor.replace("-", " ").replace("json schema", "JSON Schema")
            return PublishedPlace(anchor, f"[{name}]({PUBLISHED}#{anchor})")
    return section(_WITHOUT_STEPS.get(algorithm, DECLARATIVE))


def _at(relation: str, published: str, *, is_step: bool = False) -> PublishedPlace:
    algorithm, _, number = published.partition(" ")
    anchor = _ANCHORS.get(algorithm, algorithm)
    name = _METHODS.get(algorithm, algorithm.replace("-", " ").removeprefix("model context "))
    return PublishedPlace(anchor, f"[{name}]({PUBLISHED}#{anchor}), {relation} {_in_words(number)}", is_step)


def _in_words(number: str) -> str:
    """Return the number of a step without letters: an item of a list within a step has no number in the published text."""
    said = re.sub(r"\.([a-z])\b", lambda match: f", item {ord(match[1]) - ord('a') + 1}", number)
    return re.sub(r"(item \d+)\.(?=\d)", r"\1, step ", said)
