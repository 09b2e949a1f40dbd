"""The verbs about URLs and origins, which are the same in every host."""

from __future__ import annotations

from modelcontext.html import origin as origins
from modelcontext.html import url as urls
from modelcontext.html.origin import Origin
from modelcontext.html.url import URLRecord


class Origins:
    """What every host inherits."""

    def url_parser(self, string: str) -> URLRecord | None:
        return urls.url_parser(string)

    def url_origin(self, url: URLRecord) -> Origin:
        return urls.url_origin(url)

    def is_opaque(self, origin: Origin) -> bool:
        return origins.is_opaque(origin)

    def same_origin(self, a: Origin, b: Origin) -> bool:
        return origins.same_origin(a, b)

    def serialization(self, origin: Origin) -> str:
        return origins.serialize_an_origin(origin)

    def is_origin_potentially_trustworthy(self, origin: Origin) -> bool:
        return origins.is_potentially_trustworthy(origin)
