"""Chromium by its DevTools protocol, over a pipe: for pages that need nothing but to be opened, faster than by Playwright.

What Playwright adds to a page (an isolated world in each frame, every request of the network twice on its way) costs more
than a short test does.
"""
