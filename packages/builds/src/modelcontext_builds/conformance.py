"""The programs and products of ``modelcontext conformance --builds``, each build with those that its text knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from modelcontext.judging.conformance.corpus import Case
from modelcontext.running.products.registry import make_product
from modelcontext.spec.revisions.registry import CURRENT, FILES
from modelcontext_builds.adapting import under_revision
from modelcontext_builds.build import installed

#: The browsers of this machine, beside the builds in the cache.
OTHERS: Final = ("chromium", "firefox", "lightpanda")

Corpora = Mapping[Path, Sequence[Case]]


def products_of_builds() -> tuple[str, ...]:
    """Return the names of the products, builds of Chromium first."""
    return (*(build.name for build in installed()), *OTHERS)


def with_other_revisions(corpora: Corpora) -> Corpora:
    """Return the corpora, each with the programs of other revisions that make sense in it, under the name of theirs."""
    every = [case for cases in corpora.values() for case in cases]
    return {folder: [*cases, *_adapted(every, revision_of(folder))] for folder, cases in corpora.items()}


def revision_of(folder: Path) -> str:
    """Return the revision whose programs a folder has."""
    return next(name for name, files in FILES.items() if files.programs.name == folder.name)


def _adapted(cases: Sequence[Case], revision: str) -> Iterator[Case]:
    for case in cases:
        own = case.program.revision
        if own != revision and (program := under_revision(case.program, revision)) is not None:
            yield replace(case, name=f"{own}/{case.name}", program=program)


def history_name(case_name: str, revision: str) -> str:
    """Return the one name of a program in all revisions, given its name among the programs that a revision reads."""
    own, _, rest = case_name.partition("/")
    if own not in FILES:
        own, rest = revision, case_name
    return rest if own == CURRENT.name else f"{own}/{rest}"


def builds(corpora: Corpora, named: tuple[str, ...]) -> tuple[tuple[str, ...], Corpora]:
    """Return the products of a run of all builds, or those that are named, and the programs of their revisions."""
    products = named or products_of_builds()
    made = [make_product(name) for name in products]
    adapted = with_other_revisions(corpora)
    return products, {
        folder: cases
        for folder, cases in adapted.items()
        if any(product.implements(revision_of(folder)) for product in made)
    }
