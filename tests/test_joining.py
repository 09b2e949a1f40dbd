"""Modules of JavaScript as one function: each once, after its imports, in one scope."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from modelcontext.ground.joining import function_of_modules
from modelcontext.programs.program.render import runtime
from modelcontext.running.products.page import init_script
from modelcontext.spec.revisions.registry import REVISIONS

MODULES = {
    "main.js": 'import "./effects.js";\nimport {\n  first,\n  second,\n} from "./lib/names.js";\n\nlog(first, second);\n',
    "effects.js": 'import { first } from "./lib/names.js";\n\nlog(first);\n',
    "lib/names.js": 'import { late } from "../late.js";\n\nexport const first = 1;\nexport function second() {}\n',
    "late.js": 'import { first } from "./lib/names.js";\n\nexport const late = () => first;\n',
}
JOINED = """(function (given) {
"use strict";

const late = () => first;

const first = 1;
function second() {}

log(first);

log(first, second);

done();
})"""


def script_of_the_agent() -> str:
    # Imported here: its framework takes a second of every run that only collects these tests.
    from modelcontext_agent.pages import remote_pages

    return remote_pages.script()


SCRIPTS: dict[str, Callable[[], str]] = {
    "runtime": runtime,
    "agent": script_of_the_agent,
    **{f"realm {name}": partial(init_script, revision) for name, revision in REVISIONS.items()},
}


def test_each_module_comes_once_and_after_its_imports(tmp_path: Path) -> None:
    for name, text in MODULES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert function_of_modules(tmp_path / "main.js", "given", "done();") == JOINED


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_no_two_modules_declare_the_same_function(script: Callable[[], str]) -> None:
    names = re.findall(r"^(?:async )?function\*? (\w+)", script(), re.MULTILINE)
    assert len(names) > 10
    assert sorted(names) == sorted(set(names))


@pytest.mark.usefixtures("starts_a_browser")
@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_script_is_one_expression(script: Callable[[], str], tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node is not None
    (tmp_path / "script.js").write_text(f"({script().rstrip().removesuffix(';')});\n", encoding="utf-8")
    subprocess.run([node, "--check", tmp_path / "script.js"], check=True)
