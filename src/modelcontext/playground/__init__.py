"""The playground: a page for stepping through programs and scripts, with the specification beside them.

:mod:`modelcontext.playground.session` runs in the page; :mod:`modelcontext.playground.build` makes the page.
"""
