"""The markup of programs: the elements in it that steps can name."""

from __future__ import annotations

from typing import Final

#: Elements that no program may have: the model runs no script in markup, and loads nothing.
FORBIDDEN: Final = frozenset(
    {"base", "embed", "frame", "frameset", "iframe", "link", "meta", "object", "portal", "script", "style"}
)


class MarkupError(ValueError):
    """Markup that a program cannot have; the message says why."""


def ids_of(markup: str) -> list[str]:
    """Return the IDs of the elements in markup, in the order of the tree, without those in templates.

    Raises:
        MarkupError: for an element that cannot stand there, or an ID that stands there twice.
    """
    import justhtml  # It takes long to import, and few programs have markup.

    ids: list[str] = []
    to_do = [justhtml.JustHTML(markup, sanitize=False, fragment=True).root]
    while to_do:
        parsed = to_do.pop()
        if isinstance(parsed, justhtml.Element):
            if parsed.name in FORBIDDEN:
                raise MarkupError(f"a program has no <{parsed.name}> in its markup")
            id_ = (parsed.attrs or {}).get("id")
            if id_ in ids:
                raise MarkupError(f'two elements have the id "{id_}"')
            if id_:
                ids.append(id_)
        to_do += reversed(parsed.children or [])
    return ids
