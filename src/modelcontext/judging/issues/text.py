"""The Issues of a text as it stands: number, words, and the steps that the code marks with their tags."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.ground.checkout import path_in
from modelcontext.ground.files import read_text
from modelcontext.spec.specification.code.comments import TAG, read_source

if TYPE_CHECKING:
    from modelcontext.spec.revisions.registry import RevisionFiles


@dataclass(frozen=True, slots=True)
class Issue:
    """An Issue of a text; ``steps`` are those with its tag in the code, as ``algorithm number``."""

    number: int
    words: str
    steps: tuple[str, ...]


def read_issues(root: Path, revision: RevisionFiles) -> list[Issue]:
    """Return the Issues of a revision's text, in the order of the text."""
    text = read_text(path_in(root, revision.text))
    steps = _tagged_steps(root, revision)
    return [
        Issue(int(number), _plain(words), tuple(dict.fromkeys(steps.get(number, ()))))
        for number, words in re.findall(r"<p class=issue id=issue-(\d+)>(.*?)</p>", text, re.DOTALL)
    ]


def _tagged_steps(root: Path, revision: RevisionFiles) -> Mapping[str, Sequence[str]]:
    """Return the steps that each Issue is about, by its number, from the tags in the code."""
    found: dict[str, list[str]] = {}
    for path in sorted(path_in(root, revision.package).glob("*.py")):
        source = read_source(path)
        for comment in source.comments:
            match = TAG.match(comment.text.lstrip("#").lstrip())
            if match is None or match[1] != "SPEC-BUG":
                continue
            for function in source.functions:
                steps = [step for step in function.steps if step.line <= comment.line]
                if function.line <= comment.line <= function.last_line and steps:
                    found.setdefault(match[2], []).append(f"{function.id} {steps[-1].number}")
    return found


def _plain(markup: str) -> str:
    """Return the words of Bikeshed markup."""
    text = re.sub(r"\[=(?:[^=|]*\|)?([^=|]*)=\]", lambda match: match[1].rpartition("/")[2], markup)
    text = re.sub(r"\{\{([^{}]*)\}\}", lambda match: f"`{match[1].rpartition('/')[2]}`", text)
    text = re.sub(r"\|([^|]+)\|", r"*\1*", text)
    text = re.sub(r"\[([^\[\]]+)\]\(#issue-\d+\)", r"\1", text)
    return " ".join(re.sub(r"<[^>]+>", "", text).split())
