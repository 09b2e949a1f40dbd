"""Discovery of tests, their URLs, and shards."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.judging.wpt.discovery import DiscoveryError, Test, find_tests, take_shard

HARNESS = '<script src="/resources/testharness.js"></script>'
FILES = {
    "a/page.https.html": f'<meta name=timeout content="long">{HARNESS}',
    "a/page.html": "<script src=/resources/testharness.js></script>",
    "a/variants.html": f'<META name="variant" content="?a"><meta content="?b" name="variant">{HARNESS}',
    "a/window.https.window.js": "// META: timeout=long\n// META: variant=?1-2\n// META: variant=?3-last\n",
    "a/any.any.js": "// META: global=window,worker\n",
    "a/worker.any.js": "// META: global=dedicatedworker\n",
    "a/not.html": "<script>/* /resources/testharness.js */</script>",
    "a/not.js": "",
    "a/resources/helper.html": HARNESS,
    "a/support/helper.html": HARNESS,
    "a/.hidden/page.html": HARNESS,
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_tests_of_a_folder_are_found(root: Path) -> None:
    assert find_tests(root, ["a"]) == [
        Test("/a/any.any.html", secure=False, long=False),
        Test("/a/page.html", secure=False, long=False),
        Test("/a/page.https.html", secure=True, long=True),
        Test("/a/variants.html?a", secure=False, long=False),
        Test("/a/variants.html?b", secure=False, long=False),
        Test("/a/window.https.window.html?1-2", secure=True, long=True),
        Test("/a/window.https.window.html?3-last", secure=True, long=True),
    ]


def test_file_that_is_named_twice_is_found_once(root: Path) -> None:
    paths = ["/a/page.html", "a/page.html", str(root / "a/page.html")]
    assert [test.path for test in find_tests(root, paths)] == ["/a/page.html"]


@pytest.mark.parametrize("path", ["b", "a/not.html", "a/worker.any.js", "..", "/"])
def test_path_without_a_test_is_refused(root: Path, path: str) -> None:
    if path == "/":
        assert len(find_tests(root, [path])) == 7
        return
    with pytest.raises(DiscoveryError, match="there is no"):
        find_tests(root, [path])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "x.window.js",
            "// META: title=x\n// META: timeout\n",
            '"// META: timeout" cannot be read; metadata is "// META: key=',
        ),
        ("x.any.js", " // META: global=window\n", '" // META: global=window" cannot be read'),
        ("x.window.js", "// META script=/x.js\n", '"// META script=/x.js" cannot be read'),
        ("x.html", f'<meta name="variant" content="a">{HARNESS}', 'the variant "a" does not begin with \\? or #'),
    ],
)
def test_invalid_metadata_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DiscoveryError, match=f"{name}: {message}"):
        find_tests(tmp_path, ["/"])


def test_script_may_mention_metadata_after_its_own(tmp_path: Path) -> None:
    (tmp_path / "x.window.js").write_text("// META: timeout=long\n\n// META: nothing\n", encoding="utf-8")
    assert find_tests(tmp_path, ["/"]) == [Test("/x.window.html", secure=False, long=True)]


def test_mistyped_path_gets_a_hint(root: Path) -> None:
    [name, *_] = [test.path.lstrip("/") for test in find_tests(root, ["."])]
    with pytest.raises(DiscoveryError, match="did you mean"):
        find_tests(root, [name.replace(".html", ".htm")])


def test_empty_shard_is_refused(root: Path) -> None:
    with pytest.raises(DiscoveryError, match="part 8 of 9 has no test: the suite has only 7"):
        take_shard(find_tests(root, ["a"]), 8, 9)


def test_shards_partition_the_tests(root: Path) -> None:
    tests = find_tests(root, ["a"])
    shards = [take_shard(tests, number, 3) for number in (1, 2, 3)]
    assert sorted((test for shard in shards for test in shard), key=lambda test: test.path) == tests
    assert [len(shard) for shard in shards] == [3, 2, 2]


def test_test_that_chooses_the_key_of_its_agent_cluster_comes_first_in_its_browser(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f"<script>document.domain = 'a.test'</script>{HARNESS}", encoding="utf-8")
    (tmp_path / "b.html").write_text(f"<script>document.domains</script>{HARNESS}", encoding="utf-8")
    assert [test.is_first for test in find_tests(tmp_path, ["/"])] == [True, False]


@pytest.mark.parametrize(
    ("text", "looks_back"),
    [
        ("assert_equals(history.length, 1);", True),
        ("// about bfcache", True),
        ("const myhistory = {}; myhistory;", False),
    ],
)
def test_test_about_the_history_of_its_tab_looks_back(tmp_path: Path, text: str, looks_back: bool) -> None:
    (tmp_path / "a.html").write_text(f"{HARNESS}<script>{text}</script>", encoding="utf-8")
    [test] = find_tests(tmp_path, ["/"])
    assert test.looks_back == looks_back
