"""The playground: a page in which one steps through programs, with the specification beside it.

:mod:`modelcontext.playground.session` runs in the page; :mod:`modelcontext.playground.build` makes the page.
"""
