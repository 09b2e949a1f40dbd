"""The HTML of texts in Markdown: what a text can become, and what stays text."""

from __future__ import annotations

import random
import re

from modelcontext_agent.server.markdown import LONGEST_TEXT, html_of

#: Every tag that a text can lead to.
TAGS = {
    *("blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s"),
    *("strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
PIECES = [
    *("<b>", "</p>", "<script>x</script>", "<img src=x onerror=y>", "<!--", "-->", "<![CDATA[", "<?x?>", "&lt;b>"),
    *("[a](javascript:x)", "![i](http://x/)", "<http://x/>", "[a]: http://x/\n", "[a]", "www.x.example", "&#60;b>"),
    *("*", "**", "_", "~~", "`", "```\n", '```js"onload=y\n', "\n", "\n\n", "# ", "> ", "- ", "1. ", "    "),
    *("|a|b|\n|-|:-|\n|c|d|\n", "---\n", "a", " ", '"', "'", "\\", "\0", "\u202e", "\ud800"),
]


def test_text_becomes_headings_lists_tables_and_code() -> None:
    html = html_of("# Plan\n\n1. **first** `a<b`\n\n| a | b |\n|---|---|\n| c | d |\n\n```\nx\n```\n")
    assert html.startswith("<h1>Plan</h1>\n<ol>\n<li><strong>first</strong> <code>a&lt;b</code></li>\n</ol>\n<table>")
    assert html.endswith("<pre><code>x\n</code></pre>\n")


def test_links_images_and_markup_stay_text() -> None:
    html = html_of("[a](http://x/) ![i](http://x/) <http://x/> <b onclick=x>c</b>\n\n[a]: http://x/")
    assert html == (
        "<p>[a](http://x/) ![i](http://x/) &lt;http://x/&gt; &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n<p>[a]: http://x/</p>\n"
    )


def test_five_hundred_random_texts_lead_to_known_tags_without_dangerous_attributes() -> None:
    choose = random.Random(80)
    seen = set()
    for _ in range(500):
        html = html_of("".join(choose.choices(PIECES, k=choose.randint(1, 40))))
        assert html.encode().decode() == html
        # Whatever else has a “<” would be markup of the text's own.
        tags = re.findall(r"<[^>]*>?", html)
        for tag in tags:
            found = re.fullmatch(r"</?([a-z0-9]+)((?: (?:class|style|start)=\"[^\"<>]*\")*) ?/?>", tag)
            assert found is not None, (tag, html)
            seen.add(found[1])
    assert seen <= TAGS
    assert {"table", "code", "strong", "blockquote", "h1"} <= seen


def test_longest_text_of_the_worst_kind_is_read() -> None:
    assert html_of((">" * 100 + "a\n" * LONGEST_TEXT)[:LONGEST_TEXT]).startswith("<blockquote>")
