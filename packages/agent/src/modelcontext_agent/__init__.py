"""The agent side: a page's tools reach a language model, and its calls come back to the page.

The page is the client that executes. Its tools are the *dynamic tools* of a chat; when the model calls one, the chat pauses
until the page has answered, and only the database knows of the pause.

```
  page ──tools──► AgentPage ─► PageClient ──POST /chats──────────────► ChatService ──► database ◄── Runner ──► model
   ▲                 │             ▲  │                                     │             ▲           (pydantic-ai)
   └──call───────────┘             │  └──POST /chats/{id}/tool-results──────┘             │
                                   └──GET /chats/{id}/events (server-sent)────────────────┘
```

Four rules hold it together:

* **A call is bound.** A tool is known by its document, origin, frame and the digest of its whole definition as the model saw
  it (:class:`modelcontext.judging.clients.page_tools.Binding`). An agent's page runs no other tool, and a chat takes no
  result of another tool.
* **Only the database coordinates.** A chat that waits for a page costs a row: no thread, no task, no connection. A worker
  holds a chat by a lease with a heartbeat, and another takes over when the lease ends.
* **Each step is stored whole.** A step is one answer of the model with the results of the calls that run in the worker. A
  worker that dies in a step loses the step and nothing before it.
* **What a page says is not trusted.** Its words reach the model in a frame that says whose words they are.
"""
