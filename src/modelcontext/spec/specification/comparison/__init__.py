"""Comparison of two specifications: their IDL, and their algorithms step by step."""
