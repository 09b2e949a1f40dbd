"""Chromium by its DevTools protocol, over a pipe: faster than Playwright, for pages that only need to be opened.

Playwright makes an isolated world in each frame and follows every request, which costs more than a short test does.
"""
