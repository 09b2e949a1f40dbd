"""Hands messages from one document to another, whichever origins they have: the queues of dispatcher.js."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from modelcontext.wpt.server.handlers import HandlerRequest, HandlerResponse

# What dispatcher.js takes for "nothing yet".
NOTHING = b"not ready"


def main(request: HandlerRequest, response: HandlerResponse) -> bytes:
    """POST appends a message to the queue ``uuid``; GET takes the first one from it."""
    response.headers.set("Access-Control-Allow-Origin", "*")
    response.headers.set("Cache-Control", "no-store")
    uuid = request.GET["uuid"]
    stash = request.server.stash
    with stash.lock:
        queue = stash.take(uuid) or []
        answer = b"done"
        if request.method == "POST":
            queue.append(request.body)
        else:
            answer = queue.pop(0) if queue else NOTHING
        if queue:
            stash.put(uuid, queue)
    return answer
