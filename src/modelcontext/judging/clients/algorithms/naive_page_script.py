"""A naive page script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.programs.program.stage import ORIGINS
from modelcontext.spec.revisions.algorithm import algorithm

if TYPE_CHECKING:
    from modelcontext.judging.clients.session import Steps
    from modelcontext.judging.clients.standpoints import PageScript

#: The origins that a page of the programs here can have.
ALL_ORIGINS = tuple(ORIGINS[letter] for letter in "ABCD")


@algorithm("naive-page-script")
def naive_page_script(client: PageScript) -> Steps[None]:
    """Perform the turn of the client for one call, as ``naive_page_script.md`` says."""
    # 1. Let tools be the result of getting the tools of all origins that the page can see.
    tools = yield from client.tools_of_the_page(ALL_ORIGINS)

    # 2. Make tools known to the model: name, description, schema, annotations and origin of each.
    client.make_known(tools)

    # 3. Let call be the call that the model makes of one of tools.
    call = yield from client.call_of_the_model(tools)

    # 4. If call is null, then return.
    if call is None:
        return

    # 5. Let ending be the result of executing call's tool for call.
    ending = yield from client.execution(call, call.tool)

    # 6. Answer call with ending.
    client.answer(call, ending)
