"""The construction of models from names such as ``anthropic:claude-sonnet-4-5`` or ``scripted:demo.toml``.

Retries are ours (:mod:`modelcontext_agent.models.retries`), so the SDKs make none.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic_ai.exceptions import UserError
from pydantic_ai.settings import ModelSettings, merge_model_settings

from modelcontext_agent.models.canned_answers import read_canned_answers
from modelcontext_agent.models.canned_model import canned_model

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.native_tools import AbstractNativeTool

#: The seconds that a model has for the first part of an answer, in each try.
STARTUP_TIMEOUT = 60.0

#: The kinds of model, and the environment variables that hold their keys.
KEYS = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openai-responses": "OPENAI_API_KEY",
    "google": "GOOGLE_API_KEY",
}


class ModelNameError(ValueError):
    """A name means no model that can be built; the message says which names do."""


class MissingKeyError(Exception):
    """The provider's key is neither given nor in the environment; the message names the variable."""

    def __init__(self, provider: str) -> None:
        super().__init__(f"{provider} needs a key: set {KEYS[provider]} in the environment")
        self.provider = provider


class NativeToolsError(ValueError):
    """A chat with a page's tools is given tools that the provider runs itself."""


def settings_for(kind: str, *, startup_timeout: float = STARTUP_TIMEOUT) -> ModelSettings:
    """Return the settings of every request to a kind of model: one try by the SDK, and a limit for the first part."""
    settings = ModelSettings(first_event_timeout=startup_timeout)
    if kind in KEYS:
        settings["max_retries"] = 0
    return settings


def build_model(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    startup_timeout: float = STARTUP_TIMEOUT,
    store: bool = True,
) -> Model:
    """Return the model that a name means.

    Args:
        name: ``anthropic:MODEL``, ``openai:MODEL`` (chat completions), ``openai-responses:MODEL``, ``google:MODEL``
            or ``scripted:FILE``.
        base_url: the address of the provider, if it is not the usual one.
        api_key: the key, if it is not in the environment.
        startup_timeout: the seconds for the first part of an answer.
        store: for ``openai-responses``, whether OpenAI keeps the answers, so that a request sends only what is new.

    Raises:
        ModelNameError: if the name means no model.
        MissingKeyError: if there is no key.
        CannedAnswersError: if the file of a scripted model has no canned answers.
    """
    kind, _, model = name.partition(":")
    if kind not in (*KEYS, "scripted") or not model:
        kinds = ", ".join(f"{known}:MODEL" for known in KEYS)
        raise ModelNameError(f"“{name}” does not name a model; write {kinds} or scripted:FILE")
    settings = settings_for(kind, startup_timeout=startup_timeout)
    if kind == "scripted":
        return canned_model(read_canned_answers(Path(model)), settings=settings)
    try:
        return _build(kind, model, base_url, api_key, settings, store)
    except UserError as error:
        if "environment variable" in str(error):
            raise MissingKeyError(kind) from None
        raise


def _build(
    kind: str, model: str, base_url: str | None, api_key: str | None, settings: ModelSettings, store: bool
) -> Model:
    # Each SDK takes about a second to import, and one is enough.
    if kind == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        anthropic = AnthropicProvider(api_key=api_key, base_url=base_url)
        return AnthropicModel(model, provider=anthropic, settings=settings)
    if kind == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        google = GoogleProvider(api_key=api_key, base_url=base_url)
        return GoogleModel(model, provider=google, settings=settings)
    from pydantic_ai.models.openai import OpenAIResponsesModel, OpenAIResponsesModelSettings
    from pydantic_ai.providers.openai import OpenAIProvider

    openai = OpenAIProvider(api_key=api_key, base_url=base_url)
    if kind == "openai":
        from modelcontext_agent.models.gateways import GatewayChatModel

        return GatewayChatModel(model, provider=openai, settings=settings)
    from modelcontext_agent.models.chaining import ChainingModel

    storing = merge_model_settings(settings, OpenAIResponsesModelSettings(openai_store=store))
    return ChainingModel(OpenAIResponsesModel(model, provider=openai, settings=storing))


def refuse_native_tools(native_tools: Sequence[AbstractNativeTool], page_tools: Sequence[object]) -> None:
    """Refuse tools that the provider runs itself in a chat that has a page's tools.

    A pause splits an answer at the calls of the page. A provider then refuses the answer when it comes back without the
    results of its own tools, or in another order.

    Raises:
        NativeToolsError: if there are tools of both sorts.
    """
    if native_tools and page_tools:
        names = ", ".join(tool.kind for tool in native_tools)
        raise NativeToolsError(
            f"a chat cannot have both a page's tools and the provider's own ({names}); leave out one of the two"
        )
