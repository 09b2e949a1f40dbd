"""Files of expectations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.judging.conformance.expectations import (
    ExpectationError,
    file_about,
    load_expectations,
    vocabulary,
)
from modelcontext.running.products import PRODUCTS

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

ROOT = Path(__file__).resolve().parents[2]
VOCABULARY = vocabulary("chromium", "current")

VALID = {"name": '"a/b"', "reason": '"spec"', "step": '"valid-tool-name 1"', "observed": '"x"', "note": '"y"'}


def written(tmp_path: Path, **changes: str | None) -> Path:
    keys = {**VALID, **changes}
    path = tmp_path / "chromium.toml"
    path.write_text("[[program]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items() if value is not None))
    return path


def test_valid_file_is_read(tmp_path: Path) -> None:
    expectation = load_expectations(written(tmp_path), VOCABULARY)["a/b"]
    assert (expectation.reason, expectation.step, expectation.observed) == ("spec", "valid-tool-name 1", "x")


def test_entry_can_cover_several_programs(tmp_path: Path) -> None:
    several = """{ "a/b" = "x", "a/c" = "y" }"""
    known = load_expectations(
        written(tmp_path, name=None, observed=several, link='"https://bugs.example/1"'), VOCABULARY
    )
    assert {name: (expectation.name, expectation.observed) for name, expectation in known.items()} == {
        "a/b": ("a/b", "x"),
        "a/c": ("a/c", "y"),
    }
    assert {expectation.link for expectation in known.values()} == {"https://bugs.example/1"}


def test_entry_takes_missing_keys_from_its_quirk(tmp_path: Path) -> None:
    quirk = VOCABULARY.quirks["callback-first"]
    path = written(tmp_path, quirk='"callback-first"', reason=None, step=None, note=None)
    known = load_expectations(path, VOCABULARY)["a/b"]
    assert (known.reason, known.step, known.note) == ("product", quirk.step, quirk.reason)
    path = written(tmp_path, quirk='"callback-first"', reason=None, note=None)
    assert load_expectations(path, VOCABULARY)["a/b"].step == "valid-tool-name 1"


def test_quirk_with_a_step_of_another_revision_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, quirk='"callback-first"', reason=None, step=None)
    with pytest.raises(ExpectationError, match='no step "imperative-execute-steps 7"'):
        load_expectations(path, vocabulary("chromium", "2026-03"))


def test_entry_that_is_kept_by_machine_has_the_builds_that_show_it(tmp_path: Path) -> None:
    path = written(tmp_path, builds='"Chromium 152 to 153"', note=None, step=None, reason='"product"')
    known = load_expectations(path, VOCABULARY)["a/b"]
    assert (known.reason, known.step, known.note) == ("product", "", "shown by Chromium 152 to 153")
    assert known.words == "(product): shown by Chromium 152 to 153"
    path = written(tmp_path, builds='"Chromium 152"', note=None, step='"nothing 1"', reason='"product"')
    with pytest.raises(ExpectationError, match='the specification has no step "nothing 1"'):
        load_expectations(path, VOCABULARY)


def test_file_about_a_build_is_the_one_that_is_kept_by_machine(tmp_path: Path) -> None:
    assert file_about(tmp_path, "chromium:153") == tmp_path / "chromium-153.toml"
    kept = tmp_path / "builds" / "chromium-153.toml"
    kept.parent.mkdir()
    kept.touch()
    assert file_about(tmp_path, "chromium:153") == kept
    assert file_about(tmp_path, "chromium", "wpt-") == tmp_path / "wpt-chromium.toml"


def test_missing_file_has_no_expectations(tmp_path: Path) -> None:
    assert load_expectations(tmp_path / "firefox.toml", VOCABULARY) == {}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reason": '"because"'}, 'the reason "because" is none of product, spec, test'),
        ({"step": '"valid-tool-name 99"'}, 'the specification has no step "valid-tool-name 99"'),
        ({"note": None}, 'the key "note" is missing'),
        ({"note": '" "'}, 'the key "note" is missing, blank or not a string'),
        ({"obsevred": '"x"'}, 'unknown key "obsevred" (did you mean "observed"?); allowed: "name", "observed", '),
        ({"name": "1"}, 'the key "name" is missing, blank or not a string'),
        ({"name": "' '"}, 'the key "name" is missing, blank or not a string'),
        ({"name": None}, 'an entry needs a "name", or a table "observed"'),
        ({"name": None, "observed": "{}"}, 'an entry needs a "name", or a table "observed"'),
        ({"observed": "{a = 'x'}"}, 'the key "observed" is missing, blank or not a string'),
        ({"name": None, "observed": "{a = ' '}"}, 'the key "a" is missing, blank or not a string'),
        ({"link": '"bug 1"'}, 'the link "bug 1" does not start with https://'),
        ({"reason": "'"}, "chromium.toml: "),
        ({"quirk": '"callback-last"'}, 'the product has no quirk "callback-last" (did you mean "callback-first"?)'),
        ({"quirk": "1"}, 'the key "quirk" is missing, blank or not a string'),
        (
            {"quirk": '"callback-first"', "step": '"imperative-execute-steps 7"'},
            'the step repeats the quirk "callback-first": leave it out',
        ),
        ({"quirk": '"callback-first"', "reason": '"product"'}, 'the reason repeats the quirk "callback-first"'),
        ({"quirk": '"promises-as-they-are"', "reason": None}, 'the key "reason" is missing'),
    ],
)
def test_invalid_file_is_refused(tmp_path: Path, changes: dict[str, str | None], message: str) -> None:
    with pytest.raises(ExpectationError) as caught:
        load_expectations(written(tmp_path, **changes), VOCABULARY)
    assert message in str(caught.value)


def test_program_that_is_listed_twice_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text() * 2)
    with pytest.raises(ExpectationError, match='"a/b" is listed twice'):
        load_expectations(path, VOCABULARY)
    path.write_text("programs = []")
    with pytest.raises(ExpectationError, match="must contain only"):
        load_expectations(path, VOCABULARY)


@pytest.fixture(scope="module")
def names() -> AbstractSet[str]:
    return {case.name for case in read_corpus(ROOT / "wpt_tests" / "programs")}


@pytest.mark.parametrize("product", PRODUCTS)
def test_expectations_of_this_checkout_name_existing_programs(product: str, names: AbstractSet[str]) -> None:
    path = ROOT / "wpt_tests" / "expectations" / f"{product}.toml"
    assert set(load_expectations(path, vocabulary(product, "current"))) <= names
