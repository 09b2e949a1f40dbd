"""Profiles: what a real browser does otherwise than the specification, as short lists of named quirks.

With the profile of a browser on, the model predicts that browser; so what is known never hides what is new.
"""

from __future__ import annotations

import importlib
from functools import cache

from modelcontext.profiles.profile import Profile
from modelcontext.profiles.quirk import CrashError, ProfileError, Quirk

__all__ = ["PROFILES", "CrashError", "Profile", "ProfileError", "Quirk", "load_profile"]

#: The profiles, and the product that each is of.
PROFILES = {"chromium_156": "chromium", "firefox_153": "firefox", "polyfill_5": "polyfill"}


@cache
def load_profile(name: str) -> Profile:
    """A profile by its name. Raises :class:`ProfileError` if there is none of that name."""
    if name not in PROFILES:
        raise ProfileError(f"there is no profile {name}; known are {', '.join(PROFILES)}")
    profile = importlib.import_module(f"modelcontext.profiles.{name}").PROFILE
    assert isinstance(profile, Profile)
    return profile
