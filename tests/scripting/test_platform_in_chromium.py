"""Parts of the platform in the simulated browser, held against Chromium: what scripts of pages use of DOM and HTML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.hosts.scripting.resources import Answer
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGE = """<!DOCTYPE html><body>
<script>
const log = [];
const told = (records) => records.map((one) => [one.type, one.target.id ?? one.target.nodeName, one.attributeName,
  one.attributeNamespace, one.oldValue, [...one.addedNodes].map((node) => node.nodeName),
  [...one.removedNodes].map((node) => node.nodeName), one.previousSibling?.nodeName, one.nextSibling?.nodeName]);
const observed = (name, options, target = root) => {
  const observer = new MutationObserver((records, self) => log.push([name, self === observer, ...told(records)]));
  observer.observe(target, options);
  return observer;
};
const threw = (run) => { try { run(); } catch (error) { log.push([error.name]); } };
</script>
<div id="root"><p id="p">text</p><input id="i"></div>
<script>(async () => {
  const [p, i] = root.children;
  {
    %s
  }
})().then(() => setTimeout(() => { console.log(JSON.stringify(log)); }));
</script>
"""

# Chromium notifies observers in the order in which they were made, and the text in that of their first records: here the same.
CASES = {
    "the kinds of changes": """
        observed("all", { attributes: true, childList: true, characterData: true, subtree: true });
        p.setAttribute("a", "1");
        p.firstChild.data = "other";
        p.append("more");
        root.prepend(document.createElement("b"));
        p.remove();
        log.push(["script"]);
    """,
    "old values": """
        observed("attributes", { attributeOldValue: true, subtree: true });
        observed("neither", { attributes: true, subtree: true });
        observed("data", { characterDataOldValue: true, subtree: true });
        p.setAttribute("a", "1");
        p.setAttribute("a", "2");
        p.removeAttribute("a");
        p.removeAttribute("a");
        p.firstChild.data = "other";
    """,
    "a filter": """
        observed("filter", { attributeFilter: ["b"] });
        root.setAttribute("a", "1");
        root.setAttribute("b", "2");
    """,
    "without a subtree": """
        observed("alone", { childList: true });
        p.append("more");
        root.append("last");
    """,
    "fragments and all children": """
        const fragment = document.createDocumentFragment();
        fragment.append(document.createElement("b"), document.createElement("i"));
        observed("fragment", { childList: true }, fragment);
        observed("children", { childList: true, subtree: true });
        root.insertBefore(fragment, p);
        p.textContent = "all";
        p.textContent = "";
        p.textContent = "";
    """,
    "a removed node that changes": """
        observed("subtree", { attributes: true, childList: true, subtree: true });
        p.remove();
        p.setAttribute("a", "1");
        await null;
        p.setAttribute("a", "2");
    """,
    "records that are taken": """
        const observer = observed("taken", { attributes: true });
        root.setAttribute("a", "1");
        log.push(["taken", ...told(observer.takeRecords())]);
        root.setAttribute("a", "2");
        observer.disconnect();
        await null;
        root.setAttribute("a", "3");
    """,
    "options of a second call": """
        const observer = observed("again", { childList: true });
        observer.observe(root, { attributes: true });
        root.append("last");
        root.setAttribute("a", "1");
    """,
    "the order of observers and of microtasks": """
        observed("first", { attributes: true });
        observed("second", { attributes: true });
        Promise.resolve().then(() => log.push(["before"]));
        root.setAttribute("a", "1");
        Promise.resolve().then(() => log.push(["after"]));
        root.setAttribute("a", "2");
    """,
    "changes by a callback": """
        let left = 2;
        new MutationObserver(() => { log.push([left]); if (left--) root.setAttribute("a", left); })
          .observe(root, { attributes: true });
        root.setAttribute("a", "x");
    """,
    "wrong options": """
        threw(() => observed("nothing", {}));
        threw(() => observed("filter", { attributes: false, attributeFilter: [] }));
        threw(() => observed("old", { attributes: false, childList: true, attributeOldValue: true }));
        threw(() => observed("data", { characterData: false, childList: true, characterDataOldValue: true }));
        threw(() => new MutationObserver({}));
        threw(() => new MutationObserver(() => {}).observe({}, { childList: true }));
        threw(() => MutationObserver(() => {}));
    """,
    "values of inputs": """
        for (const type of ["text", "hidden", "checkbox", "radio", "submit", "button"]) {
          i.type = type;
          i.removeAttribute("value");
          log.push([type, i.value]);
          i.value = "x";
          log.push([i.value, i.getAttribute("value")]);
        }
    """,
    "labels of controls": """
        root.innerHTML = "<label for=i id=l>L</label><label id=m><input id=i></label><input id=h type=hidden>" +
          "<fieldset disabled><input id=d><legend></legend></fieldset>";
        const [i, h, d] = root.querySelectorAll("input");
        log.push([[...i.labels].map((label) => label.id), h.labels, d.labels.length]);
        log.push([i.matches(":disabled"), d.matches("input:disabled"), root.matches(":disabled")]);
    """,
}
# Longer scripts are files, each about one part of the platform.
CASES |= {path.stem: path.read_text(encoding="utf-8") for path in (Path(__file__).parent / "features").glob("*.js")}


@pytest.fixture(scope="module")
def in_chromium(chromium: Browser) -> dict[str, list[str]]:
    found = {}
    for name, script in CASES.items():
        with chromium.new_page() as page:
            with page.expect_console_message() as message:
                page.set_content(PAGE % script)
            found[name] = json.loads(message.value.text)
    return found


@pytest.fixture(scope="module")
def in_simulation() -> dict[str, list[str]]:
    found = {}
    with start_process(REVISION) as process:
        for name, script in CASES.items():
            answer = Answer(200, (("content-type", "text/html"),), (PAGE % script).encode())
            observed = ScriptedBrowser(process, REVISION, lambda _, answer=answer: answer).run("https://a.test/")  # type: ignore[misc]
            assert observed.errors == [], name
            [text] = [text for level, text in observed.console if level == "log"]
            found[name] = json.loads(text)
    return found


@pytest.mark.parametrize("name", CASES)
def test_script_sees_what_it_sees_in_chromium(
    name: str, in_simulation: dict[str, list[str]], in_chromium: dict[str, list[str]]
) -> None:
    assert in_chromium[name]
    assert in_simulation[name] == in_chromium[name]
