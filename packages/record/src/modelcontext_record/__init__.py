"""Recordings of live pages: what a page does with the API, as a program, and what the browser did, as an outcome of it.

**In the page.** An init script in every document (``page/main.js``) wraps the methods of ModelContext, each tool's callback,
and the method ``abort`` of AbortController. A wrapped function is a proxy of the browser's own, so its name, length and text
are the same, and so is its descriptor. The browser's own promise goes to the page; the recorder registers its one reaction
first. A dictionary goes to the browser as a proxy, and the note has the members in the order in which the browser reads them.
The recorder's listeners are the first ones of each event. Notes have numbers: documents of one event loop share a counter,
which they find through the windows around them. The notes go to the recorder in bundles, by a channel that pages do not see.

**A program.** The page is the environment: what its scripts did, and when, is given. Each document's script makes the same
calls, each after as many entries of the document as in the recording (``waitFor`` with ``entries``). Callbacks return pending
promises, and the script settles them where the page did. Another turn of the event loop begins with a timer, whose entry has
its place in the log. All that the browser decides stays free: when promises settle, events fire, callbacks run, frames load.

**The verdict.** The model looks for a schedule under which the program shows what was recorded. A recording has no order
between event loops, and a frame's load has no fixed time. So the program allows at least what the specification allows the
page: a deviation of the program is one of the browser, as far as the recorder sees what the page did. What a program cannot
say is told in one line, and such a recording is not judged.

**Limits.** A page sees one difference: if it does not handle the rejection of a promise of the API, no ``unhandledrejection``
fires, because the recorder's reaction handles it. Stack traces have the frames of the recorder. A program cannot say: forms
that are tools, calls by the browser's own agent, values with getters or ``toJSON``, thenables, events that the page dispatches
itself, documents of more than four origins.
"""
