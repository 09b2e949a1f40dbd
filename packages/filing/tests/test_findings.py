"""Defects and their reports: each has its findings, its profile explains them, and crashes have no page in public."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.judging.profiles import DEVIATIONS, PROFILES, load_deviations, load_profile
from modelcontext.people.cli import test as suite
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_filing.checking import check_pages
from modelcontext_filing.defects import Defect, read_defects
from modelcontext_filing.findings_command import command
from modelcontext_filing.findings_document import findings_document, keep_version
from modelcontext_filing.places import SECTIONS, TODO
from modelcontext_filing.report import page_of, report, shown_by
from modelcontext_filing.since import since
from modelcontext_fuzz.document import FOLDER, observation_of_finding
from modelcontext_fuzz.findings import PROGRAM, RECORD, FindingsError

ROOT = Path(__file__).resolve().parents[3]
DEFECTS: Mapping[str, Defect] = {
    f"{product}/{one.name}": one for product, those in read_defects(ROOT).items() for one in those
}


def published_anchors() -> set[str]:
    """Return the ids of the algorithms and sections of the published text that reports may link to."""
    table = json.loads((CURRENT.installed / CURRENT.published.name).read_text(encoding="utf-8"))["steps"]
    return {step.partition(" ")[0] for step in table.values()} | {*SECTIONS, *TODO}


def test_every_deviation_of_a_product_has_a_defect() -> None:
    named = {one.quirk.name for one in DEFECTS.values() if one.quirk is not None}
    known = {quirk.name for name in DEVIATIONS for quirk in load_deviations(name).quirks}
    assert known - named == set()


def test_whole_profile_predicts_every_finding_of_a_quirk() -> None:
    profiles = [(load_profile(name), read_defects(ROOT)[product]) for name, product in PROFILES.items()]
    wrong = [
        finding.name
        for profile, defects in profiles
        for defect in defects
        for finding in (defect.findings if defect.quirk is not None else ())
        if not profile.predicts(finding.program, observation_of_finding(finding))
    ]
    assert wrong == []


def test_every_test_that_a_defect_names_is_there() -> None:
    named = [f"wpt_tests/{one.test}" for one in DEFECTS.values() if one.test]
    named += [f"wpt_tests/{one.rule}.toml" for one in DEFECTS.values() if one.rule]
    assert [path for path in named if not (ROOT / path).is_file()] == []


def test_checkout_keeps_only_what_cannot_be_made() -> None:
    kept = {folder: {file.name for file in folder.iterdir()} for folder in (ROOT / FOLDER).glob("*/*/")}
    assert kept
    assert {folder.name: names for folder, names in kept.items() if names != {PROGRAM, RECORD}} == {}


def test_no_committed_finding_is_a_crash() -> None:
    crashes = [finding.name for one in DEFECTS.values() for finding in one.findings if finding.ending == "crash"]
    assert crashes == []


def test_report_of_a_crash_has_words_only_unless_it_is_withheld() -> None:
    crash = DEFECTS["chromium/crash-abort-after-removal"]
    public = report(ROOT, crash, "Chromium 156", CURRENT.name)
    assert set(public) == {"report.md"}
    assert "<script" not in public["report.md"]
    assert "--withheld" not in public["report.md"]
    withheld = report(ROOT, crash, "Chromium 156", CURRENT.name, withheld=True)
    assert set(withheld) == {"report.md", "page.html", "subtest.https.html"}


def test_report_has_the_place_severity_page_and_test() -> None:
    files = report(ROOT, DEFECTS["chromium/form-reset-ends-a-submission"], "Chromium 156", CURRENT.name)
    text = files["report.md"]
    place = "https://webmachinelearning.github.io/webmcp/#declarative-execute-steps"
    words = "of the WebMCP draft of October 2026, which has no steps there yet"
    assert f"* Place: [declarative execute steps]({place}) {words}" in text
    assert "* Expected: A reset in the submit listener does not end the call" in text
    assert "* Severity: major: a call is lost or refused, or never settles" in text
    assert "* To change: Chromium" in text
    assert "* Other reports of this defect: none known" in text
    assert files["page.html"].strip() in text
    assert 'assert_array_equals(shown, ["submit at f", "executeTool: fulfilled with \\"done\\""]);' in text
    assert "The test is tentative, because the draft has no steps for forms yet.\n" in text


def test_report_names_the_step_of_the_published_text() -> None:
    text = report(ROOT, DEFECTS["chromium/string-result-is-bare"], "Chromium 156", CURRENT.name)["report.md"]
    assert "(https://webmachinelearning.github.io/webmcp/#imperative-execute-steps), step 10, item 1, step 4 of" in text


def test_report_of_an_earlier_draft_names_the_step_that_this_draft_has() -> None:
    files = report(ROOT, DEFECTS["firefox/empty-description-is-accepted"], "Firefox 153", "2026-03")
    assert set(files) == {"report.md", "page.html"}
    empty = files["report.md"]
    assert "* Place: registerTool(), step 4 of the [WebMCP draft of 5 March 2026](https://github.com/" in empty
    assert "Firefox 153 shows:\n\n```text\nregisterTool: undefined\n```" in empty
    assert "* To change: Firefox\n" in empty


def test_report_says_that_the_text_requires_the_only_outcome_and_allows_one_of_several() -> None:
    one = report(ROOT, DEFECTS["chromium/string-result-is-bare"], "Chromium 156", CURRENT.name)["report.md"]
    assert "The specification requires:\n" in one
    several = report(ROOT, DEFECTS["polyfill/signal-leaves-a-newer-tool"], "The polyfill", CURRENT.name)["report.md"]
    assert "The specification allows, one of:\n" in several


def test_no_page_has_the_notation_of_programs_in_its_outcomes() -> None:
    names = [name for name, one in DEFECTS.items() if one.loses != "crash"]
    words = {name: shown.words for name in names if (shown := shown_by(ROOT, DEFECTS[name])) is not None}
    assert [name for name, said in words.items() if re.search(r"\{[A-Z]\}|Window\(|Open the page", said)] == []


def test_page_declares_a_helper_only_if_it_calls_the_helper() -> None:
    page = report(ROOT, DEFECTS["firefox/frame-cannot-register"], "Firefox 153", "2026-03")["page.html"]
    assert "const text = " not in page
    page = report(ROOT, DEFECTS["chromium/input-in-the-realm-of-the-callback"], "Chromium 156", CURRENT.name)[
        "page.html"
    ]
    assert "const text = " in page


def test_every_report_links_only_to_places_that_the_published_text_has() -> None:
    names = {one.product: name for name in DEVIATIONS for one in [load_deviations(name)]}
    reports = {
        name: report(ROOT, one, "The product", load_deviations(names[one.product]).revision.name)["report.md"]
        for name, one in DEFECTS.items()
    }
    linked = {anchor for text in reports.values() for anchor in re.findall(r"github\.io/webmcp/#([\w-]+)", text)}
    assert len(linked) > 8
    assert linked - published_anchors() == set()
    assert [name for name, text in reports.items() if re.search(r"\b[Ii]ssues? \d", text)] == []


def test_defect_that_a_test_shows_has_this_test_and_its_headers_in_its_report() -> None:
    files = report(ROOT, DEFECTS["chromium/not-origin-keyed"], "Chromium 156", CURRENT.name)
    assert set(files) == {"report.md", "subtest.https.html", "subtest.https.html.headers"}
    assert files["subtest.https.html"].strip() in files["report.md"]
    assert "```text\nOrigin-Agent-Cluster: ?0\n```" in files["report.md"]


@pytest.mark.usefixtures("starts_a_browser")
@pytest.mark.parametrize("test", sorted(one.test for one in DEFECTS.values() if one.test))
def test_test_that_shows_a_defect_passes_in_the_model(test: str) -> None:
    path = str(ROOT / "wpt_tests" / test)
    result = CliRunner().invoke(suite.command, [path, "--product", "simulated", "--json"])
    assert result.exit_code == 0, result.output
    [one] = json.loads(result.stdout)["products"][0]["results"]
    assert [subtest["status"] for subtest in one["subtests"]] == ["PASS"]


def test_report_proposes_no_test_where_the_specification_should_change() -> None:
    files = report(ROOT, DEFECTS["chromium/file-url-is-accepted"], "Chromium 156", CURRENT.name)
    assert set(files) == {"report.md", "page.html"}
    assert "There is no test, because the specification has to change" in files["report.md"]


def test_report_about_steps_that_the_draft_lacks_has_a_tentative_test() -> None:
    files = report(ROOT, DEFECTS["chromium/form-pattern-matches-a-part"], "Chromium 156", CURRENT.name)
    assert set(files) == {"report.md", "page.html", "subtest.tentative.https.html"}
    assert "* To change: Chromium and web-platform-tests\n" in files["report.md"]


def test_test_about_another_defect_passes_with_and_without_quotation_marks() -> None:
    test = report(ROOT, DEFECTS["chromium/surrogate-in-a-result-is-lost"], "Chromium 156", CURRENT.name)[
        "subtest.https.html"
    ]
    assert r"""["t called", "executeTool: fulfilled with \"\\\"a\\\\udc00\\\"\""],""" in test
    assert r"""["t called", "executeTool: fulfilled with \"a\\udc00\""],""" in test
    assert (
        '  // Either is right here: the report "executeTool() gives a string result without quotation marks" is' in test
    )


def test_report_that_another_one_names_has_this_title() -> None:
    titles = {one.title for one in DEFECTS.values()}
    named = {name: re.findall(r'report "([^"]+)"', one.why) for name, one in DEFECTS.items()}
    assert sum(map(len, named.values())) >= 6
    assert {name: those for name, those in named.items() if not titles.issuperset(those)} == {}
    assert [name for name, one in DEFECTS.items() if "another report" in one.why.lower()] == []


@pytest.mark.parametrize(
    ("name", "member", "expected"),
    [
        ("form-fieldset-around-the-form", "inputSchema.properties.a.description", r"[\"around\"]"),
        ("form-required-on-a-range", "inputSchema.required ?? []", "[[]]"),
        ("form-button-hides-a-field", "Object.keys(inputSchema.properties)", r"[[\"a\"]]"),
        ("form-option-has-an-empty-title", "inputSchema.properties.a.anyOf[0].title", "[null]"),
    ],
)
def test_test_looks_only_at_the_member_of_a_schema_that_differs(name: str, member: str, expected: str) -> None:
    test = report(ROOT, DEFECTS[f"chromium/{name}"], "Chromium 156", CURRENT.name)["subtest.tentative.https.html"]
    assert f"value.map(({{ inputSchema }}) => {member})" in test
    assert f'assert_array_equals(shown, ["getTools: fulfilled with {expected}"]);' in test
    assert ("// null: the schema has no such member." in test) == ("null" in expected)


def test_test_compares_only_the_values_of_choices() -> None:
    test = report(ROOT, DEFECTS["chromium/form-disabled-option-is-listed"], "Chromium 156", CURRENT.name)[
        "subtest.tentative.https.html"
    ]
    assert "[inputSchema.properties.a.anyOf.map((choice) => choice.const), inputSchema.properties.a.enum]" in test
    assert r'["getTools: fulfilled with [[[\"1\"],[\"1\"]]]"]' in test


def test_frame_waits_until_its_form_is_a_tool() -> None:
    page = report(ROOT, DEFECTS["chromium/form-call-in-a-sandbox-is-lost"], "Chromium 156", CURRENT.name)["page.html"]
    assert page.index("// The form becomes a tool.") < page.index("executeTool({ name")


def test_report_does_not_say_that_the_draft_requires_what_it_leaves_to_the_product() -> None:
    text = report(ROOT, DEFECTS["chromium/file-url-is-accepted"], "Chromium 156", CURRENT.name)["report.md"]
    assert "We expect (the draft does not decide this):" in text
    assert "The specification requires" not in text


def test_test_looks_only_at_the_annotations_that_differ() -> None:
    test = report(ROOT, DEFECTS["polyfill/only-two-annotations"], "The polyfill", CURRENT.name)["subtest.https.html"]
    assert "({ annotations }) => [annotations.consequentialHint, annotations.debugging])" in test
    assert 'assert_array_equals(shown, ["getTools: fulfilled with [[true,true]]"]);' in test


def test_test_about_the_order_of_members_looks_at_nothing_else() -> None:
    name = "polyfill/members-are-in-another-order"
    test = report(ROOT, DEFECTS[name], "The polyfill", CURRENT.name)["subtest.https.html"]
    assert "value.map((tool) => Object.keys(tool))" in test


@pytest.mark.parametrize(
    ("name", "needs_server"),
    [
        # The polyfill refuses frames of a local file, and executeTool() refuses the origin of one.
        ("toolchange-comes-late", True),
        ("string-result-is-bare", True),
        ("members-are-in-another-order", False),
    ],
)
def test_page_says_whether_it_needs_a_server(name: str, needs_server: bool) -> None:
    text = report(ROOT, DEFECTS[f"polyfill/{name}"], "The polyfill", CURRENT.name)["report.md"]
    assert ("serve its folder" in text) == needs_server


def test_page_shows_who_submits_a_form_where_outcomes_differ_in_it() -> None:
    page = report(ROOT, DEFECTS["chromium/form-submission-of-the-user-counts"], "Chromium 156", CURRENT.name)[
        "page.html"
    ]
    assert "submit at f, agentInvoked: true\nsubmit at f, agentInvoked: false\nrespondWith: threw" in page


def test_frames_of_a_page_of_the_polyfill_load_it() -> None:
    page = report(ROOT, DEFECTS["polyfill/toolchange-comes-late"], "The polyfill", CURRENT.name)["page.html"]
    assert page.count('<script src="polyfill.js"></script>') == 2


@pytest.mark.parametrize(
    "name",
    [
        "chromium/form-removed-by-its-listener-succeeds",
        "chromium/form-step-any-of-a-range",
        "chromium/form-call-in-a-sandbox-is-lost",
    ],
)
def test_page_whose_form_cannot_navigate_has_no_policy(name: str) -> None:
    assert "form-action" not in report(ROOT, DEFECTS[name], "Chromium 156", CURRENT.name)["page.html"]


@pytest.mark.parametrize(
    ("builds", "words"),
    [
        ((), ""),
        ((("152.0.1", "a"), ("153.0.1", "allowed")), ""),
        (
            (("152.0.1", "a"), ("153.0.1", "a")),
            "152 is the first that shows it, and earlier ones implement an earlier draft",
        ),
        ((("152.0.1", "allowed"), ("153.0.1", "a")), "153 is the first that shows it, and 152 conforms"),
        ((("152.0.1", "b"), ("153.0.1", "a")), ""),
        ((("152.0.1", "b"), ("153.0.1", "a"), ("156.0.1", "a")), "153 shows it, too"),
    ],
)
def test_report_says_since_which_build_a_defect_is_shown(builds: tuple[tuple[str, str], ...], words: str) -> None:
    defect = DEFECTS["chromium/string-result-is-bare"]
    finding = replace(defect.findings[0], builds=builds)
    said = since(ROOT, replace(defect, findings=[finding]))
    assert said == (f"; of the builds that we tried, each by the draft of its time, {words}" if words else "")


@pytest.mark.parametrize(
    ("name", "says"),
    [("chromium/form-no-color-becomes-black", True), ("chromium/form-pattern-of-a-number", False)],
)
def test_report_says_how_to_call_tools_in_builds_that_take_text(name: str, *, says: bool) -> None:
    said = since(ROOT, DEFECTS[name])
    assert said.endswith(". For 152 and 153, pass the input of executeTool() as JSON text") is says


def test_report_has_the_lines_that_the_page_shows_and_the_promises_that_stay_pending() -> None:
    name = "chromium/form-second-call-replaces-the-first"
    text = report(ROOT, DEFECTS[name], "Chromium 156", CURRENT.name)["report.md"]
    shown = text.split("Chromium 156 shows:\n")[1]
    assert 'second: fulfilled with "done"\n(first never settles)\n' in shown


def test_page_of_a_defect_is_short() -> None:
    found = {name: (one, shown) for name, one in DEFECTS.items() if (shown := shown_by(ROOT, one)) and one.findings}
    lengths = {name: page_of(one, shown, "The product").length for name, (one, shown) in found.items() if plain(name)}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == LONG


#: The most lines of JavaScript in the page of a defect.
MOST_LINES = 25
#: Defects whose pages are longer, with the number of lines.
LONG = {"chromium/form-answer-for-another-call": 30, "chromium/form-second-call-replaces-the-first": 30}


def plain(name: str) -> bool:
    """Return whether one file can show a defect: a response header, for example, needs a server."""
    return name != "polyfill/page-without-the-feature-may-register"


def folder_with(tmp_path: Path, product: str) -> Path:
    """Return a copy of the findings of one product."""
    shutil.copytree(ROOT / FOLDER / product, tmp_path / FOLDER / product)
    shutil.copy(ROOT / FOLDER / f"{product}.toml", tmp_path / FOLDER)
    return tmp_path / FOLDER / product


def test_document_refuses_findings_that_do_not_hold(tmp_path: Path) -> None:
    record = folder_with(tmp_path, "chromium") / "string-result-is-bare" / RECORD
    data = json.loads(record.read_text(encoding="utf-8"))
    log = data["outcome"]["logs"]["top"]

    data["outcome"] = data["outcomes"][0]
    record.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(FindingsError, match="shows an outcome that the specification now allows; remove the folder"):
        findings_document(tmp_path)

    data["outcome"] = {"logs": {"top": log[:-1]}, "pending": []}
    record.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(FindingsError, match="the profile chromium_156 does not predict, but its defect has the quirk"):
        findings_document(tmp_path)


def test_finding_about_a_script_has_to_name_its_deviation(tmp_path: Path) -> None:
    record = folder_with(tmp_path, "polyfill") / "exposed-to-is-refused" / RECORD
    data = json.loads(record.read_text(encoding="utf-8"))
    assert data["quirks"] == ["no-exposure"]
    record.write_text(json.dumps({**data, "quirks": ["no-such-deviation"]}), encoding="utf-8")
    with pytest.raises(FindingsError, match="exposed-to-is-refused does not name no-exposure: add a list"):
        findings_document(tmp_path)


#: The beginning of a table whose end is wrong.
OTHER = "[other]\ntitle = 't'\nexpects = 'e'\n"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (f"{OTHER}loses = 'much'\nquirk = 'no-discovery'\n", "other: loses must be one of crash"),
        (f"{OTHER}loses = 'call'\nquirk = 'none'\n", "this product has no deviation none"),
        (f"{OTHER}loses = 'call'\n", "a defect without a quirk needs step and why"),
        (f"{OTHER}loses = 'call'\nstep = 'x 1'\nwhy = 'w'\ntest = 't'\n", "the text has no step 'x 1'"),
        (f"{OTHER}loses = 'call'\nstep = 'x 1'\nwhy = 'w'\n", "nothing shows the defect"),
        (
            f"{OTHER}loses = 'call'\nquirk = 'no-discovery'\nshows = 'often'\n",
            'only value of the key "shows" is "sometimes"',
        ),
        ("[other]\ntitle = 't'\nloses = 'call'\nquirk = 'no-discovery'\n", "give title, the defect in a sentence"),
        ("[other]\nsize = 1\n", "size must be a string, and one of title"),
        ("[other", "polyfill.toml"),
    ],
)
def test_wrong_table_of_a_defect_is_a_clear_error(tmp_path: Path, change: str, problem: str) -> None:
    folder_with(tmp_path, "polyfill")
    path = tmp_path / FOLDER / "polyfill.toml"
    path.write_text(path.read_text(encoding="utf-8") + change, encoding="utf-8")
    with pytest.raises(FindingsError, match=problem):
        read_defects(tmp_path)


def test_finding_without_a_defect_is_an_error(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "polyfill")
    (folder / "exposed-to-is-refused").rename(folder / "another-name")
    with pytest.raises(FindingsError, match="has no table for the finding another-name: add one, or rename the folder"):
        read_defects(tmp_path)


@pytest.mark.parametrize("other", [["--check"], ["--withheld"], ["--output", "new"]])
def test_findings_are_added_only_where_the_checkout_may_change(other: list[str]) -> None:
    result = CliRunner().invoke(command, ["--add", ".", *other])
    assert result.exit_code == 2
    assert "--add changes a checkout" in result.output


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, takes_long: None) -> Path:
    """Make the reports of all defects."""
    folder = tmp_path_factory.mktemp("reports") / "made"
    result = CliRunner().invoke(command, ["--output", str(folder)])
    assert (result.exit_code, result.output) == (0, f"made {folder}\n")
    return folder


def test_reports_are_made_in_a_new_folder(reports: Path) -> None:
    # A difference that nobody has to mend is no report.
    filed = {name for name, one in DEFECTS.items() if one.changes != "neither"}
    assert {path.relative_to(reports).as_posix() for path in reports.glob("*/*")} == filed
    assert filed < set(DEFECTS)
    again = CliRunner().invoke(command, ["--output", str(reports)])
    assert again.exit_code == 2
    assert f"{reports} already has files: name a new folder." in again.output


def test_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = CliRunner().invoke(command, ["--output", str(tmp_path / "file/made")])
    assert result.exit_code == 2
    assert "cannot be written" in result.output


@pytest.mark.usefixtures("starts_a_browser")
def test_every_page_shows_its_defect_in_its_product_and_an_allowed_outcome_in_the_model() -> None:
    assert list(check_pages(ROOT)) == []


@pytest.mark.usefixtures("starts_a_browser")
def test_run_keeps_the_version_that_shows_a_defect(tmp_path: Path) -> None:
    findings = {path: path.read_text(encoding="utf-8") for path in (ROOT / FOLDER / "firefox").glob(f"*/{RECORD}")}
    for path, text in findings.items():
        kept = tmp_path / path.relative_to(ROOT)
        kept.parent.mkdir(parents=True)
        kept.write_text(text, encoding="utf-8")
    seen: list[str] = []

    def keep(defect: Defect, version: str) -> None:
        seen.extend(finding.name for finding in defect.findings)
        keep_version(tmp_path, defect, version)

    list(check_pages(ROOT, ["firefox"], keep))
    assert seen
    for name in seen:
        kept = json.loads((tmp_path / FOLDER / "firefox" / name / RECORD).read_text(encoding="utf-8"))
        assert re.fullmatch(r"\d+(\.\d+)+", kept["version"])


def test_report_of_a_race_has_a_page_and_no_test(reports: Path) -> None:
    race = reports / "chromium" / "toolchange-after-the-promise"
    assert {path.name for path in race.iterdir()} == {"page.html", "report.md"}
    assert "shows the defect in some loads only" in (race / "report.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("starts_a_browser")
def test_no_subtest_of_a_report_passes_in_chromium(reports: Path) -> None:
    result = CliRunner().invoke(suite.command, [str(reports / "chromium"), "--json"])
    results = json.loads(result.stdout)["products"][0]["results"]
    assert len(results) > 50
    assert [one["test"] for one in results if any(subtest["status"] == "PASS" for subtest in one["subtests"])] == []
