"""Clients of page tools: the properties that hold for each client, under every schedule and with every adversary.

A *client* lists the tools of a page, gives them to a language model, perhaps asks a person, and calls one. It is in a race
with pages that change, frames of other origins, and the browser in between. Here each client is an algorithm
(:mod:`.algorithms`), quoted step by step from the text beside it, that runs in the model as one more process.

* :mod:`.standpoints` has the verbs that a client speaks: those of a script of the page, of a program outside that runs
  scripts in frames or sees what DevTools shows, of the browser's own agent. Everything that takes time is a place at which
  others act.
* The *model of the model* is a free choice: any tool that it was shown may be called, at any time. A *person* is another
  one: approves, or does not. Texts that would steer a model are opaque; what is followed is whose words can reach whom.
* :mod:`.adversaries` are programs: pages that change while the client is at work.
* :mod:`.properties` are functions over one trace: what the client did and learned, and which tools ran.
* :mod:`.checking` explores the complete space of a client and an adversary (:mod:`modelcontext.ground.schedule`), and checks
  every trace.
* :mod:`.counterexamples` finds the smallest trace that breaks a property, makes its program smaller, and finds the action
  after which nothing can prevent it any more. :mod:`.playing` makes a program of it that ``modelcontext trace`` can play,
  where the client is a script.

Rules that keep this sound. A trace holds more than a client can see: each registration has a label of its own. Observations
are never read by the run. There is no order between the observations of the client and those of the pages, so that no
property may ask for one. A client's state is its generator, and lists are iterated as lists, because fingerprints know these.

Breaches that no client could exclude are counted apart, under the name of the gap that the text leaves
(:class:`.properties.Gap`). A change of the text can exclude them: the same spaces are explored by a text with the readings of
:mod:`modelcontext.judging.issues.readings`, and :mod:`.cells` tells where the two differ.
"""
