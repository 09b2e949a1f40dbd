"""The wheel of speclint in a fresh environment with what it needs, and without modelcontext."""

from __future__ import annotations

import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.packaging.conftest import Environment, link_all, pip

TEXT = """<pre class=metadata>
Title: A test
</pre>

<xmp class=idl>
interface Thing {};
</xmp>

<div algorithm>
To <dfn export>go</dfn> given |x|:

1. Return |x|'s [=node navigable=]'s [=navigable/top-level traversable=].

</div>
"""


@pytest.fixture(scope="module")
def alone(
    environment: Environment, wheels: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    folder = tmp_path_factory.mktemp("alone")
    venv.create(folder / "environment", symlinks=True)
    programs = folder / "environment/bin"
    pip("--python", str(programs / "python"), "install", "--no-deps", str(wheels["speclint"]))
    needed = environment.files(environment.required("speclint") - {"speclint"})
    link_all((environment.packages / name for name in needed), folder / "packages")
    return Environment(programs, folder / "packages")


def test_speclint_alone_lints_a_text(alone: Environment, tmp_path: Path) -> None:
    (tmp_path / "text.bs").write_text(TEXT, encoding="utf-8")
    finished = alone.run("speclint", "text.bs", folder=tmp_path)
    assert finished.returncode == 1, finished.stderr
    assert finished.stdout.startswith("text.bs:12: go step 1: ")
    assert "[untested-null]" in finished.stdout
    absent = alone.run("python", "-c", "import modelcontext", folder=tmp_path)
    assert "No module named 'modelcontext'" in absent.stderr
