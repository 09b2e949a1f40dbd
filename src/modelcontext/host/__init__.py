"""The port between algorithms and world: the verbs in which algorithms speak.

Algorithms import the verbs from here and never learn which host they run on. :mod:`modelcontext.host.simulated` is the
deterministic world.
"""

from modelcontext.host.verbs import *  # noqa: F403 (all of them, by the names that they have there)
