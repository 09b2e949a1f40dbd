"""docs/schema-keywords.md: the table of keywords by provider is what the conversion does."""

from __future__ import annotations

from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

from tools.schema_keywords import OLDER, PRESENT, WRITTEN, page

#: Keywords that have a row together with another one.
BESIDE = {"else", "exclusiveMaximum", "maxContains", "maxProperties", "minContains", "minLength"}


def test_page_about_keywords_is_up_to_date() -> None:
    assert WRITTEN.read_text(encoding="utf-8") == page(), "run python tools/schema_keywords.py"


def test_page_has_each_keyword_that_accepts_or_refuses_values() -> None:
    address = "https://json-schema.org/draft/2020-12/meta/{}"
    vocabularies = [REGISTRY.contents(address.format(name)) for name in ("applicator", "unevaluated", "validation")]
    keywords = {keyword for vocabulary in vocabularies for keyword in vocabulary["properties"]}
    named = {keyword for schema in (*PRESENT.values(), *OLDER.values()) for keyword in schema}
    assert keywords - named <= BESIDE
