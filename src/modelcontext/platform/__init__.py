"""The platform: the parts of HTML, DOM and other standards that the specification uses, under the same names."""
