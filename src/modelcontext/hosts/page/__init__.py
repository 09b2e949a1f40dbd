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

====================  ====  ====  ==========================================  =================================================
message               from  to    fields                                      meaning
====================  ====  ====  ==========================================  =================================================
get                   page  hub   name, reference                             The page has read an attribute with this object.
call                  page  hub   reference, operation, data, promise, facts  The page has called an operation.
run                   page  hub   task, turn, seen                            A task has its turn; the page waits at `turn`.
drop                  page  hub   task                                        A task has its turn in an inactive document.
settled               page  hub   reaction, fulfilled, value, facts           A promise with a reaction has settled.
aborted               page  hub   promise                                     The signal of a call is aborted.
hide                  page  hub   persisted                                   The document goes away, or into the cache.
show                  page  hub                                               The document comes back from the cache.
free                  hub   page  key                                         Forget a value.
wrapped               hub   page  reference, object                           This number is Python's for an object.
new_promise           hub   page  key                                         Make a promise.
resolve               hub   page  promise, data                               Resolve a promise with a value.
reject                hub   page  promise, data                               Reject a promise with a value.
adopt                 hub   page  promise, other                              Let a call's promise follow another one.
react                 hub   page  promise, reaction                           Tell when a promise settles.
make                  hub   page  key, data                                   Make a value.
parse                 hub   page  key, text                                   Make a value from JSON text.
invoke                hub   page  key, call                                   Call a function; make a promise of its result.
new_abort_controller  hub   page  key                                         Make an AbortController.
signal                hub   page  key, controller                             Get the signal of a controller.
abort                 hub   page  controller                                  Signal abort.
reason                hub   page  key, signal                                 Get the abort reason of a signal.
fire                  hub   page  object, type, interface, attributes         Fire an event at an object.
====================  ====  ====  ==========================================  =================================================
"""
