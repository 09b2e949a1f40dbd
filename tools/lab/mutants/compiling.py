"""The compilation of a mutant, which keeps what it can from the unchanged text."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.spec import revisions
from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.compiler import Compiled, compile_text
from modelcontext_prose.linking import link
from modelcontext_prose.patches.language import parse_patch
from modelcontext_prose.patches.patching import with_patches
from speclint.text.text_error import TextError
from tools.lab.mutants.seen_code import seen_code

if TYPE_CHECKING:
    from collections.abc import Mapping

    from modelcontext.spec.revisions.revision import Revision
    from tools.lab.mutants.making import Mutant

#: The beginning of the names of packages, in no folder, for the texts.
_PACKAGE: Final = f"{revisions.__name__}.text"


@dataclass(frozen=True, slots=True)
class Refused:
    """The refusal of a text: its place in the unchanged text as ``line:column``, and the problem there."""

    place: str
    problem: str


class UnchangedText:
    """The text of which mutants are made, read and compiled."""

    def __init__(self, content: str, path: Path) -> None:
        self.path = path
        self._content = content
        self.compiled = compile_text(content, path, f"{_PACKAGE}_whole", {})

    def changed_by(self, mutant: Mutant) -> Refused | Compiled:
        """Compile a mutant."""
        patched = with_patches(self._content, self.path, [parse_patch(mutant.patch, Path(f"{mutant.name}.patch"))])
        package = f"{_PACKAGE}_{hashlib.sha256(patched.content.encode()).hexdigest()[:12]}"
        try:
            compiled = compile_text(patched.content, self.path, package, {})
        except (TextError, SpecificationError) as error:
            return Refused(f"{patched.lines[(error.line or 1) - 1]}:1", error.message)
        for one in compiled.program.refusals:
            place = f"{patched.lines[one.place.line - 1]}:{one.place.column}"
            return Refused(place, f"{one.algorithm} {one.step.number}: {one.message}")
        for algorithm, step in compiled.program.ambiguous:
            place = f"{patched.lines[step.place.line - 1]}:{step.place.column}"
            return Refused(place, f"{algorithm} {step.number} has two readings")
        return compiled

    def is_equivalent(self, compiled: Compiled) -> bool:
        """Return whether a compiled mutant does what the unchanged text does, if all assertions hold."""
        own = self.compiled
        texts = {name: text.replace(compiled.package, own.package) for name, text in compiled.files.items()}
        return texts.keys() == own.files.keys() and all(
            text == own.files[name] or seen_code(text) == self._seen[name] for name, text in texts.items()
        )

    @cached_property
    def _seen(self) -> Mapping[str, str]:
        return {name: seen_code(text) for name, text in self.compiled.files.items()}


@contextmanager
def linked(compiled: Compiled) -> Iterator[Revision]:
    """Link a compiled mutant, and forget its modules in the end."""
    try:
        yield link(compiled).revision
    finally:
        for name in [
            name for name in sys.modules if name.partition(f"{compiled.package}.")[0] in ("", compiled.package)
        ]:
            del sys.modules[name]
