"""A revision that runs, from the generated files of a text, in memory."""

from __future__ import annotations

import ast
import hashlib
import linecache
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from modelcontext.platform.webidl import idl
from modelcontext.spec import revisions
from modelcontext_prose.compiler import Compiled, compile_text

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision

_IMPORT: Final = re.compile(r"^from ([\w.]+)(?: import (\w+)$| import \($| import )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LinkedText:
    """A text as a revision, and what was compiled."""

    revision: Revision
    compiled: Compiled


def link_text(
    content: str,
    path: Path,
    marks: Mapping[tuple[str, str], tuple[str, ...]] | None = None,
    lines: Sequence[int] | None = None,
) -> LinkedText:
    """Return the revision of a text. Its modules can be imported from now on.

    Args:
        content: the source of the text.
        path: the path that names the text.
        marks: notes on steps, by algorithm and number.
        lines: the numbers in the file of the lines of the text, if they are not those of the text itself.

    Raises:
        TextError: if the text cannot be read.
    """
    lines = lines or range(1, len(content.splitlines()) + 1)
    digest = hashlib.sha256(f"{path}\n{lines}\n{content}".encode()).hexdigest()[:12]
    package = f"{revisions.__name__}.text_{digest}"
    return link(compile_text(content, path, package, marks or {}, lines=lines))


def link(compiled: Compiled) -> LinkedText:
    """Return the revision of a compiled text, whose package must not be in a folder."""
    definitions = definitions_of(compiled.program.text.source.idl)
    return LinkedText(link_files(compiled.package, compiled.files, definitions), compiled)


def link_files(package: str, texts: Mapping[str, str], definitions: idl.Definitions) -> Revision:
    """Return the revision of a package, which must not be in a folder, from the texts of its modules and its parsed IDL."""
    # Whoever has traced a text knows its functions: the same text has the same ones.
    if package not in sys.modules:
        _import(package, texts)
        made: Any = sys.modules[package]
        made.REVISION = replace(made.REVISION, parsed_idl=definitions)
    module: Any = sys.modules[package]
    revision: Revision = module.REVISION
    return revision


@cache
def definitions_of(own: str) -> idl.Definitions:
    """Return the IDL of a text together with the platform's."""
    platform = files("modelcontext.platform.webidl").joinpath("platform.webidl").read_text(encoding="utf-8")
    return idl.parse([platform, own])


def _import(package: str, texts: Mapping[str, str]) -> None:
    """Import a package that is in no folder.

    Algorithms of two sections can run each other, and then their modules import each other. Such a name is there when all
    modules are, which is before anything runs.
    """
    folder = Path(revisions.__path__[0], package.rpartition(".")[2])
    begun = {package}
    made: dict[str, ModuleType] = {}
    late: list[tuple[ModuleType, ast.ImportFrom]] = []

    def make(name: str, is_package: bool) -> None:
        short = "__init__" if is_package else name.rpartition(".")[2]
        begun.add(name)
        for needed in _needed(texts[short], package, texts):
            if needed not in begun:
                make(needed, is_package=False)
        module = ModuleType(name)
        filename = str(folder / f"{short}.py")
        module.__file__, module.__package__ = filename, package
        if is_package:
            module.__path__ = []
            for other, inner in made.items():
                setattr(module, other.rpartition(".")[2], inner)
        # What reads the source of a function finds it there.
        linecache.cache[filename] = (len(texts[short]), None, texts[short].splitlines(keepends=True), filename)
        sys.modules[name] = module
        tree = ast.parse(texts[short], filename)
        too_early = [one for one in tree.body if isinstance(one, ast.ImportFrom) and one.module in begun - made.keys()]
        late.extend((module, one) for one in too_early if one.module != package)
        tree.body = [one for one in tree.body if one not in too_early or one.module == package]
        exec(compile(tree, filename, "exec", dont_inherit=True), module.__dict__)
        made[name] = module

    sys.modules[package] = ModuleType(package)
    make(package, is_package=True)
    for module, one in late:
        for name in one.names:
            setattr(module, name.asname or name.name, getattr(sys.modules[str(one.module)], name.name))


def _needed(text: str, package: str, texts: Mapping[str, str]) -> list[str]:
    running = text.partition("\nif TYPE_CHECKING:\n")[0] if "\nif TYPE_CHECKING:\n" in text else text
    found = [match[1] for match in _IMPORT.finditer(running) if match[1].startswith(f"{package}.")]
    if f"from {package} import" in running:
        found += [f"{package}.{name}" for name in texts if name != "__init__"]
    return found
