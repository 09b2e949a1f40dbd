"""The comment tags: a closed vocabulary, counted, with ceilings that may only fall."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.specification.code.comments import TAG, PythonSource
from modelcontext.specification.text.algorithms import SpecificationError
from modelcontext.specification.text.problems import Place, Problem

if TYPE_CHECKING:
    from modelcontext.revisions.registry import RevisionFiles

TAGS = {
    "NON-SPEC": "what no specification says",
    "SPEC-BUG": "a defect of the text, which is issue n of it",
    "TODO-STEP": "a step that is not implemented",
    "HOST": "what is left to the host",
}


def check_tags(
    root: Path, sources: Iterable[PythonSource], issues: list[str], revision: RevisionFiles
) -> tuple[list[Problem], dict[str, int]]:
    """Return problems about the tags in ``sources``, and how often each tag occurs."""
    problems: list[Problem] = []
    counts: Counter[str] = Counter()
    text = revision.text.as_posix()
    for source in sources:
        path = source.path.relative_to(root)
        for line, name, number in _tags(source):
            place = Place(path, line)
            if name not in TAGS:
                known = ", ".join(f"{tag}(#n):" if tag == "SPEC-BUG" else f"{tag}:" for tag in TAGS)
                problems.append(
                    Problem("tags", place, f"the tag {name}: is none of {known}; use one of these, or none")
                )
                continue
            counts[name] += 1
            if name == "SPEC-BUG" and f"issue-{number}" not in issues:
                message = (
                    f"{text} has no issue-{number}" if number else f"it must name an issue of {text}: SPEC-BUG(#n):"
                )
                problems.append(Problem("tags", place, message))
            if name != "SPEC-BUG" and number:
                problems.append(Problem("tags", place, f"{name} takes no number"))
    problems += _check_ceilings(root, revision.ceilings, counts)
    return problems, {tag: counts[tag] for tag in TAGS}


def _tags(source: PythonSource) -> Iterator[tuple[int, str, str | None]]:
    for comment in source.comments:
        match = TAG.match(comment.text.lstrip("#").lstrip())
        if match:
            yield comment.line, match.group(1), match.group(2)


def _check_ceilings(root: Path, relative: Path, counts: Counter[str]) -> Iterator[Problem]:
    path = root / relative
    try:
        text = path.read_text(encoding="utf-8")
        ceilings = tomllib.loads(text)
    except FileNotFoundError:
        raise SpecificationError("the file that says how often each comment tag may occur is missing", path) from None
    except tomllib.TOMLDecodeError as error:
        raise SpecificationError(f"the file is no valid TOML: {error}", path) from None
    for tag in TAGS:
        ceiling, count = ceilings.get(tag, 0), counts[tag]
        if not isinstance(ceiling, int):
            raise SpecificationError(f"the ceiling of {tag} is no number", path)
        line = next((n for n, content in enumerate(text.splitlines(), start=1) if content.startswith(tag)), None)
        place = Place(relative, line)
        if count > ceiling:
            yield Problem(
                "tags", place, f"{tag} occurs {count} times, and {ceiling} is the most: resolve what you added"
            )
        elif count < ceiling:
            yield Problem(
                "tags", place, f"{tag} occurs only {count} times: lower the ceiling from {ceiling} to {count}"
            )
