"""Profiles: the deviations of a product from the specification, as short lists of named quirks.

With its profile the model predicts the product, so that known deviations never hide new ones. Of a product that is a script,
which the simulated browser runs, only the deviations are named.
"""

from __future__ import annotations

import importlib
from functools import cache

from modelcontext.judging.profiles.profile import Profile
from modelcontext.judging.profiles.quirk import CrashError, NamedDeviation, NamedDeviations, ProfileError, Quirk

__all__ = [
    "DEVIATIONS",
    "PROFILES",
    "CrashError",
    "NamedDeviation",
    "NamedDeviations",
    "Profile",
    "ProfileError",
    "Quirk",
    "load_deviations",
    "load_profile",
]

#: The product of each profile.
PROFILES = {"chromium_156": "chromium", "firefox_153": "firefox"}
#: The product of each list of named deviations; the profiles are among them.
DEVIATIONS = {**PROFILES, "polyfill_5": "polyfill"}


@cache
def load_profile(name: str) -> Profile:
    """Return a profile by its name.

    Raises:
        ProfileError: if no profile has that name.
    """
    if name not in PROFILES:
        raise ProfileError(f"no profile has the name {name}: use one of {', '.join(PROFILES)}")
    profile = importlib.import_module(f"modelcontext.judging.profiles.{name}").PROFILE
    assert isinstance(profile, Profile)
    return profile


@cache
def load_deviations(name: str) -> NamedDeviations:
    """Return one of :data:`DEVIATIONS` by its name."""
    if name in PROFILES:
        return load_profile(name)
    deviations = importlib.import_module(f"modelcontext.judging.profiles.{name}").DEVIATIONS
    assert isinstance(deviations, NamedDeviations)
    return deviations
