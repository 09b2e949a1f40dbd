"""The verbs that work the same in every host."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from modelcontext.html import origin as origins
from modelcontext.html import url as urls

if TYPE_CHECKING:
    from modelcontext.ecmascript.realm import Realm
    from modelcontext.html.document import Document
    from modelcontext.html.navigable import Navigable
    from modelcontext.html.navigator import Navigator
    from modelcontext.html.origin import Origin
    from modelcontext.html.url import URLRecord
    from modelcontext.html.window import Window
    from modelcontext.webidl.platform_object import PlatformObject


class CommonHost:
    """The base of every host: URLs, origins, and questions that need no world."""

    def relevant_global_object(self, platform_object: PlatformObject) -> Window:
        return cast("Window", self.relevant_realm(platform_object).global_object)

    def relevant_realm(self, platform_object: PlatformObject) -> Realm:
        assert platform_object.realm is not None
        return platform_object.realm

    def associated_object(self, owner: Document | Navigable | Navigator, name: str) -> object:
        return owner.extensions[name]

    def origin_of(self, document: Document) -> Origin:
        return document.origin

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

    def parse_a_json_string_to_an_infra_value(self, string: str) -> object:
        value: object = json.loads(string)
        return value
