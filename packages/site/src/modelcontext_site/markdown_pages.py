"""The documents of the repository as pages: Markdown, with links to pages of the site, and the usual anchors."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from markdown_it import MarkdownIt

from modelcontext.ground.files import read_text
from modelcontext_site.pages import SitePage

if TYPE_CHECKING:
    from markdown_it.token import Token

#: Documents that are pages of other parts, with their paths.
OTHERS: Final[Mapping[str, tuple[str, str]]] = {
    "docs/agents.md": ("clients.html", "clients.html"),
    "docs/proposals.md": ("proposals.html", "proposals.html"),
}
#: The documents outside of docs.
_OUTSIDE: Final = ("README.md", "CONTRIBUTING.md", "FINDINGS.md", "SECURITY.md", "CHANGELOG.md", "packages/*/README.md")
_EXTERNAL: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_IMAGES: Final = (".png", ".svg", ".jpg")


# Of the docs; the other one is of a plain page.
class Documents:
    """The documents of a checkout.

    ``pages`` has the page of each file of the checkout that has one, beside the documents: programs, tests, texts.
    """

    def __init__(self, root: Path, pages: Mapping[str, str]) -> None:
        self.root = root
        found = sorted(
            {path for pattern in ("docs/**/*.md", *_OUTSIDE) for path in root.glob(pattern)},
            key=lambda path: path.as_posix(),
        )
        self.paths = [path.relative_to(root).as_posix() for path in found]
        self._pages = {**pages, **{path: page_of_document(path) for path in self.paths}}

    def pages(self) -> Iterator[SitePage]:
        """Yield the page of each document."""
        for path in self.paths:
            text = read_text(self.root / path)
            tokens, places = self.parsed(text, path)
            title = next((words for _, words, level in places if level == 1), path)
            part = OTHERS.get(path, ("", "proposals.html" if path.startswith("docs/proposals/") else "docs.html"))[1]
            found = tuple((anchor, "Section", words) for anchor, words, level in places if level > 1)
            is_wide = "|---|---|---|---|" in text
            yield SitePage(page_of_document(path), title, part, rendered(tokens), "Document", "", found, is_wide)

    def images(self) -> Iterator[tuple[str, Path]]:
        """Yield the images of documents, by their paths in the site."""
        for path in sorted((self.root / "docs").rglob("*")):
            if path.suffix in _IMAGES:
                yield path.relative_to(self.root).as_posix(), path

    def html(self, text: str, path: str) -> str:
        """Return the HTML of Markdown in the file at a path."""
        return rendered(self.parsed(text, path)[0])

    def parsed(self, text: str, path: str) -> tuple[Sequence[Token], Sequence[tuple[str, str, int]]]:
        """Return the tokens of Markdown, with links to pages, and the anchors of its headings with words and levels."""
        tokens = _parser().parse(text)
        places = []
        taken = Counter[str]()
        for index, token in enumerate(tokens):
            if token.type == "heading_open":
                words = _words(tokens[index + 1])
                name = anchor_of(words)
                taken[name] += 1
                name += f"-{taken[name] - 1}" if taken[name] > 1 else ""
                token.attrSet("id", name)
                places.append((name, words, int(token.tag[1])))
            elif token.type == "th_open" and not tokens[index + 1].content:
                # A corner without words is no heading.
                token.tag = tokens[index + 2].tag = "td"
            self._link(token.children or (), path)
        return tokens, places

    def _link(self, tokens: Sequence[Token], path: str) -> None:
        """Make links lead to pages; what has no page is not a link, but says where it is."""
        is_open = True
        for token in tokens:
            if token.type == "link_open":
                address = self.address(str(token.attrGet("href")), path)
                is_open = address is not None
                if address is not None:
                    token.attrSet("href", address)
                else:
                    token.tag, token.attrs = "span", {"class": "file", "title": "a file of the repository"}
            elif token.type == "link_close" and not is_open:
                token.tag = "span"
            elif token.type == "image":
                token.attrSet("src", self.address(str(token.attrGet("src")), path) or "")

    def address(self, link: str, path: str) -> str | None:
        """Return where a link in the file at ``path`` leads in the site, or None for a file without a page."""
        if _EXTERNAL.match(link) or link.startswith("//"):
            return link
        target, hash_, fragment = link.partition("#")
        if not target:
            return f"site:{page_of_document(path)}#{fragment}"
        file = _normal(PurePosixPath(path).parent / target)
        if file in self._pages:
            page, own, place = self._pages[file].partition("#")
            return f"site:{page}#{fragment or place}" if fragment or own else f"site:{page}"
        if PurePosixPath(file).suffix in _IMAGES:
            return f"site:{file}"
        if (self.root / file).exists():
            return None
        return f"site:{file}{hash_}{fragment}"


def page_of_document(path: str) -> str:
    """Return the path of the page of a document."""
    if path in OTHERS:
        return OTHERS[path][0]
    name = path.removesuffix(".md")
    return f"{name}.html" if name.startswith("docs/") else f"docs/repository/{name}.html"


def anchor_of(words: str) -> str:
    """Return the anchor of a heading, as hosts of repositories make it."""
    return re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")


def rendered(tokens: Sequence[Token]) -> str:
    """Return the HTML of tokens."""
    parser = _parser()
    return str(parser.renderer.render(tokens, parser.options, {}))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.add_render_rule("table_open", _table)
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    return parser


def _table(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    number = sum(token.type == "table_open" for token in tokens[: index + 1])
    return f'<div class="scrolls" tabindex="0" role="group" aria-label="Table {number}"><table>'


def _code(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f'<pre tabindex="0"><code>{html.escape(tokens[index].content)}</code></pre>'


def _words(inline: Token) -> str:
    return "".join(token.content for token in inline.children or () if token.type in ("text", "code_inline"))


def _normal(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
