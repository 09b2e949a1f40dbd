"""Freezing the current revision: a copy of its text, extracts and code that stands beside it and changes no more."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from modelcontext.files import write_whole
from modelcontext.specification.code.check import check
from modelcontext.specification.code.tags import TAGS
from modelcontext.specification.text.algorithms import SpecificationError
from modelcontext.specification.text.extraction import PLATFORM_IDL, extract
from modelcontext.specification.text.problems import Finding
from modelcontext.specification.text.revisions import CURRENT, RevisionFiles, frozen


def freeze(root: Path, name: str) -> tuple[list[Path], list[Finding]]:
    """Make the revision ``name`` of the current one in the checkout ``root``; return the files that were written.

    What is made is checked before anything is written, as the current revision is before that: with findings, nothing
    is. Raises SpecificationError if there is something of that name, or the text cannot be built or read.
    """
    files = frozen(name)
    for path in (files.folder, files.package):
        if (root / path).exists():
            raise SpecificationError(
                "this is there already; a frozen revision changes no more", root / path, environment=True
            )
    findings = check(root).findings
    if findings:
        return [], findings
    with tempfile.TemporaryDirectory() as folder:
        staging = Path(folder)
        _copy(root, staging, files)
        findings = check(staging, files).findings
        if findings:
            return [], findings
        made = [
            path
            for where in (files.folder, files.package)
            for path in sorted((staging / where).rglob("*"))
            if path.is_file()
        ]
        written = [path.relative_to(staging) for path in made]
        for path in written:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            write_whole(root / path, (staging / path).read_text(encoding="utf-8"))
        # The built text as well, so that the next check need not build it.
        shutil.copytree(staging / files.cache, root / files.cache, dirs_exist_ok=True)
    return written, []


def _copy(root: Path, staging: Path, files: RevisionFiles) -> None:
    for path in (files.folder, files.package, PLATFORM_IDL.parent):
        (staging / path).mkdir(parents=True)
    shutil.copy(root / PLATFORM_IDL, staging / PLATFORM_IDL)
    text = (root / CURRENT.text).read_text(encoding="utf-8")
    (staging / files.text).write_text(_frozen_text(text, files.name), encoding="utf-8")
    for path in sorted((root / CURRENT.package).glob("*.py")):
        code = _frozen_code(path.read_text(encoding="utf-8"), files)
        (staging / files.package / path.name).write_text(code, encoding="utf-8")
    for path, content in extract(staging, files).files.items():
        (staging / path).write_text(content, encoding="utf-8")
    _write_ceilings(staging, files)


def _frozen_text(text: str, name: str) -> str:
    text, shortnames = re.subn(r"(?m)^Shortname: (\S+)$", rf"Shortname: \1-{name}", text, count=1)
    text, revisions = re.subn(r"(?m)^!Revision: .*$", f"!Revision: {name}", text, count=1)
    if not shortnames or not revisions:
        raise SpecificationError("the metadata have no line `Shortname:` or `!Revision:` to change", CURRENT.text)
    return text


def _frozen_code(code: str, files: RevisionFiles) -> str:
    code = code.replace(_module(CURRENT), _module(files))
    code = code.replace(f'name="{CURRENT.name}"', f'name="{files.name}"')
    return re.sub(
        r'\A"""The current revision of the specification, [^:]*:',
        f'"""The revision {files.name} of the specification, which is frozen:',
        code,
    )


def _module(files: RevisionFiles) -> str:
    return ".".join(files.package.parts[1:])


def _write_ceilings(staging: Path, files: RevisionFiles) -> None:
    """Let each comment tag occur as often as it does, and no more."""
    path = staging / files.ceilings
    head = f"# How often each comment tag may occur in {files.package.as_posix()}. These numbers only ever fall.\n"
    path.write_text(head, encoding="utf-8")
    counts = check(staging, files).tags
    path.write_text(head + "".join(f"{tag} = {counts[tag]}\n" for tag in TAGS), encoding="utf-8")
