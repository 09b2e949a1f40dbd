"""``modelcontext forms check`` on pages in Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from modelcontext.people.cli.forms import command
from modelcontext.running.serving.http import Server

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """<!doctype html>
<form toolname="written" tooldescription="In the file"><label>A <input name="a"></label><button>Go</button></form>
<iframe src="frame.html"></iframe>
<iframe src="frame.html" sandbox="allow-same-origin"></iframe>
<iframe srcdoc="<form toolname='inline' tooldescription='In an attribute' toolautosubmit></form>"></iframe>
<iframe src="http://b.localhost:PORT/frame.html"></iframe>
<iframe src="http://b.localhost:PORT/frame.html" allow="tools"></iframe>
<template><form toolname="copied" tooldescription="Of a template" toolautosubmit></form></template>
<script>
customElements.define("form-field", class extends HTMLElement { static formAssociated = true; });
customElements.define("mere-picture", class extends HTMLElement {});
customElements.define("whole-form", class extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({ mode: "open" }).innerHTML = "<form toolname=shadow tooldescription=d toolautosubmit></form>";
  }
});
document.forms[0].append(document.createElement("form-field"), document.createElement("mere-picture"));
document.body.append(document.querySelector("template").content.cloneNode(true), document.createElement("whole-form"));
const form = document.createElement("form");
form.setAttribute("toolname", "nested");
document.forms[0].append(form);
</script>
"""
HIDDEN = """<!doctype html>
<link rel=stylesheet href="hidden.css">
<form toolname="hidden" tooldescription="d">
<label>A <input name="a"></label>
<p class="far"><label>Leave this empty <input name="b"></label></p>
<div class="steps"><div class="rail">
<label>C <input name="c" required></label><label>D <input name="d" required></label></div></div>
<label class="box"><input name="e" type="checkbox"><i></i> E</label>
<label class="off">F <input name="f" required></label>
<label hidden class="shown">G <input name="g"></label>
<details><label>H <input name="h" required></label></details>
<button>Go</button>
</form>
<div id="host"></div>
<script>setTimeout(() => { throw new TypeError("nothing to show"); }); </script>
<script>
document.querySelector("#host").attachShadow({ mode: "open" }).innerHTML =
  "<style>form { display: none }</style><form toolname=inner tooldescription=d><button>Go</button></form>";
</script>
"""
SHEET = """
.far { position: absolute; left: -200vw }
.steps { overflow: hidden; width: 200px } .rail { display: flex; width: 800px } .rail label { width: 400px }
.box input { opacity: 0; position: absolute }
@media screen { .off { visibility: hidden } }
.shown { display: block }
"""
FRAME = "<form toolname=framed tooldescription=d><label>Y <input name=y></label><button>Send</button></form>"


class Missing(BaseHTTPRequestHandler):
    """A server that has nothing, and a page that says so."""

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    with Server(folders={"/": folder}) as server:
        (folder / "page.html").write_text(PAGE.replace("PORT", str(server.port)), encoding="utf-8")
        (folder / "frame.html").write_text(FRAME, encoding="utf-8")
        (folder / "hidden.html").write_text(HIDDEN, encoding="utf-8")
        (folder / "hidden.css").write_text(SHEET, encoding="utf-8")
        yield f"http://a.localhost:{server.port}"


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(command, ["check", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.fixture(scope="module")
def documents(url: str, starts_a_browser: None) -> list[dict[str, Any]]:
    result = run(f"{url}/page.html", "--json")
    assert result.exit_code == 1, result.output
    documents: list[dict[str, Any]] = json.loads(result.stdout)["documents"]
    return documents


def tools(document: dict[str, Any]) -> list[str | None]:
    return [form["tool"] and form["tool"]["name"] for form in document["forms"]]


def test_forms_are_those_that_scripts_have_made(documents: list[dict[str, Any]]) -> None:
    page, *_ = documents
    assert sorted(filter(None, tools(page))) == ["copied", "shadow", "written"]
    reasons = {form["place"]["element"]: form["reason"] for form in page["forms"] if form["tool"] is None}
    assert reasons == {
        "<form toolname=copied>": "it is in a template, and a script must copy it into the page",
        "<form toolname=nested>": "a script has put it inside of another form, and the command does not check"
        " nested forms",
    }
    assert all(form["place"]["line"] is None for form in page["forms"])


def test_only_form_associated_custom_elements_are_controls(documents: list[dict[str, Any]]) -> None:
    form = next(form for form in documents[0]["forms"] if form["tool"] and form["tool"]["name"] == "written")
    assert [control["place"]["kind"] for control in form["leftOut"]] == ["button", "form-field"]


def test_each_frame_is_listed_with_the_tools_that_it_may_offer(url: str, documents: list[dict[str, Any]]) -> None:
    other = url.replace("a.localhost", "b.localhost")
    listed = {document["name"]: (document["url"], tools(document)) for document in documents[1:]}
    assert listed == {
        "frame-1": (f"{url}/frame.html", ["framed"]),
        "frame-2": (f"{url}/frame.html", [None]),
        "frame-3": ("about:blank", ["inline"]),
        "frame-4": (f"{other}/frame.html", [None]),
        "frame-5": (f"{other}/frame.html", ["framed"]),
    }
    assert documents[2]["forms"][0]["step"] == "offers-a-tool 2"
    assert documents[4]["forms"][0]["step"] == "offers-a-tool 3"


@pytest.mark.usefixtures("starts_a_browser")
def test_browser_says_what_a_person_cannot_see(url: str) -> None:
    document = json.loads(run(f"{url}/hidden.html", "--json").stdout)["documents"][0]
    found = {(one["code"], one["place"]["element"]) for form in document["forms"] for one in form["problems"]}
    assert found == {
        ("decoy", "<input name=b>"),
        ("hidden-parameter", "<input name=d>"),
        ("hidden-parameter", "<input name=f>"),
        ("hidden-parameter", "<input name=h>"),
        ("hidden-form", "<form toolname=inner>"),
    }
    [note] = document["notes"]
    assert re.fullmatch(
        rf"A script threw TypeError: nothing to show \(at {re.escape(url)}/hidden\.html:\d+:\d+\)", note
    )


@pytest.mark.usefixtures("starts_a_browser")
def test_report_has_a_heading_for_each_document(url: str) -> None:
    printed = run(f"{url}/page.html").stdout
    assert f"page {url}/page.html" in printed
    assert f"frame-5 {url.replace('a.localhost', 'b.localhost')}/frame.html" in printed
    assert "10 forms, 6 tools" in printed


@pytest.mark.usefixtures("starts_a_browser")
def test_page_that_cannot_be_opened_is_one_clear_error() -> None:
    result = run("http://a.localhost:1/")
    assert result.exit_code == 2
    assert result.stderr.startswith("modelcontext: http://a.localhost:1/ cannot be opened: net::ERR_")
    assert result.stderr.endswith("what to do: check the address\n")


@pytest.mark.usefixtures("starts_a_browser")
def test_page_of_an_error_is_one_clear_error() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Missing) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        result = run(f"http://a.localhost:{server.server_port}/")
        server.shutdown()
        thread.join()
    assert result.exit_code == 2
    assert "answers with status 404" in result.stderr


def test_program_that_is_no_browser_is_one_clear_error(url: str, tmp_path: Path) -> None:
    result = run(f"{url}/page.html", "--binary", str(tmp_path / "chrome"))
    assert result.exit_code == 2
    assert "which does not exist" in result.stderr
