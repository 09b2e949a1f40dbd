"""Consent: a person is asked before a tool with consequences runs.

In the handshake era the server asks the client while the call waits. In 2026-07-28 it answers the call with a question, and
the client calls again with the answer. That second call is a new one, so the question's state says what it was about, sealed:
document, definition, arguments. An answer counts once.
"""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from mcp import MCPError, types
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from modelcontext.judging.clients.page_tools import MAIN_FRAME
from modelcontext_agent.exposure.framing import cut, visible

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import Binding
    from modelcontext_agent.mcp.clients import Context
    from modelcontext_agent.mcp.listing import ListedTool

#: The characters of arguments that a person is shown.
LONGEST_ARGUMENTS = 2_000
#: Questions of 2026-07-28 that may be open at a time; the oldest is forgotten first.
MOST_QUESTIONS = 1_000

_QUESTION = "consent"
# Accepting is the answer; there is nothing to fill in.
_NO_FORM: dict[str, Any] = {"type": "object", "properties": {}}


class RefusedError(Exception):
    """Raised when a call may not go on; the message says why, for the model."""


class Consents:
    """The questions of one server.

    Args:
        allow_unasked: let calls pass whose client cannot ask a person.
    """

    def __init__(self, *, allow_unasked: bool) -> None:
        self._allow_unasked = allow_unasked
        self._open: OrderedDict[str, Binding] = OrderedDict()

    async def ask(
        self, context: Context, parameters: types.CallToolRequestParams, listed: ListedTool, arguments: Any
    ) -> types.InputRequiredResult | None:
        """Ask a person about a call; return None once it is granted, or the question that the client must answer first.

        ``arguments`` are those of the call in the page's own words.

        Raises:
            RefusedError: if the person refuses, or nobody can be asked.
        """
        if not _can_ask(context):
            if self._allow_unasked:
                return None
            raise RefusedError(
                f"The tool “{listed.tool.name}” has consequences, so a person must be asked before it runs, and this client"
                " cannot ask (it does not declare “elicitation”). Nothing ran. Use a client that can, or start the server"
                " with --allow-consequential."
            )
        question = question_of(listed, arguments)
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            if parameters.request_state is None:
                return self._question(question, listed.tool.binding)
            _check(self._answer(parameters, listed))
            return None
        try:
            answer = await context.session.elicit_form(question, _NO_FORM, related_request_id=context.request_id)
        except (MCPError, ValidationError) as error:
            raise RefusedError(f"No person could be asked: {_first_line(error)}. Nothing ran.") from None
        _check(answer.action)
        return None

    def _question(self, question: str, binding: Binding) -> types.InputRequiredResult:
        number = secrets.token_hex(16)
        self._open[number] = binding
        if len(self._open) > MOST_QUESTIONS:
            self._open.popitem(last=False)
        form = types.ElicitRequestFormParams(message=question, requested_schema=_NO_FORM)
        return types.InputRequiredResult(
            input_requests={_QUESTION: types.ElicitRequest(params=form)},
            # The library seals it, and with it the tool's name and the arguments.
            request_state=json.dumps({"question": number, "binding": binding.to_json()}),
        )

    def _answer(self, parameters: types.CallToolRequestParams, listed: ListedTool) -> str:
        state = json.loads(parameters.request_state or "")
        binding = self._open.pop(state["question"], None)
        if binding is None:
            raise RefusedError("This answer was used already, or its question is too old. Nothing ran; call again.")
        if binding != listed.tool.binding or state["binding"] != binding.to_json():
            raise RefusedError(
                f"The page has changed the tool “{listed.tool.name}” since the person was asked. Nothing ran; list the"
                " tools again."
            )
        answer = (parameters.input_responses or {}).get(_QUESTION)
        return answer.action if isinstance(answer, types.ElicitResult) else "cancel"


def question_of(listed: ListedTool, arguments: Any) -> str:
    """Return the question that a person is asked about a call, in which nothing can hide."""
    tool = listed.tool
    place = "" if tool.frame == MAIN_FRAME else " (in a frame of the page)"
    text = visible(json.dumps(arguments or {}, ensure_ascii=False))
    return (
        f"May “{visible(tool.name)}” of {visible(tool.origin)}{place} run? The page says that it has consequences.\n"
        f"Arguments: {cut(text, LONGEST_ARGUMENTS)}"
    )


def _can_ask(context: Context) -> bool:
    capabilities = context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    # Before there were two ways of asking, none was named.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _check(action: str) -> None:
    if action != "accept":
        said = "refused" if action == "decline" else "gave no answer"
        raise RefusedError(f"The person who was asked {said}. Nothing ran.")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
