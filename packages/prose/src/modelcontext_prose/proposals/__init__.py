"""Proposals for the text, as texts that run: a patch, programs that show it, and the questions that it has to answer.

A proposal is a folder of ``spec/proposals``:

* ``change.patch`` changes the project's text (:mod:`modelcontext_prose.patches`);
* ``about.md`` is what people have written about it;
* ``questions.toml`` has the questions, each with a program and two answers; an answer is a patch of the changed text;
* ``programs`` has the programs, in the language of the current revision;
* ``demo.html`` is a page to try it in.

:mod:`.proposal` reads a folder, :mod:`.outcomes` explores its programs, :mod:`.effects` what it changes for all others, and
:mod:`.page` writes the page of the docs.
"""
