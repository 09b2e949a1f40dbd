"""The comment tags: a closed vocabulary, with ceilings for their numbers that may only fall."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.spec.specification.code.comments import TAG, PythonSource
from modelcontext.spec.specification.text.algorithms import SpecificationError
from modelcontext.spec.specification.text.problems import Place, Problem

if TYPE_CHECKING:
    from modelcontext.spec.revisions.registry import RevisionFiles

#: A behavior that no specification describes, a defect of the text (which is its issue n), a step that is not implemented,
#: and a decision that is left to the host.
TAGS: Final = ("NON-SPEC", "SPEC-BUG", "TODO-STEP", "HOST")


def check_tags(
    root: Path, sources: Iterable[PythonSource], issues: list[str], revision: RevisionFiles
) -> tuple[list[Problem], dict[str, int]]:
    """Return the problems of the tags in ``sources``, and the number of each tag."""
    problems: list[Problem] = []
    counts: Counter[str] = Counter()
    text = revision.text.as_posix()
    for source in sources:
        path = source.path.relative_to(root)
        for comment in source.comments:
            match = TAG.match(comment.text.lstrip("#").lstrip())
            if match is None:
                continue
            name, number = match.groups()
            place = Place(path, comment.line)
            if name not in TAGS:
                known = ", ".join(f"{tag}(#n):" if tag == "SPEC-BUG" else f"{tag}:" for tag in TAGS)
                problems.append(Problem("tags", place, f"the tag {name}: is unknown: use one of {known}, or none"))
                continue
            counts[name] += 1
            if name == "SPEC-BUG" and f"issue-{number}" not in issues:
                problem = f"{text} has no issue-{number}" if number else "SPEC-BUG has no number"
                problems.append(Problem("tags", place, f"{problem}: name an issue of the text, as in SPEC-BUG(#n):"))
            if name != "SPEC-BUG" and number:
                problems.append(Problem("tags", place, f"{name} takes no number: remove it"))
    problems += _check_ceilings(root, revision.ceilings, counts)
    return problems, {tag: counts[tag] for tag in TAGS}


def _check_ceilings(root: Path, relative: Path, counts: Counter[str]) -> Iterator[Problem]:
    path = root / relative
    try:
        text = path.read_text(encoding="utf-8")
        ceilings = tomllib.loads(text)
    except FileNotFoundError:
        raise SpecificationError("the file with the ceiling of each comment tag is missing: add it", path) from None
    except tomllib.TOMLDecodeError as error:
        raise SpecificationError(f"the file is not valid TOML: {error}", path) from None
    for tag in TAGS:
        ceiling, count = ceilings.get(tag, 0), counts[tag]
        if not isinstance(ceiling, int):
            raise SpecificationError(f"the ceiling of {tag} is not a number: write one", path)
        line = next((n for n, content in enumerate(text.splitlines(), start=1) if content.startswith(tag)), None)
        place = Place(relative, line)
        if count > ceiling:
            yield Problem(
                "tags", place, f"{tag} occurs {count} times, but at most {ceiling} are allowed: resolve the new ones"
            )
        elif count < ceiling:
            yield Problem(
                "tags", place, f"{tag} occurs only {count} times: lower the ceiling from {ceiling} to {count}"
            )
