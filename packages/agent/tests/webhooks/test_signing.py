"""Signatures: those of the public test vector, and secrets that are refused without being told."""

import base64
from datetime import UTC, datetime

import pytest

from modelcontext_agent.webhooks.signing import key_of, signed_headers


def test_signature_is_that_of_the_standard_webhooks_test_vector() -> None:
    headers = signed_headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        datetime.fromtimestamp(1614265330, UTC),
        b'{"test": 2432232314}',
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


@pytest.mark.parametrize("size", [24, 64])
def test_secret_of_24_to_64_bytes_is_taken(size: int) -> None:
    assert key_of("whsec_" + base64.b64encode(b"k" * size).decode()) == b"k" * size


@pytest.mark.parametrize(
    "secret",
    [
        "",
        base64.b64encode(b"k" * 32).decode(),
        "whsec_",
        "whsec_ÄÄÄÄ",
        "whsec_not base64!",
        "whsec_" + base64.b64encode(b"k" * 23).decode(),
        "whsec_" + base64.b64encode(b"k" * 65).decode(),
    ],
)
def test_other_secret_is_refused_with_a_remedy_and_without_the_secret(secret: str) -> None:
    with pytest.raises(ValueError, match="openssl") as caught:
        key_of(secret)
    assert secret.removeprefix("whsec_") == "" or secret.removeprefix("whsec_") not in str(caught.value)
