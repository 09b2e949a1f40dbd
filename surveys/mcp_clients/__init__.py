"""A comparison of servers of the Model Context Protocol that offer a page's tools, ours among them.

Each probe runs in a session of its own: a fresh process, with a fresh browser, on the same demo page.
"""
