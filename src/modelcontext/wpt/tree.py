"""Where the files come from that the server answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from modelcontext.problems import UnavailableError
from modelcontext.revisions.registry import CURRENT, FILES

ASSETS = Path(__file__).parent / "assets"
# The hooks for whoever runs the tests: every runner replaces them, whatever else is the checkout's.
HOOKS = {path: ASSETS / path[1:] for path in ("/resources/testharnessreport.js", "/resources/testdriver-vendor.js")}
TESTDRIVER = "/resources/testdriver.js"
HARNESS = "resources/testharness.js"

TESTHARNESS = {
    "/resources/testharness.js": "wpt-runner/testharness/testharness.js",
    "/resources/idlharness.js": "wpt-runner/testharness/idlharness.js",
    "/resources/WebIDLParser.js": "wpt-runner/testharness/webidl2/lib/webidl2.js",
}


@dataclass(frozen=True)
class Tree:
    """The root folder of the tests, and the files and folders that are laid over it, by path."""

    root: Path
    files: Mapping[str, Path]
    folders: Mapping[str, Path]

    def with_folders(self, folders: Mapping[str, Path]) -> Tree:
        """The same tree, with more folders laid over it."""
        return Tree(self.root, self.files, {**self.folders, **folders})

    def find(self, path: str) -> Path | None:
        """The file that the path of a URL means, or ``None``; never one outside of the tree."""
        parts = PurePosixPath(path).parts[1:]
        if ".." in parts or "\0" in path:
            return None
        if path in self.files:
            return self.files[path]
        for prefix, folder in self.folders.items():
            if path.startswith(prefix) and (found := folder / path.removeprefix(prefix)).is_file():
                return found
        found = self.root.joinpath(*parts)
        return found if found.is_file() else None


def checkout_tree(checkout: Path, revision: str = CURRENT.name) -> Tree:
    """The tree of this project's own checkout, with the IDL of that revision.

    Raises :class:`UnavailableError` if the npm packages are missing.
    """
    packages = checkout / "node_modules"
    files = {path: packages / source for path, source in TESTHARNESS.items()}
    missing = [source for source in files.values() if not source.is_file()]
    if missing:
        raise UnavailableError(f"{missing[0]} is missing", f"run `npm ci --ignore-scripts` in {checkout}")
    files |= HOOKS | {TESTDRIVER: ASSETS / TESTDRIVER[1:]}
    # The text that is tested here comes before the published extract of that name.
    files["/interfaces/webmcp.idl"] = FILES[revision].installed / FILES[revision].idl.name
    folders = {"/common/": ASSETS / "common", "/interfaces/": packages / "@webref/idl"}
    return Tree(checkout / "wpt_tests", files, folders)


def foreign_tree(root: Path) -> Tree:
    """The tree of a checkout of web-platform-tests, with everything as it is there.

    Raises :class:`UnavailableError` if there is no testharness.js, without which every test would wait in vain.
    """
    if (root / HARNESS).is_file():
        return Tree(root, HOOKS, {})
    above = next((folder for folder in root.resolve().parents if (folder / HARNESS).is_file()), None)
    remedy = "name the top folder of a checkout of web-platform-tests; a sparse one needs resources and common, too"
    raise UnavailableError(f"{root} has no {HARNESS}", f"name {above} instead" if above is not None else remedy)
