"""The interface between algorithms and their host: the verbs that algorithms call.

Algorithms import the verbs from here and never learn on which host they run. :mod:`modelcontext.host.simulated` is the
deterministic host.
"""

from modelcontext.host.verbs import *  # noqa: F403 (every verb)
