"""Compiled pattern regular expressions: validity and matches under the ``v`` flag, limits, agreement with Chromium."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.html.forms.patterns import PatternLimitError, compiled_pattern_regular_expression
from tests.html.forms.generated_controls import words

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PARTS = words(
    r"\d \w \s a b . \p{L} \p{Lu} [a-z] [^a-z] [[a-z]&&[aeiou]] [[a-z]--[aeiou]] [\q{ab|c}] \- [-] [(] [\(] [a-] "
    r"\u{1F600} 😀 \. ^ $ \b [ ] { } ( ) (?: ) (?<n>a) \k<n> (a) \1 (?=a) (?<!b) | * + ? {2} {1,2} {2,1} *? - @ "
    r"\p{RGI_Emoji} [^\p{RGI_Emoji}] [a&&&b] [!!x] (?i:a) \cA \c \0 \00 [a--b] [a-z--b] [\d-x] ä ß \x41 \xg / \/ [&] A k "
    r"[\w--\d] \u{110000} \ud83d\ude00 \p{Script=Greek} \p{sc=Latin} \p{Foo} [^] [] \B 0 1 "
    "\ud83d"
)
TEXTS = words("a b ab abc aa A e 1 12 😀 ä - ( a1 aba c / K @ 👨‍👩‍👧 abab \ud83d  \n")


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Page:
    return chromium.new_page()


def matches(pattern: str, text: str) -> bool | None:
    regexp = compiled_pattern_regular_expression(pattern)
    return None if regexp is None else regexp.test(text)


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("", "", True),
        ("", "a", False),
        ("a", "a", True),
        ("a", "ab", False),
        ("a|b", "ab", False),
        ("^a$", "a", True),
        (".", "\U0001f600", True),
        (".", "\ud83d", True),
        ("\ud83d", "\ud83d", True),
        ("\ud83d", "\U0001f600", False),
        ("[\ud83d]", "\ud83d", True),
        (r"[\p{L}--[a-z]]", "A", True),
        (r"[\p{L}--[a-z]]", "a", False),
        (r"[\q{abc|d}]", "abc", True),
        (r"\p{RGI_Emoji}", "\U0001f468\u200d\U0001f469", False),
        (r"(?<n>.)\k<n>", "aa", True),
        ("(?i:a)b", "Ab", True),
        ("a)|(b", "a", None),
        ("[", "", None),
        ("[(]", "", None),
        ("[a&&&b]", "", None),
        (r"\-", "", None),
        ("a{2,1}", "", None),
        ("{", "", None),
        (r"\1", "", None),
        (r"\k<x>", "", None),
        ("\\\ud83d", "", None),
    ],
)
def test_pattern_is_anchored_and_has_the_v_flag(pattern: str, text: str, expected: bool | None) -> None:
    assert matches(pattern, text) is expected


def test_generated_patterns_compile_and_match_as_in_chromium(page: Page) -> None:
    chance = random.Random(18)
    patterns = ["".join(chance.choices(PARTS, k=chance.randint(1, 6))) for _ in range(6000)]
    observed = json.loads(
        page.evaluate(
            """([patterns, texts]) => JSON.stringify(JSON.parse(patterns).map((pattern) => {
                try { new RegExp(pattern, "v"); } catch { return null; }
                const regexp = new RegExp(`^(?:${pattern})$`, "v");
                return JSON.parse(texts).map((text) => regexp.test(text));
            }))""",
            [json.dumps(patterns), json.dumps(TEXTS)],
        )
    )
    ours = [
        None if compiled_pattern_regular_expression(pattern) is None else [matches(pattern, text) for text in TEXTS]
        for pattern in patterns
    ]
    assert [each for each in zip(patterns, ours, observed, strict=True) if each[1] != each[2]] == []
    assert sum(each is not None for each in ours) > 1000


@pytest.mark.parametrize(
    "pattern",
    [
        *("(a+)+", "(a|a)*", "(a*)*b", "(?:a?){40}a{40}", "(.*a){20}", "((a{99}){99}){99}"),
        r"\p{RGI_Emoji}\p{RGI_Emoji}",
    ],
)
def test_pattern_without_backreference_takes_no_exponential_time(pattern: str) -> None:
    # A match that needs more than the limit raises.
    assert matches(pattern, "a" * 39 + "!") is False


@pytest.mark.usefixtures("takes_long")
def test_match_that_takes_too_long_is_undecided() -> None:
    with pytest.raises(PatternLimitError, match="takes longer than 2 s: give the pattern fewer ways"):
        matches(r"(a*)*\1b", "a" * 60 + "c")


def test_pattern_that_is_too_large_is_undecided() -> None:
    with pytest.raises(PatternLimitError, match="is too large"):
        compiled_pattern_regular_expression("(" * 5000 + ")" * 5000)
    with pytest.raises(PatternLimitError, match="is too large"):
        compiled_pattern_regular_expression("a" * 2_000_000)
