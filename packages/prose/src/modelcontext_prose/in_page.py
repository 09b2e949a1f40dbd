"""The compiler's side of the playground: steps that a person changes in the page, and the text that then runs.

The page keeps the changes and gives all of them with each question, since its Python can end at any time. User input never
raises here: a result with ``error`` says what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from modelcontext.spec.revisions.registry import CURRENT, REVISIONS, StandIn
from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.editing import EditedText, EditError, StepName, shown_words
from modelcontext_prose.other_text import OtherText


class EditedPage:
    """The text of a page: its source, and the changes by which programs run now."""

    def __init__(self, content: str) -> None:
        self._text = OtherText(content, CURRENT.text)
        self._edited = EditedText(self._text)
        self._unchanged: Mapping[str, StandIn] = REVISIONS.stand_ins
        self._used: Mapping[StepName, str] = {}
        self._shown: list[dict[str, str]] = []

    def source(self, algorithm: str, step: str) -> str:
        """Return the words of a step as the source has them, as JSON."""
        try:
            return json.dumps({"words": self._edited.words((algorithm, step))})
        except (EditError, SpecificationError) as error:
            return json.dumps(_error(error))

    def prepare(self) -> None:
        """Compile the text, so that its first change takes less time."""
        try:
            self._text.revision()
        except SpecificationError:
            # The first change tells it.
            return

    def use(self, changes: str) -> str:
        """Let the text with some changes stand in for the current one; return JSON with the words that a reader then sees.

        Args:
            changes: a list in JSON of objects with the keys ``algorithm``, ``step`` and ``words``; the last one is the
                newest. If one is refused, the text stays as it was.
        """
        wanted = {(one["algorithm"], one["step"]): one["words"] for one in json.loads(changes)}
        if wanted != self._used:
            try:
                text = self._edited.changed(wanted) if wanted else None
            except (EditError, SpecificationError) as error:
                return json.dumps(_error(error))
            self._used = wanted
            self._shown = []
            REVISIONS.stand_ins = self._unchanged
            if text is not None:
                REVISIONS.stand_ins = {**self._unchanged, CURRENT.name: text}
                self._shown = [
                    {"algorithm": step[0], "step": step[1], "words": shown_words(text, step)} for step in wanted
                ]
        return json.dumps({"steps": self._shown})


def _error(error: EditError | SpecificationError) -> dict[str, Any]:
    if isinstance(error, SpecificationError):
        return {"error": error.message, "line": 0, "column": 0}
    name = " ".join(error.step)
    return {"error": f"{name}: {error.message}", "line": error.line, "column": error.column}
