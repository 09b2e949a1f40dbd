"""The Python side of the page: one run of a text as plain data, and the outcomes that it may have.

User input never raises here: a result with ``error`` says what is wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from modelcontext.hosts.scripting.interfaces import use_definitions
from modelcontext.people.playground.programs import outcomes_of_program, run_program, story_of_program
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.people.playground.javascript_pages import JavaScriptPages
    from modelcontext.spec.revisions.revision import Revision

#: The language of texts that are programs; the others are those of :mod:`modelcontext.people.playground.javascript_pages`.
PROGRAM: Final = "program"
#: The file, beside this one in a page, with the parsed IDL of the platform of scripts, and the names of other texts.
PREPARED: Final = "prepared.json"

_scripts: JavaScriptPages | None = None


def _prepare() -> None:
    """Load the parsed IDL and run a program, so that the snapshot of a page's memory has what every run needs."""
    prepared = json.loads(files("modelcontext.people.playground").joinpath(PREPARED).read_bytes())
    use_definitions(prepared["platform"])
    REVISIONS.stand_ins = {name: _PackagedText(other) for name, other in prepared["stand-ins"].items()}
    for name in REVISIONS:
        run(f'title = "t"\nrevision = "{name}"\n[[script.top]]\ndo = "log"\nvalue = 1', [])


class _PackagedText:
    """A text that stands in for a revision, whose package is among the revisions of this Python."""

    def __init__(self, name: str) -> None:
        self.words = self._name = name
        self.content = ""

    def revision(self) -> Revision:
        """Return the revision of the text."""
        return REVISIONS.own(self._name)

    def files(self) -> Mapping[str, bytes]:
        """Return nothing: no other Python needs them from here."""
        return {}

    def algorithms(self) -> Sequence[object]:
        """Return nothing: the page has the built text."""
        return ()


def use_scripts(scripts: JavaScriptPages) -> None:
    """Let texts in JavaScript run; without it only programs do."""
    global _scripts
    _scripts = scripts


def run(text: str, schedule: Sequence[int], language: str = PROGRAM, place: str = "") -> str:
    """Run a text under one schedule; return JSON.

    Args:
        text: a program, a page, a script or a test.
        schedule: the answers to the first free choices; the others are first in, first out.
        language: "program", or one of :data:`modelcontext.people.playground.javascript_pages.LANGUAGES`.
        place: the path of the test in whose place a test is; "" for none.
    """
    if language == PROGRAM:
        return json.dumps(run_program(text, schedule))
    assert _scripts is not None
    return json.dumps(_scripts.run(language, place, text, list(schedule)))


def outcomes(text: str, language: str = PROGRAM, place: str = "") -> str:
    """Return the outcomes of a text as JSON, each with a schedule that shows it; the arguments are those of :func:`run`."""
    if language == PROGRAM:
        return json.dumps(outcomes_of_program(text))
    assert _scripts is not None
    return json.dumps(_scripts.outcomes(language, place, text))


def story(text: str, key: str, language: str = PROGRAM, place: str = "") -> str:
    """Return how a program comes to the outcome of a key, as JSON; what is no program has no such story."""
    del language, place
    return json.dumps(story_of_program(text, key))


if sys.platform == "emscripten":
    _prepare()
