"""The texts of the clients are quoted by their algorithms."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext_prose.clients.client_texts import FOLDER, check_clients, steps_of

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / FOLDER, tmp_path / FOLDER)
    return tmp_path


def change(root: Path, name: str, old: str, new: str) -> list[str]:
    path = root / FOLDER / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return [str(problem) for problem in check_clients(root)]


def test_algorithms_agree_with_their_texts() -> None:
    assert check_clients(ROOT) == []


def test_each_client_has_a_text() -> None:
    texts = {path.stem.replace("_", "-") for path in (ROOT / FOLDER).glob("*.md")}
    assert texts == set(CLIENTS)


def test_numbers_of_nested_steps_are_joined() -> None:
    text = (
        "\n## Steps\n\n1. A\n2. If b:\n   1. C\n   2. If d:\n      1. E\n3. F\n\n### more\n\n1. G\n\n## Notes\n\n1. H\n"
    )
    numbers = {name: [step.number for step in steps] for name, steps in steps_of(text).items()}
    assert numbers == {"": ["1", "2", "2.1", "2.2", "2.2.1", "3"], "more": ["1"]}


def test_changed_step_of_a_text_is_found(copy: Path) -> None:
    [problem] = change(copy, "kilo.md", "the first of its name", "the last of its name")
    assert "kilo step 3: the code and kilo.md differ: reworded" in problem


def test_missing_text_is_found(copy: Path) -> None:
    (copy / FOLDER / "stagehand.md").unlink()
    assert any("stagehand.md has no list of its steps" in str(problem) for problem in check_clients(copy))


def test_decision_without_a_step_is_found(copy: Path) -> None:
    problems = change(copy, "stagehand.py", "    # 6. Answer", "    if ending:\n        return\n\n    # 6. Answer")
    assert any("stagehand.py" in problem for problem in problems)
