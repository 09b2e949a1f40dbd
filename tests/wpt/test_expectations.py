"""Expectations about tests, and findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.judging.conformance.expectations import ExpectationError, Vocabulary, vocabulary
from modelcontext.judging.wpt.expectations import find, find_strays, load_expectations
from modelcontext.judging.wpt.results import FileStatus, Result, Subtest, SubtestStatus

GOOD = """
[[test]]
test = "/a.html"
subtest = "s"
status = "FAIL"
reason = "product"
step = "x 1"
note = "why"
reproducer = "shows-it.html"

[[test]]
test = "/b.html"
status = "CRASH"
reason = "product"
step = "x 1"
note = "why"
link = "https://bugs.example/1"
"""

SEVERAL = """
[[test]]
tests = ["/c.html", "/d.html"]
status = "TIMEOUT"
reason = "product"
step = "x 1"
note = "why"
link = "https://bugs.example/1"

[[test]]
test = "/a.html"
subtests = ["s", "t"]
status = "FAIL"
reason = "product"
step = "x 1"
note = "why"
link = "https://bugs.example/1"

[[test]]
status = "NOTRUN"
reason = "product"
step = "x 1"
note = "why"
link = "https://bugs.example/1"
[test.subtests]
"/c.html" = ["u"]
"/d.html" = ["u", "v"]
"""
VOCABULARY = Vocabulary({"x 1"})


def write(folder: Path, text: str) -> Path:
    (folder / "shows-it.html").touch()
    path = folder / "wpt-p.toml"
    path.write_text(text, encoding="utf-8")
    return path


def result(test: str, status: FileStatus, **subtests: SubtestStatus) -> Result:
    return Result(test, status, None, [Subtest(name, one, "because") for name, one in subtests.items()])


def test_expected_results_are_not_findings(tmp_path: Path) -> None:
    known = load_expectations(write(tmp_path, GOOD), VOCABULARY)
    results = [
        result("/a.html", FileStatus.OK, s=SubtestStatus.FAIL, other=SubtestStatus.PASS),
        result("/b.html", FileStatus.CRASH),
        result("/c.html", FileStatus.OK, s=SubtestStatus.PASS),
    ]
    assert find(results, known) == []
    assert find_strays({"/a.html", "/b.html"}, known) == []


def test_entry_can_cover_several_files_and_subtests(tmp_path: Path) -> None:
    known = load_expectations(write(tmp_path, SEVERAL), VOCABULARY)
    assert {key: expectation.status for key, expectation in known.items()} == {
        ("/c.html", None): "TIMEOUT",
        ("/d.html", None): "TIMEOUT",
        ("/a.html", "s"): "FAIL",
        ("/a.html", "t"): "FAIL",
        ("/c.html", "u"): "NOTRUN",
        ("/d.html", "u"): "NOTRUN",
        ("/d.html", "v"): "NOTRUN",
    }
    results = [
        result("/a.html", FileStatus.OK, s=SubtestStatus.FAIL, t=SubtestStatus.PASS),
        result("/c.html", FileStatus.TIMEOUT, u=SubtestStatus.NOTRUN, v=SubtestStatus.NOTRUN),
    ]
    assert [str(finding) for finding in [*find(results, known), *find_strays({"/a.html", "/c.html"}, known)]] == [
        '/a.html: "t": PASS, expected FAIL',
        '/c.html: "v": NOTRUN, expected PASS: because',
        "/d.html: an expectation names this test, but it does not exist",
        '/d.html: "u": an expectation names this test, but it does not exist',
        '/d.html: "v": an expectation names this test, but it does not exist',
    ]


def test_unexpected_passes_and_failures_are_findings(tmp_path: Path) -> None:
    known = load_expectations(write(tmp_path, GOOD), VOCABULARY)
    results = [
        result("/a.html", FileStatus.OK, s=SubtestStatus.PASS, other=SubtestStatus.FAIL),
        result("/b.html", FileStatus.OK),
        result("/c.html", FileStatus.TIMEOUT),
    ]
    assert [str(finding) for finding in find(results, known)] == [
        '/a.html: "s": PASS, expected FAIL',
        '/a.html: "other": FAIL, expected PASS: because',
        "/b.html: OK, expected CRASH",
        "/c.html: TIMEOUT, expected OK",
    ]


def test_expectation_about_a_missing_subtest_or_file_is_a_finding(tmp_path: Path) -> None:
    known = load_expectations(write(tmp_path, GOOD), VOCABULARY)
    (finding,) = find([result("/a.html", FileStatus.OK)], known)
    assert str(finding) == '/a.html: "s": an expectation names this subtest, but it does not exist'
    (stray,) = find_strays({"/a.html"}, known)
    assert str(stray) == "/b.html: an expectation names this test, but it does not exist"


def test_missing_file_has_no_expectations(tmp_path: Path) -> None:
    assert load_expectations(tmp_path / "absent.toml", VOCABULARY) == {}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('reason = "product"', 'reason = "weather"', "none of product, spec, test"),
        ('step = "x 1"', 'step = "x 3"', 'no step "x 3"'),
        ('status = "FAIL"', 'status = "PASS"', 'status "PASS" is none of FAIL'),
        ('status = "CRASH"', 'status = "FAIL"', 'status "FAIL" is none of ERROR'),
        ('note = "why"', 'note = " "', '"note" is missing'),
        ('note = "why"', 'nota = "why"', 'unknown key "nota"'),
        ('test = "/b.html"', 'test = "/a.html"\nsubtest = "s"', "FAIL"),
        ("[[test]]", "[test]", "wpt-p.toml"),
        ('reproducer = "shows-it.html"', "", 'a "reproducer" .* or a "link" is missing'),
        ('"shows-it.html"', '"absent.html"', 'there is no file "absent.html"'),
        ('"https://bugs.example/1"', '"bug 1"', 'the link "bug 1" does not start with https://'),
        ('subtest = "s"', "subtests = []", '"subtests" is not a list of strings'),
        ('subtest = "s"', 'subtests = ["s", 1]', '"subtests" is not a list of strings'),
        ('subtest = "s"', 'subtests = ["s", "s"]', 'this is listed twice: /a.html, "s"'),
        ('subtest = "s"', 'subtests = {"/c.html" = ["s"]}', '"subtests" is not a list of strings'),
        ('subtest = "s"', 'subtest = "s"\nsubtests = ["t"]', 'an entry needs a "test"'),
        ('test = "/b.html"', "subtests = {}", 'an entry needs a "test"'),
        ('test = "/b.html"', 'subtests = {"/c.html" = "s"}', '"/c.html" is not a list of strings'),
        ('test = "/b.html"', 'subtests = ["s"]', 'an entry needs a "test"'),
        ('test = "/b.html"', 'tests = ["/b.html"]\nsubtest = "s"', 'an entry needs a "test"'),
        ('test = "/b.html"', 'tests = ["/b.html", "/b.html"]', "this is listed twice: /b.html"),
        ('test = "/a.html"', "test = ", "wpt-p.toml"),
    ],
)
def test_invalid_file_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(ExpectationError, match=message):
        load_expectations(write(tmp_path, GOOD.replace(old, new)), VOCABULARY)


def test_subtest_that_is_listed_twice_is_refused(tmp_path: Path) -> None:
    first = GOOD.split("\n\n")[0]
    with pytest.raises(ExpectationError, match="twice"):
        load_expectations(write(tmp_path, first + "\n" + first), VOCABULARY)


def test_entry_takes_missing_keys_from_its_quirk(tmp_path: Path) -> None:
    (tmp_path / "programs/results").mkdir(parents=True)
    (tmp_path / "programs/results/string.toml").touch()
    (tmp_path / "expectations").mkdir()
    text = '[[test]]\ntest = "/a.html"\nstatus = "CRASH"\nquirk = "results-as-strings"\n'
    names = vocabulary("chromium", "current")
    known = load_expectations(write(tmp_path / "expectations", text), names)["/a.html", None]
    quirk = names.quirks["results-as-strings"]
    assert (known.reason, known.step, known.note) == ("product", quirk.step, quirk.reason)
    assert known.reproducer == "../programs/results/string.toml"
    own = load_expectations(write(tmp_path / "expectations", text + 'reproducer = "shows-it.html"'), names)
    assert own["/a.html", None].reproducer == "shows-it.html"
    (tmp_path / "programs/results/string.toml").unlink()
    with pytest.raises(ExpectationError, match=r'there is no file "\.\./programs/results/string\.toml"'):
        load_expectations(write(tmp_path / "expectations", text), names)
