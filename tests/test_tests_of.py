"""The tests to run after a change, by the lines that tests execute and by imports."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from coverage import CoverageData

from tools.tests_of import NAMED, RECORDED, NoTestsError, best_tests, main

CART = Path("src/shopping/cart/prices.py")
FILES = {
    "src/shopping/__init__.py": "",
    "src/shopping/cart/__init__.py": "",
    "src/shopping/cart/prices.py": "",
    "src/shopping/cart/view.js": "",
    "src/shopping/cart/total.py": "from shopping.cart import prices\n",
    "src/shopping/till.py": "from shopping.cart.total import prices\n",
    "src/shopping/lonely/__init__.py": "",
    "tests/cart/test_prices.py": "import shopping.cart.prices\n",
    "tests/cart/test_all.py": "import shopping.till\nimport shopping.cart.prices\n",
    "tests/cart/test_total.py": "from shopping.cart import total\n",
    "tests/test_till.py": "def test_till():\n    import shopping.till\n",
    "tests/test_nothing.py": "import json\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout of a small package with tests."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "src")
    return tmp_path


def names(root: Path, changed: str | Path) -> list[str]:
    return [test.stem for test, _ in best_tests(root, Path(changed)).tests]


def record(root: Path, executed: dict[str, dict[Path, set[int]]]) -> None:
    (root / RECORDED).parent.mkdir()
    data = CoverageData(str(root / RECORDED))
    for context, lines in executed.items():
        data.set_context(context)
        data.add_lines({str(root / path): numbers for path, numbers in lines.items()})
    data.write()


def test_namesake_comes_first_then_the_nearest_importers(root: Path) -> None:
    answer = best_tests(root, CART)
    assert [(test.name, reason) for test, reason in answer.tests] == [
        ("test_prices.py", "imports it"),
        ("test_all.py", "imports it"),
        ("test_total.py", "imports it, 1 module in between"),
        ("test_till.py", "imports it, 2 modules in between"),
    ]
    assert answer.source.startswith("imports: ")


def test_file_in_another_language_has_the_tests_of_its_folder(root: Path) -> None:
    assert names(root, "src/shopping/cart/view.js") == ["test_prices", "test_total", "test_all", "test_till"]


def test_of_importers_the_one_that_uses_more_of_the_file_comes_first(root: Path) -> None:
    (root / CART).write_text("def price(): ...\ndef rebate(): ...\n", encoding="utf-8")
    (root / "tests/cart/test_all.py").write_text("from shopping.cart.prices import price\n", encoding="utf-8")
    (root / "tests/test_rebates.py").write_text("from shopping.cart.prices import price, rebate\n", encoding="utf-8")
    assert names(root, CART) == ["test_prices", "test_rebates", "test_all", "test_total", "test_till"]


def test_file_that_no_test_imports_has_the_tests_that_name_it(root: Path) -> None:
    for path, text in {
        "data/goods.toml": "",
        "tests/test_till.py": "goods.toml",
        "tests/cart/test_all.py": "data/goods.toml",
    }.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    answer = best_tests(root, Path("data/goods.toml"))
    assert [(test.stem, reason) for test, reason in answer.tests] == [
        ("test_all", "names data/goods.toml"),
        ("test_till", "names goods.toml"),
    ]


def test_changed_test_is_its_own_answer(root: Path) -> None:
    assert names(root, "tests/cart/test_total.py") == ["test_total"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ("src/shopping/missing.py", "is not a file of"),
        ("src/shopping/lonely/__init__.py", "see the third column of the tables"),
    ],
)
def test_missing_answer_says_what_to_do(root: Path, changed: str, words: str) -> None:
    with pytest.raises(NoTestsError, match=words):
        best_tests(root, Path(changed))


def test_recorded_test_of_much_of_the_file_and_little_else_comes_first(root: Path) -> None:
    till = Path("src/shopping/till.py")
    record(
        root,
        {
            "": {CART: {1, 2, 3, 4, 5, 6}},
            "tests/test_till.py::test_till|run": {CART: {1, 2, 3, 4}, till: set(range(100))},
            "tests/cart/test_prices.py::test_a|run": {CART: {1, 2}},
            "tests/cart/test_prices.py::test_b[x::y]|run": {CART: {2, 3}},
            "tests/cart/test_total.py::test_a|run": {CART: {4}},
            "tests/cart/test_gone.py::test_a|run": {CART: {1, 2, 3, 4}},
        },
    )
    answer = best_tests(root, CART)
    assert [(test.name, reason) for test, reason in answer.tests] == [
        ("test_prices.py", "executes 75% of what tests execute of it"),
        ("test_total.py", "executes 25% of what tests execute of it"),
        ("test_till.py", "executes 100% of what tests execute of it"),
    ]
    assert str(RECORDED) in answer.source


def test_file_that_no_recorded_test_executes_is_answered_by_imports(root: Path) -> None:
    record(root, {"": {CART: {1}}})
    assert names(root, CART)[0] == "test_prices"


@pytest.mark.usefixtures("takes_long")
def test_command_prints_the_best_tests_and_the_command_that_runs_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tests_of.py", "src/modelcontext/platform/infra/strings.py"])
    main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == NAMED + 3
    assert lines[-1].startswith(".venv/bin/python -m pytest tests/")
    monkeypatch.setattr(sys, "argv", ["tests_of.py", ""])
    with pytest.raises(SystemExit, match="Name one file"):
        main()
