"""Pages as a server of the Model Context Protocol: what a page offers to agents is offered to clients of that protocol.

The protocol has two eras, and one server speaks both. A client of the handshake era (2025-11-25 and before) has a session; a
client of 2026-07-28 has none, sends all that matters with each request, and calls again to answer a question.

Four promises go beyond what the protocol asks of a server:

* **A call means the tool as it was listed to this client.** When document or definition are others since, the call is
  refused with words, and nothing runs. Names do not move when tools come and go.
* **A page's identity is in sight.** Each listed tool and each result says which document, origin, frame and definition it
  belongs to, in ``_meta``.
* **A person is asked** before a tool with consequences runs, and asked about that definition with these arguments, once.
* **Cancelling reaches the page**, as an abort of the tool's signal.
"""
