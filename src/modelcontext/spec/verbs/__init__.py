"""The interface between algorithms and their host: the verbs that algorithms call.

Algorithms import the verbs from here and never learn on which host they run. :mod:`modelcontext.hosts.simulated` is the
deterministic host. URLs and origins need no host: their verbs are the functions of :mod:`modelcontext.platform.html`.
"""

from modelcontext.platform.html.origin import is_opaque as is_opaque
from modelcontext.platform.html.origin import is_origin_potentially_trustworthy as is_origin_potentially_trustworthy
from modelcontext.platform.html.origin import same_origin as same_origin
from modelcontext.platform.html.origin import serialization as serialization
from modelcontext.platform.html.url import url_origin as url_origin
from modelcontext.platform.html.url import url_parser as url_parser
from modelcontext.platform.html.url import url_scheme as url_scheme
from modelcontext.platform.webidl.conversions import to_string as to_string
from modelcontext.spec.verbs.verbs import *  # noqa: F403 (every verb)
