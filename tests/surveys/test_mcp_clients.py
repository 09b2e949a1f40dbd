"""The comparison with other servers, which is run by hand: its table is whole, and what cannot be run is said."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from modelcontext.ground.problems import UnavailableError
from surveys.mcp_clients.__main__ import OUT, problems, table
from surveys.mcp_clients.probes import QUESTIONS
from surveys.mcp_clients.servers import HERE, SERVERS, install_packages


def test_table_of_the_docs_has_each_question_and_each_server() -> None:
    assert problems(OUT.read_text(encoding="utf-8")) == []


def test_check_names_the_server_and_the_question_that_a_table_lacks() -> None:
    text = OUT.read_text(encoding="utf-8")
    assert problems(text.replace(SERVERS[-1].name, "another 1.0")) == ["the servers are others"]
    first = QUESTIONS[0].title
    assert problems(text.replace(f"| {first} |", "| something |")) == [f"no line for: {first}"]
    assert problems(text.replace("These MCP servers", "Those MCP servers")) == ["the words above the table are others"]


def test_servers_are_named_with_the_versions_of_the_lock_file() -> None:
    packages = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for server in SERVERS:
        if server.npm is not None:
            name = server.npm.name
            assert server.name == f"{name} {packages[f'node_modules/{name}']['version']}"


def test_machine_without_node_is_a_reason_not_to_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match=r"Node\.js or npm is missing"):
        install_packages(tmp_path)


def test_server_that_is_not_run_has_the_reason_in_each_cell(tmp_path: Path) -> None:
    reasons = {server.name: "NOTRUN: no reason" for server in SERVERS}
    lines = asyncio.run(table(reasons, tmp_path))
    assert sum(line.count("NOTRUN: no reason") for line in lines) == (len(QUESTIONS) + 1) * len(SERVERS)
