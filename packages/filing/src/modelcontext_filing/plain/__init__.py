"""Programs as plain JavaScript: straight code, as a person writes it, in one page without an interpreter.

Theory of operation. ``scripts.py`` writes the script of each document, and ``values.py`` the values in it. Each script calls
``show(line)`` for what happens. ``shown.py`` says which line that is, twice: as JavaScript in the script, and in Python for an
entry of an outcome. So the lines of an allowed outcome can stand in the page beside the lines that the browser shows, and a
test can compare them. ``view.py`` chooses how much the lines tell: as little as tells the compared outcomes apart.
``one_file.py`` puts the scripts into the documents of one file, and ``plain_page.py`` and ``subtest.py`` put a file around
them.
"""
