"""Mutations of the API, which a suite of tests has to notice.

A mutation is a small script that runs in every document after the browser has made the API, and breaks one rule of the
specification. A suite that passes with it does not test that rule.
"""

from __future__ import annotations

from tools.lab.mutations.catalogue import Mutation, MutationError, load_mutations
from tools.lab.mutations.trial import BaselineError, Catch, Trial, try_mutations

__all__ = ["BaselineError", "Catch", "Mutation", "MutationError", "Trial", "load_mutations", "try_mutations"]
