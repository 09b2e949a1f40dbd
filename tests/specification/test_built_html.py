"""Steps in the built HTML of any text."""

from __future__ import annotations

import lxml.html

from modelcontext.spec.specification.text.built_html import add_anchors, elements

DOCUMENT = """
<div data-algorithm="a"><p>To <dfn id="do-it">do it</dfn>, see <a href="#o">o</a>:</p><ol><li>First.<li>Two.</ol></div>
<div data-algorithm="b"><p>The <a href="#dom-m">m()</a> method steps are:</p><ol><li>Let <a href="#x">x</a> be 1.</ol></div>
<div data-algorithm="c"><p>Steps of <a href="https://example.com/#y">y</a>:</p><ol><li>Return.</ol></div>
"""


def test_steps_belong_to_what_an_algorithm_defines_or_else_to_what_its_introduction_links_to() -> None:
    document = lxml.html.document_fromstring(DOCUMENT)
    assert list(add_anchors(document)) == [("do-it", "1"), ("do-it", "2"), ("dom-m", "1")]
    ids = [element.get("id") for element in elements(document, "//li[@id]")]
    assert ids == ["do-it-step-1", "do-it-step-2", "dom-m-step-1"]
