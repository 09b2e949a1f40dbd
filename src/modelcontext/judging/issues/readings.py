"""Other readings of the text: the revisions of the text as patches change it.

The compiler of prose makes them. It is a distribution of its own, which an entry point finds.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from modelcontext.ground.checkout import path_in, project_root
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.revisions.registry import CURRENT, PatchedText, from_the_compiler
from modelcontext.spec.weaving.relinking import InsteadOf, relinked

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision


@cache
def revision_with(*patches: str, without: tuple[str, ...] = ()) -> Revision:
    """Return the current revision as patches change its text, without what some algorithms do in parallel.

    Args:
        patches: patches in the language of patches; none counts the steps of another one.
        without: the ids of these algorithms.

    Raises:
        ModuleNotFoundError: if there are patches, and the compiler is not installed.
        SpecificationError: if a patch is none, or does not fit the text.
    """
    revision: Revision = patched_text(*patches).revision() if patches else REVISION
    return relinked(revision, [InsteadOf("in_parallel", _nothing, without)]) if without else revision


def _nothing(go_on: object, steps: object) -> None:
    """Run no steps in parallel."""


def patched_text(*patches: str) -> PatchedText:
    """Return the current text as patches change it; the errors are those of :func:`revision_with`."""
    text: PatchedText = from_the_compiler("patch")(path_in(project_root(), CURRENT.text), patches)
    return text
