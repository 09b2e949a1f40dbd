"""The project's files: the texts, the programs, the tests, the expectations, the findings.

They stand in a checkout: the one that the working directory is in, else the one that this package is imported from. Without a
checkout they are the copy that an installed package carries, which is only read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from modelcontext.problems import UnavailableError

#: The folder of this package's code.
PACKAGE: Final = Path(__file__).resolve().parent
#: The copy of the project's files in an installed package.
CARRIED: Final = PACKAGE / "project"
#: The corpus in a checkout. A folder that has it is one.
PROGRAMS: Final = Path("wpt_tests/programs")

_SOURCE: Final = Path("src/modelcontext")
_BUILD: Final = Path("build")


def find_checkout(start: Path | None = None) -> Path | None:
    """Return the nearest checkout from a folder (the working directory) upwards; else the one of this package, if any."""
    start = (start or Path.cwd()).resolve()
    return next((folder for folder in (start, *start.parents, PACKAGE.parents[1]) if _is_checkout(folder)), None)


def require_checkout(purpose: str) -> Path:
    """Return the checkout to write to.

    Raises:
        UnavailableError: if there is none; ``purpose`` begins the message.
    """
    checkout = find_checkout()
    if checkout is None:
        raise UnavailableError(f"{purpose} changes a checkout of this project, and there is none here", "change to one")
    return checkout


def project_root() -> Path:
    """Return the root of the project's files: a checkout, or the copy that this package carries."""
    return find_checkout() or CARRIED


def path_in(root: Path, path: Path) -> Path:
    """Return where the path of a checkout is.

    The copy that a package carries has neither code nor built files: the code is that of the package, and what is built goes
    to the working directory.
    """
    if root == CARRIED and path.is_relative_to(_SOURCE):
        return root / ".." / path.relative_to(_SOURCE)
    if root == CARRIED and path.is_relative_to(_BUILD):
        return Path.cwd() / path
    return root / path


def npm_packages(root: Path, *names: str) -> list[Path]:
    """Return the folders of npm packages: those of a checkout, or what is installed at the working directory or above it.

    Raises:
        UnavailableError: if one is not installed; the remedy is a command.
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


def _is_checkout(folder: Path) -> bool:
    return (folder / PROGRAMS).is_dir()
