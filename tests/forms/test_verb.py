"""``modelcontext forms check`` on files: the report, the JSON document, the exit codes, and input that is broken or large."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from modelcontext.people.cli.forms import command

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs/forms.md").read_text(encoding="utf-8")
GOOD = "<form toolname=t tooldescription=d><label>A <input name=a></label><button>Go</button></form>"
TOOL = "<form toolname=t tooldescription=d>"


def run(*arguments: str, columns: int = 100) -> Result:
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(command, ["check", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def data_of(tmp_path: Path, html: str) -> dict[str, Any]:
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8", errors="surrogatepass")
    result = run(str(path), "--json")
    assert result.exit_code in (0, 1), result.output
    # The report of the same page ends as well.
    assert run(str(path)).exit_code == result.exit_code
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


def test_example_of_the_documentation_prints_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    match = re.search(r"```console\n\$ modelcontext forms check (docs/\S+)\n(.*?)```", DOCS, re.DOTALL)
    assert match is not None
    result = run(match[1])
    assert lines(result.stdout) == lines(match[2])
    assert result.exit_code == 1


@pytest.mark.parametrize("columns", [80, 120])
def test_report_is_not_wider_than_the_terminal(columns: int) -> None:
    printed = lines(run(str(ROOT / "docs/examples/forms/booking.html"), columns=columns).stdout)
    assert max(map(len, printed)) <= columns
    # The words of the narrow columns stay whole.
    assert any(line.startswith("  extras") and "2 x checkbox" in line and "kind 10" in line for line in printed)


def test_json_has_the_documented_shape(tmp_path: Path) -> None:
    match = re.search(r"```json\n(.*?)```", DOCS, re.DOTALL)
    assert match is not None
    documented = json.loads(match[1])
    html = (
        "<!doctype html>\n<title>Letters</title>\n<h1>Write to us</h1>\n"
        "<form toolname=send tooldescription='Send us a letter.'>\n"
        "<label>Letter\u200b <textarea name=text></textarea></label>\n"
        "<input type=file name=enclosure><button>Send</button></form>"
    )
    shown = data_of(tmp_path, html)
    del shown["source"], documented["source"]
    (form,) = shown["documents"][0]["forms"]
    assert [control["step"] for control in form["leftOut"]] == [
        "determine-the-parameter-kind 8",
        "determine-the-parameter-kind 5",
    ]
    del form["leftOut"][1]  # The documentation leaves out the button, and the steps but one.
    assert set(shown["steps"]) >= {form["step"], *form["parameters"][0]["steps"]}
    step = documented["steps"].pop("offers-a-tool 5")
    assert shown["steps"].pop("offers-a-tool 5")["url"] == step["url"]
    shown["steps"] = {}
    assert json.loads(json.dumps(shown).replace("\\u200b", "")) == documented


def test_schemas_of_parameters_are_those_of_the_tool(tmp_path: Path) -> None:
    html = (ROOT / "docs/examples/forms/booking.html").read_text(encoding="utf-8")
    form = data_of(tmp_path, html)["documents"][0]["forms"][0]
    schema = form["tool"]["schema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert {one["name"]: one["schema"] for one in form["parameters"]} == schema["properties"]
    assert [one["name"] for one in form["parameters"] if one["required"]] == schema["required"]


def test_exit_code_is_0_without_problems_and_1_with(tmp_path: Path) -> None:
    assert data_of(tmp_path, GOOD)["problems"] == 0
    assert run(str(tmp_path / "page.html")).exit_code == 0
    assert data_of(tmp_path, TOOL)["problems"] == 1
    assert run(str(tmp_path / "page.html")).exit_code == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"\xff\xd8\xff\xe0", "is not in UTF-8 (byte 0): save it in UTF-8, or give a URL"),
        (b"a\0b", "is not text (it has NUL characters): give a file of HTML"),
        (b"a" * 5_000_001, "has 5,000,001 characters, but at most 5,000,000 are read"),
    ],
)
def test_file_that_cannot_be_read_is_one_clear_error(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "page.html"
    if content is not None:
        path.write_bytes(content)
    result = run(str(path))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    as_json = run(str(path), "--json")
    assert as_json.exit_code == 2
    assert message in json.loads(as_json.stdout)["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["ftp://a.test/"],
            "ftp://a.test/ is not a URL that can be opened: give one with http or https, or the path of a file",
        ),
        (["page.html", "--binary", "x"], "--binary is for a URL"),
        (["https://"], "https:// is not a valid URL"),
        ([], "Missing argument 'FILE|URL'"),
    ],
)
def test_wrong_usage_is_one_clear_error(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_utf_16_with_a_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("\ufeff" + GOOD.replace("A", "ä"), encoding="utf-16-le")
    result = run(str(path), "--json")
    schema = json.loads(result.stdout)["documents"][0]["forms"][0]["tool"]["schema"]
    assert schema["properties"]["a"]["description"] == "ä"


def test_report_prints_no_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    hostile = "\x1b[2J\u202e[red]"
    path.write_text(f"<form toolname=t tooldescription='{hostile}'><input name='{hostile}'></form>", encoding="utf-8")
    printed = run(str(path)).stdout
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert "\\u{1b}[2J\\u{202e}[red]" in printed


#: Forms that are large or broken: the source, and the number of parameters and of controls that are left out.
ODD: dict[str, tuple[str, int, int]] = {
    "labels around": ("".join(f"<label>{i} <input name=n{i}></label>" for i in range(1_000)), 1_000, 0),
    "labels for": (
        "".join(f"<label for=i{i}>L</label><textarea id=i{i} name=n{i}></textarea>" for i in range(1_000)),
        1_000,
        0,
    ),
    "radio buttons": ("".join(f"<input type=radio name=a value={i} required>" for i in range(2_000)), 1, 0),
    "one name": ("<input name=a required>" * 2_000, 0, 2_000),
    "disabled radio buttons": ("<input type=radio name=a required disabled>" * 2_000, 0, 2_000),
    "options": (f"<select name=a>{''.join(f'<option value={i}>{i}' for i in range(2_000))}</select>", 1, 0),
    "deep": ("<div>" * 5_000 + "<input name=a>", 1, 0),
    "fieldsets": ("<fieldset>" * 2_000 + "<input name=a>", 1, 0),
    "nested labels": ("<label>" * 1_000 + "<input name=a>", 1, 0),
    "labels of themselves": ("<label for=a id=a>" * 2_000 + "<input name=a>", 1, 0),
    "custom elements": ("".join(f"<x-{i} name=a></x-{i}>" for i in range(1_000)), 0, 1_000),
    "long pattern": (f"<input name=a pattern='{'(a|b)' * 200_000}'>", 1, 0),
    "deep pattern": (f"<input name=a pattern='{'(' * 4_000}{')' * 4_000}'>", 1, 0),
    "repeating pattern": (f"<input name=a pattern='((a{{99}}){{99}}){{99}}' value={'a' * 900}>", 1, 0),
    "ambiguous pattern": (f"<input name=a pattern='(a*)*b' value={'a' * 900}>", 1, 0),
    "backreference": (rf"<input name=a pattern='(a*)*\1b' value={'a' * 900}>", 1, 0),
    "numbers": (f"<input name=a type=number min={'9' * 100_000} max=1e99999 step=1e-99999 value=1e99999>", 1, 0),
    "surrogates": ("<input name=a\ud800 value=\ud800>", 1, 0),
    "tags": ("<input name=a></p></b><table><tr><input name=b><td></select><input name=c <<<", 2, 0),
}


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("case", ODD)
def test_large_or_broken_form_has_a_result(tmp_path: Path, case: str) -> None:
    html, parameters, left_out = ODD[case]
    (tmp_path / "page.html").write_text(f"{TOOL}{html}", encoding="utf-8", errors="replace")
    result = run(str(tmp_path / "page.html"), "--json")
    assert result.exit_code == 1
    (form,) = json.loads(result.stdout)["documents"][0]["forms"]
    assert (len(form["parameters"]), len(form["leftOut"])) == (parameters, left_out)


def test_report_lists_the_first_of_many_and_counts_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(TOOL + "".join(f"<input name=n{i}><input disabled>" for i in range(60)), encoding="utf-8")
    printed = run(str(path)).stdout
    assert printed.count("and 10 more; --json prints all") == 2
    assert printed.count("and 11 more; --json prints all") == 1
    assert "1 form, 1 tool, 61 problems" in printed


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("html", [TOOL * 200, f"<template>{TOOL}" * 200, f"{TOOL}</form>" * 200])
def test_every_form_is_listed(tmp_path: Path, html: str) -> None:
    assert len(data_of(tmp_path, html)["documents"][0]["forms"]) == 200


def test_notes_tell_what_a_file_does_not_show(tmp_path: Path) -> None:
    notes = data_of(tmp_path, f"{GOOD}<iframe></iframe><iframe></iframe><script>1</script>")["documents"][0]["notes"]
    assert [note.partition(".")[0] for note in notes] == [
        "1 script did not run here",
        "2 frames are not read: give the file of the frame, or the URL of the page",
    ]
    assert data_of(tmp_path, GOOD)["documents"][0]["notes"] == []
