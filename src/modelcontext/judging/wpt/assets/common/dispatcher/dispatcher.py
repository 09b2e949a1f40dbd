"""The queues of dispatcher.js, for messages between documents of any origins."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from modelcontext.judging.wpt.server.handlers import HandlerRequest, HandlerResponse

# The answer of an empty queue, which dispatcher.js knows.
NOTHING = b"not ready"


def main(request: HandlerRequest, response: HandlerResponse) -> bytes:
    """Append a message to the queue ``uuid`` for POST, or take the first one from it for GET."""
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
