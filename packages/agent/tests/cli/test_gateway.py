"""``modelcontext agent gateway``: a provider with quirks that judges clients."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from modelcontext_agent.cli.agent import command

TOOL = {
    "type": "function",
    "function": {"name": "add", "parameters": {"type": "object", "properties": {"title": {"type": "string"}}}},
}


def ask(url: str, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the deltas of an answer."""
    body = json.dumps({"model": "m", "stream": True, "tools": [TOOL], "messages": messages})
    request = urllib.request.Request(f"{url}/chat/completions", body.encode())
    with urllib.request.urlopen(request) as response:
        lines = [line[6:] for line in response.read().decode().splitlines() if line.startswith("data: {")]
    return [choice["delta"] for line in lines for choice in json.loads(line)["choices"]]


@pytest.mark.usefixtures("takes_long")
def test_client_that_joins_calls_by_their_index_is_told_of_what_it_understood() -> None:
    program = [str(Path(sys.executable).with_name("modelcontext")), "agent", "gateway"]
    options = ["--quirk", "index-zero", "--quirk", "breaks-off"]
    with subprocess.Popen([*program, *options], stdout=subprocess.PIPE, text=True) as gateway:
        assert gateway.stdout is not None
        line = gateway.stdout.readline()
        address = re.fullmatch(r"(http://127\.0\.0\.1:\d+/v1) \(begin 2 chats\)\n", line)
        assert address is not None, line
        hello = {"role": "user", "content": "hello"}
        broken, deltas = ask(address[1], [hello]), ask(address[1], [hello])
        assert any("tool_calls" in delta for delta in broken)
        text = "".join(delta.get("content") or "" for delta in deltas)
        pieces = [piece for delta in deltas for piece in delta.get("tool_calls", ())]
        assert {piece["index"] for piece in pieces} == {0}
        # This client knows nothing of ids.
        arguments = "".join(piece["function"].get("arguments") or "" for piece in pieces)
        function = {"name": "add", "arguments": arguments.partition("}")[0] + "}"}
        call = {"id": pieces[0]["id"], "type": "function", "function": function}
        answer = {"role": "assistant", "content": text, "tool_calls": [call]}
        result = {"role": "tool", "tool_call_id": call["id"], "content": "done"}
        with pytest.raises(urllib.request.HTTPError, match="400"):
            ask(address[1], [hello, answer, result])
        rest = gateway.stdout.read().splitlines()
    assert rest == ["index-zero: the client sent 1 result for 2 calls", "breaks-off: none of its calls ran"]
    assert gateway.returncode == 1


def test_quirk_that_a_format_does_not_have_is_refused() -> None:
    result = CliRunner().invoke(command, ["gateway", "--format", "google", "--quirk", "index-zero"])
    assert result.exit_code == 2
    assert "the format google does not have the quirk index-zero; it has one-id, empty-id, breaks-off" in result.output
