"""The dossiers of the Issues, one Issue as Markdown, and the table of points in which the texts differ."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from modelcontext.judging.issues.dossier import read_dossiers
from modelcontext.judging.issues.readings import patched_text
from modelcontext.judging.issues.text import read_issues
from modelcontext.judging.litmus.language import OutcomeKind, read_litmus
from modelcontext.people.cli.spec import command
from modelcontext.programs.program.reading import load
from modelcontext.running.products import make_target
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.specification import SpecificationError
from modelcontext.spec.specification.text.algorithms import load_algorithms
from modelcontext_filing.issues.effects import KnownProgram, changed, programs_of
from modelcontext_filing.issues.markdown import groups_of, markdown, program_path
from modelcontext_filing.places import SECTIONS, TODO, place_of
from modelcontext_filing.plain.plain_page import as_logs, plain_page
from modelcontext_filing.watching import watch

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

ROOT = Path(__file__).resolve().parents[4]
ISSUES = {issue.number: issue for issue in read_issues(ROOT, CURRENT)}
DOSSIERS = read_dossiers(ROOT, CURRENT)
TABLE = (ROOT / "docs/upstream.md").read_text(encoding="utf-8")


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(command, ["issues", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def test_every_issue_of_the_text_has_a_dossier_and_every_dossier_an_issue() -> None:
    assert set(DOSSIERS) == set(ISSUES)


def test_every_step_that_an_issue_names_is_in_the_text() -> None:
    known = {f"{algorithm.id} {step.number}" for algorithm in load_algorithms() for step in algorithm.steps}
    named = {step for number, one in ISSUES.items() for step in (*one.steps, *DOSSIERS[number].steps)}
    assert named - known == set()
    assert [number for number, one in ISSUES.items() if not (one.steps or DOSSIERS[number].steps)] == []


PATCHES = {number: dossier.patch for number, dossier in DOSSIERS.items() if dossier.patch}


def test_most_issues_about_the_published_text_have_a_patch() -> None:
    about_it = {number for number, dossier in DOSSIERS.items() if dossier.stands != "own"}
    assert len(about_it & set(PATCHES)) >= 39


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("number", PATCHES)
def test_patch_of_an_issue_fits_the_text_and_each_step_has_one_meaning_with_it(number: int) -> None:
    text = patched_text(PATCHES[number])
    assert list(text.unclear()) == []
    assert text.revision().boundary


GARBLED = {
    "a variable that does not exist there": (
        "  dom-modelcontext-registertool\n- 17.1. Unregister a tool given this and tool name.\n"
        "+ 17.1. If |tool map|[|tool name|] is |tool definition|, then [=unregister a tool=] given [=this=] and\n"
        "      |tool name|.\n",
        "dom-modelcontext-registertool 17.1 has no meaning",
    ),
    "words that are no sentence": (
        "  dom-modelcontext-executetool\n  5. Let target url be …\n+ 6. If |target url| is failure, then set;\n",
        "dom-modelcontext-executetool 6 has no meaning",
    ),
}


@pytest.mark.parametrize(("patch", "problem"), GARBLED.values(), ids=GARBLED)
def test_garbled_patch_has_a_step_without_a_meaning(patch: str, problem: str) -> None:
    assert problem in "".join(patched_text(patch).unclear())


def test_patch_of_words_that_the_text_does_not_have_is_an_error() -> None:
    with pytest.raises(SpecificationError, match="dom-modelcontext-executetool 6 is 'If target url is failure"):
        patched_text("  dom-modelcontext-executetool\n- 6. If target origin is failure, then return.\n")


def test_every_program_that_an_issue_names_is_there() -> None:
    named = [dossier.test for dossier in DOSSIERS.values() if dossier.test]
    assert [test for test in named if not program_path(ROOT, test).is_file()] == []


def rows() -> list[tuple[str, str, str, str]]:
    """Return the cells of each row of docs/upstream.md."""
    tables = (part for part in TABLE.split("\n\n") if part.startswith("| point |"))
    lines = [line for table in tables for line in table.splitlines()[2:]]
    return [(cells[0], cells[1], cells[2], cells[3]) for cells in (line.strip("| ").split(" | ") for line in lines)]


def test_table_of_differences_names_issues_and_programs_that_are_there() -> None:
    assert len(rows()) > 60
    for point, _, issue, test in rows():
        assert issue == "-" or int(issue) in ISSUES, point
        assert test == "-" or program_path(ROOT, test.strip("`")).is_file(), point


def test_standing_of_each_point_is_that_of_its_issue() -> None:
    wrong = [
        point
        for point, standing, issue, _ in rows()
        if issue != "-" and not standing.startswith(DOSSIERS[int(issue)].stands)
    ]
    assert wrong == []


def test_every_issue_about_the_published_text_is_in_the_table() -> None:
    named = {int(issue) for _, _, issue, _ in rows() if issue != "-"}
    assert {number for number, dossier in DOSSIERS.items() if dossier.stands != "own"} == named


@pytest.mark.usefixtures("takes_long")
def test_issue_as_markdown_has_its_place_a_page_outcomes_of_each_reading_a_change_and_its_diff() -> None:
    code, text, _ = run("--markdown", "50")
    assert code == 0
    assert (
        "* Place: [getTools()](https://webmachinelearning.github.io/webmcp/#dom-modelcontext-gettools), step 8.4\n"
        in text
    )
    assert "* Thread: none known" in text
    assert "* Web platform tests: none known\n" in text
    assert "With the change below, the sorted list is returned." in text
    assert "```html\n<!DOCTYPE html>" in text
    this, published = text.split("## Outcomes")[1].split("### The draft: the unsorted list is returned")
    assert "### With the proposed change\n" in this
    assert "```text" in published
    assert "Chromium 156 shows an outcome under “With the proposed change”." in text
    assert "## The change\n\nIn getTools(), step 8.4, set *tools* to the result of sorting it" in text
    assert "\n-1. Return |found tools|.\n+1. Return the result of [=list/sort in ascending order" in text
    assert text.endswith("a program that executes the steps of both.\n\n")


@pytest.mark.usefixtures("takes_long")
def test_outcome_that_only_the_draft_or_only_its_change_has_is_marked() -> None:
    outcomes = run("--markdown", "17")[1].split("## Outcomes")[1]
    assert "only under this heading:\n\n```text\n(executeTool never settles)" in outcomes
    assert outcomes.count("only under this heading:") == 1
    assert "The outcome above that is not marked “only under this heading”." in outcomes


@pytest.mark.usefixtures("takes_long")
def test_diff_of_another_decision_is_not_called_the_change() -> None:
    text = run("--markdown", "43")[1]
    assert (
        "<summary>The other decision, as a change of the project's own rewrite of the draft, whose text differs."
        in text
    )
    assert "<summary>The corresponding change" not in text


def test_diff_of_a_longer_step_has_the_whole_step_and_no_other_line_breaks() -> None:
    diff = run("--markdown", "7")[1].split("```diff\n")[1].split("```")[0]
    changed = [line for line in diff.splitlines() if line[:1] in "+-"]
    assert sum(line.startswith("-To <dfn id=run-the-tool-execute-steps>") for line in changed) == 1
    assert sum(line.startswith("+To <dfn id=run-the-tool-execute-steps>") for line in changed) == 1
    assert max(map(len, diff.splitlines())) <= 121


def test_page_shows_a_listed_schema_that_is_no_object() -> None:
    assert 'getTools: fulfilled with [{"name":"t","inputSchema":5}]' in run("--markdown", "4")[1]


def test_frame_that_is_removed_keeps_the_window_in_which_it_shows_its_lines() -> None:
    assert "const show = (line) => parent.show(`child: ${line}`);" in run("--markdown", "62")[1]
    text = run("--markdown", "56")[1]
    assert "  const page = parent;\n  const show = (line) => page.show(`child: ${line}`);" in text
    # Chromium does what is proposed: the outcome is there once.
    assert text.split("### As in Chromium: ")[1].count("The same as under “With the proposed change”.") == 1


def test_other_outcome_that_the_draft_leaves_to_user_agents_is_not_said_to_be_wrong() -> None:
    assert "### The draft also allows: all file: URLs have one trustworthy origin" in run("--markdown", "45")[1]


def test_realm_that_tells_no_outcomes_apart_is_not_shown() -> None:
    assert "another realm" not in run("--markdown", "65")[1]
    assert "another realm" in run("--markdown", "8")[1]


def test_issue_about_forms_says_that_the_draft_has_no_such_algorithm() -> None:
    text = run("--markdown", "74")[1]
    assert '#declarative-api)", which is a TODO\n' in text
    assert "The draft has no steps for forms yet, and this Issue is about a point that they have to settle." in text
    assert "has rewritten the draft, with steps for forms. Below, this text is called the rewrite." in text


def test_issue_without_anything_to_file_says_why() -> None:
    code, _, stderr = run("--markdown", "48")
    assert code == 2
    assert "There is nothing to file about Issue 48: The example of the published text is right" in " ".join(
        stderr.split()
    )


def test_issue_about_a_product_is_not_for_the_editors_of_the_text() -> None:
    code, _, stderr = run("--markdown", "22")
    assert code == 2
    assert "Issue 22 is a report about chromium" in stderr
    assert "form-required-anywhere" in stderr


def test_every_issue_for_editors_has_a_change_and_a_thread_or_none() -> None:
    for_editors = [dossier for dossier in DOSSIERS.values() if not (dossier.report or dossier.unfiled)]
    assert len(for_editors) >= 60
    assert [one.title for one in for_editors if not one.change or not one.thread] == []


def test_issues_as_filed_link_only_to_places_that_the_published_text_has_and_have_none_of_our_numbers() -> None:
    for_editors = {number: one for number, one in DOSSIERS.items() if not (one.report or one.unfiled)}
    titles = {number: one.title for number, one in DOSSIERS.items()}
    # Without programs and patches, their words are quickly made.
    bare = {
        number: markdown(ROOT, ISSUES[number], replace(one, test="", none="-", patch="", readings=()), titles)
        for number, one in for_editors.items()
    }
    table = json.loads((CURRENT.installed / CURRENT.published.name).read_text(encoding="utf-8"))["steps"]
    # The cleanup steps have no id.
    known = {step.partition(" ")[0] for step in table.values()} - {"unloading-document-cleanup-steps"}
    known |= {*SECTIONS, *TODO}
    linked = {anchor for text in bare.values() for anchor in re.findall(r"github\.io/webmcp/#([\w-]+)", text)}
    assert len(linked) > 10
    assert linked - known == set()
    ours = re.compile(r"\b[Ii]ssues? \d|\[\[#|published text|this document|pending execution|another Issue")
    said = {number: text.rpartition("\nFound with the project")[0] for number, text in bare.items()}
    assert [number for number, text in said.items() if ours.search(text)] == []


def test_page_that_crashes_a_browser_is_not_in_an_issue() -> None:
    text = run("--markdown", "13")[1]
    assert "A page for it is not shown here: it crashes the renderer of Chromium" in text
    assert "<script" not in text


def test_step_that_the_published_text_lacks_is_placed_beside_the_nearest_one() -> None:
    assert place_of("current", "notify-documents-of-a-tool-change 3").words.endswith(", after step 2")
    assert place_of("current", "dom-modelcontext-executetool 20.1").words.endswith(", in step 16.10")
    assert place_of("current", "find-a-tool-to-execute 3").words.endswith(", after step 16.1")
    assert place_of("current", "declarative-execute-steps 4").anchor == "declarative-execute-steps"
    assert place_of("current", "tree-change-steps 1").anchor == "declarative-api"
    assert place_of("2026-03", "valid-tool-name 2").anchor == "model-context-tool"


def test_step_in_a_list_within_a_step_is_named_by_numbers_that_the_published_text_shows() -> None:
    assert place_of("current", "imperative-execute-steps 12.a.3").words.endswith(", step 10, item 1, step 4")
    assert place_of("current", "create-a-registered-tool 3").words.endswith(", step 8.3.8.2, item 4")


def test_steps_of_the_cleanup_are_found_in_their_section() -> None:
    assert place_of("current", "unloading-document-cleanup 4").anchor == "pending-tool-executions"


#: Issues that no single file can show: they need a second window or page, or a response header.
WITHOUT_A_PAGE = {9, 10, 46, 53}
#: The most lines of JavaScript in a page that a reader takes in.
MOST_LINES = 25
#: Issues whose page is longer: it has a call within a call.
LONG = {61}


@pytest.mark.usefixtures("starts_a_browser")
def test_page_of_every_issue_shows_an_outcome_of_this_text_in_the_model() -> None:
    pages = {}
    for number, dossier in DOSSIERS.items():
        if not (dossier.report or dossier.unfiled) and dossier.test and number not in WITHOUT_A_PAGE:
            program = _read(dossier.test)[0]
            pages[number] = (program, plain_page(program, list(groups_of(program, dossier))))
    assert {number for number, (_, page) in pages.items() if page.length > MOST_LINES} == LONG
    left = list(pages)
    for _ in range(4):  # A busy machine is slow.
        seen = watch(make_target("page"), [pages[number][1].text for number in left])
        shown = {number: as_logs(pages[number][0], watched.lines) for number, watched in zip(left, seen, strict=True)}
        left = [number for number in left if not _is_one_of(shown[number], pages[number][1].shown[0])]
        if not left:
            break
    assert set(left) <= OF_THE_BROWSER


#: Issues about what the browser decides, and not its model: callbacks of documents that are gone, and the initial about:blank
#: document.
OF_THE_BROWSER = {1, 56}


def _is_one_of(logs: Mapping[str, Sequence[str]], allowed: Sequence[Mapping[str, Sequence[str]]]) -> bool:
    wanted = [{name: list(log) for name, log in one.items() if log} for one in allowed]
    return {name: list(log) for name, log in logs.items() if log} in wanted


def test_words_of_an_issue_name_other_issues_by_their_titles() -> None:
    text = run("--markdown", "39")[1]
    assert 'The Issue "A target that comes back from the back/forward cache works for no caller" is about' in text
    assert "issue 9" not in text
    assert "\nThe Issue that is named by its title above is filed beside this one.\n" in text
    assert "filed beside this one" not in run("--markdown", "50")[1]


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("number", [65, 17, 12, 7, 73])
def test_readings_of_an_issue_change_the_outcomes_of_its_program(number: int) -> None:
    dossier = DOSSIERS[number]
    ours, theirs, *_ = groups_of(_read(dossier.test)[0], dossier)
    assert theirs.words != "The same."
    assert {one.canonical for one in ours.outcomes} != {one.canonical for one in theirs.outcomes}


def effects(number: int, *names: str) -> list[str]:
    """Return the lines about some programs and the proposed change of an Issue."""
    reading = DOSSIERS[number].readings[0]
    chosen = {name: KnownProgram(*_read(name)) for name in names}
    return [line for line in changed(chosen, reading) if line]


def _read(name: str) -> tuple[Program, tuple[OutcomeKind, ...]]:
    path = program_path(ROOT, name)
    if not name.startswith("litmus/"):
        return load(path), ()
    litmus = read_litmus(path)
    return litmus.program, litmus.kinds


@pytest.mark.usefixtures("takes_long")
def test_effects_on_a_litmus_test_say_which_outcomes_vanish_in_a_persons_words() -> None:
    name = "litmus/reregister-execute/new-tool-for-others"
    words = "The tool that the caller may not see gets the call"
    assert effects(7, name)[1:] == [f"* {name}: 2 vanish ({words}), 0 appear"]


@pytest.mark.usefixtures("takes_long")
def test_effects_are_looked_for_in_programs_about_an_algorithm_and_in_all_litmus_tests() -> None:
    found = programs_of(ROOT, {"run-the-tool-execute-steps"})
    assert {"programs/execution/listed-then-replaced", "litmus/form-change/renamed-after-the-list"} <= set(found)
    assert "programs/listing/members" not in found


def test_member_that_a_reading_adds_is_no_effect_on_a_list() -> None:
    lists = ("programs/listing/members", "programs/listing/of-a-frame")
    said, *found = effects(73, *lists, "programs/execution/listed-then-replaced")
    assert "1 of 3 have other outcomes" in said
    assert found == ["* programs/execution/listed-then-replaced: 1 vanish, 1 appear"]


def test_issue_without_a_program_says_why() -> None:
    assert "No page is shown here. No outcome shows it: the signal only needs more memory" in run("--markdown", "16")[1]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--markdown", "999"), "index.bs has no Issue 999"),
        (("--root", "/"), "/ has no index.bs: name a checkout"),
        (("--effects",), "--effects belongs to --markdown N"),
        (("--markdown", "1", "--json"), "--json lists all Issues"),
        (
            ("--markdown", "1", "--revision", "2026-03"),
            "Issue 1 has no program and no change in spec/2026-03/issues.toml",
        ),
    ],
)
def test_wrong_use_says_what_to_do(arguments: tuple[str, ...], problem: str) -> None:
    code, _, stderr = run(*arguments)
    assert code == 2
    assert problem in " ".join(stderr.split())


def test_list_of_an_earlier_revision_has_the_words_of_its_issues() -> None:
    assert "ModelContextClient" in run("--revision", "2026-03", "--json")[1]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[issue.1]\ntitle = 't'\nstands = 'bent'", "`stands` is none of"),
        ("[issue.1]\ntitle = 't'\nstands = 'own'", "give either `test`, a program, or `none`"),
        ("[issue.1]\ntitle = 't'\nstands = 'kept'\nnone = 'n'\nthread = '#1'", "`change` is missing"),
        (
            "[issue.1]\ntitle = 't'\nstands = 'kept'\nnone = 'n'\nthread = '#1'\nunfiled = 'u'",
            "`unfiled` is for Issues without",
        ),
        ("[issue.1]\ntitle = 't'\nstands = 'kept'\nnone = 'n'\nthread = '#1'\nchange = 'c'", "`effects` is missing"),
        ("[issue.1]\ntitle = 't'\nstands = 'kept'\nnone = 'n'\nthread = 'one'", "give `thread`, the number"),
        ("[issue.1]\ntitle = 't'\nstands = 'kept'\nnone = 'n'\nreport = 'x/y'", "`report` is for Issues that stand as"),
        ("[issue.1]\ntitle = 't'\nstands = 'kept'\nnone = 'n'\npatch = 'p'", "give both: `patch`, and `reading`"),
        (
            "[issue.1]\ntitle = 't'\nstands = 'kept'\nnone = 'n'\npatch = 'p'\nreading = 'published: r'",
            "`reading` begins with none of proposed, possible",
        ),
        ("[issue.1]\ntitle = 't'\nstands = 'own'\nnone = 'n'\ntests = 1", "unknown keys tests"),
        (
            "[issue.1]\ntitle = 't'\nstands = 'own'\nnone = 'n'\nreport = 'x/y'",
            "'x/y' is not a known quirk",
        ),
        ("[issue", "must consist of tables"),
    ],
)
def test_wrong_file_of_dossiers_is_a_clear_error(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / CURRENT.issues
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecificationError, match=re.escape(problem)):
        read_dossiers(tmp_path, CURRENT)
