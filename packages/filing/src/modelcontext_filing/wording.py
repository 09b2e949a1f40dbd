"""Words of Issues and reports for readers of the published text, who know neither our text nor our numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

#: The name of the text that this repository has, for readers who have never seen it.
OUR_TEXT: Final = "the rewrite"
#: The project and its text, for the same readers, who may read the name of the project as that of the API.
PROJECT: Final = (
    "the project modelcontext, which has its own rewrite of the draft, and a program that executes the steps of both"
)
_ISSUE: Final = re.compile(r"\b(?:the )?[Ii]ssue (\d+)\b")
_ISSUES: Final = re.compile(r"\b(?:the )?[Ii]ssues (\d+) and (\d+)\b")
#: A link of Bikeshed to a section: its words.
_SECTION: Final = re.compile(r"\[\[#[\w-]+\|([^\]]+)\]\]")
#: A link of Bikeshed to a section of our text without words.
_OWN_SECTION: Final = re.compile(r"\[\[#([\w-]+)\]\]")
#: Our words, and those that stand for them. ``HERE`` is the text that decides.
_OWN_WORDS: Final = {
    "the published text's": "the draft's",
    "the published text": "the draft",
    "The published text": "The draft",
    "Here ": "{HERE}, ",
    "; here ": "; {here} ",
    "local entry": "entry in the local pending tool executions map",
    "local pending executions map": "local pending tool executions map",
    "pending execution": "pending tool execution",
    "these steps, and the steps that find a tool to execute,": "the steps of `getTools()` and `executeTool()`",
    " rejected here": " rejected {here}",
    "In this document ": "{HERE}, ",
    "This document leaves": "The change below leaves",
    "This document ": "{THIS} ",
    "this document's own": "that of the rewrite",
    "this document": "{this}",
    "for the steps above": "for steps of this specification",
    " The caller's traversable is an argument of the steps.": "",
    ", as the summary above says": "",
}


def titled(words: str, titles: Mapping[int, str]) -> str:
    """Return words with the titles of our Issues in place of their numbers."""

    def title(number: str) -> str:
        return f'"{titles.get(int(number), "another Issue")}"'

    text = _ISSUES.sub(lambda match: f"the Issues {title(match[1])} and {title(match[2])}", words)
    return _ISSUE.sub(lambda match: f"the Issue {title(match[1])}", text)


def as_filed(words: str, titles: Mapping[int, str], *, own: bool = False) -> str:
    """Return words for readers of the published text, which they call the draft.

    Args:
        words: the words of an Issue or of its dossier.
        titles: the titles of the Issues by their numbers.
        own: whether the words are about a section that the published text does not have.
    """
    text = _SECTION.sub(r"\1", titled(words, titles))
    text = _OWN_SECTION.sub(lambda match: f'the section "{_capital(match[1].replace("-", " "))}" of {OUR_TEXT}', text)
    here, this = (f"in {OUR_TEXT}", OUR_TEXT) if own else ("with the change below", "the change below")
    text = re.sub(r"(^|[.:] )the (?=Issues? )", r"\1The ", text)
    for ours, theirs in _OWN_WORDS.items():
        named = theirs.replace("{HERE}", _capital(here)).replace("{here}", here)
        text = text.replace(ours, named.replace("{THIS}", _capital(this)).replace("{this}", this))
    return text


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]
