"""The types of the protocol between the engine's process and Python, and the Python code, agree."""

from __future__ import annotations

import inspect
import re
from functools import partial
from pathlib import Path

import pytest

import modelcontext.hosts.scripting
from modelcontext.hosts.scripting.resources import Answer
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION

pytestmark = pytest.mark.usefixtures("starts_a_browser")

TYPES = (Path(modelcontext.hosts.scripting.__file__).parent / "protocol.d.ts").read_text(encoding="utf-8")
METHOD = re.compile(r"^  (\w+)\((.*?)\): ", re.MULTILINE)


def test_answers_have_the_names_and_parameters_of_the_types() -> None:
    body = TYPES.partition("export interface Answers {\n")[2].partition("\n}")[0]
    rows = {name: re.findall(r"(\w+): ", parameters) for name, parameters in METHOD.findall(body)}
    with start_process(REVISION) as process:
        ScriptedBrowser(process, REVISION, lambda request: Answer(404))
        found = {}
        for name, handler in process.handlers.items():
            assert isinstance(handler, partial)
            found[name] = list(inspect.signature(handler.args[0]).parameters)
    assert rows == found
    assert len(rows) >= 8
