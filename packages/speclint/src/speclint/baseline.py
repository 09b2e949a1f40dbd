"""Baselines: the findings of an earlier run, which a run leaves out."""

from __future__ import annotations

import json
import os.path
from collections import Counter
from typing import TYPE_CHECKING

from speclint.finding import LintFinding
from speclint.text.text_error import TextError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

#: The identity of a finding, without what changes with other steps.
Key = tuple[str, str, str]


class Baseline:
    """The findings of an earlier run, by file.

    If the baseline and the run have one text each, the names of the files do not matter: a text can move, and the baseline can
    be of the text at a commit.

    Args:
        known: how often each finding is there, by the name of the file.
        is_of_one_text: whether the run is over one text.
    """

    def __init__(self, known: Mapping[str, Counter[Key]], *, is_of_one_text: bool) -> None:
        self._known = known
        self._any = next(iter(known.values())) if is_of_one_text and len(known) == 1 else None
        self._used: dict[str, Counter[Key]] = {}

    def new(self, file: str, findings: Sequence[LintFinding]) -> list[LintFinding]:
        """Return the findings of a file that the baseline does not have; those that it has are taken out of it."""
        name = os.path.normpath(file)
        known = self._used[name] = self._any if self._any is not None else self._known.get(name, Counter())
        found = []
        for finding in findings:
            if known[finding.key]:
                known[finding.key] -= 1
            else:
                found.append(finding)
        return found

    @property
    def gone(self) -> int:
        """The number of findings of the baseline that the files of the run have no more."""
        return sum(sum(known.values()) for known in self._used.values())


def read_baseline(path: Path, *, is_of_one_text: bool) -> Baseline:
    """Return the baseline in the output of ``--json`` of an earlier run.

    Raises:
        TextError: if the file cannot be read, or has something else.
    """
    known: dict[str, Counter[Key]] = {}
    try:
        for one in json.loads(path.read_bytes())["findings"]:
            finding = LintFinding(one["rule"], 0, one["message"], "", one["algorithm"] or "", one["step"] or "")
            known.setdefault(os.path.normpath(one["file"]), Counter())[finding.key] += 1
    except OSError as error:
        raise TextError(f"the baseline cannot be read: {error.strerror}", path, environment=True) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        message = "this is no baseline: make one with --json, and write it to a file"
        raise TextError(message, path, environment=True) from None
    return Baseline(known, is_of_one_text=is_of_one_text)
