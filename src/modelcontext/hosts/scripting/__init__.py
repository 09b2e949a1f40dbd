"""Scripts: V8 runs them in the simulated browser. The model has the documents, event loops and free choices.

The engine (``engine.cjs``) has the realms, one context for each document. It runs in a child process (``process.py``,
``main.cjs``: Node.js), which Python calls, and which calls Python, by lines of JSON over pipes. Calls nest, and nothing
happens at the same time. A crash, an endless loop or an engine without memory ends the process and the run, never more. The
playground has another place for the same engine: QuickJS, in a page.

**Who has what.** *The engine* has values, promises, functions and the queue of microtasks. Python holds handles for them
(``border.py``). *Python* has documents, trees, events and their listeners, abort signals, event loops, tasks and steps in
parallel: those of ``html`` and ``dom``. A realm has objects that stand for them, by number (``realm/interfaces.js``). The
members of these objects are made of IDL (``platform.webidl``), and what they do is in ``members/``. The interfaces of the
specification itself are those that product page generates, conversions included. The host of the algorithms is
``scripting_host.py``.

**Microtasks** run at HTML's checkpoints, and at no other time: the model's event loop decides when, and the engine then
performs its own checkpoint (``Realms._note_microtasks``).

**Time is virtual.** It goes on when nothing else can happen, to the next timer.

**Windows.** A realm's global object is V8's own; what scripts hold is a proxy of it for each pair of a browsing context and
an agent (``engine.cjs``), which outlives navigations and keeps documents of other origins out.

**Limits.** All agents share V8's queue of microtasks, so that tasks of different event loops do not interleave, though
steps in parallel do; ``ScriptedBrowser`` says more. ``docs/javascript.md`` lists what is missing of the platform.
"""
