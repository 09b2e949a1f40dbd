"""Profiles: the deviations of a product from the specification, as short lists of named quirks.

With its profile the model predicts the product, so that known deviations never hide new ones.
"""

from __future__ import annotations

import importlib
from functools import cache

from modelcontext.judging.profiles.profile import Profile
from modelcontext.judging.profiles.quirk import CrashError, ProfileError, Quirk

__all__ = ["PROFILES", "CrashError", "Profile", "ProfileError", "Quirk", "load_profile"]

#: The product of each profile.
PROFILES = {"chromium_156": "chromium", "firefox_153": "firefox", "polyfill_5": "polyfill"}


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
