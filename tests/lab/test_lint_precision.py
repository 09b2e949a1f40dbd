"""The precision of the lint on foreign texts: labels of a person against what the lint finds."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from tools.lab import lint_precision

TEXT = (
    "<pre class=metadata>\nTitle: A\n</pre>\n"
    "<div algorithm>\nTo <dfn export>go</dfn>, given |x|:\n\n1. Do |x|.\n1. Do |y|.\n</div>\n"
)


@pytest.mark.parametrize(
    ("label", "code", "message"),
    [
        ("8 undefined-variable true", 0, ""),
        ("8 undefined-variable false it is known", 1, "a.bs: only 0% are true or arguable"),
        ("7 undefined-variable true", 1, "a.bs:8: undefined-variable: this finding has no label"),
    ],
)
def test_finding_counts_as_its_label_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, label: str, code: int, message: str
) -> None:
    (tmp_path / "a.bs").write_text(TEXT, encoding="utf-8")
    labels = tmp_path / "labels.txt"
    labels.write_text(f"text a.bs {hashlib.sha256(TEXT.encode()).hexdigest()[:16]}\n{label}\n", encoding="utf-8")
    monkeypatch.setattr(lint_precision, "LABELS", labels)
    result = CliRunner().invoke(lint_precision.precision, [str(tmp_path)])
    assert (result.exit_code, message in result.stderr) == (code, True)
    assert "| a.bs | 1 |" in result.stdout


def test_other_version_of_a_text_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.bs").write_text(TEXT, encoding="utf-8")
    (tmp_path / "labels.txt").write_text("text a.bs 0000\n8 undefined-variable true\n", encoding="utf-8")
    monkeypatch.setattr(lint_precision, "LABELS", tmp_path / "labels.txt")
    result = CliRunner().invoke(lint_precision.precision, [str(tmp_path)])
    assert result.exit_code == 1
    assert "a.bs: this is another version" in result.stderr


def test_labels_name_places_and_known_labels_only() -> None:
    labels = lint_precision.read_labels(lint_precision.LABELS.read_text(encoding="utf-8"))
    assert len(labels) == 8
    assert {label for one in labels.values() for label in one.by_place.values()} == {"true", "arguable", "false"}
