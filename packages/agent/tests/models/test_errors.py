"""The kinds of failures, their precedence, their payloads and their words."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
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
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    UsageLimitExceeded,
    UserError,
)

from modelcontext_agent.models.canned_answers import CannedAnswersError
from modelcontext_agent.models.context_limit import context_limit, is_context_limit
from modelcontext_agent.models.model_names import MissingKeyError, ModelNameError, NativeToolsError
from modelcontext_agent.models.provider_errors import (
    ADVICE,
    FACTS,
    LONGEST_DETAIL,
    PROVIDERS,
    RETRYABLE,
    TITLES,
    ErrorKind,
    classify,
    words_for,
)
from modelcontext_agent.models.retries import Retry

NO_CONFIG = "Oh"
CONFIG = "The model gpt-9 does not exist"


def http(status: int, message: str = NO_CONFIG, category: Any = None, **members: Any) -> ModelHTTPError:
    body = {"error": {"message": message}}
    return ModelHTTPError.for_category(category, status_code=status, model_name="m", body=body, **members)


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        (asyncio.CancelledError(), ErrorKind.INTERRUPTED, False),
        (http(529), ErrorKind.OVERLOADED, True),
        (http(529, category=ModelOverloadedError), ErrorKind.OVERLOADED, True),
        (http(500, "The engine is overloaded"), ErrorKind.OVERLOADED, True),
        (http(402, category=ModelQuotaExceededError), ErrorKind.USAGE_LIMIT, False),
        (http(429, provider_error_code="insufficient_quota"), ErrorKind.USAGE_LIMIT, False),
        (http(400, "Your credit balance is too low"), ErrorKind.USAGE_LIMIT, False),
        (UsageLimitExceeded("The next request would exceed the request_limit of 5"), ErrorKind.USAGE_LIMIT, False),
        (http(401, category=ModelAuthenticationError), ErrorKind.AUTH, False),
        (http(400, "API key not valid", ModelAuthenticationError), ErrorKind.AUTH, False),
        (http(403, category=ModelAuthenticationError), ErrorKind.AUTH, False),
        (http(429), ErrorKind.RATE_LIMIT, True),
        (http(429, "You exceeded your current quota", ModelRateLimitError), ErrorKind.RATE_LIMIT, True),
        (ModelAPIError("m", "Too many requests"), ErrorKind.RATE_LIMIT, True),
        (http(503, category=ModelUnavailableError), ErrorKind.TIMEOUT, True),
        (http(504, category=ModelServerError), ErrorKind.TIMEOUT, True),
        (http(408), ErrorKind.TIMEOUT, True),
        (ModelTimeoutError("m", "Request timed out."), ErrorKind.TIMEOUT, True),
        (ModelConnectionError("m", "Connection error."), ErrorKind.TIMEOUT, True),
        (ModelRequestTimeout("m", 60), ErrorKind.TIMEOUT, True),
        (ModelRequestTimeout("m", 60, setting="first_event_timeout"), ErrorKind.STARTUP_TIMEOUT, True),
        (http(404, category=ModelNotFoundError), ErrorKind.CONFIG, False),
        (http(400, CONFIG, ModelRequestRejectedError), ErrorKind.CONFIG, False),
        (UserError("Unknown setting"), ErrorKind.CONFIG, False),
        (ModelNameError("“x” means no model"), ErrorKind.CONFIG, False),
        (NativeToolsError("no"), ErrorKind.CONFIG, False),
        (CannedAnswersError("demo.toml", "answers", "is missing"), ErrorKind.CONFIG, False),
        (MissingKeyError("anthropic"), ErrorKind.MISSING_KEY, False),
        (http(400, category=ModelContextWindowExceededError), ErrorKind.CONTEXT_LIMIT, False),
        (http(400, "prompt is too long: 200001 tokens > 200000 maximum"), ErrorKind.CONTEXT_LIMIT, False),
        (http(500, category=ModelServerError), ErrorKind.GENERIC, True),
        (http(400, category=ModelRequestRejectedError), ErrorKind.GENERIC, False),
        (http(500, headers={"x-should-retry": "false"}), ErrorKind.GENERIC, False),
        (ValueError("a bug"), ErrorKind.GENERIC, False),
    ],
)
def test_error_has_its_kind(error: BaseException, kind: ErrorKind, retryable: bool) -> None:
    found = classify(error, provider="openai")
    assert (found.kind, found.retryable) == (kind, retryable)


#: A message that fits each kind, in the order of precedence. The classes and statuses are tested one by one.
WORDS = [
    (ErrorKind.OVERLOADED, "overloaded", 529),
    (ErrorKind.USAGE_LIMIT, "billing", 402),
    (ErrorKind.AUTH, "unauthorized", 401),
    (ErrorKind.AUTH, "forbidden", 403),
    (ErrorKind.RATE_LIMIT, "rate limit", 429),
    (ErrorKind.TIMEOUT, "timeout", 504),
]


@pytest.mark.parametrize("first", range(len(WORDS)))
def test_kind_that_comes_first_wins_over_those_after_it(first: int) -> None:
    kind, words, status = WORDS[first]
    for _, later, later_status in WORDS[first + 1 :]:
        assert classify(http(status, later)).kind is kind
        assert classify(http(later_status, words)).kind is kind
        assert classify(ModelAPIError("m", f"{later}, {words}")).kind is kind


def test_interruption_wins_over_everything() -> None:
    assert classify(asyncio.CancelledError("overloaded, billing, unauthorized, 529")).kind is ErrorKind.INTERRUPTED


@pytest.mark.parametrize("status", [403, 429, 503])
def test_configuration_wins_over_statuses_that_say_less(status: int) -> None:
    assert classify(http(status, CONFIG)).kind is ErrorKind.CONFIG
    assert classify(http(status)).kind is not ErrorKind.CONFIG


@pytest.mark.parametrize(
    ("status", "kind"), [(529, ErrorKind.OVERLOADED), (402, ErrorKind.USAGE_LIMIT), (401, ErrorKind.AUTH)]
)
def test_configuration_loses_to_what_comes_before_it(status: int, kind: ErrorKind) -> None:
    assert classify(http(status, CONFIG)).kind is kind


def test_payload_of_an_error_has_its_seven_members() -> None:
    payload = classify(http(401, "The key is wrong"), provider="anthropic").to_json()
    assert payload == {
        "title": "Key refused",
        "message": "Anthropic refused the key (HTTP 401). Check the key, and what it is permitted to use.",
        "detail": "The key is wrong",
        "kind": "auth",
        "provider": "anthropic",
        "retryable": False,
        "status_code": 401,
    }
    assert json.loads(json.dumps(payload)) == payload


def test_payload_of_a_retry_has_its_nine_members() -> None:
    failure = classify(http(529, "Overloaded"), provider="anthropic")
    retry = Retry(attempt=1, delay=1.0, failure=failure, retrying_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    assert retry.to_json() == {
        "attempt": 1,
        "delay_ms": 1000,
        "title": "Overloaded",
        "error": "Anthropic is overloaded.",
        "retryable": True,
        "kind": "overloaded",
        "provider": "anthropic",
        "status_code": 529,
        "retrying_at": "2026-01-02T03:04:05+00:00",
    }


IMPERATIVES = r"Send|Check|Wait|Set|Start|Read|Choose|Ask"


@pytest.mark.parametrize("kind", ErrorKind)
@pytest.mark.parametrize("provider", ["", *PROVIDERS, "someone-else"])
def test_texts_keep_the_rules_of_wording(kind: ErrorKind, provider: str) -> None:
    fact, advice = words_for(kind, provider)
    assert not re.search(r"[0-9]", fact), "a fact has no status code"
    assert not re.search(rf"\b(?:{IMPERATIVES}|please|should|must|try)\b", fact), "a fact has no advice"
    assert re.match(rf"(?:{IMPERATIVES})\b", advice), "the advice says what to do"
    assert not re.search(r"please|try again|retry", f"{fact} {advice}", re.IGNORECASE)
    assert "{" not in fact + advice
    assert fact.count(".") == 1
    assert fact.endswith(".")
    assert advice.endswith(".")


def test_every_kind_has_a_fact_and_an_advice() -> None:
    assert set(FACTS) == set(ADVICE) == set(TITLES) == set(ErrorKind)
    assert set(ErrorKind) >= RETRYABLE


@pytest.mark.parametrize(
    "message",
    [
        "The model is overloaded. Please try again later.",
        "Rate limit reached. Limit: 3. Please try again in 20s. Visit the site.",
        "please retry your request",
        "PLEASE TRY AGAIN",
    ],
)
def test_detail_leaves_out_the_plea_of_a_provider(message: str) -> None:
    detail = classify(http(503, message)).detail
    assert not re.search(r"please|try again|retry", detail, re.IGNORECASE)
    assert "overloaded" in detail or "overloaded" not in message


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"error": {"message": "a\n  b"}}, "a b"),
        ({"error": "text"}, "text"),
        ({"message": "text"}, "text"),
        ("text", "text"),
        ({"error": {"message": "x" * 5_000}}, "x" * (LONGEST_DETAIL - 1) + "…"),
        ({"error": {"message": 3}}, "status_code: 400, model_name: m, body: {'error': {'message': 3}}"),
        (None, "status_code: 400, model_name: m, body: None"),
    ],
)
def test_detail_is_the_message_of_the_provider(body: Any, detail: str) -> None:
    assert classify(ModelHTTPError(400, "m", body)).detail == detail


def test_missing_key_names_the_variable_to_set() -> None:
    failure = classify(MissingKeyError("openai"))
    assert failure.message == "There is no key for OpenAI. Set OPENAI_API_KEY in the environment of the server."


def test_context_limit_in_the_body_of_an_error_is_told() -> None:
    body = {"error": {"message": "prompt is too long", "metadata": {"max_input_tokens": "128000"}}}
    assert classify(ModelHTTPError(400, "m", body)).detail == "prompt is too long (The model reads 128,000 tokens.)"


YES = (
    "context_limit context_window context_length max_context max_context_tokens max_input_tokens input_token_limit "
    "modelContextLimit maxInputTokens inputTokenLimit ContextWindow max-context-tokens model_max_context_length "
    "contextwindow maxcontexttokens inputtokenlimit context_token_limit limit_context context2limit context_window_size "
    "contextWindowSize context_window_max context_length_max context_max_tokens max_tokens_context"
)
NO = (
    "max_context_version context_tokens_used context_id rate_limit max_tokens max_output_tokens output_token_limit "
    "context context_tokens context_tokens_count "
    "used_context_window remainingContextLength contexts_limit subcontext_limiter contextual_windows"
)


@pytest.mark.parametrize("key", YES.split())
def test_key_whose_words_say_a_context_limit_is_one(key: str) -> None:
    assert is_context_limit(key)


@pytest.mark.parametrize("key", ["", "…", *NO.split()])
def test_key_with_other_words_is_no_context_limit(key: str) -> None:
    assert not is_context_limit(key)


@pytest.mark.parametrize(
    ("metadata", "limit"),
    [
        ({"context_limit": 5}, 5),
        ({"context_limit": "200000"}, 200_000),
        ({"context_limit": 5, "max_input_tokens": 7, "context_window": "6"}, 7),
        ({"models": [{"top_provider": {"context_length": 9}}]}, 9),
        ({"context_limit": 0}, None),
        ({"context_limit": -5}, None),
        ({"context_limit": True}, None),
        ({"context_limit": 5.5}, None),
        ({"context_limit": "many"}, None),
        ({"context_limit": "9" * 5_000}, None),
        ({"max_tokens": 5}, None),
        (None, None),
    ],
)
def test_context_limit_is_the_largest_positive_integer(metadata: Any, limit: int | None) -> None:
    assert context_limit(metadata) == limit
