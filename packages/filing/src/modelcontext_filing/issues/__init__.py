"""The Issues of the text as texts that are ready to be filed, with the effects of their readings."""
