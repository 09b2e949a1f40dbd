"""Secrets: the passwords, numbers of cards and codes that a parameter asks for, found by its kind and its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_BY_AUTOFILL: Final[Mapping[str, str]] = {
    **dict.fromkeys(("current-password", "new-password"), "a password"),
    "one-time-code": "a one-time code",
    "cc-number": "the number of a card",
    "cc-csc": "the security code of a card",
    **dict.fromkeys(("cc-exp", "cc-exp-month", "cc-exp-year"), "the expiry date of a card"),
}
# What may stand behind the word that tells.
_REST: Final = r"(?: (?:[0-9]+|again|confirm\w*|current|field|input|new|old|repeat\w*|value))*$"
_BY_NAME: Final[Mapping[str, re.Pattern[str]]] = {
    secret: re.compile(rf"(?:^| )(?:{words}){_REST}")
    for secret, words in {
        "a password": r"passw(?:or)?d|passphrase|pass ?code|pwd|kennwort|passwort|mot de passe",
        "the number of a card": r"(?:cc|(?:credit |debit |payment )?card) ?(?:number|num|no)|credit ?card|debit ?card",
        "the security code of a card": r"cvv2?|cvc2?|csc|card verification(?: code| value)?",
        "a one-time code": r"t?otp|one ?time (?:pass ?)?(?:code|password)|(?:2fa|mfa|two factor)(?: code)?",
        "a secret key": r"api ?key|(?:access|auth|bearer) ?token|(?:client|api) ?secret|(?:private|secret) ?key",
        "a social security number": r"ssn|social security (?:number|no)",
    }.items()
}
_PART_OF_A_NAME: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def secret_by_name(*names: str) -> str | None:
    """Return the kind of secret that one of some names or labels asks for, or None."""
    for name in names:
        words = re.sub(r"[\W_]+", " ", _PART_OF_A_NAME.sub(" ", name[:200])).strip().lower()
        for secret, pattern in _BY_NAME.items():
            if pattern.search(words):
                return secret
    return None


def secret_by_kind(kind: str, autocomplete: str) -> str | None:
    """Return the kind of secret that a control asks for by its type and its autofill field name, or None."""
    field = next(iter([word for word in autocomplete.lower().split() if word != "webauthn"][-1:]), "")
    return _BY_AUTOFILL.get(field) or ("a password" if kind == "password" else None)
