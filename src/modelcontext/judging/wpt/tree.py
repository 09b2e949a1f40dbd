"""The files that the server serves."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from modelcontext.ground.checkout import npm_packages
from modelcontext.ground.problems import UnavailableError
from modelcontext.spec.revisions.registry import CURRENT, FILES

ASSETS = Path(__file__).parent / "assets"
# The hooks for runners: each runner has its own, also in a checkout of web-platform-tests.
HOOKS = {path: ASSETS / path[1:] for path in ("/resources/testharnessreport.js", "/resources/testdriver-vendor.js")}
TESTDRIVER = "/resources/testdriver.js"
HARNESS = "resources/testharness.js"
#: The page that the tests of findings open: it stands two folders above each.
DOCUMENT_OF_FINDINGS = "reproducer-document.html"

# Files of the npm package wpt-runner.
TESTHARNESS = {
    "/resources/testharness.js": "testharness/testharness.js",
    "/resources/idlharness.js": "testharness/idlharness.js",
    "/resources/WebIDLParser.js": "testharness/webidl2/lib/webidl2.js",
}


@dataclass(frozen=True)
class Tree:
    """The root folder of the tests, and the files and folders that override it, by path."""

    root: Path
    files: Mapping[str, Path]
    folders: Mapping[str, Path]

    def with_folders(self, folders: Mapping[str, Path]) -> Tree:
        """Return the same tree with more folders that override it."""
        return Tree(self.root, self.files, {**self.folders, **folders})

    def find(self, path: str) -> Path | None:
        """Return the file for the path of a URL, or ``None``; never a file outside of the tree."""
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
    """Return the tree of this project's own checkout, with the IDL of that revision.

    Raises:
        UnavailableError: if the npm packages are missing.
    """
    runner, idl = npm_packages(checkout, "wpt-runner", "@webref/idl")
    files = {path: runner / source for path, source in TESTHARNESS.items()}
    files |= HOOKS | {TESTDRIVER: ASSETS / TESTDRIVER[1:]}
    # The revision's own IDL overrides the published extract of that name.
    files["/interfaces/webmcp.idl"] = FILES[revision].installed / FILES[revision].idl.name
    folders = {"/common/": ASSETS / "common", "/interfaces/": idl}
    return Tree(checkout / "wpt_tests", files, folders)


def tree_around(tree: Tree, paths: Sequence[str]) -> Tree:
    """Return the tree in which paths lie: the given one, or else one with the same resources around files elsewhere.

    Files below the working directory have URLs below it, and others below the folder that holds them all, with the page that
    tests of findings need.

    Raises:
        UnavailableError: if only some of the paths lie outside of the given tree.
    """
    here = {path: Path(os.path.realpath(path)) for path in paths if os.path.exists(path)}
    outside = {path: where for path, where in here.items() if not where.is_relative_to(tree.root.resolve())}
    if not outside:
        return tree
    if len(outside) < len(paths):
        inside = next(path for path in paths if path not in outside)
        reason = f"{inside} is in {tree.root}, but {next(iter(outside))} is not"
        raise UnavailableError(reason, "run the tests of each folder with a separate command")
    folders = [where if where.is_dir() else where.parent for where in outside.values()]
    working = Path.cwd()
    if all(folder.is_relative_to(working) for folder in folders):
        return replace(tree, root=working)
    top = Path(os.path.commonpath(folders))
    above = (folder for folder in (top, *top.parents[:2]) if (folder / DOCUMENT_OF_FINDINGS).is_file())
    return replace(tree, root=next(above, top))


def foreign_tree(root: Path) -> Tree:
    """Return the tree of a checkout of web-platform-tests, with only the runner's hooks replaced.

    Raises:
        UnavailableError: if there is no testharness.js, without which every test would wait in vain.
    """
    if (root / HARNESS).is_file():
        return Tree(root, HOOKS, {})
    above = next((folder for folder in root.resolve().parents if (folder / HARNESS).is_file()), None)
    remedy = "name the top folder of a checkout of web-platform-tests; a sparse one must have resources and common"
    raise UnavailableError(f"{root} has no {HARNESS}", f"name {above} instead" if above is not None else remedy)
