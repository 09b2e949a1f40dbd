"""The project's files: the texts, the programs, the tests, the expectations, the findings.

They are in a checkout: the one that contains the working directory, else the one that this package is imported from. Without
a checkout they are the read-only copy that an installed package carries.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from modelcontext.ground.problems import UnavailableError

#: The folder of this package's code.
PACKAGE: Final = Path(__file__).resolve().parents[1]
#: The copy of the project's files in an installed package.
CARRIED: Final = PACKAGE / "project"
#: The corpus in a checkout. A folder that contains it is a checkout.
PROGRAMS: Final = Path("wpt_tests/programs")

#: The folder for what is made from the findings: the reports of defects.
MADE_FINDINGS: Final = Path("build/findings")

_SOURCE: Final = Path("src/modelcontext")
_BUILD: Final = Path("build")


def find_checkout(start: Path | None = None) -> Path | None:
    """Return the nearest checkout from a folder (the working directory) upwards; else this package's checkout, if any."""
    start = (start or Path.cwd()).resolve()
    return next(
        (folder for folder in (start, *start.parents, PACKAGE.parents[1]) if (folder / PROGRAMS).is_dir()), None
    )


def checkout_of_other_code() -> Path | None:
    """Return the checkout whose files are used, if it has code of its own that is not this package's, as a copy has."""
    folder = find_checkout()
    is_other = folder is not None and (folder / _SOURCE).is_dir() and (folder / _SOURCE).resolve() != PACKAGE
    return folder if is_other else None


def require_checkout(root: Path, purpose: str) -> None:
    """Make sure that ``root`` can be written to.

    Args:
        root: the root of the project's files.
        purpose: the beginning of the error's message, which says what would write.

    Raises:
        UnavailableError: if the root is the copy that this package carries.
    """
    if root == CARRIED:
        raise UnavailableError(
            f"{purpose} changes a checkout of this project, but this folder is not in a checkout",
            "change to a checkout",
        )


def project_root() -> Path:
    """Return the root of the project's files: a checkout, or the copy that this package carries."""
    return find_checkout() or CARRIED


def path_in(root: Path, path: Path) -> Path:
    """Return the place of a checkout's file below ``root``.

    The copy that a package carries has neither code nor built files: the code is the package itself, and built files go to
    the working directory.
    """
    if root == CARRIED and path.is_relative_to(_SOURCE):
        return root / ".." / path.relative_to(_SOURCE)
    if root == CARRIED and path.is_relative_to(_BUILD):
        return Path.cwd() / path
    return root / path


def npm_packages(root: Path, *names: str) -> list[Path]:
    """Return the folders of npm packages, in or above the checkout; without a checkout, in or above the working directory.

    Raises:
        UnavailableError: if a package is not installed; the remedy is a command.
    """
    start = Path.cwd() if root == CARRIED else root
    folders = [folder / "node_modules" for folder in (start, *start.parents)]
    found = {name: next((folder / name for folder in folders if (folder / name).is_dir()), None) for name in names}
    missing = [name for name, folder in found.items() if folder is None]
    if not missing:
        return [folder for folder in found.values() if folder is not None]
    install = "npm ci --ignore-scripts"
    if root == CARRIED:
        versions = json.loads((root / "package.json").read_text(encoding="utf-8"))["devDependencies"]
        install = " ".join(["npm install --ignore-scripts", *(f"{name}@{versions[name]}" for name in missing)])
    wanted = " and ".join(str(folders[0] / name) for name in missing)
    raise UnavailableError(f"{wanted} {'is' if len(missing) == 1 else 'are'} missing", f"run `{install}` in {start}")
