"""The tests of the core.

This file makes the folder a package of its own: a library of our tools installs a package ``tests`` too, which would
otherwise be found in its place.
"""
