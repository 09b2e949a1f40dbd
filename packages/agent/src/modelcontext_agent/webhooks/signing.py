"""The signatures of Standard Webhooks: HMAC-SHA256 over the id, the time and the exact bytes of the body."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

PREFIX = "whsec_"

#: The bytes of a key.
SHORTEST, LONGEST = 24, 64


def key_of(secret: str) -> bytes:
    """Return the key that a secret holds: ``whsec_`` and 24 to 64 bytes in base64.

    Raises:
        ValueError: if it is of another form. The message does not hold the secret.
    """
    remedy = "use the one that the receiver gave you, or make one with openssl rand -base64 32"
    if not secret.startswith(PREFIX):
        raise ValueError(f"a secret must begin with “{PREFIX}”; {remedy}")
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError(f"the part after “{PREFIX}” in the secret is not base64; {remedy}") from None
    if not SHORTEST <= len(key) <= LONGEST:
        raise ValueError(f"the secret has {len(key)} bytes, but it needs {SHORTEST} to {LONGEST}; {remedy}")
    return key


def signed_headers(secret: str, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """Return the headers that sign a message which is sent at some time.

    Args:
        secret: the secret that the receiver knows too.
        message_id: the same for all tries, so that the receiver can tell a second delivery.
        at: the time of this try; a receiver refuses old ones.
        body: the bytes that are sent.
    """
    timestamp = str(int(at.timestamp()))
    signed = b".".join((message_id.encode("ascii"), timestamp.encode("ascii"), body))
    signature = base64.b64encode(hmac.new(key_of(secret), signed, hashlib.sha256).digest()).decode("ascii")
    return {"webhook-id": message_id, "webhook-timestamp": timestamp, "webhook-signature": f"v1,{signature}"}
