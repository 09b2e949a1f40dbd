"""The table of messages between pages and Python, the types that tsc checks, and the Python code agree."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import modelcontext.hosts.page
from modelcontext.hosts.page.page_forms import PageForms
from modelcontext.hosts.page.page_host import PageHost
from modelcontext.hosts.page.verbs import PageFormVerbs, PageVerbs

TYPES = (Path(modelcontext.hosts.page.__file__).parent / "protocol.d.ts").read_text(encoding="utf-8")
METHOD = re.compile(r"^  (\w+)\((.*?)\): ", re.MULTILINE)
MESSAGE = re.compile(r"^  (\w+): \[(.*)\];$", re.MULTILINE)
LABEL = re.compile(r"(?:^|, )(\w+):")


def rows_of_the_interface(name: str, row: re.Pattern[str]) -> dict[str, list[str]]:
    """Return the names of the fields of each member of an interface, without those in nested brackets."""
    body = TYPES.partition(f"export interface {name} {{\n")[2].partition("\n}")[0] + "\n"
    rows = {}
    for member, fields in row.findall(body):
        rows[member] = LABEL.findall(re.sub(r"<[^>]*>|: \[[^]]*\]", ":", fields))
    return rows


def rows_of_the_table(sender: str) -> dict[str, list[str]]:
    """Return the names of the fields of each message of one sender, as in the docstring."""
    _, head, body, _ = re.split(r"^(?:=+ *)+\n", modelcontext.hosts.page.__doc__ or "", flags=re.MULTILINE)
    columns = [match.start() for match in re.finditer(r"\w+", head)]
    rows = {}
    for line in body.splitlines():
        cells = [line[start:end].strip() for start, end in zip(columns, [*columns[1:], None], strict=True)]
        assert cells[4], f"{cells[0]} has no meaning"
        if cells[1] == sender:
            assert cells[2] == {"page": "hub", "hub": "page"}[sender]
            rows[cells[0]] = cells[3].split(", ") if cells[3] else []
    return rows


@pytest.mark.parametrize(("sender", "interface"), [("page", "ToPython"), ("hub", "ToPage")])
def test_table_has_the_messages_of_the_types(sender: str, interface: str) -> None:
    table = rows_of_the_table(sender)
    assert table == rows_of_the_interface(interface, MESSAGE)
    assert list(table) == list(rows_of_the_interface(interface, MESSAGE))
    assert len(table) >= 8


@pytest.mark.parametrize(
    ("interface", "class_"),
    [("Verbs", PageVerbs), ("Entries", PageHost), ("FormVerbs", PageFormVerbs), ("FormEntries", PageForms)],
)
def test_python_functions_have_the_parameters_of_the_types(interface: str, class_: type) -> None:
    rows = rows_of_the_interface(interface, METHOD)
    assert rows == {name: list(inspect.signature(getattr(class_, name)).parameters)[1:] for name in rows}
    assert len(rows) >= 8


@pytest.mark.parametrize(("interface", "protocol"), [("Verbs", PageVerbs), ("FormVerbs", PageFormVerbs)])
def test_every_page_verb_has_a_type(interface: str, protocol: type) -> None:
    verbs = {name for name in vars(protocol) if not name.startswith("_")}
    assert verbs == set(rows_of_the_interface(interface, METHOD))


@pytest.mark.parametrize(
    ("handed", "interface"),
    [(r"enterPython\(\{ (.*) \}, fault\)", "Entries"), (r"startForms\(\{(.*?)\}\)", "FormEntries")],
)
def test_bootstrap_passes_every_entry_into_python(handed: str, interface: str) -> None:
    bootstrap = (Path(modelcontext.hosts.page.__file__).parent / "bootstrap.js").read_text(encoding="utf-8")
    [names] = re.findall(handed, bootstrap, re.DOTALL)
    assert re.findall(r"\w+", names) == list(rows_of_the_interface(interface, METHOD))
