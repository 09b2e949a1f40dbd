"""``modelcontext agent tools``, on pages in Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modelcontext.running.serving.http import Server
from modelcontext_agent.cli.agent import command
from packages.agent.tests.cli.sites import status_site

PAGE = """<!DOCTYPE html>
<title>Odd schemas</title>
<script type="module">
const register = (name, inputSchema) =>
  document.modelContext.registerTool({ name, description: `Does ${name}.`, inputSchema, execute: async () => 1 });
await register("ordinary", { type: "object", properties: { n: { type: "integer", exclusiveMinimum: 0 } } });
await new Promise((resolve) => setTimeout(resolve, 100));
await register("either.or", { anyOf: [{ properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }] });
await register("hidden", { type: "object", properties: { "a\\u001b[2J\\u202e": { type: "string", pattern: "a" } } });
await register("wrong", { type: "strng" });
</script>
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    (folder / "page.html").write_text(PAGE, encoding="utf-8")
    (folder / "empty.html").write_text("<!DOCTYPE html><title>None</title>", encoding="utf-8")
    with Server(folders={"/": Path(folder)}) as server:
        yield f"http://a.localhost:{server.port}"


def tools(*arguments: str) -> Result:
    result = CliRunner().invoke(command, ["tools", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.mark.usefixtures("starts_a_browser")
def test_tools_are_printed_as_the_provider_is_sent_them(url: str) -> None:
    result = tools(f"{url}/page.html", "--format", "gemini")
    [request] = json.loads(result.output)
    schemas = {one["name"]: one["parametersJsonSchema"] for one in request["functionDeclarations"]}
    assert schemas["ordinary"]["properties"] == {"n": {"type": "integer", "minimum": 1}}
    assert schemas["wrong"] == {"type": "object", "properties": {}}
    assert len(schemas) == 4


@pytest.mark.usefixtures("starts_a_browser")
def test_each_change_of_a_schema_is_explained(url: str) -> None:
    words = " ".join(tools(f"{url}/page.html", "--format", "anthropic", "--explain").output.split())
    for word in ("either.or", "either_or_", "/anyOf", "widened", "wrong", "/type", "replaced", "none"):
        assert word in words


@pytest.mark.usefixtures("starts_a_browser")
def test_explanation_fits_80_columns_where_there_is_no_terminal(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = tools(f"{url}/page.html", "--format", "gemini", "--explain").output.splitlines()
    assert max(map(len, lines)) <= 80
    # No column is so narrow that its words fall apart.
    assert any("replaced" in line for line in lines)


@pytest.mark.usefixtures("starts_a_browser")
def test_page_cannot_write_to_the_terminal(url: str) -> None:
    words = tools(f"{url}/page.html", "--format", "gemini", "--explain").output
    assert "\x1b" not in words
    assert "\u202e" not in words
    assert "u{1b}[2J" in words.replace("\n", "")


@pytest.mark.usefixtures("starts_a_browser")
def test_page_without_tools_gives_an_empty_list_and_says_so(url: str) -> None:
    result = tools(f"{url}/empty.html")
    assert json.loads(result.stdout) == []
    assert "the page has no tools" in result.stderr
    assert "The page has no tools." in tools(f"{url}/empty.html", "--explain").output


@pytest.mark.usefixtures("starts_a_browser")
def test_page_that_cannot_be_opened_is_told_in_one_line() -> None:
    result = tools("http://a.localhost:9/")
    assert result.exit_code == 2
    assert "http://a.localhost:9/ cannot be opened" in result.stderr


def test_unknown_format_is_refused_with_the_known_ones(url: str) -> None:
    result = tools(url, "--format", "claude")
    assert result.exit_code == 2
    assert "'anthropic', 'openai', 'openai-responses', 'gemini', 'mcp'" in result.stderr


@pytest.mark.usefixtures("starts_a_browser")
@pytest.mark.parametrize(("path", "status"), [("404", "404 Not Found"), ("500", "500 Internal Server Error")])
def test_page_that_is_answered_with_an_error_is_told_and_its_tools_are_printed(path: str, status: str) -> None:
    with status_site() as site:
        result = tools(f"{site}/{path}")
        empty = tools(f"{site}/{path}/empty")
    warning = f"modelcontext: warning: {site}/{path} answered {status}; these are the tools of this page anyway\n"
    assert (result.exit_code, result.stderr) == (0, warning)
    assert [tool["name"] for tool in json.loads(result.stdout)] == ["hello", "never"]
    assert (empty.exit_code, json.loads(empty.stdout)) == (0, [])
    assert f"answered {status}; these are the tools" in empty.stderr


@pytest.mark.usefixtures("starts_a_browser")
def test_window_without_a_display_is_told_in_one_line(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    result = tools(url, "--headed")
    assert result.exit_code == 2
    assert "a window needs a display, and this machine has none" in result.stderr
