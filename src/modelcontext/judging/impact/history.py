"""The history of a text in a git repository."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from modelcontext.ground.problems import UserError


class HistoryError(UserError):
    """The history of a text cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that changed a text: its short id, its date and title, and the text before and after it.

    ``before`` is None if the commit added the text.
    """

    id: str
    date: str
    title: str
    before: str | None
    after: str


def read_history(repository: Path, text: Path, last: int, between: str = "HEAD") -> list[Commit]:
    """Return the last commits that changed a text, the newest first.

    Args:
        repository: a folder in the repository, which may be a bare one.
        text: the path of the text, relative to that folder.
        last: the number of commits.
        between: the commits to look at, as git names a range: ``main~9..main``.

    Raises:
        HistoryError: if git is missing, the folder is in no repository, or no commit has the text.
    """
    options = (f"--max-count={last}", "--no-merges", "--format=%h%x09%as%x09%s")
    lines = _git(repository, "log", *options, "--end-of-options", between, "--", text.as_posix()).splitlines()
    # In a bare repository no path is relative to a folder.
    place = "" if _git(repository, "rev-parse", "--is-bare-repository").strip() == "true" else "./"
    commits = []
    for line in lines:
        id_, date, title = line.split("\t", 2)
        after = _content(repository, f"{id_}:{place}{text.as_posix()}")
        if after is not None:
            before = _content(repository, f"{id_}^:{place}{text.as_posix()}")
            commits.append(Commit(id_, date, title, before, after))
    if not commits:
        raise HistoryError(
            f"{repository}: no commit of {between} has {text}: name the path of the text in the repository"
        )
    return commits


def committed(text: Path) -> str:
    """Return a text as the last commit has it.

    Raises:
        HistoryError: if git is missing, the file is in no repository, or no commit has it.
    """
    return _git(text.parent, "show", f"HEAD:./{text.name}")


def _content(repository: Path, name: str) -> str | None:
    try:
        return _git(repository, "show", "--end-of-options", name)
    except HistoryError:
        return None


def _git(repository: Path, *arguments: str) -> str:
    # A hook's GIT_DIR would make git answer for another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        process = subprocess.run(
            ["git", "-C", str(repository), *arguments], capture_output=True, check=False, env=environment
        )
    except OSError as error:
        raise HistoryError(f"git cannot be run: {error.strerror}; install it") from None
    if process.returncode != 0:
        reason = process.stderr.decode("utf-8", "replace").strip().splitlines() or ["git failed"]
        raise HistoryError(f"{repository}: {reason[-1].removeprefix('fatal: ')}")
    return process.stdout.decode("utf-8", "replace")
