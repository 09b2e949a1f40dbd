"""Committed files that are made from a text, compared with fresh ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import path_in
from modelcontext.spec.specification.text.problems import Place, Problem

if TYPE_CHECKING:
    from modelcontext.spec.specification.text.locations import SourceLines

_DIFF_LINES: Final = 12


def check_committed(
    root: Path, files: Mapping[Path, str], text: SourceLines, check: str, verb: str
) -> Iterator[Problem]:
    """Yield a problem for each file of the checkout ``root`` that differs from its fresh content.

    ``check`` names the comparison, and ``verb`` the command that writes the files.
    """
    for path, fresh in files.items():
        try:
            committed = path_in(root, path).read_text(encoding="utf-8")
        except FileNotFoundError:
            yield Problem(check, Place(path), f"the file is missing: run `{verb}`")
            continue
        if committed == fresh:
            continue
        old, new = committed.splitlines(), fresh.splitlines()
        same = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        origin = text.find_line(new[same]) if same < len(new) and path.suffix == ".webidl" else None
        lines = list(unified_diff(old, new, lineterm="", n=0))[2:]
        if len(lines) > _DIFF_LINES:
            lines = [*lines[:_DIFF_LINES], f"… {len(lines) - _DIFF_LINES} more lines"]
        message = f"the file differs from {text.name}: run `{verb}` and look at the changes"
        yield Problem(check, Place(path, same + 1), message, text=origin, details=tuple(lines))
