"""The templates of the reports that are web pages."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(template: str, **values: object) -> str:
    """Return a page, in which names and messages may have lone surrogates, which UTF-8 cannot represent."""
    environment = Environment(
        loader=PackageLoader("modelcontext.people", "reports"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template(template).render(**values)
    return page.encode("utf-8", "backslashreplace").decode("utf-8")
