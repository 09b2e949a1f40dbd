"""Patches of a text by its steps: what they change, and how they find a step whose number is another one now."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.glosses import read_gloss, with_glosses
from modelcontext_prose.patches.language import Patch, parse_patch
from modelcontext_prose.patches.patching import Patched, with_patches

PATH = Path("text.bs")
TEXT = """<pre class=metadata>
Title: A text
</pre>

A <dfn>box</dfn> is a [=struct=] with the following items:

<dl dfn-for=box>
: <dfn>size</dfn>
:: a number
: <dfn>owner</dfn>
:: a [=string=]

</dl>

<div algorithm>
To <dfn id=pack>pack</dfn>, given a [=box=] |box|
and a [=string=] |name|:

1. Let |size| be |box|'s [=box/size=].
1. If |size| is 0, then
    return.
1. If |name| is "x":
    1. Set |box|'s [=box/size=] to 1.
    1. Return.
1. Set |box|'s [=box/owner=] to |name|.

</div>

<xmp class=idl>
dictionary Options {
  DOMString name;
};
</xmp>
"""


def patch(text: str, name: str = "a.patch") -> Patch:
    return parse_patch(text, Path(name))


def patched(*texts: str, content: str = TEXT) -> Patched:
    return with_patches(content, PATH, [patch(text, f"{index}.patch") for index, text in enumerate(texts)])


def steps(*texts: str, content: str = TEXT) -> list[str]:
    """Return the lines of the changed algorithm below its introduction."""
    found = patched(*texts, content=content).content
    return [line for line in found.partition(":\n\n1.")[2].partition("</div>")[0].splitlines() if line]


def test_step_is_put_in_behind_one_that_stays() -> None:
    added = "  pack\n  2. If size is 0, then return.\n+ 3. Set |size| to 2.\n"
    assert steps(added)[1:4] == ["1. If |size| is 0, then", "    return.", "1. Set |size| to 2."]


def test_step_is_put_in_at_the_beginning_at_the_end_and_below_another() -> None:
    added = '  pack\n+ 1. Let |a| be 1.\n  3. If name is "x":\n+ 4.3. Let |b| be 1.\n+ 6. Return.\n'
    assert [line for line in steps(added) if "|b|" in line] == ["    1. Let |b| be 1."]
    assert patched(added).content.count("1. Let |a| be 1.\n1. Let |size|") == 1
    assert steps(added)[-1] == "1. Return."


def test_step_is_replaced_with_all_its_lines_and_those_below_it() -> None:
    change = """  pack
- 2. If size is 0, then return.
- 3. If name is "x":
- 3.1. Set box's size to 1.
- 3.2. Return.
+ 2. If |size| is 0:
+ 2.1. Set |size| to 1,
      and so on.
"""
    assert steps(change)[1:] == [
        "1. If |size| is 0:",
        "    1. Set |size| to 1, and so on.",
        "1. Set |box|'s [=box/owner=] to |name|.",
    ]


def test_line_of_a_new_step_is_that_of_the_step_that_it_replaces() -> None:
    found = patched("  pack\n- 2. If size is 0 …\n+ 2. If |size| is 1, then return.\n")
    at = found.content.splitlines().index("1. If |size| is 1, then return.")
    assert found.lines[at] == TEXT.splitlines().index("1. If |size| is 0, then") + 1


def test_lines_know_those_before_the_change_and_steps_their_numbers() -> None:
    found = patched("  pack\n  1. Let size be box's size.\n+ 2. Set |size| to 2.\n")
    lines = found.content.splitlines()
    at = lines.index("1. Set |size| to 2.")
    assert found.lines[at - 1] == at
    assert lines[at + 1] == TEXT.splitlines()[found.lines[at + 1] - 1]
    assert [found.numbers["pack", number] for number in ("1", "2", "3", "4.2")] == ["1", None, "2", "3.2"]


def test_step_that_has_moved_is_found_by_its_words() -> None:
    moved = TEXT.replace("1. Let |size|", "1. Let |one| be 1.\n1. Let |size|")
    added = '  pack\n  3. If name is "x":\n+ 3.1. Let |a| be 1.\n  4. Set box\'s owner to name.\n+ 5. Let |b| be 1.\n'
    for content in (TEXT, moved):
        assert steps(added, content=content)[-5:-3] == ["    1. Let |a| be 1.", "    1. Set |box|'s [=box/size=] to 1."]
        assert steps(added, content=content)[-1] == "1. Let |b| be 1."


def test_patches_do_not_count_the_steps_of_each_other() -> None:
    one = "  pack\n+ 1. Let |a| be 1.\n  1. Let size be box's size.\n"
    other = "  pack\n- 2. If size is 0, then return.\n+ 2. Let |b| be 1.\n"
    for order in ((one, other), (other, one)):
        content = patched(*order).content
        assert "1. Let |a| be 1.\n1. Let |size| be" in content
        assert "[=box/size=].\n1. Let |b| be 1.\n1. If |name|" in content


def test_introduction_items_members_and_algorithms_change() -> None:
    content = patched(
        "  pack\n- To pack, given a box box and a string name:\n+ To <dfn id=pack>pack</dfn>, given a [=box=] |box|:\n",
        "  box\n- owner: a string\n+ color: a [=string=]\n",
        "  Options\n  DOMString name;\n+ boolean fast;\n",
        "+ To <dfn>unpack</dfn> a [=box=] |box|:\n+ 1. If |box| is null:\n+ 1.1. Return.\n",
    ).content
    assert "<div algorithm>\nTo <dfn id=pack>pack</dfn>, given a [=box=] |box|:\n\n1. Let" in content
    assert ":: a number\n: <dfn>color</dfn>\n:: a [=string=]\n\n</dl>" in content
    assert "  DOMString name;\n  boolean fast;\n};" in content
    assert (
        "<div algorithm>\nTo <dfn>unpack</dfn> a [=box=] |box|:\n1. If |box| is null:\n    1. Return."
        in content.replace("\n\n", "\n")
    )


def test_struct_state_and_definition_of_the_idl_can_be_new() -> None:
    content = patched(
        "+ A <dfn>ticket</dfn> is a [=struct=] with the following [=struct/items=]:\n+ color: a [=string=]\n"
        "+ A {{Tool}} object has a <dfn for=Tool>ticket</dfn>, a [=ticket=] or null, initially null.\n"
        "+ [Exposed=Window]\n+ interface Tool {\n+   Promise<undefined> go();\n+ };\n",
    ).content
    assert '<dl dfn-for="ticket">\n: <dfn>color</dfn>\n:: a [=string=]\n\n</dl>' in content
    assert "\n\nA {{Tool}} object has a <dfn for=Tool>ticket</dfn>, a [=ticket=] or null, initially null.\n" in content
    assert "<xmp class=idl>\n[Exposed=Window]\ninterface Tool {\nPromise<undefined> go();\n};\n</xmp>" in content


def test_paragraph_that_defines_a_term_is_replaced() -> None:
    change = "  box\n- A box is a struct with the following items:\n+ A <dfn>box</dfn> has [=struct/items=]:\n"
    with pytest.raises(SpecificationError, match="box has no item"):
        patched(change)
    text = TEXT.replace("A <dfn>box</dfn>", "A <dfn>crate</dfn> is big.\nIt is heavy.\n\nA <dfn>box</dfn>")
    content = patched("  crate\n- A crate is big. It is heavy.\n+ A <dfn>crate</dfn> is small.\n", content=text).content
    assert "\n\nA <dfn>crate</dfn> is small.\n\nA <dfn>box</dfn>" in content
    with pytest.raises(SpecificationError, match="the paragraph about crate is 'A crate is big"):
        patched("  crate\n- A crate is red.\n+ A <dfn>crate</dfn> is small.\n", content=text)


def test_new_algorithm_stands_behind_that_of_the_block_before_it() -> None:
    last = "\n<div algorithm>\nTo <dfn>go</dfn>:\n\n1. Return.\n\n</div>\n"
    added = "  pack\n  1. Let size be box's size.\n+ To <dfn>unpack</dfn> a [=box=] |box|:\n+ 1. Return.\n"
    content = patched(added, content=TEXT + last).content
    assert content.index("<dfn>unpack</dfn>") < content.index("<dfn>go</dfn>")


def test_member_with_a_default_does_not_end_its_definition() -> None:
    text = TEXT.replace("  DOMString name;", "  Promise<any> go(\n    optional Options options = {}\n  );")
    content = patched("  Options\n+ boolean fast;\n", content=text).content
    assert "  );\n  boolean fast;\n};" in content


def test_step_with_other_words_keeps_the_steps_below_it() -> None:
    reword = '  pack\n- 3. If name is "x":\n+ 3. If |size| is 1:\n'
    assert steps(reword)[1:] == [
        "1. If |size| is 0, then",
        "    return.",
        "1. If |size| is 1:",
        "    1. Set |box|'s [=box/size=] to 1.",
        "    1. Return.",
        "1. Set |box|'s [=box/owner=] to |name|.",
    ]
    assert patched(reword).numbers["pack", "3"] == "3"
    other = "  pack\n- 3.1. Set box's size to 1.\n+ 3.1. Set |box|'s [=box/size=] to 2.\n"
    for texts in ((reword, other), (other, reword), (reword + other,)):
        assert steps(*texts)[3:5] == ["1. If |size| is 1:", "    1. Set |box|'s [=box/size=] to 2."]
    with pytest.raises(SpecificationError, match="pack 3 is reworded twice, in this patch or also in another patch"):
        patched(reword, reword)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("  pack\n- 2. Return.\n", 2, "pack 2 is 'If size is 0, then return.'; steps with the words 'Return.': 3.2"),
        ("  pack\n- 9. Return.\n", 2, "pack 9 does not exist; steps with the words 'Return.': 3.2"),
        ("  pack\n- 9. Go.\n", 2, "pack 9 does not exist; no step has the words 'Go.'"),
        ('  pack\n- 3. If name is "x":\n', 2, "has substeps"),
        ("  pack\n+ 9. Go.\n", 2, "no step 8 before the new step 9"),
        ("  pack\n+ 1.2.1. Go.\n", 2, "no step 1.2 for the new step"),
        ("  pack\n- To pack:\n+ To pack |box|:\n", 2, "the introduction of pack is 'To pack, given"),
        ("  pack\n- To pack:\n", 1, "exactly one line with -"),
        ("  lid\n+ 1. Go.\n", 1, "no algorithm, term or definition of the IDL with the name 'lid'"),
        ("  box\n- lid: a string\n", 2, "box has no item 'lid'"),
        ("  box\n- owner: a number\n", 2, "in the text, the item 'owner' of box has the words 'a string'"),
        ("  Options\n- boolean fast;\n", 2, "Options has no member"),
    ],
)
def test_patch_that_does_not_fit_is_an_error_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(SpecificationError, match=message) as caught:
        patched(text)
    assert (caught.value.path, caught.value.line) == (Path("0.patch"), line)


def test_new_algorithm_can_have_an_introduction_of_two_lines_and_come_first() -> None:
    content = patched("+ To <dfn>unpack</dfn> a [=box=]\n      |box|:\n+ 1. Return.\n").content
    assert "<div algorithm>\nTo <dfn>unpack</dfn> a [=box=] |box|:\n\n1. Return.\n\n</div>" in content


def test_two_patches_that_take_out_one_step_are_an_error() -> None:
    gone = "  pack\n- 2. If size is 0, then return.\n"
    with pytest.raises(SpecificationError, match="pack 2 is removed twice, in this patch or also in another patch"):
        patched(gone, gone)


def test_patch_below_a_step_that_another_takes_out_is_an_error() -> None:
    gone = '  pack\n- 3. If name is "x":\n- 3.1. Set box\'s size to 1.\n- 3.2. Return.\n'
    below = '  pack\n  3. If name is "x":\n+ 3.1. Return.\n'
    with pytest.raises(SpecificationError, match="another patch removes pack 3"):
        patched(gone, "  pack\n+ 3.1. Return.\n")
    with pytest.raises(SpecificationError, match="another patch adds substeps to pack 3"):
        patched(below, gone)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pack\n- 1. Go.\n", "begin with '- ', "),
        ("- 1. Go.\n", "begin the block with two spaces"),
        ("  pack\n  1. Go.\n", "changes nothing"),
        ("", "changes nothing"),
    ],
)
def test_text_that_is_no_patch_is_an_error(text: str, message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        patch(text)


def test_gloss_can_be_a_patch_by_steps_beside_a_diff(tmp_path: Path) -> None:
    steps_file, diff = tmp_path / "steps", tmp_path / "diff"
    steps_file.write_text("  pack\n  1. Let size be box's size.\n+ 2. Set |size| to 2.\n", encoding="utf-8")
    diff.write_text("@@ -2 +2,2 @@\n-Title: A text\n+Title: Another\n+Level: none\n", encoding="utf-8")
    glosses = [read_gloss(path) for path in (steps_file, diff)]
    content, lines = with_glosses(TEXT, PATH, glosses)
    at = content.splitlines().index("1. Set |size| to 2.")
    assert content.splitlines()[1:3] == ["Title: Another", "Level: none"]
    assert lines[at] == TEXT.splitlines().index("1. If |size| is 0, then") + 1
    assert [one.words for one in glosses] == ["patch steps: 1 line", "gloss diff: 2 lines"]
