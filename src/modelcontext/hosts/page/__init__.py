"""The page host: the verbs in a real page, for algorithms that run in the page's own Python (Pyodide).

Values of the page stay in the page: Python holds numbers for them (hub/values.js). Web IDL's part is JavaScript, generated
from the IDL, and runs in the realm of the call (realm/). The page differs from the text where JavaScript has less power than a
browser:

* Events are fired by ``dispatchEvent``, so that ``isTrusted`` is false. (Programs are told which events these are.)
* Microtasks run at the end of the task, and not after each callback within it.
* If the browser has no ``Observable``, abort steps are listeners of the signal's ``abort`` event.
* Operations that return no promise need a Python of their own origin, which a document with an opaque origin cannot have.

A realm of the same origin calls the hub (hub/hub.js), which enters Python
(:class:`~modelcontext.hosts.page.page_host.PageHost`). Python calls the page
(:class:`~modelcontext.hosts.page.verbs.PageVerbs`, hub/verbs.js). Of elements and forms,
:class:`~modelcontext.hosts.page.page_forms.PageForms` and :class:`~modelcontext.hosts.page.verbs.PageFormVerbs` are the two
sides.

Other documents exchange messages with the window that runs Python: JSON lists of a name and its fields. realm/relay.js is the
page's side, hub/elsewhere.js the hub's. The messages to a page come in letters: one letter has all messages of one entry into
Python. A ``key`` names a value of the page. ``data`` is a value, as protocol.d.ts has it: ``Written`` by Python, or
``Converted`` by a page. ``facts`` are the answers to all questions of an algorithm about values, which it cannot ask later.

In the window with Python, ``connect`` (hub/elsewhere.js) decodes a message, and ``answers`` there has a function for each
name. ``PageHost.call`` (page_host.py) decodes the ``data`` of a call, by the shapes of the IDL. hub/verbs.js sends most
messages to a page. Not in the table are the first message of a page (``Introduction``) and ``task``, which tells a page
that a task is queued (``Task``, both in protocol.d.ts).
"""
