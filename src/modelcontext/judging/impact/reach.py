"""The reach of every program and litmus test of a revision, measured once for each state of the checkout."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from modelcontext.ground.checkout import path_in
from modelcontext.ground.files import write_whole
from modelcontext.judging.conformance.corpus import CORPORA
from modelcontext.judging.coverage import Reach, measure, programs_of
from modelcontext.judging.litmus.language import CATALOGUE
from modelcontext.spec.revisions.registry import FILES

_KEPT: Final = Path("build", "reach")


def read_reach(root: Path, revision: str, begun: Callable[[int], Callable[[int], None]]) -> list[Reach]:
    """Return the reach of the programs and litmus tests of a revision.

    The folder ``build/reach`` keeps it under the hash of the algorithms, the programs and the litmus tests.

    Args:
        root: the checkout.
        revision: the revision.
        begun: called with the number of programs if they have to run; the result is called with each number of finished ones.
    """
    kept = path_in(root, _KEPT) / f"{revision}-{_hash(root, revision)}.json"
    try:
        return [Reach(kind, name, frozenset(keys)) for kind, name, keys in json.loads(kept.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        pass  # It was not measured yet, or the file was cut.
    programs = list(programs_of(root, revision))
    advance = begun(len(programs))
    found = []
    for kind, name, program in programs:
        found.append(measure(kind, name, program))
        advance(1)
    kept.parent.mkdir(parents=True, exist_ok=True)
    for outdated in kept.parent.glob(f"{revision}-*.json"):
        outdated.unlink(missing_ok=True)
    write_whole(kept, json.dumps([[one.kind, one.name, sorted(one.keys)] for one in found]) + "\n")
    return found


def _hash(root: Path, revision: str) -> str:
    digest = hashlib.sha256()
    code = FILES[revision].installed
    folders = [*(root / folder for folder in CORPORA), root / CATALOGUE]
    files = [*sorted(code.glob("*.py")), *(path for folder in folders for path in sorted(folder.rglob("*.toml")))]
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
