"""The playground: a page for stepping through programs and scripts, with the specification beside them.

:mod:`modelcontext.people.playground.session` runs in the page; :mod:`modelcontext.people.playground.build` makes the page.
"""
