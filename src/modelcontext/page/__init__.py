"""The page host: the verbs in a real page, for algorithms that run in the page's own Python (Pyodide).

Values of the page stay in the page: Python holds numbers for them (hub.js), and what Web IDL does with them is JavaScript
that is generated from the IDL, in the realm where it belongs (realm.js). Where the page differs from the text, it is because
JavaScript cannot do what a browser can:

* Events are fired by ``dispatchEvent``, so that ``isTrusted`` is false. (Programs are told which events are meant.)
* Microtasks run when the task is over, and not after each callback within it.
* Where the browser has no ``Observable``, abort steps are listeners of the signal's ``abort`` event.
* Operations that return no promise need a Python of their own origin, which a document with an opaque origin cannot have.
"""
