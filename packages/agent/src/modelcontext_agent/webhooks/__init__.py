"""Webhooks: events of chats that are sent to other programs, signed as Standard Webhooks has it.

An event goes into the outbox in the transaction that stores it (:mod:`modelcontext_agent.webhooks.outbox`). A deliverer
(:mod:`modelcontext_agent.webhooks.deliverer`) sends it later, from this process or another: no tool call ever waits for a
receiver, and no event is lost with its process.
"""
