"""Small texts, and the Python that the compiler makes of them."""

from __future__ import annotations

from pathlib import Path

from modelcontext_prose.compiler import Compiled, compile_text

_TEXT = """<pre class=metadata>
Title: A text
Shortname: text
Level: none
Status: LD
Indent: 4
</pre>

{definitions}

{algorithms}
"""


def text_of(algorithms: str, definitions: str = "") -> str:
    """Return a text with some algorithms."""
    return _TEXT.format(definitions=definitions, algorithms=algorithms)


def compiled(algorithms: str, definitions: str = "") -> Compiled:
    """Compile the algorithms of a text."""
    return compile_text(text_of(algorithms, definitions), Path("text.bs"), "texts", {})


def algorithm(introduction: str, *steps: str) -> str:
    """Return an algorithm whose steps begin with their indents."""
    lines = [f"{' ' * (len(step) - len(step.lstrip()))}1. {step.lstrip()}" for step in steps]
    return "\n".join(["<div algorithm>", f"{introduction}:", "", *lines, "", "</div>", ""])


def code(introduction: str, *steps: str, others: str = "", definitions: str = "") -> str:
    """Return the body of the function of an algorithm, without its comments and blank lines."""
    found = compiled(algorithm(introduction, *steps) + others, definitions)
    function = found.files["algorithms"].partition("@algorithm(")[2].partition("\n@algorithm(")[0]
    lines = function.partition('"""')[2].partition('"""\n')[2]
    kept = [line[4:] for line in lines.splitlines() if line.strip() and not line.strip().startswith("#")]
    return "\n".join(kept)
