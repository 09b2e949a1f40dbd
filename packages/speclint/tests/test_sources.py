"""The reading of Bikeshed sources: the numbers of steps, markup in one form, and bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from speclint import TextError
from speclint.text.content import LARGEST
from speclint.text.markup import normalize, readable, stems
from speclint.text.source import read_source, read_text

METADATA = "<pre class=metadata>\nTitle: A test\n</pre>\n\n"


@pytest.mark.parametrize("spaces", [4, 5, 6, 7])
def test_spaces_beyond_a_whole_level_are_ignored_as_bikeshed_ignores_them(spaces: int) -> None:
    text = (
        "<pre class=metadata>\nTitle: A\nIndent: 4\n</pre>\n\n<div algorithm>\nTo <dfn>go</dfn>:\n\n"
        "1. If a, then:\n    1. If b, then:\n        1. Do c.\n" + " " * spaces + "1. Return.\n\n</div>\n"
    )
    [algorithm] = read_text(text, Path("x.bs")).algorithms
    assert [step.number for step in algorithm.walk()] == ["1", "1.1", "1.1.1", "1.2"]


def test_lists_in_html_have_the_numbers_of_lists_in_markdown() -> None:
    begin = "<div algorithm>\nTo <dfn>do</dfn> |x|:\n\n"
    markdown = "1. If |x|:\n    1. Do.\n    1. Do it\n        again.\n1. Return.\n</div>\n"
    html = "<ol>\n<li>If <var>x</var>:\n<ol><li>Do.</li><li>Do it\nagain.</ol>\n<li>Return.\n</ol>\n</div>\n"
    read = [
        [(step.number, step.text) for step in read_text(METADATA + begin + one, Path("x")).algorithms[0].walk()]
        for one in (markdown, html)
    ]
    assert read[0] == read[1] == [("1", "If |x|:"), ("1.1", "Do."), ("1.2", "Do it again."), ("2", "Return.")]


def test_markup_of_variables_and_links_has_one_form() -> None:
    text = 'Let <var>x</var> be <a for="map" lt=exist>existing</a>\n   `y`\u2019s <code>{{Z}}</code>.'
    assert normalize(text) == "Let |x| be [=map/exist|existing=] y's {{Z}}."
    assert readable("[=map/exist|existing=] |a b| {{C/d()}} [=list/append=]") == "existing a b d() append"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("find a tool", "finding a tool"),
        ("notify documents", "notifying documents"),
        ("submit the form", "submitting the form"),
        ("describe a parameter", "describing a parameter"),
        ("valid tool name", "valid tool names"),
    ],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stems(one) == stems(other)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("Hello.\n", None, "not Bikeshed source"),
        (f"{METADATA}Hello.\n", None, "has no algorithms"),
        (f"{METADATA}<div algorithm>\nTo <dfn>x</dfn>:\n1. Do.\n", 5, "is not closed: add </div>"),
        (f"{METADATA}<div algorithm>\n1. Do.\n<div algorithm>\n1. Do.\n</div>\n</div>\n", 5, "before the next one"),
        (f"{METADATA}<div algorithm>\nTo <dfn>x</dfn>:\n1. Do [=it.\n</div>\n", 7, "an autolink [= is not closed"),
        (f"{METADATA}<div algorithm>\nTo <dfn>x</dfn>:\n1. Do {{{{it.\n</div>\n", 7, "a reference {{ is not closed"),
        (f"{METADATA}<div algorithm>\nTo <dfn>x</dfn>:\n1. Let |a be 1.\n</div>\n", 7, "a variable | is not closed"),
        (f"{METADATA}<xmp>\n<div algorithm>\n", 5, "a <xmp> is not closed"),
        (f"{METADATA}<!-- \n<div algorithm>\n", 5, "a comment is not closed"),
        (f"{METADATA}<div algorithm>\n" + "1. Do.\n" * 1200 + "</div>", 5, "an algorithm has 1,200 steps"),
    ],
)
def test_bad_text_is_refused_with_its_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(TextError, match=message.replace("{", r"\{").replace("[", r"\[").replace("|", r"\|")) as raised:
        read_text(text, Path("x.bs"))
    assert raised.value.line == line


def test_large_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.bs"
    path.write_bytes(b"a" * (LARGEST + 1))
    with pytest.raises(TextError, match="at most 4,000,000 bytes are read"):
        read_source(path)


def test_file_without_an_end_is_refused() -> None:
    with pytest.raises(TextError, match="at most 4,000,000 bytes are read"):
        read_source(Path("/dev/zero"))


def test_text_in_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.bs"
    path.write_bytes(b"a\nb\xff\n")
    with pytest.raises(TextError, match="not UTF-8") as raised:
        read_source(path)
    assert raised.value.line == 2


def test_a_list_inside_of_a_note_is_no_step(tmp_path: Path) -> None:
    path = tmp_path / "index.bs"
    path.write_text(
        "<pre class=metadata>\nTitle: T\n</pre>\n<div algorithm>\nTo <dfn>go</dfn>:\n\n"
        "1. Let |a| be 1.\n\n   <div class=note>\n     <ol>\n       <li><p>One.</p></li>\n     </ol>\n   </div>\n\n"
        "1. If |a| is 1:\n\n   Note: It is so.\n   And stays so.\n\n   1. Return |a|.\n\n"
        "   <p class=issue>Not yet.\n\n1. Return 2.\n</div>\n"
    )
    text = read_source(path)
    assert [(step.number, step.line, step.text) for step in text.algorithms[0].walk()] == [
        ("1", 7, "Let |a| be 1."),
        ("2", 15, "If |a| is 1:"),
        ("2.1", 20, "Return |a|."),
        ("3", 24, "Return 2."),
    ]
    assert [(one.line, one.informative, one.text) for one in text.paragraphs if one.informative] == [
        (9, "a note", "One."),
        (17, "a note", "Note: It is so. And stays so."),
        (22, "an issue", "Not yet."),
    ]


def test_entities_in_idl_are_characters() -> None:
    idl = "<pre class=idl>\ninterface <dfn>A</dfn> { Promise&lt;any&gt; b(); };\n</pre>\n"
    text = read_text(f"{METADATA}{idl}<div algorithm>\nTo <dfn>x</dfn>:\n1. Do.\n</div>\n", Path("x.bs"))
    assert text.idl_blocks == [(6, "interface A { Promise<any> b(); };")]


def test_bars_around_an_entry_mark_the_variable() -> None:
    assert normalize("|a[0]| and |b c[i][0]| or |d|[|e|]") == "|a|[0] and |b c|[i][0] or |d|[|e|]"


def test_items_of_a_struct_can_stand_in_prose() -> None:
    prose = "A <dfn>box</dfn> is a [=struct=] with a <dfn for=box>lid</dfn> and a <dfn for=box>key</dfn>.\n\n"
    text = read_text(f"{METADATA}{prose}<div algorithm>\nTo <dfn>x</dfn>:\n1. Do.\n</div>\n", Path("x.bs"))
    assert set(text.structs["box"].items) == {"lid", "key"}


@pytest.mark.parametrize(
    "steps",
    [
        "To <dfn>go</dfn>, given a |x|:\n\n1. Do |x|.\n\n   Note: So.\n\n1. Return |x|.\n\nMore.\n\n1. Other.\n",
        "  The <dfn method for=A>go(|x|)</dfn> method steps are:\n  1. Do |x|.\n  1. Return |x|.\n</section>\n",
        "<p>To <dfn>go</dfn> a |x|, run these steps.</p>\n<ol><li>Do |x|.<li>Return |x|.</ol>\n\n1. Other.\n",
    ],
)
def test_algorithm_without_the_attribute_is_read(steps: str) -> None:
    [algorithm] = read_text(METADATA + steps, Path("x.bs")).algorithms
    assert algorithm.name == "go"
    assert [step.text for step in algorithm.walk()] == ["Do |x|.", "Return |x|."]


def test_list_behind_a_definition_that_is_no_algorithm_is_not_read_as_steps() -> None:
    prose = "A <dfn>key</dfn> comes from one of three sources.\n\n1. A value.\n\n"
    text = read_text(f"{METADATA}{prose}<div algorithm>\nTo <dfn>x</dfn>:\n1. Do.\n</div>\n", Path("x.bs"))
    assert [algorithm.name for algorithm in text.algorithms] == ["x"]


@pytest.mark.parametrize("opening", ["", "<div>\n", "<section>\n<div class=x>\n"])
def test_algorithm_without_a_mark_is_read_behind_the_tag_of_its_element(opening: str) -> None:
    text = f"{METADATA}{opening}To <dfn>go</dfn> |x|, run these steps:\n\n1. Do |x|.\n"
    assert [one.name for one in read_text(text, Path("x.bs")).algorithms] == ["go"]
