"""``spec drift`` and ``spec diff``: comparisons, allowed differences and exit codes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from modelcontext.people.cli.spec import command
from modelcontext.spec.revisions.registry import CURRENT, FILES, RevisionFiles
from modelcontext.spec.specification.comparison.drift import (
    ALLOWED,
    PUBLISHED,
    PUBLISHED_IDL,
    Text,
    compare,
    revision_text,
)
from modelcontext.spec.specification.comparison.foreign import read_foreign_html, read_foreign_source
from modelcontext.spec.specification.text.bikeshed import build

ROOT = Path(__file__).resolve().parents[2]
Edit = Callable[[str, str, str], int]


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def found(result: Result) -> list[tuple[Any, ...]]:
    data = json.loads(result.stdout)
    return [tuple(one.get(key) for key in ("subject", "change", "step", "otherStep")) for one in data["differences"]]


@pytest.fixture
def sides(tmp_path: Path) -> Path:
    """Return a checkout with our IDL and algorithms, and the same IDL in the published package."""
    for folder in ("spec", "src/modelcontext/spec/revisions"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "index.bs", tmp_path)
    (tmp_path / ALLOWED).unlink()
    package = tmp_path / "node_modules" / PUBLISHED
    package.mkdir(parents=True)
    shutil.copy(ROOT / CURRENT.idl, package / PUBLISHED_IDL)
    (package / "package.json").write_text('{"version": "1.2.3"}', encoding="utf-8")
    return tmp_path


def publish(checkout: Path, old: str, new: str) -> None:
    path = checkout / "node_modules" / PUBLISHED / PUBLISHED_IDL
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def allow(checkout: Path, text: str) -> Path:
    path = checkout / ALLOWED
    path.write_text(text, encoding="utf-8")
    return path


def test_this_checkout_has_only_allowed_differences() -> None:
    result = run("drift")
    assert result.exit_code == 0, result.output
    assert "0 differences, 4 allowed; only the IDL was compared" in result.stdout
    assert "allowed: since 2026-10" in result.stdout


def test_equal_texts_have_no_differences(sides: Path) -> None:
    result = run("drift", "--root", sides)
    assert (result.exit_code, result.stdout) == (
        0,
        "--- current\n+++ @webref/idl 1.2.3\n\n0 differences, 0 allowed; only the IDL was compared\n",
    )


def test_changed_published_idl_is_a_difference(sides: Path) -> None:
    publish(sides, "Promise<DOMString?> executeTool", "Promise<any> executeTool")
    result = run("drift", "--root", sides)
    assert result.exit_code == 1
    assert (
        "IDL\n  ModelContext.executeTool\n    return type:\n      - Promise<DOMString?>\n      + Promise<any>\n"
        in result.stdout
    )
    result = run("drift", "--root", sides, "--json")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert data["compared"] == ["idl"]
    assert data["differences"] == [
        {
            "part": "idl",
            "subject": "ModelContext.executeTool",
            "change": "return type",
            "ours": "Promise<DOMString?>",
            "other": "Promise<any>",
        }
    ]


ENTRY = """# Why.

[[difference]]
part = "idl"
subject = "ModelContext.executeTool"
change = "return type"
ours = "Promise<DOMString?>"
other = "Promise<any>"
reason = "they are behind"
"""


def test_allowed_difference_is_not_drift(sides: Path) -> None:
    publish(sides, "Promise<DOMString?> executeTool", "Promise<any> executeTool")
    allow(sides, ENTRY)
    result = run("drift", "--root", sides)
    assert result.exit_code == 0, result.stdout
    assert "      + Promise<any>\n      allowed: they are behind\n" in result.stdout
    assert json.loads(run("drift", "--root", sides, "--json").stdout)["allowed"][0]["reason"] == "they are behind"


def test_allowance_for_another_difference_is_outdated(sides: Path) -> None:
    publish(sides, "Promise<DOMString?> executeTool", "Promise<DOMString> executeTool")
    path = allow(sides, ENTRY)
    result = run("drift", "--root", sides)
    assert result.exit_code == 1
    words = f"{path}:3: ModelContext.executeTool: return type: this is no longer a difference; remove the entry\n"
    assert words in result.stdout
    assert "1 difference, 0 allowed; 1 entry out of date" in result.stdout


def test_allowance_without_a_difference_is_outdated(sides: Path) -> None:
    allow(sides, ENTRY)
    result = run("drift", "--root", sides, "--json")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert (data["differences"], [entry["line"] for entry in data["outdated"]]) == ([], [3])


def test_default_allowances_do_not_apply_to_another_text(sides: Path) -> None:
    allow(sides, ENTRY)
    assert run("drift", sides / "node_modules" / PUBLISHED / PUBLISHED_IDL, "--root", sides).exit_code == 0
    assert (
        run(
            "drift", sides / "node_modules" / PUBLISHED / PUBLISHED_IDL, "--root", sides, "--allowed", sides / ALLOWED
        ).exit_code
        == 1
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[[difference", "not valid TOML"),
        ("[other]\n", "must contain only [[difference]] tables"),
        ("difference = [1]\n", "a line [[difference]] above each entry"),
        (ENTRY.replace("reason", "because"), '3: the key "because" is unknown'),
        (ENTRY.replace("they are behind", " "), 'the key "reason" is missing'),
        (ENTRY.replace('"idl"', '"prose"'), 'the part "prose" is unknown'),
        (ENTRY.replace('"return type"', "1"), 'the key "change" is missing'),
        (ENTRY + ENTRY, ":12: the file has this entry twice"),
        ("", "the file is empty"),
        ("\0", "null bytes"),
    ],
)
def test_invalid_file_of_allowed_differences_is_refused(sides: Path, content: str, words: str) -> None:
    path = allow(sides, content)
    result = run("drift", "--root", sides)
    assert result.exit_code == 3
    assert str(path) in result.stderr
    assert words in result.stderr


@pytest.mark.parametrize("revision", FILES.values(), ids=lambda revision: revision.name)
def test_foreign_reader_reads_our_text_the_same(revision: RevisionFiles, built_texts: None) -> None:
    read = read_foreign_html(build(ROOT / revision.text, ROOT / revision.cache))
    assert read.title == "Web Model Context"
    assert compare(revision_text(ROOT, revision), Text("the same", read.idl, read.algorithms)) == []


@pytest.mark.usefixtures("takes_long")
def test_differences_of_an_editors_checkout_can_be_allowed(sides: Path, tmp_path: Path) -> None:
    """One difference of each kind, in the source of a whole specification."""
    text = (ROOT / "index.bs").read_text(encoding="utf-8")
    for old, new in [
        ("boolean debugging = false;", "boolean debugging = true;"),
        ("is greater than 128, then", "is greater than 64, then"),
        (
            "1. Let |origins| be an empty [=list=].\n",
            "1. [=Assert=]: |strings| is a [=list=].\n1. Let |origins| be an empty [=list=].\n",
        ),
        ("1. If |owner navigable| is null, then return.\n", ""),
    ]:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    editors = tmp_path / "editors"
    editors.mkdir()
    (editors / "index.bs").write_text(text, encoding="utf-8")
    result = run("drift", editors, "--root", sides, "--json")
    assert result.exit_code == 1, result.output
    assert found(result) == [
        ("ToolAnnotations.debugging", "default", None, None),
        ("valid-tool-name", "reworded", "2", "2"),
        ("parse-a-list-of-origins", "added", None, "1"),
        ("notify-documents-of-a-tool-change", "removed", "3", None),
    ]
    # The found differences can be allowed, word for word.
    entries = [
        "\n".join(
            f"{key} = {json.dumps(one[key])}" for key in ("part", "subject", "change", "ours", "other") if one[key]
        )
        for one in json.loads(result.stdout)["differences"]
    ]
    known = tmp_path / "known.toml"
    known.write_text("".join(f'[[difference]]\n{entry}\nreason = "it is so"\n' for entry in entries), encoding="utf-8")
    result = run("drift", editors / "index.bs", "--root", sides, "--allowed", known)
    assert result.exit_code == 0, result.stdout
    assert (
        "step 2, reworded:\n      If name's length is greater than [-128-]{+64+}, then return false.\n" in result.stdout
    )
    assert "    + 1. Assert: strings is a list.\n      allowed: it is so\n" in result.stdout
    assert "    - 3. If owner navigable is null, then return.\n" in result.stdout
    assert "0 differences, 4 allowed\n" in result.stdout
    assert [path.name for path in editors.iterdir()] == ["index.bs"]


@pytest.mark.usefixtures("takes_long")
def test_foreign_reader_accepts_other_forms_of_steps() -> None:
    read = read_foreign_source(Path(__file__).parent / "foreign/another-style.bs")
    assert read.title == "Another API"
    assert "interface ModelContext : EventTarget" in read.idl
    assert [(one.id, one.kind, [parameter.name for parameter in one.parameters]) for one in read.algorithms] == [
        ("dom-document-modelcontext", "getter", ["this"]),
        ("dom-modelcontext-registertool", "method", ["this"]),
        ("do-it-without-a-definition", "abstract operation", ["thing"]),
    ]
    getter, method, last = ([(step.number, step.text) for step in one.steps] for one in read.algorithms)
    assert getter == [("1", "The modelContext getter steps are to return this's model context.")]
    assert method == [
        ("1", "Let global be this's relevant global object."),
        ("2", 'If any of these hold: then return a promise rejected with an "InvalidStateError" DOMException.'),
        ("2.a", "global is closed;"),
        ("2.b", "global is hidden,"),
        ("3", "Switch on its state:"),
        ("3.a", "loading"),
        ("3.a.1", "Return."),
        ("3.b", "complete"),
        ("3.b.1", "Do this."),
        ("3.b.2", "Do that."),
        ("4", "In parallel, tell everybody."),
        ("5", "Forget it."),
    ]
    assert last == [("1", "Do it to thing.")]


def test_revisions_differ_in_idl_and_algorithms() -> None:
    result = run("diff", "2026-03", "current", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["compared"] == ["idl", "algorithms"]
    changes = found(result)
    assert ("ModelContext.unregisterTool", "removed", None, None) in changes
    assert ("dom-navigator-modelcontext", "id", None, None) in changes
    assert ("dom-modelcontext-registertool", "reworded", "3", "7") in changes
    assert ("perform-an-observation", "added", None, None) in changes
    # Drift is the same difference, seen from our side.
    assert len(found(run("drift", "current", "--revision", "2026-03", "--json"))) == len(changes)
    result = run("diff", "current", "current")
    assert (result.exit_code, result.stdout) == (0, "--- current\n+++ current\n\n0 differences, 0 allowed\n")


METADATA = "<pre class=metadata>\nTitle: T\nShortname: t\nStatus: LD\nLevel: none\nEditor: E\nAbstract: A\n</pre>\n"
TWICE = "interface A {}; partial dictionary A {};"


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("index.bs", b"", "the file is empty"),
        ("index.bs", b" \n", "the file is empty"),
        ("index.bs", b"# A readme\n", "not a Bikeshed source"),
        ("index.bs", b"\x7fELF\xf1\x02", "not UTF-8: byte 4"),
        ("index.bs", b"metadata\0", "null bytes"),
        ("index.bs", b"x" * 4_000_001, "more than 4,000,000 bytes"),
        ("index.bs", b"the word metadata alone\n", "at least one <pre class=metadata>"),
        ("index.bs", f"{METADATA}<xmp class=idl>interface {{</xmp>".encode(), 'skipped: "interface {"'),
        ("index.bs", f"{METADATA}<xmp class=idl>{TWICE}</xmp>".encode(), "declares A twice"),
        ("a.idl", b"interface {", "its IDL is not valid Web IDL: 1:10"),
        ("a.webidl", b"\xff\xfe", "not UTF-8"),
    ],
)
def test_unreadable_text_is_refused(sides: Path, name: str, content: bytes, words: str) -> None:
    path = sides / "other" / name
    path.parent.mkdir()
    path.write_bytes(content)
    result = run("drift", path, "--root", sides)
    assert result.exit_code == 3
    assert words in result.stderr
    assert str(path) in result.stderr
    assert result.stdout == ""


def test_deeply_nested_text_is_refused(sides: Path) -> None:
    deep = 20_000
    idl = sides / "deep.idl"
    idl.write_text(f"dictionary D {{ {'sequence<' * deep}long{'>' * deep} a; }};", encoding="utf-8")
    result = run("drift", idl, "--root", sides)
    assert (result.exit_code, "nested too deeply" in result.stderr) == (3, True)
    allow(sides, f"a = {'[' * deep}{']' * deep}")
    result = run("drift", "--root", sides)
    assert (result.exit_code, "nested too deeply" in result.stderr) == (3, True)


def test_unreadable_extract_is_refused(sides: Path) -> None:
    (sides / CURRENT.algorithms).write_text("[]", encoding="utf-8")
    assert run("drift", "--root", sides).exit_code == 3
    (sides / CURRENT.idl).unlink()
    result = run("drift", "--root", sides, "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["error"]["exitCode"] == 3


@pytest.mark.usefixtures("takes_long")
def test_text_without_anything_to_compare_is_refused(sides: Path) -> None:
    plain = sides / "plain.bs"
    plain.write_text(f"{METADATA}<h2 id=one>One</h2>\nText.\n", encoding="utf-8")
    result = run("drift", plain, "--root", sides)
    assert (result.exit_code, "has neither IDL nor algorithms" in result.stderr) == (4, True)
    comments = sides / "comments.idl"
    comments.write_text("// nothing", encoding="utf-8")
    result = run("drift", comments, "--root", sides)
    assert (result.exit_code, "declares nothing" in result.stderr) == (4, True)
    (sides / "node_modules" / PUBLISHED / PUBLISHED_IDL).unlink()
    result = run("drift", "--root", sides)
    assert (result.exit_code, "has no webmcp.idl" in result.stderr) == (4, True)
    shutil.rmtree(sides / "node_modules")
    result = run("drift", "--root", sides)
    assert (result.exit_code, "run `npm ci --ignore-scripts`" in result.stderr) == (4, True)


def test_wrong_usage_has_exit_code_2(sides: Path) -> None:
    result = run("drift", sides / "absent.bs")
    assert (result.exit_code, "the revisions are current, 2026-03" in result.stderr) == (2, True)
    assert run("drift", sides / "spec").exit_code == 2
    assert run("drift", "--allowed", sides / "absent.toml").exit_code == 2
    assert run("diff", "2026-03").exit_code == 2
    assert run("diff", "2026-03", "2026-04").exit_code == 2


def test_only_a_bikeshed_source_needs_bikeshed(sides: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.metadata

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    result = run("drift", sides / "index.bs", "--root", sides)
    assert (result.exit_code, "pip install 'modelcontext[spec]'" in result.stderr) == (2, True)
    # The published IDL needs no Bikeshed.
    assert run("drift", "--root", sides).exit_code == 0


def test_help_lists_the_exit_codes() -> None:
    text = run("drift", "--help").stdout
    assert "Example:\n    modelcontext spec drift\n" in text
    assert [line.split()[0] for line in text.splitlines() if line.strip()[:2] in ("1:", "2:", "3:", "4:")] == [
        "1:",
        "2:",
        "3:",
        "4:",
    ]
