"""The problems of a page: each is found where it is, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.people.forms.check import Source, check_page
from modelcontext.people.forms.page_report import Code

if TYPE_CHECKING:
    from modelcontext.people.forms.page_report import DocumentReport
    from tests.forms.conftest import Check

DOCS = (Path(__file__).parents[2] / "docs/forms.md").read_text(encoding="utf-8")

#: Controls of a form that is otherwise right; then the codes of their problems.
CONTROLS: list[tuple[str, list[Code]]] = [
    ("<label>A <input name=a></label>", []),
    ("<label for=a>A</label><input name=a id=a>", []),
    ("<input name=a toolparamdescription=A>", []),
    ("<input name=a aria-description=A>", []),
    ("<input name=a>", [Code.NO_DESCRIPTION]),
    ("<label> </label><input name=a aria-label=A placeholder=A title=A>", [Code.NO_DESCRIPTION]),
    ("<input name=a type=date>", [Code.NO_DESCRIPTION]),
    ("<input name=a toolparamdescription=' '>", [Code.NO_DESCRIPTION]),
    ("<label>A <input name=a></label><label>a  <input name=b></label>", [Code.EQUAL_DESCRIPTIONS]),
    ("<label>A <input name=a></label><label>B <input name=b></label>", []),
    # Decoys: must stay empty.
    ("<div style='position:absolute; left:-9999px'><label>A <input name=a></label></div>", [Code.DECOY]),
    ("<div style='position:fixed; top:-100em'><label>A <input name=a></label></div>", [Code.DECOY]),
    ("<div style='position:absolute; inset:0 auto auto -100vw'><label>A <input name=a></label></div>", [Code.DECOY]),
    ("<div style='margin-left:-9999px'><label>A <input name=a></label></div>", [Code.DECOY]),
    ("<div style='transform: translate3d(0, -200vh, 0)'><label>A <input name=a></label></div>", [Code.DECOY]),
    ("<div style='position:absolute; left:50vw; top:100vh; margin:-20px'><label>A <input name=a></label></div>", []),
    ("<div style='top:-100em; transform:translate(-50%, -50%)'><label>A <input name=a></label></div>", []),
    ("<label style='opacity:0'>A <input name=a></label>", [Code.DECOY]),
    ("<label style='width:1px;height:1px;overflow:hidden'>A <textarea name=a></textarea></label>", [Code.DECOY]),
    ("<style>.hp, b { display: none }</style><label class=hp>A <input name=a tabindex=-1></label>", [Code.DECOY]),
    ("<div aria-hidden=true><label>A <input name=a tabindex=-1></label></div>", [Code.DECOY]),
    ("<label>A <input name=honeypot></label>", [Code.DECOY]),
    ("<div class=ohnohoney aria-hidden=true><label>A <input name=a></label></div>", [Code.DECOY]),
    ("<label>Jars of honey <input name=honey type=number></label>", []),
    ("<input type=hidden name=a toolparamdescription=Price>", [Code.HIDDEN_PARAMETER]),
    ("<label hidden>Please leave this field blank <input name=a></label>", [Code.DECOY]),
    ("<label hidden>Leave it empty <input name=a disabled></label>", []),
    ("<label>Code (leave empty if you have none) <input name=a></label>", []),
    (
        "<style>@media print { label { display: none } } input + x { opacity: 0 }</style><label>A <input name=a></label>",
        [],
    ),
    ("<style>label { display: none } #b { display: block }</style><label id=b>A <input name=a></label>", []),
    ("<label>A <select name=a style='opacity:0' aria-hidden=true tabindex=-1><option>b</select></label>", []),
    # Steps that are shown later.
    ("<div aria-hidden=true><label>A <input name=a></label><label>B <input name=b></label></div>", []),
    (
        "<p style='position:absolute;left:-9999px'><label>A <input name=a></label><label>B <input name=b required></label>",
        [Code.HIDDEN_PARAMETER, Code.HIDDEN_PARAMETER],
    ),
    ("<fieldset hidden><label>A <input name=a required></label></fieldset>", [Code.HIDDEN_PARAMETER]),
    ("<fieldset disabled hidden><label>A <input name=a required></label></fieldset>", []),
    (
        "<style>section { display: none }</style><section><label>A <input name=a></label></section>",
        [Code.HIDDEN_PARAMETER],
    ),
    ("<details><label>A <input name=a></label></details>", [Code.HIDDEN_PARAMETER]),
    ("<details open><label>A <input name=a></label></details>", []),
    ("<div inert><label>A <input name=a required></label></div>", [Code.HIDDEN_PARAMETER]),
    ("<label><input type=checkbox name=a style='opacity:0'> A</label>", []),
    ("<label>A <input></label>", [Code.NO_NAME]),
    ("<label>A <input name=7></label>", [Code.REORDERED_NAME]),
    ("<label>A <input name=07></label>", []),
    ("<label>A <input name=4294967295></label>", []),
    ("<label>A <input name=4294967294></label>", [Code.REORDERED_NAME]),
    ("<label>A <input name=__proto__></label>", [Code.REORDERED_NAME]),
    ("<label>A\u200b <input name=a></label>", [Code.INVISIBLE_CHARACTERS]),
    ("<label>A <input name='a\u00ad'></label>", [Code.INVISIBLE_CHARACTERS]),
    ("<label>A\U000e0101 <input name=a></label>", [Code.INVISIBLE_CHARACTERS]),
    ("<label>A\u2800 <input name=a></label>", [Code.INVISIBLE_CHARACTERS]),
    ("<label>A \u2602\ufe0f \u8fbb\U000e0100 <input name=a></label>", []),
    ("<label>A <select name=a><option>b\U000e0041</select></label>", [Code.INVISIBLE_CHARACTERS]),
    ("<label>A \U0001f469\u200d\U0001f680 \u0915\u094d\u200d\u0937 <input name=a></label>", []),
    ("<label>A<br>\n\tB <input name=a></label>", []),
    ("<label>A <input name=a></label><label>B <input name=a></label>", [Code.SHARED_NAME]),
    (
        "<fieldset toolparamdescription=A><label>A <input type=radio name=a value=1></label>"
        "<label>B <input type=radio name=a value=2></label></fieldset>",
        [],
    ),
    ("<input type=radio name=a value=1><input type=radio name=a value=2>", [Code.NO_DESCRIPTION]),
    (
        "<fieldset toolparamdescription=A><input type=radio name=a><input type=radio name=a></fieldset>",
        [Code.DUPLICATE_CHOICE],
    ),
    (
        "<fieldset toolparamdescription=A><input type=radio name=a value=1 toolparamdescription=B>"
        "<input type=radio name=a value=2></fieldset>",
        [Code.UNUSED_DESCRIPTION],
    ),
    ("<fieldset toolparamdescription=A><label>A <input name=a></label></fieldset>", [Code.UNUSED_DESCRIPTION]),
    ("<input name=a disabled toolparamdescription=A>", [Code.UNUSED_DESCRIPTION]),
    ("<label>A <select name=a></select></label>", [Code.NO_CHOICES]),
    ("<label>A <select name=a><option>b<option value=b>c</select></label>", [Code.DUPLICATE_CHOICE]),
    ("<label>A <select name=a><option disabled>b<option>b</select></label>", []),
    ("<label>A <select name=a required><option value=''>-<option>b</select></label>", [Code.REJECTED_CHOICE]),
    ("<label>A <select name=a required><option value='' disabled>-<option>b</select></label>", []),
    ("<label>A <select name=a><option value=''>-<option>b</select></label>", []),
    ("<label>A <select name=a required><option value=''>-</select></label>", [Code.REQUIRED_OUT_OF_REACH]),
    ("<input type=file name=a required>", [Code.REQUIRED_OUT_OF_REACH]),
    ("<input type=file name=a>", []),
    ("<input name=a required disabled>", []),
    ("<input name=a required><input name=a>", [Code.SHARED_NAME, Code.REQUIRED_OUT_OF_REACH]),
    ("<label>A <input name=a pattern='['></label>", [Code.BAD_PATTERN]),
    ("<label>A <input name=a pattern='a)(b'></label>", [Code.BAD_PATTERN]),
    ("<label>A <input name=a pattern='[a-z]+'></label>", []),
    ("<label>A <input name=a type=number pattern=1></label>", [Code.BAD_PATTERN]),
    ("<label>A <input name=a type=email pattern=1 multiple></label>", [Code.BAD_PATTERN]),
    (f"<label>A <input name=a pattern='{'a' * 10_001}'></label>", [Code.PATTERN_LIMIT]),
    (f"<label>A <input name=a pattern='{'(' * 5000 + ')' * 5000}'></label>", [Code.PATTERN_LIMIT]),
    ("<label>A <input name=a type=number min=x></label>", [Code.BAD_LIMIT]),
    ("<label>A <input name=a type=number step=0></label>", [Code.BAD_LIMIT]),
    ("<label>A <input name=a type=number step=ANY max=.5></label>", []),
    ("<label>A <input name=a type=date min=2026-02-30></label>", [Code.BAD_LIMIT]),
    ("<label>A <input name=a min=1></label>", [Code.BAD_LIMIT]),
    ("<label>A <input name=a type=number min=2 max=1></label>", [Code.EMPTY_RANGE]),
    ("<label>A <input name=a type=date min=2026-02-03 max=2026-02-02></label>", [Code.EMPTY_RANGE]),
    ("<label>A <input name=a type=time min=22:00 max=06:00></label>", []),
    ("<label>A <input name=a minlength=3 maxlength=2></label>", [Code.EMPTY_RANGE]),
    ("<label>A <textarea name=a minlength=3 maxlength=2></textarea></label>", [Code.EMPTY_RANGE]),
    ("<label>A <input name=a type=number min=0 step=5 value=7></label>", [Code.BAD_DEFAULT]),
    ("<label>A <input name=a type=number min=0 step=5 value=10></label>", []),
    ("<label>A <input name=a type=number value=seven></label>", [Code.BAD_DEFAULT]),
    ("<label>A <input name=a type=email value=seven></label>", [Code.BAD_DEFAULT]),
    ("<label>A <input name=a pattern=[a-z] value=7></label>", [Code.BAD_DEFAULT]),
    (r"<label>A <input name=a pattern='(a*)*\1b' value=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa></label>", []),
    ("<label>A <input name=a type=range max=10 value=70></label>", []),
    ("<label for=b>A</label><input name=a toolparamdescription=A>", [Code.LABEL_NOWHERE]),
    ("<p id=b><label for=b>A</label><input name=a toolparamdescription=A>", [Code.LABEL_NOWHERE]),
    ("<p id=a><label>A <input name=a id=a></label>", [Code.DUPLICATE_ID]),
    ("<label>A <input name=a toolparamtitle=A></label>", [Code.OLD_ATTRIBUTE]),
]

#: Documents, and the codes of their problems.
ITSELF = "<form toolname=a tooldescription=d toolautosubmit>"
DOCUMENTS: list[tuple[str, list[Code]]] = [
    ("", []),
    ("<form><input></form>", []),
    ("<form toolname=a tooldescription=d toolautosubmit></form>", []),
    ("<form toolname=a tooldescription=d><input type=submit></form>", []),
    ("<form toolname=a tooldescription=d></form>", [Code.NEVER_SUBMITTABLE]),
    ("<form toolname=a tooldescription=d><button disabled></button></form>", [Code.NEVER_SUBMITTABLE]),
    ("<form toolname=a tooldescription=d><button type=button></button></form>", [Code.NEVER_SUBMITTABLE]),
    ("<form toolname=a tooldescription=d id=f></form><button form=f></button>", []),
    ("<form toolname='a b' tooldescription=d><button></button></form>", [Code.NOT_A_TOOL]),
    ("<form toolname=a tooldescription=' '><button></button></form>", [Code.EMPTY_DESCRIPTION]),
    ("<form toolname=a tooldescription=d\u2063><button></button></form>", [Code.INVISIBLE_CHARACTERS]),
    ("<form toolname=a tooldescription=d tooltitle=t\u2063><button></button></form>", [Code.INVISIBLE_CHARACTERS]),
    ("<form toolname=a tooldescription=d toolautosubmit></form>" * 2, [Code.DUPLICATE_TOOL]),
    ("<template><form toolname='a b' tooldescription=d></form></template>", []),
    ("<form><form toolname=a tooldescription=d></form></form>", [Code.IGNORED_FORM]),
    ("<!-- <form toolname=a> --><p title='<form toolname=a>'><textarea><form toolname=a></textarea>", []),
    ("<div toolname=a></div>", [Code.NOT_A_FORM]),
    # A call presses the default button and no other one.
    (f"{ITSELF}<button name=x value=1>A</button><button name=x value=2>B</button></form>", [Code.UNREACHABLE_BUTTON]),
    (f"{ITSELF}<input type=submit value=A><input type=submit formaction=b value=B></form>", [Code.UNREACHABLE_BUTTON]),
    (f"{ITSELF}<button>A</button><button formmethod=get>A</button></form>", [Code.UNREACHABLE_BUTTON]),
    (f"{ITSELF}<button>A</button><button>A</button><button disabled>B</button></form>", []),
    ("<form toolname=a tooldescription=d><button>A</button><button>B</button></form>", []),
    # Secrets in a tool that submits itself.
    (f"{ITSELF}<label>A <input name=a type=password></label></form>", [Code.SECRET_PARAMETER]),
    (
        f"{ITSELF}<label>A <input name=a autocomplete='section-b billing cc-number'></label></form>",
        [Code.SECRET_PARAMETER],
    ),
    (f"{ITSELF}<label>A <input name=a autocomplete='one-time-code webauthn'></label></form>", [Code.SECRET_PARAMETER]),
    (f"{ITSELF}<label>Your password: <input name=a></label></form>", [Code.SECRET_PARAMETER]),
    (f"{ITSELF}<label>A <input name=cardNumber></label></form>", [Code.SECRET_PARAMETER]),
    (f"{ITSELF}<label>A <input name='user[cvv2]' type=tel></label></form>", [Code.SECRET_PARAMETER]),
    (f"{ITSELF}<label>Mail a password link to <input name=password_mail></label></form>", []),
    (f"{ITSELF}<label>Number of cards <input name=cards type=number></label></form>", []),
    ("<form toolname=a tooldescription=d><label>A <input name=a type=password></label><button></button></form>", []),
    # A person who has to press the button sees the form.
    (
        "<dialog><form toolname=a tooldescription=d><label>A <input name=a></label><button></button></form></dialog>",
        [Code.HIDDEN_FORM],
    ),
    ("<dialog open><form toolname=a tooldescription=d><button></button></form></dialog>", []),
    (f"<div hidden>{ITSELF}<label>A <input name=a></label></form></div>", []),
    ("<form toolname=a tooldescription=d toolautosubmit></form><input form=b>", [Code.FORM_NOWHERE]),
    ("<form toolname=a tooldescription=d toolautosubmit></form><label for=b>B</label>", [Code.LABEL_NOWHERE]),
    ("<form></form><input form=b><label for=b>B</label>", []),
    (
        "<form toolname=a tooldescription=d toolautosubmit novalidate><input type=file required></form>",
        [],
    ),
    (
        "<form toolname=a tooldescription=d><input type=file required><button formnovalidate></button></form>",
        [],
    ),
    (
        "<p><template shadowrootmode=open><form toolname=a tooldescription=d></form></template>",
        [Code.NEVER_SUBMITTABLE],
    ),
]


def codes(document: DocumentReport) -> list[Code]:
    problems = [*document.problems, *(problem for form in document.forms for problem in form.problems)]
    return [problem.code for problem in problems]


@pytest.mark.parametrize(("html", "expected"), CONTROLS)
def test_problems_of_controls(check: Check, html: str, expected: list[Code]) -> None:
    document = check(f"<form toolname=t tooldescription=d>{html}<button>Go</button></form>")
    assert sorted(codes(document)) == sorted(expected)


@pytest.mark.parametrize(("html", "expected"), DOCUMENTS)
def test_problems_of_documents(check: Check, html: str, expected: list[Code]) -> None:
    assert codes(check(html)) == expected


def test_form_of_an_insecure_document_is_a_problem() -> None:
    html = "<form toolname=t tooldescription=d toolautosubmit>"
    for url, expected in (("http://a.test/", [Code.INSECURE]), ("http://localhost/", []), ("https://a.test/", [])):
        (document,) = check_page([Source(name="page", html=html, url=url)]).documents
        assert codes(document) == expected


def test_form_in_a_frame_that_forbids_submission_is_a_problem() -> None:
    html = "<form toolname=t tooldescription=d toolautosubmit>"
    frame = Source(name="f", html=html, url="https://a.test/", parent=0, sandbox="allow-scripts allow-same-origin")
    page = check_page([Source(name="page", html="", url="https://a.test/"), frame])
    assert [problem.code for problem in page.problems] == [Code.NEVER_SUBMITTABLE]


def test_every_code_has_an_example() -> None:
    seen = {code for _, expected in [*CONTROLS, *DOCUMENTS] for code in expected}
    assert seen | {Code.INSECURE} == set(Code)


def test_the_document_about_forms_lists_every_code() -> None:
    assert re.findall(r"^\| `([a-z-]+)` \|", DOCS, re.MULTILINE) == [code.value for code in Code]


def test_lines_are_those_of_the_file(check: Check) -> None:
    html = "\ufeff<!doctype html>\r\n<!--\r\n-->\r\n<form toolname=t\r\n tooldescription=d><p>\r\n<input name=a>\r\n<button>"
    (form,) = check(html).forms
    assert form.place.line == 4
    (parameter,) = form.parameters
    assert [place.line for place in parameter.controls] == [6]
    assert [problem.place.line for problem in form.problems] == [6]
    assert [control.place.line for control in form.left_out] == [7]


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<input name=a aria-label='Speed limit'>", 'aria-label "Speed limit" is not read'),
        ("<b id=q>Quality</b><input name=a aria-labelledby='q none'>", 'aria-labelledby "Quality" is not read'),
        ("<input name=a title=T placeholder=P>", 'title "T", placeholder "P" is not read'),
        (
            "<fieldset><legend>Size</legend><input type=radio name=a value=1><input type=radio name=a value=2></fieldset>",
            'legend "Size" is not read',
        ),
        (
            "<div role=radiogroup aria-label=Size><input type=radio name=a value=1><input type=radio name=a value=2></div>",
            'aria-label "Size" is not read',
        ),
    ],
)
def test_names_that_nobody_reads_are_named(check: Check, html: str, words: str) -> None:
    document = check(f"<form toolname=t tooldescription=d>{html}<button>Go</button></form>")
    (problem,) = document.forms[0].problems
    assert problem.code is Code.NO_DESCRIPTION
    assert problem.message.endswith(words)


def test_words_beside_a_description_are_named_unless_it_has_them(check: Check) -> None:
    html = "<p id=h>At most 9</p><label>Name <input name=a placeholder=name aria-describedby=h></label>"
    document = check(f"<form toolname=t tooldescription=d>{html}<button>Go</button></form>")
    assert not document.forms[0].problems
    assert document.forms[0].parameters[0].unread == ["aria-describedby"]


def test_submission_names_the_buttons_and_the_dialog(check: Check) -> None:
    buttons = "<button name=a>Draft</button><button name=b>Publish</button>"
    html = (
        f"<form toolname=a tooldescription=d>{buttons}</form>"
        f"<form toolname=b tooldescription=d toolautosubmit>{buttons}</form>"
        "<form toolname=c tooldescription=d toolautosubmit method=dialog></form>"
        "<form toolname=d tooldescription=d method=dialog><button formmethod=post>Send</button></form>"
    )
    assert [form.tool.submission for form in check(html).forms if form.tool is not None] == [
        'when the person presses "Draft" or "Publish"',
        'at once, without a person, always with "Draft"',
        "at once, without a person; the submission sends nothing, and closes the dialog of the form (method=dialog)",
        'when the person presses "Send"',
    ]


def test_secret_is_called_by_its_kind(check: Check) -> None:
    form = (
        "<form toolname=t tooldescription=d toolautosubmit><label>SSN <input name=a></label><button>b</button></form>"
    )
    [problem] = check(form).forms[0].problems
    assert "is asked for a social security number" in problem.message


def test_style_sheets_that_are_too_large_hide_nothing(check: Check) -> None:
    rules = "".join(f".c{index} {{ display: none }} " for index in range(2_000)) + "label { opacity: 0 }"
    elements = "<i></i>" * 1_000
    html = f"<style>{rules}</style><form toolname=t tooldescription=d><label>A <input name=a></label><button></button></form>"
    assert codes(check(html)) == [Code.DECOY]
    assert codes(check(html + elements)) == []
