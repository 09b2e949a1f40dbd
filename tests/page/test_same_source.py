"""The algorithms are the same files in every host, and import no host."""

from __future__ import annotations

import ast
import io
import zipfile
from inspect import isfunction
from pathlib import Path

import pytest

from modelcontext.running.products.page import page_files
from modelcontext.running.serving import bundle
from modelcontext.spec import verbs as all_verbs
from modelcontext.spec.revisions.registry import REVISIONS
from modelcontext.spec.verbs import form_terms, form_verbs
from modelcontext.spec.verbs.verbs import Host

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "modelcontext"


@pytest.mark.parametrize("name", REVISIONS)
def test_page_and_simulated_browser_run_the_same_files(name: str) -> None:
    with zipfile.ZipFile(io.BytesIO(page_files(REVISIONS[name])["modelcontext.zip"])) as archive:
        in_page = {
            file: archive.read(file) for file in archive.namelist() if file.startswith("modelcontext/spec/revisions/")
        }
    here = [
        path
        for path in (PACKAGE / "spec" / "revisions").rglob("*")
        if path.suffix in (".py", ".webidl") or path.name == "definitions.json"
    ]
    assert in_page == {f"modelcontext/{path.relative_to(PACKAGE).as_posix()}": path.read_bytes() for path in here}


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports, and what it imports from them."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def test_no_file_of_a_revision_imports_a_host() -> None:
    for_all_hosts = {form_terms.__name__, form_verbs.__name__}
    for module in (all_verbs, form_terms, form_verbs):
        for_all_hosts |= {f"{module.__name__}.{name}" for name in vars(module) if not name.startswith("_")}
    from_hosts = {
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in (*(PACKAGE / "spec/revisions").rglob("*.py"), Path(form_terms.__file__))
        for name in imported(path) - for_all_hosts
        if name.startswith(("modelcontext.spec.verbs.", "modelcontext.hosts.", "js", "pyodide", "sys"))
    }
    assert from_hosts == set()


def test_every_method_of_a_host_is_a_verb_that_calls_it() -> None:
    methods = {name for name in vars(Host) if not name.startswith("_")}
    assert len(methods) >= 30
    called = {name: verb.__code__.co_names for name, verb in vars(all_verbs).items() if isfunction(verb)}
    assert methods == {name for name, names in called.items() if "_host" in names and name in names}


def test_archive_of_the_same_parts_has_the_same_bytes() -> None:
    assert bundle.archive(bundle.PLATFORM) == bundle.archive(bundle.PLATFORM)
    with pytest.raises(ValueError, match="has no part nowhere"):
        bundle.archive(["nowhere"])
