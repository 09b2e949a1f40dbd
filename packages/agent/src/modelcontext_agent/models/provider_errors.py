"""The errors of models in kinds, each with words for people.

pydantic-ai sorts what a provider says into classes; the kinds are made of these, of the HTTP status, and of the words of the
message where there is nothing better.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelUnavailableError,
    UsageLimitExceeded,
    UserError,
)

from modelcontext_agent.models.canned_answers import CannedAnswersError
from modelcontext_agent.models.context_limit import context_limit
from modelcontext_agent.models.model_names import KEYS, MissingKeyError, ModelNameError, NativeToolsError
from modelcontext_agent.models.stored_answers import BrokenAnswerError

#: The characters of the longest detail.
LONGEST_DETAIL = 1_000


class ErrorKind(StrEnum):
    """The kinds of failures."""

    OVERLOADED = "overloaded"
    RATE_LIMIT = "rate_limit"
    TIMEOUT = "timeout"
    STARTUP_TIMEOUT = "startup_timeout"
    AUTH = "auth"
    CONFIG = "config"
    USAGE_LIMIT = "usage_limit"
    MISSING_KEY = "missing_key"
    CONTEXT_LIMIT = "context_limit"
    INTERRUPTED = "interrupted"
    GENERIC = "generic"


#: The kinds that another try may mend. A generic failure is one of them only if the provider's server failed.
RETRYABLE = {ErrorKind.OVERLOADED, ErrorKind.RATE_LIMIT, ErrorKind.TIMEOUT, ErrorKind.STARTUP_TIMEOUT}

#: The most times that a step is tried, and that one is whose answer breaks off: a gateway may leave out each end.
MOST_ATTEMPTS = 25
MOST_BROKEN_ATTEMPTS = 3

_BROKEN = (
    "{provider} broke off its answer before the end. None of its calls ran.",
    "Send the message again; if that happens each time, ask the operator of the server for complete streams.",
)

#: The facts of each kind, for a try that another follows: no status and no advice.
FACTS = {
    ErrorKind.OVERLOADED: "{provider} is overloaded.",
    ErrorKind.RATE_LIMIT: "{provider} limits the rate of requests.",
    ErrorKind.TIMEOUT: "{provider} could not be reached in time.",
    ErrorKind.STARTUP_TIMEOUT: "{provider} did not begin to answer in time.",
    ErrorKind.AUTH: "{provider} refused the key.",
    ErrorKind.CONFIG: "{provider} cannot serve the request as it is configured.",
    ErrorKind.USAGE_LIMIT: "A limit of use has been reached.",
    ErrorKind.MISSING_KEY: "There is no key for {provider}.",
    ErrorKind.CONTEXT_LIMIT: "The chat is longer than the model can read.",
    ErrorKind.INTERRUPTED: "The turn was stopped.",
    ErrorKind.GENERIC: "{provider} failed with an error.",
}

#: The title of each kind.
TITLES = {
    ErrorKind.OVERLOADED: "Overloaded",
    ErrorKind.RATE_LIMIT: "Rate limit",
    ErrorKind.TIMEOUT: "No connection",
    ErrorKind.STARTUP_TIMEOUT: "No answer in time",
    ErrorKind.AUTH: "Key refused",
    ErrorKind.CONFIG: "Wrong configuration",
    ErrorKind.USAGE_LIMIT: "Limit of use",
    ErrorKind.MISSING_KEY: "No key",
    ErrorKind.CONTEXT_LIMIT: "Chat too long",
    ErrorKind.INTERRUPTED: "Stopped",
    ErrorKind.GENERIC: "Failed",
}

#: The advice for each kind, for a failure that ends the turn.
ADVICE = {
    ErrorKind.OVERLOADED: "Send the message again in a few minutes, or choose another model.",
    ErrorKind.RATE_LIMIT: "Wait a few minutes before the next message, or ask the provider for a higher limit.",
    ErrorKind.TIMEOUT: "Check the network and the provider's status page, and send the message again.",
    ErrorKind.STARTUP_TIMEOUT: "Check the provider's status page, or choose another model.",
    ErrorKind.AUTH: "Check the key, and what it is permitted to use.",
    ErrorKind.CONFIG: "Check the name of the model, its address and its settings.",
    ErrorKind.USAGE_LIMIT: "Check the plan and the billing of the account, or raise the limit.",
    ErrorKind.MISSING_KEY: "Set {variable} in the environment of the server.",
    ErrorKind.CONTEXT_LIMIT: "Start a new chat, or choose a model with a larger context.",
    ErrorKind.INTERRUPTED: "Send a message to go on.",
    ErrorKind.GENERIC: "Read the detail, and look into the log of the server.",
}

#: The names of providers in sentences, by what pydantic-ai and our names of models call them.
PROVIDERS = {
    "anthropic": "Anthropic",
    "openai": "OpenAI",
    "openai-responses": "OpenAI",
    "google": "Google",
    "function": "The scripted model",
}

_OVERLOADED = re.compile(r"overloaded|over capacity")
_USAGE_LIMIT = re.compile(
    r"insufficient[ _]quota|exceeded your (?:current )?quota|billing|credit balance|payment required"
)
_UNAUTHENTICATED = re.compile(
    r"unauthorized|unauthenticated|(?:invalid|incorrect)[ _](?:x-)?api[ _-]key|authentication_error"
)
_FORBIDDEN = re.compile(r"forbidden|permission[ _](?:denied|error)")
_RATE_LIMIT = re.compile(r"rate[ _-]?limit|too many requests")
_TIMEOUT = re.compile(
    r"time(?:d )?[ -]?out|deadline exceeded|service unavailable|bad gateway|connection (?:reset|refused)"
)
_CONFIG = re.compile(
    r"(?:invalid|unknown|unsupported)[ _]model|model[ _]not[ _](?:found|supported)|malformed config|"
    r"model\b.{0,80}\b(?:does not exist|is not supported|not found)"
)
_CONTEXT_LIMIT = re.compile(
    r"context[ _](?:length|window)[ _]exceeded|maximum context length|prompt is too long|input token count|"
    r"exceeds? the (?:model's )?context (?:window|length)"
)
_PLEADING = re.compile(r"[^.!?]*\bplease (?:try|retry)\b[^.!?]*[.!?]?", re.IGNORECASE)

_TIMEOUT_STATUSES = {408, 502, 503, 504}


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """A failure of a model, for a chat.

    ``message`` says what happened and what to do; ``fact`` says only what happened. ``detail`` is the provider's own
    message, or empty. ``status_code`` is the HTTP status, ``retry_after`` the seconds that the provider asked for.
    """

    kind: ErrorKind
    message: str
    fact: str
    detail: str
    provider: str
    retryable: bool
    status_code: int | None
    retry_after: float | None
    #: The most times that the step is tried.
    most_attempts: int = MOST_ATTEMPTS

    def to_json(self) -> dict[str, Any]:
        """Return the payload of the event ``error``."""
        return {
            "title": TITLES[self.kind],
            "message": self.message,
            "detail": self.detail,
            "kind": self.kind.value,
            "provider": self.provider,
            "retryable": self.retryable,
            "status_code": self.status_code,
        }


def classify(error: BaseException, *, provider: str = "") -> ModelFailure:
    """Return what a chat tells of an error that ended a request to a model.

    Args:
        error: the error that was raised.
        provider: the provider as ``Model.system`` names it.
    """
    status = error.status_code if isinstance(error, ModelHTTPError) else None
    detail = _detail(error)
    kind = kind_of(error, status, detail)
    is_broken = isinstance(error, BrokenAnswerError)
    retryable = kind in RETRYABLE or is_broken or (kind is ErrorKind.GENERIC and status is not None and status >= 500)
    if isinstance(error, ModelHTTPError) and error.provider_retry_hint is False:
        retryable = False
    if isinstance(error, MissingKeyError):
        provider = error.provider
    fact, advice = words_for(kind, provider)
    if is_broken:
        fact, advice = _BROKEN[0].format(provider=PROVIDERS.get(provider, "The provider")), _BROKEN[1]
    if kind is ErrorKind.CONTEXT_LIMIT and (limit := context_limit(getattr(error, "body", None))):
        detail = f"{detail} (The model reads {limit:,} tokens.)".strip()
    return ModelFailure(
        kind=kind,
        message=f"{fact if status is None else f'{fact[:-1]} (HTTP {status}).'} {advice}",
        fact=fact,
        detail=detail,
        provider=provider,
        retryable=retryable,
        status_code=status,
        retry_after=_retry_after(error),
        most_attempts=MOST_BROKEN_ATTEMPTS if is_broken else MOST_ATTEMPTS,
    )


def kind_of(error: BaseException, status: int | None, detail: str) -> ErrorKind:
    """Return the kind of an error. The first that fits in this order is it."""
    if isinstance(error, asyncio.CancelledError):
        return ErrorKind.INTERRUPTED
    if isinstance(error, ModelRequestTimeout) and error.setting == "first_event_timeout":
        return ErrorKind.STARTUP_TIMEOUT
    if isinstance(error, MissingKeyError):
        return ErrorKind.MISSING_KEY
    if isinstance(error, UsageLimitExceeded):
        return ErrorKind.USAGE_LIMIT
    if isinstance(error, (UserError, ModelNameError, NativeToolsError, CannedAnswersError)):
        return ErrorKind.CONFIG
    words = f"{_codes(error)} {detail}".lower()
    # A class that pydantic-ai found is better than words: Google words a limit per minute as a quota.
    limits_rate = isinstance(error, ModelRateLimitError)
    config = isinstance(error, ModelNotFoundError) or status == 404 or _CONFIG.search(words) is not None
    tests = (
        (ErrorKind.OVERLOADED, isinstance(error, ModelOverloadedError) or status == 529 or _OVERLOADED.search(words)),
        (
            ErrorKind.USAGE_LIMIT,
            isinstance(error, ModelQuotaExceededError)
            or status == 402
            or (not limits_rate and _USAGE_LIMIT.search(words)),
        ),
        (
            ErrorKind.CONTEXT_LIMIT,
            isinstance(error, ModelContextWindowExceededError)
            or (status in (None, 400, 413) and _CONTEXT_LIMIT.search(words)),
        ),
        (
            ErrorKind.AUTH,
            status == 401
            or (isinstance(error, ModelAuthenticationError) and status != 403)
            or _UNAUTHENTICATED.search(words),
        ),
        (ErrorKind.AUTH, not config and (status == 403 or _FORBIDDEN.search(words))),
        (ErrorKind.RATE_LIMIT, not config and (limits_rate or status == 429 or _RATE_LIMIT.search(words))),
        (ErrorKind.TIMEOUT, not config and _is_timeout(error, status, words)),
        (ErrorKind.CONFIG, config),
    )
    return next((kind for kind, holds in tests if holds), ErrorKind.GENERIC)


def words_for(kind: ErrorKind, provider: str) -> tuple[str, str]:
    """Return the fact and the advice of a kind."""
    name = PROVIDERS.get(provider, "The provider")
    variable = KEYS.get(provider, "the provider's key")
    return FACTS[kind].format(provider=name), ADVICE[kind].format(variable=variable)


def _is_timeout(error: BaseException, status: int | None, words: str) -> bool:
    if isinstance(
        error, (ModelConnectionError, ModelRequestTimeout, ModelUnavailableError, TimeoutError, ConnectionError)
    ):
        return True
    return status in _TIMEOUT_STATUSES or (status is None and _TIMEOUT.search(words) is not None)


def _codes(error: BaseException) -> str:
    if not isinstance(error, ModelAPIError):
        return ""
    return f"{error.provider_error_code or ''} {error.provider_error_type or ''}"


def _detail(error: BaseException) -> str:
    """Return the provider's message without its pleas, or the error's own."""
    body = error.body if isinstance(error, ModelAPIError) else None
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        message = inner.get("message") if isinstance(inner, Mapping) else inner
    else:
        message = body
    text = message if isinstance(message, str) and message else str(error)
    text = " ".join(_PLEADING.sub("", text).split())
    return text if len(text) <= LONGEST_DETAIL else text[: LONGEST_DETAIL - 1] + "…"


def _retry_after(error: BaseException) -> float | None:
    seconds = error.retry_after if isinstance(error, ModelAPIError) else None
    return seconds if seconds is not None and math.isfinite(seconds) and seconds >= 0 else None
