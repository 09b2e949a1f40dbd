"""``modelcontext spec beside``: the steps of the published text beside ours."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelcontext.ground.checkout import path_in, require_checkout
from modelcontext.ground.files import read_text, write_whole
from modelcontext.ground.words import counted
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, UNREADABLE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.specification import SpecificationError
from modelcontext.spec.specification.text.published import table_of
from modelcontext_prose.matching import matched, places_of
from modelcontext_prose.other_text import read_other_text

if TYPE_CHECKING:
    from speclint.prose.prose_text import Text


@verb(epilog="\b\nExample:\n  modelcontext spec beside ~/webmcp/index.bs\n  modelcontext spec beside ~/webmcp --check")
@click.argument("published")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if the table would change.")
@options.root
def beside(published: str, check: bool, root: Path) -> None:
    """Write a table of the corresponding steps of the published text and the current text.

    The pairs of spec/current/beside.toml, which people have looked up, take precedence over those that the command finds.

    PUBLISHED is a Bikeshed source, a folder with an index.bs, or REV:path in the git repository of the working directory.
    Findings and reports then name the step of the published text in addition to our step.

    Exit code 0: done; 1: --check finds that the table would change; 2: the files cannot be read or written; 3: PUBLISHED
    cannot be read.
    """
    with exit_on_problems(codes={SpecificationError: UNREADABLE}):
        if not check:
            require_checkout(root, "`spec beside` without --check")
        ours = read_other_text(str(path_in(root, CURRENT.text))).linked.compiled.program.text
        theirs = read_other_text(published).linked.compiled.program.text
        steps = matched(ours, theirs, _looked_up(path_in(root, CURRENT.beside), ours, theirs))
        path = path_in(root, CURRENT.published)
        table = table_of(steps)
        is_same = path.is_file() and path.read_text(encoding="utf-8") == table
        if not is_same and not check:
            write_whole(path, table)
    count = f"{len(steps)} of {counted(sum(1 for _ in ours.walk()), 'step')} have one in {published}"
    click.echo(count if is_same or not check else f"{CURRENT.published} is outdated: run `modelcontext spec beside`")
    sys.exit(FOUND if check and not is_same else 0)


def _looked_up(path: Path, ours: Text, theirs: Text) -> Mapping[str, str]:
    """Return the pairs that people have looked up, with an empty string for a step without a partner."""
    if not path.is_file():
        return {}
    try:
        tables: Mapping[str, Mapping[str, str]] = tomllib.loads(read_text(path))
        pairs = {step: next((f"{name} {number}" for name, number in one.items()), "") for step, one in tables.items()}
    except (tomllib.TOMLDecodeError, AttributeError) as error:
        raise SpecificationError(f"each key must be a step, with a table of one step: {error}", path) from None
    for places, text, whose in ((pairs, ours, "our"), (pairs.values(), theirs, "the published")):
        known = {*places_of(text), ""}
        if unknown := next((one for one in places if one not in known), ""):
            raise SpecificationError(f"{whose} text has no step {unknown}: look it up again", path)
    return pairs
