"""The command: text, JSON, exit codes, and bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from speclint import Report, lint
from speclint.command import command

TEXT = """<pre class=metadata>
Title: A test
</pre>

<div algorithm>
To <dfn export id=go>go</dfn> given |x|:

1. Let |n| be |x|'s [=node navigable=].
1. Let |m| be |n|. <!-- lint: unused-variable: a later part reads it -->
1. Return |n|'s [=navigable/top-level traversable=].

</div>
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "index.bs"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(command, [*map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_finding_is_told_with_place_way_and_remedy(text: Path) -> None:
    result = run(text)
    assert result.exit_code == 1
    first, remedy = result.stdout.splitlines()
    assert first.startswith(f"{text}:10: go step 3: n may be null here: node navigable may be null: ")
    assert first.endswith("[untested-null]")
    assert remedy == "    what to do: first test n for null, and say what happens if it is null"
    assert f"{text}: 1 finding, 1 suppressed by the text; 1 algorithms with 3 steps" in result.stderr


def test_folder_of_a_text_is_read(text: Path) -> None:
    assert run(text.parent).exit_code == 1


@pytest.mark.usefixtures("takes_long")
def test_text_at_a_commit_is_linted_and_not_mended(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(text.parent)
    for words in (["init", "-q"], ["add", "index.bs"], ["commit", "-q", "-m", "m"]):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], check=True)
    text.unlink()
    result = run("HEAD:index.bs")
    assert result.exit_code == 1
    assert result.stdout.startswith("HEAD:index.bs:10: go step 3: n may be null here")
    assert run("HEAD:index.bs", "--fix").stderr == (
        "command: HEAD:index.bs: this is a text at a commit: --fix mends files\n"
    )
    assert run("HEAD:other.bs").stderr.startswith(
        "command: HEAD:other.bs: this is neither a file nor a REV:path that git can read: path"
    )
    assert list(text.parent.glob("*.bs*")) == []


def test_json_has_findings_and_what_was_taken_back(text: Path) -> None:
    data = json.loads(run(text, "--json").stdout)
    [finding] = data["findings"]
    assert (finding["file"], finding["line"], finding["step"], finding["rule"]) == (str(text), 10, "3", "untested-null")
    [taken_back] = data["suppressed"]
    assert (taken_back["rule"], taken_back["reason"]) == ("unused-variable", "a later part reads it")


def test_sarif_has_the_place_a_fingerprint_and_what_was_taken_back(text: Path) -> None:
    data = json.loads(run(text, "--sarif").stdout)
    assert data["version"] == "2.1.0"
    [one] = data["runs"]
    assert [rule["id"] for rule in one["tool"]["driver"]["rules"]] == ["untested-null", "unused-variable"]
    found, taken_back = one["results"]
    [location] = found["locations"]
    assert location["physicalLocation"] == {"artifactLocation": {"uri": text.as_uri()}, "region": {"startLine": 10}}
    assert location["logicalLocations"] == [{"fullyQualifiedName": "go step 3"}]
    assert taken_back["suppressions"] == [{"kind": "inSource", "justification": "a later part reads it"}]
    text.write_text(TEXT.replace("1. Let |m|", "Some prose.\n\n1. Let |m|"), encoding="utf-8")
    moved = json.loads(run(text, "--sarif").stdout)["runs"][0]["results"][0]
    assert moved["partialFingerprints"] == found["partialFingerprints"]


def test_sarif_names_what_cannot_be_read(text: Path) -> None:
    text.write_text(TEXT.replace("1. Return", "1. Do [=it.\n1. Return"), encoding="utf-8")
    [invocation] = json.loads(run(text, text.parent / "none.bs", "--sarif").stdout)["runs"][0]["invocations"]
    assert not invocation["executionSuccessful"]
    broken, missing = invocation["toolExecutionNotifications"]
    assert broken["locations"][0]["physicalLocation"]["region"] == {"startLine": 10}
    assert missing["message"]["text"] == "the text cannot be read: No such file or directory"


def test_annotations_of_github_have_place_rule_and_remedy(text: Path) -> None:
    text.write_text(TEXT.replace("1. Return", "1. Do [=it.\n1. Return"), encoding="utf-8")
    found, broken = run(text, "--github").stdout.splitlines()
    assert found.startswith(f"::warning file={text},line=11,title=untested-null::go step 4: n may be null here: ")
    assert found.endswith("%0AWhat to do: first test n for null, and say what happens if it is null")
    assert broken.startswith(f"::error file={text},line=10,title=not read::an autolink [= is not closed")


def test_baseline_leaves_out_what_it_has_and_no_more(text: Path) -> None:
    baseline = text.parent / "known.json"
    baseline.write_text(run(text, "--json").stdout, encoding="utf-8")
    known = run(text, "--baseline", baseline)
    assert (known.exit_code, known.stdout) == (0, "")
    assert "0 findings, 1 suppressed by the text, 1 in the baseline" in known.stderr
    assert "gone" not in known.stderr
    mended = text.parent / "mended.bs"
    mended.write_text(TEXT.replace("1. Return |n|'s", "1. Return |n|, not its"), encoding="utf-8")
    assert (
        f"{baseline}: 1 finding of this baseline is gone; write the baseline again\n"
        in run(mended, "--baseline", baseline).stderr
    )
    # The step has another number, and a second one has the same defect.
    again = "1. Do |x|.\n1. Let |n| be"
    text.write_text(
        TEXT.replace("1. Let |n| be", again) + TEXT.split("</pre>")[1].replace("=go", "=gone"), encoding="utf-8"
    )
    new = json.loads(run(text, "--baseline", baseline, "--json").stdout)["findings"]
    assert [one["algorithm"] for one in new if one["rule"] == "untested-null"] == ["gone"]


def test_baseline_of_several_texts_knows_a_finding_only_in_its_file(text: Path) -> None:
    other, baseline = text.parent / "other.bs", text.parent / "known.json"
    other.write_text(text.read_text(encoding="utf-8"), encoding="utf-8")
    baseline.write_text(run(other, "--json").stdout, encoding="utf-8")
    files = [one["file"] for one in json.loads(run(text, other, "--baseline", baseline, "--json").stdout)["findings"]]
    assert set(files) == {str(text)}
    baseline.write_text(run(text, other, "--json").stdout, encoding="utf-8")
    one = run(text, "--baseline", baseline)
    assert one.exit_code == 0
    assert "gone" not in one.stderr


@pytest.mark.parametrize("content", [None, "", "[]", '{"findings": [{}]}', '{"findings": 1}', "[" * 100_000])
def test_bad_baseline_is_refused_in_one_line(text: Path, content: str | None) -> None:
    baseline = text.parent / "known.json"
    if content is not None:
        baseline.write_text(content, encoding="utf-8")
    result = run(text, "--baseline", baseline)
    assert (result.exit_code, result.stdout) == (2, "")
    [line] = result.stderr.splitlines()
    assert "baseline" in line


def test_mechanical_findings_are_mended_in_the_file(text: Path) -> None:
    steps = (
        "1. Let |x| be the the sum of |x| and 1.\r\n1. If |x| is 1,\r\n    let <var>x</var>  be an new [=list=].\r\n"
        "1. Let |x| and |y| be |x|.\r\n1. Return |x| and |y|.\r\n"
    )
    head, _, tail = TEXT.partition("1. Let |n|")
    text.write_bytes(f"{head}{steps}{tail[tail.index('</div>') - 1 :]}".encode())
    result = run(text, "--fix")
    assert [line.rpartition("[")[2] for line in result.stdout.splitlines() if "]" in line] == ["shadowed-variable]"]
    assert result.stderr.count(": mended: ") == 4
    mended = text.read_bytes().decode()
    assert (
        "1. Set |x| to the sum of |x| and 1.\r\n1. If |x| is 1,\r\n    set <var>x</var>  to a new [=list=].\r\n"
        in mended
    )
    assert "1. Let |x| and |y| be |x|.\r\n" in mended
    assert run(text, "--fix").stderr.count(": mended: ") == 0
    assert text.read_bytes().decode() == mended


def test_built_page_is_not_mended(text: Path) -> None:
    content = "<!doctype html><body>\n<div class=algorithm>To <dfn>go</dfn>:\n<ol><li>Do the the act.</ol>\n</div>\n"
    text.write_text(content, encoding="utf-8")
    result = run(text, "--fix")
    assert result.exit_code == 2
    assert "this is a built page: mend its source" in result.stderr
    assert text.read_text(encoding="utf-8") == content


def test_suppressed_findings_are_shown_on_demand(text: Path) -> None:
    assert "suppressed: a later part reads it" in run(text, "--suppressed").stdout


def test_other_rules_are_left_out_on_demand(text: Path) -> None:
    assert run(text, "--rule", "dead-branch").exit_code == 0
    result = run(text, "--rule", "no-such-rule")
    assert result.exit_code == 2
    assert "there is no rule no-such-rule" in result.stderr


def test_mended_text_has_exit_code_0(text: Path) -> None:
    mended = TEXT.replace("1. Return", "1. If |n| is null, then return null.\n1. Return")
    text.write_text(mended, encoding="utf-8")
    assert run(text).exit_code == 0


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (b"Hello.\n", 3, "this is not Bikeshed source"),
        (b"\xff", 3, "the text is not UTF-8"),
        (None, 2, "the text cannot be read"),
    ],
)
def test_bad_text_is_refused_in_one_line(tmp_path: Path, content: bytes | None, code: int, message: str) -> None:
    path = tmp_path / "bad.bs"
    if content is not None:
        path.write_bytes(content)
    result = run(path)
    assert (result.exit_code, result.stdout) == (code, "")
    [line] = result.stderr.splitlines()
    assert message in line
    assert json.loads(run(path, "--json").stdout)["error"]["exitCode"] == code


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("Title: A test\n</pre>\n", "Title: A test\n</pre>\n\n<div algorithm>\n1. Go.\n\n", ":5: the <div> of"),
        (
            "<div algorithm>",
            "<xmp class=idl>\n\ninterface {\n</xmp>\n<div algorithm>",
            ":7: the IDL of the text is not valid",
        ),
        ("<div algorithm>", "<xmp class=idl>\n};\n</xmp>\n<div algorithm>", ":6: the IDL of the text is not valid"),
        (
            "<div algorithm>",
            "<div algorithm>\nTo <dfn>x</dfn>:\n1. Do [=it.\n</div>\n<div algorithm>",
            ":7: an autolink [=",
        ),
        ("</div>", "</div>\n<!--", ":13: a comment is not closed"),
        ("</div>", "</div>\n<pre>", ":13: a <pre> is not closed"),
    ],
)
def test_part_that_cannot_be_read_is_named_and_the_rest_is_linted(
    text: Path, before: str, after: str, message: str
) -> None:
    text.write_text(TEXT.replace(before, after, 1), encoding="utf-8")
    result = run(text)
    assert result.exit_code == 1
    assert "untested-null" in result.stdout
    assert [line for line in result.stderr.splitlines() if f"{text}{message}" in line and line.endswith("[not read]")]
    [one] = json.loads(run(text, "--json").stdout)["notRead"]
    assert message == f":{one['line']}: {one['message']}"[: len(message)]


def test_algorithm_that_is_not_closed_is_read_by_its_words(text: Path) -> None:
    text.write_text(TEXT.replace("</div>", ""), encoding="utf-8")
    result = run(text)
    assert "step 3: n may be null here" in result.stdout
    assert f"{text}:5: the <div> of an algorithm is not closed: add </div> [not read]" in result.stderr


def test_text_whose_lists_are_no_algorithms_has_exit_code_3(text: Path) -> None:
    text.write_text(TEXT.partition("<div")[0] + "1. Do it.\n", encoding="utf-8")
    result = run(text)
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"{text}: the text has no algorithms: mark each with <div algorithm> [not read]" in result.stderr


def test_version_is_that_of_the_distribution() -> None:
    assert CliRunner().invoke(command, ["--version"]).stdout == f"speclint, version {version('speclint')}\n"


def test_text_without_lists_is_read(text: Path) -> None:
    text.write_text(TEXT.partition("<div")[0] + "This is the the draft.\n", encoding="utf-8")
    result = run(text)
    assert result.exit_code == 1
    assert "[doubled-word]" in result.stdout
    assert "1 finding, 0 suppressed by the text; 0 algorithms with 0 steps" in result.stderr


def test_deep_nesting_is_refused_in_one_line(tmp_path: Path) -> None:
    steps = "".join(f"{'    ' * level}1. If |x|:\n" for level in range(700))
    path = tmp_path / "deep.bs"
    path.write_text(TEXT.replace("1. Let", f"{steps}1. Let", 1), encoding="utf-8")
    result = run(path)
    assert result.exit_code == 3
    assert "nested too deeply" in result.stderr


def test_findings_stay_where_a_later_text_is_bad(text: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.bs").write_text("Hello.\n", encoding="utf-8")
    result = run(text, tmp_path / "bad.bs")
    assert result.exit_code == 3
    assert "[untested-null]" in result.stdout
    assert "bad.bs: this is not Bikeshed source" in result.stderr


def test_json_has_what_was_found_before_a_bad_text(text: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.bs").write_text("Hello.\n", encoding="utf-8")
    data = json.loads(run(text, tmp_path / "bad.bs", "--json").stdout)
    assert [one["rule"] for one in data["findings"]] == ["untested-null"]
    assert data["error"]["file"] == str(tmp_path / "bad.bs")


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("name", ["a" * 5000, "/dev/zero", "caf\udce9.bs"])
def test_odd_name_of_a_file_is_refused_in_one_line(name: str) -> None:
    finished = subprocess.run([sys.executable, "-m", "speclint", name], capture_output=True, text=True, check=False)
    assert finished.returncode in (2, 3)
    assert finished.stderr.startswith("speclint: ")
    assert finished.stderr.count("\n") == 1


@pytest.mark.usefixtures("takes_long")
def test_full_standard_output_is_told_in_one_line(text: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        command_line = [sys.executable, "-m", "speclint", str(text)]
        finished = subprocess.run(command_line, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert finished.returncode == 2
    assert finished.stderr.splitlines()[-1] == "speclint: the results cannot be written: No space left on device"
    assert "Traceback" not in finished.stderr


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_has_examples_that_name_the_program_that_was_called(option: str) -> None:
    assert "\n  speclint index.bs\n" in CliRunner().invoke(command, [option], prog_name="speclint").stdout


def test_interrupt_keeps_what_was_found(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(path: Path, by_name: tuple[str, ...]) -> Report:
        if path == text:
            return lint(path, by_name)
        raise KeyboardInterrupt

    monkeypatch.setattr("speclint.command.lint", interrupted)
    result = CliRunner().invoke(command, [str(text), "another.bs"], prog_name="speclint")
    assert result.exit_code == 130
    assert "[untested-null]" in result.stdout
    assert result.stderr.endswith("speclint: interrupted\n")


def test_rules_about_sentences_are_applied_if_they_are_named(tmp_path: Path) -> None:
    path = tmp_path / "index.bs"
    queue = "[=Queue a global task=] on the [=DOM manipulation task source=] given null"
    task = f"{queue} to [=resolve=] |p| with null, and return."
    steps = f"1. Ponder nothing.\n1. {task}\n"
    path.write_text(
        f"<pre class=metadata>\nTitle: A\n</pre>\n<div algorithm>\nTo <dfn export>go</dfn>, given |p|:\n\n{steps}</div>\n"
    )
    plain = CliRunner().invoke(command, [str(path)])
    assert (plain.exit_code, plain.stdout) == (0, "")
    named = CliRunner().invoke(command, [str(path), "--rule", "not-understood", "--rule", "two-readings"])
    assert named.exit_code == 1
    assert f"{path}:7: go step 1: column 4: not understood at 'Ponder nothing.' [not-understood]" in named.stdout
    assert f"{path}:8: go step 2: column 4: " in named.stdout
    assert named.stdout.count("[two-readings]") == 1
    one = CliRunner().invoke(command, [str(path), "--rule", "two-readings"])
    assert "not-understood" not in one.stdout


def test_suppression_of_a_rule_that_was_not_named_is_not_idle(tmp_path: Path) -> None:
    path = tmp_path / "index.bs"
    step = "1. Ponder nothing. <!-- lint: not-understood: it is meant for people -->\n"
    path.write_text(
        f"<pre class=metadata>\nTitle: A\n</pre>\n<div algorithm>\nTo <dfn export>go</dfn>:\n\n{step}</div>\n"
    )
    for options in ([], ["--rule", "not-understood"]):
        assert CliRunner().invoke(command, [str(path), *options]).exit_code == 0


@pytest.mark.parametrize("seed", range(40))
def test_damaged_text_is_linted_or_refused_in_a_line(text: Path, seed: int) -> None:
    sample = (Path(__file__).parent / "styles" / "markdown.bs").read_text(encoding="utf-8")
    random = Random(seed)
    letters = list(sample)
    for _ in range(20):
        letters[random.randrange(len(letters))] = random.choice("<>|[]={}\0\ufeff\u2028\n\t'\"")
    damaged = "".join(letters)
    first, last = sorted(random.randrange(len(damaged)) for _ in range(2))
    text.write_text(damaged[:last] + damaged[first:] if seed % 2 else damaged[:last], encoding="utf-8")
    result = run(text)
    assert result.exit_code in (0, 1, 3)
    assert result.stderr.strip()
