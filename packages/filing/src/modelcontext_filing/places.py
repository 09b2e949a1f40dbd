"""Places in the published text, as links that readers of that text know."""

from __future__ import annotations

from typing import Final

#: The published text.
PUBLISHED: Final = "https://webmachinelearning.github.io/webmcp/"
#: The discussions of the published text, without the number.
THREADS: Final = "https://github.com/webmachinelearning/webmcp/issues/"
#: The methods by the ids of their algorithms.
_METHODS: Final = {
    "dom-modelcontext-registertool": "registerTool()",
    "dom-modelcontext-unregistertool": "unregisterTool()",
    "dom-modelcontext-gettools": "getTools()",
    "dom-modelcontext-executetool": "executeTool()",
}


def published_url(step: str) -> str:
    """Return the URL of the algorithm of a step of the published text, given as ``algorithm number`` or as its id alone."""
    return f"{PUBLISHED}#{step.partition(' ')[0]}"


def published_link(step: str) -> str:
    """Return the link to an algorithm of the published text, given as ``algorithm number`` or as its id alone."""
    algorithm, _, number = step.partition(" ")
    name = _METHODS.get(algorithm, algorithm.replace("-", " ").removeprefix("model context "))
    return f"[{name}]({published_url(step)})" + (f", step {number}" if number else "")
