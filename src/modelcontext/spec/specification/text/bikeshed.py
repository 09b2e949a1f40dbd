"""Builds of a specification with Bikeshed, without network."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import lxml.html

from modelcontext.ground.files import write_whole
from modelcontext.spec.specification.text.algorithms import SpecificationError
from modelcontext.spec.specification.text.built_html import add_anchors, number_issues

# Seconds; a specification takes a few.
_PATIENCE = 120

# Part of the key under which a built text is kept: what is added to Bikeshed's output.
_ADDITIONS = b"numbers of steps, issues, and copies of these"

# Bikeshed runs `pip check` for itself whenever it is imported, which takes a quarter of the time.
_START = """
import subprocess
check_output, subprocess.check_output = subprocess.check_output, lambda *_, **__: b""
from bikeshed import main
subprocess.check_output = check_output
main()
"""


def build(source: Path, cache: Path) -> str:
    """Return the HTML that Bikeshed builds from ``source``, with anchors and numbers; every warning is an error.

    The folder ``cache`` keeps the HTML under the hash of the source and of Bikeshed's version, so that an unchanged text
    is built once.

    Raises:
        SpecificationError: with all messages of Bikeshed, such as an autolink that is unresolved or ambiguous, a variable
            that is used once, or markup that is not closed.
    """
    try:
        content = source.read_bytes()
    except OSError as error:
        raise SpecificationError(
            f"the specification cannot be read: {error.strerror}", source, environment=True
        ) from None
    version = _require_bikeshed()
    key = hashlib.sha256(version.encode() + b"\0" + _ADDITIONS + b"\0" + content).hexdigest()
    kept = cache / f"{key}.html"
    if kept.is_file():
        return kept.read_text(encoding="utf-8")
    html = _numbered(_run_bikeshed(source))
    cache.mkdir(parents=True, exist_ok=True)
    for outdated in cache.glob("*.html"):
        outdated.unlink(missing_ok=True)
    write_whole(kept, html)
    return html


def _numbered(html: str) -> str:
    """Return built HTML in which each step has an anchor and its whole number, and each issue its own number."""
    document = lxml.html.document_fromstring(html)
    add_anchors(document)
    number_issues(document)
    text: str = lxml.html.tostring(document, encoding="unicode", doctype="<!doctype html>")
    return text


def _require_bikeshed() -> str:
    """Return the version of Bikeshed."""
    try:
        return importlib.metadata.version("bikeshed")
    except importlib.metadata.PackageNotFoundError:
        raise SpecificationError(
            "Bikeshed, which builds the specification, is not installed: pip install 'modelcontext[spec]'",
            environment=True,
        ) from None


def build_leniently(source: Path) -> str:
    """Return the HTML that Bikeshed builds from the source of another project, whose warnings are ignored.

    Raises:
        SpecificationError: if Bikeshed cannot build it.
    """
    _require_bikeshed()
    return _run_bikeshed(source, die_on="fatal")


def _run_bikeshed(source: Path, die_on: str = "everything") -> str:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "index.html")
        options = ["--no-update", "--print=json", f"--die-on={die_on}", "--die-when=late"]
        try:
            process = subprocess.run(
                [sys.executable, "-c", _START, *options, "spec", str(source), str(output)],
                capture_output=True,
                text=True,
                check=False,
                timeout=_PATIENCE,
            )
        except subprocess.TimeoutExpired:
            raise SpecificationError(f"Bikeshed did not finish within {_PATIENCE} seconds", source) from None
        if process.returncode == 0 and output.is_file():
            return output.read_text(encoding="utf-8")
        raise _failure(source, process.stdout + process.stderr, die_on)


def _failure(source: Path, output: str, die_on: str) -> SpecificationError:
    try:
        records: list[dict[str, str]] = json.loads(output)
    except ValueError:
        records = []
    messages = []
    first_line: int | None = None
    for record in records:
        kind, line, text = record.get("messageType"), record.get("lineNum"), record.get("text", "")
        if kind in ("success", "failure", "message") or not text or (die_on == "fatal" and kind != "fatal"):
            continue
        number = str(line).partition(":")[0] if line is not None else ""
        if number.isdigit() and first_line is None:
            first_line = int(number)
        messages.append(f"line {line}: {text}" if line is not None else str(text))
    if not messages:
        # Bikeshed itself failed; the last line of its output says how.
        last = (output.strip().splitlines() or ["it printed nothing"])[-1]
        return SpecificationError(f"Bikeshed could not build the text: {last}", source)
    return SpecificationError("\n".join(["Bikeshed does not accept the text:", *messages]), source, first_line)
