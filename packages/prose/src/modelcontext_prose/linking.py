"""A revision that runs, from the generated files of a text, in memory."""

from __future__ import annotations

import hashlib
import linecache
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

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
    *,
    like: LinkedText | None = None,
) -> LinkedText:
    """Return the revision of a text. Its modules can be imported from now on.

    Args:
        content: the source of the text.
        path: the path that names the text.
        marks: notes on steps, by algorithm and number.
        lines: the numbers in the file of the lines of the text, if they are not those of the text itself.
        like: a linked text that differs little: what the two have in common is not read again.

    Raises:
        TextError: if the text cannot be read.
    """
    lines = lines or range(1, len(content.splitlines()) + 1)
    digest = hashlib.sha256(f"{path}\n{lines}\n{content}".encode()).hexdigest()[:12]
    package = f"{revisions.__name__}.text_{digest}"
    before = like.compiled if like is not None else None
    return link(compile_text(content, path, package, marks or {}, lines=lines, like=before))


def link(compiled: Compiled) -> LinkedText:
    """Return the revision of a compiled text, whose package must not be in a folder."""
    modules = _modules(compiled.package, compiled.files)
    revision: Revision = modules[compiled.package].REVISION
    platform = files("modelcontext.platform.webidl").joinpath("platform.webidl").read_text(encoding="utf-8")
    definitions = idl.parse([platform, compiled.program.text.source.idl])
    return LinkedText(replace(revision, parsed_idl=definitions), compiled)


def _modules(package: str, texts: Mapping[str, str]) -> dict[str, ModuleType]:
    """Return the modules of a package that is in no folder."""
    folder = Path(revisions.__path__[0], package.rpartition(".")[2])
    made: dict[str, ModuleType] = {}

    def make(name: str, is_package: bool) -> None:
        short = "__init__" if is_package else name.rpartition(".")[2]
        for needed in _needed(texts[short], package, texts):
            if needed not in made and needed != name:
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
        sys.modules[name] = made[name] = module
        exec(compile(texts[short], filename, "exec", dont_inherit=True), module.__dict__)

    sys.modules[package] = ModuleType(package)
    make(package, is_package=True)
    return made


def _needed(text: str, package: str, texts: Mapping[str, str]) -> list[str]:
    running = text.partition("\nif TYPE_CHECKING:\n")[0] if "\nif TYPE_CHECKING:\n" in text else text
    found = [match[1] for match in _IMPORT.finditer(running) if match[1].startswith(f"{package}.")]
    if f"from {package} import" in running:
        found += [f"{package}.{name}" for name in texts if name != "__init__"]
    return found
